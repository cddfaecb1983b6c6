//! Products of blocks on a GPU, in two shapes, split so that every operand fits its binding.

use std::ops::Range;

use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::window::{affordable, step, windows};
use crate::ops::{Trans, half, transpose};
use crate::{Matrix, Precision, Result};

const TILED: &str = include_str!("../../../shaders/gemm_tiled.wgsl");
const STAGE: &str = include_str!("../../../shaders/gemm_stage.wgsl");
const DIRECT: &str = include_str!("../../../shaders/gemm_direct.wgsl");
const SMALL: usize = 64; // rows and columns of a tile: one workgroup
const LARGE: usize = 128;
const DIRECT_ROWS: usize = 16;
const DIRECT_COLS: usize = 64;
/// Large tiles below which small ones are used: two for each compute unit of a large GPU. Drivers do not say how many
/// units there are, and where there are fewer the large tiles only come a little late.
const ENOUGH: usize = 160;
/// Longest sum in one dispatch: llvmpipe ends loops after 65,535 iterations, and shorter sums round less.
const MAX_K: usize = 16_384;

/// Mirrors `Params` in both shaders.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    m: u32,
    n: u32,
    k: u32,
    a_stride: u32,
    b_stride: u32,
    c_stride: u32,
    a_col: u32,
    b_col: u32,
    c_col: u32,
    shift: u32,
    alpha: f32,
    beta: f32,
}

/// A rectangle of a matrix on a GPU. `row` is a multiple of 32, `col` of 4, so that it can be bound and read by vec4s.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Block<'a> {
    pub of: &'a Matrix,
    pub row: usize,
    pub col: usize,
    pub rows: usize,
    pub cols: usize,
}

impl<'a> Block<'a> {
    pub fn whole(of: &'a Matrix) -> Self {
        Block { of, row: 0, col: 0, rows: of.rows(), cols: of.cols() }
    }
}

/// Which part of a symmetric product is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ops) enum Part {
    All,
    /// Tiles on and below the diagonal; those above keep what they hold.
    Lower,
    /// The lower tiles, and their mirror images above; needs a whole output in one binding, `beta` = 0 and the tiled
    /// shape.
    Mirrored,
}

/// What to compute into an output that already exists (and is read when `beta` is not zero).
pub(in crate::ops) struct Product<'a> {
    pub alpha: f64,
    pub a: Block<'a>,
    pub ta: Trans,
    pub b: Block<'a>,
    pub tb: Trans,
    pub beta: f64,
    pub part: Part,
}

/// Rows and columns of a tile of an m x n product.
///
/// Large tiles read half as much; small ones are four times as many, and a product with few of them leaves units idle.
fn tile(direct: bool, part: Part, m: usize, n: usize) -> (usize, usize) {
    let tiles = m.div_ceil(LARGE) * n.div_ceil(LARGE) / if part == Part::All { 1 } else { 2 };
    match (direct, tiles >= ENOUGH) {
        (true, _) => (DIRECT_ROWS, DIRECT_COLS),
        (false, true) => (LARGE, LARGE),
        (false, false) => (SMALL, SMALL),
    }
}

/// Rows and columns of a window of a product m x n x k, split into windows as it is, within a budget of multiply-adds. A
/// mirrored product is one window.
fn within(
    budget: f64,
    part: Part,
    (m, n, k): (usize, usize, usize),
    (dm, dn, dk): (usize, usize, usize),
) -> (usize, usize) {
    if part == Part::Mirrored {
        return (dm, dn);
    }
    let (dm, dn, dk) = (dm.min(m), dn.min(n), dk.min(k) as f64);
    let rows = affordable(budget, dn as f64 * dk, LARGE);
    let cols = if rows > LARGE { dn } else { dn.min(affordable(budget, LARGE as f64 * dk, LARGE)) };
    (dm.min(rows), cols)
}

/// Whether a product of n x n entries, each a sum of k, is affordable in one piece if half of it is computed.
pub(in crate::ops) fn mirrored_in_one(gpu: &Gpu, n: usize, k: usize) -> bool {
    let (n, k) = (n as f64, k.min(MAX_K) as f64);
    0.5 * n * n * k <= gpu.budget()
}

/// A block as the shader will read it: `turned` is the transpose of its matrix, if one was made.
fn as_stored<'a>(x: Block<'a>, t: Trans, turned: Option<&'a Matrix>) -> (Block<'a>, Trans) {
    match turned {
        None => (x, t),
        Some(of) => (Block { of, row: x.col, col: x.row, rows: x.cols, cols: x.rows }, Trans::No),
    }
}

/// Records the product, split into windows of m, n and k such that each operand fits a binding.
pub(in crate::ops) fn on_gpu(gpu: &Gpu, p: &Product, out: Block) -> Result<()> {
    let direct = gpu.direct();
    // The direct shape reads both operands as they lie: a transpose is O(nk) beside O(mnk).
    let turned = |x: &Block, t: Trans| match t {
        Trans::Yes if direct => transpose(x.of).map(Some),
        _ => Ok(None),
    };
    let (turned_a, turned_b) = (turned(&p.a, p.ta)?, turned(&p.b, p.tb)?);
    let (a, ta) = as_stored(p.a, p.ta, turned_a.as_ref());
    let (b, tb) = as_stored(p.b, p.tb, turned_b.as_ref());
    let k = if ta == Trans::No { a.cols } else { a.rows };
    let limits = gpu.limits();
    // Each operand is bound by windows of its rows; which of m, n, k those are depends on its transposition.
    let (mut by_m, mut by_n, mut by_k) = (vec![out.of], vec![], vec![]);
    if ta == Trans::No {
        by_m.push(a.of);
    } else {
        by_k.push(a.of);
    }
    if tb == Trans::No {
        by_k.push(b.of);
    } else {
        by_n.push(b.of);
    }
    let (tall, across) = tile(direct, p.part, out.rows, out.cols);
    let (dm, dn) = (step(&limits, tall, &by_m)?, step(&limits, across, &by_n)?);
    // A window of a triangle starts at a tile's edge, so that no tile straddles the diagonal.
    let dm = if p.part == Part::All { dm } else { (dm / across).max(1) * across };
    let dk = step(&limits, SMALL, &by_k)?.min(MAX_K);
    let (dm, dn) = within(gpu.budget(), p.part, (out.rows, out.cols, k), (dm, dn, dk));
    let [half_a, half_b] = [a.of, b.of].map(|m| m.precision() == Precision::Half);
    let source = [half::operand("a", 0, half_a), half::operand("b", 1, half_b)];
    let (body, staging, shape) = if direct { (DIRECT, "", "direct") } else { (TILED, STAGE, "tiled") };
    let key = format!("gemm_{shape}{}{}", u8::from(half_a), u8::from(half_b));
    let flag = |on: bool| f64::from(u8::from(on));
    let share = if p.part == Part::All { 1.0 } else { 0.5 };
    let mut constants = vec![("LOWER", flag(p.part != Part::All))];
    if !direct {
        let others = [
            ("TRANS_A", ta == Trans::Yes),
            ("TRANS_B", tb == Trans::Yes),
            ("MIRROR", p.part == Part::Mirrored),
        ];
        constants.extend(others.map(|(name, on)| (name, flag(on))));
        constants.push(("LANES", (tall / 8) as f64));
        constants.push(("AHEAD", flag(tall == LARGE && !half_a && !half_b)));
    }
    let area = |i: &Range<usize>, j: &Range<usize>| i.len() as f64 * j.len() as f64;
    let wide = |half: bool| if half { 2.0 } else { 4.0 };
    // Stored rows and first stored column of the window (i, j) of op(x).
    let place = |x: &Block, t: Trans, i: &Range<usize>, j: &Range<usize>| {
        let (rows, cols) = if t == Trans::No { (i, j) } else { (j, i) };
        (x.row + rows.start..x.row + rows.end, (x.col + cols.start) / 4)
    };
    for rm in windows(out.rows, dm) {
        for rn in windows(out.cols, dn) {
            for rk in windows(k, dk) {
                let (a_rows, a_col) = place(&a, ta, &rm, &rk);
                let (b_rows, b_col) = place(&b, tb, &rk, &rn);
                let (c_rows, c_col) = place(&out, Trans::No, &rm, &rn);
                let beta = if rk.start == 0 { p.beta as f32 } else { 1.0 };
                // What is added to is read before it is written; of a triangle half is.
                let visits =
                    if beta == 0.0 { 1.0 } else { 2.0 } * if p.part == Part::Lower { 0.5 } else { 1.0 };
                let params = Params {
                    m: rm.len() as u32,
                    n: rn.len() as u32,
                    k: rk.len() as u32,
                    a_stride: a.of.vec4s() as u32,
                    b_stride: b.of.vec4s() as u32,
                    c_stride: out.of.vec4s() as u32,
                    a_col: a_col as u32,
                    b_col: b_col as u32,
                    c_col: c_col as u32,
                    // Wraps around below zero, which is how the shader's `i32` reads it.
                    shift: (rm.start as u32).wrapping_sub(rn.start as u32),
                    alpha: p.alpha as f32,
                    beta,
                };
                gpu.run(&Pass {
                    op: "gemm",
                    shader: Shader::new(&key, &[&source[0], &source[1], body, staging]),
                    entry: "main",
                    constants: &constants,
                    binds: &[
                        a.of.rows_bind(a_rows.start, a_rows.end).touching(wide(half_a) * area(&rm, &rk)),
                        b.of.rows_bind(b_rows.start, b_rows.end).touching(wide(half_b) * area(&rk, &rn)),
                        out.of.rows_bind(c_rows.start, c_rows.end).touching(4.0 * visits * area(&rm, &rn)),
                    ],
                    params: bytemuck::bytes_of(&params),
                    grid: [rn.len().div_ceil(across) as u32, rm.len().div_ceil(tall) as u32, 1],
                    work: rm.len() as f64 * rn.len() as f64 * rk.len() as f64 * share,
                })?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MAX_K, Part, within};

    /// The products of a matrix-free fit with a thousand times as many points as a watchdog allows at once.
    #[test]
    fn windows_are_affordable() {
        let all = usize::MAX;
        for (m, n, k) in [(20_000, 20_000, 16_384), (1_000_000, 1000, 1_000_000), (64, 1_000_000, 50_000)] {
            let (dm, dn) = within(2e11, Part::All, (m, n, k), (all, all, MAX_K));
            let work = dm as f64 * dn as f64 * k.min(MAX_K) as f64;
            assert!(work <= 2e11 && work > 0.5e11 * (m.min(dm) as f64 / dm as f64), "{dm} x {dn}: {work:e}");
            assert!(dm == m || dm % 128 == 0, "{dm} rows");
        }
    }
}
