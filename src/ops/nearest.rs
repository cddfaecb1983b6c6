//! Nearest centres: `argmin_j |x_i - y_j|^2`, distances fused with the search.
//!
//! Checked in `tests/ops/nearest.rs` against all distances.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::gemm::product_alone;
use super::gram::{Params, TILE, check};
use super::half::operand;
use super::reduce::flat;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const TILE_LOOP: &str = include_str!("../../shaders/gram_tile.wgsl");
const SHADER: &str = include_str!("../../shaders/nearest.wgsl");
/// The one statistic of `gram_tile.wgsl` that is needed here: the squared distance.
const DISTANCE: &str = "
struct Stats { s0: vec4<f32> }
fn stats_zero() -> Stats { return Stats(vec4<f32>()); }
fn stats_add(s: Stats, p: u32, a: vec4<f32>, b0: vec4<f32>, b1: vec4<f32>, b2: vec4<f32>, b3: vec4<f32>) -> Stats {
    let e0 = a - b0;
    let e1 = a - b1;
    let e2 = a - b2;
    let e3 = a - b3;
    return Stats(s.s0 + vec4(dot(e0, e0), dot(e1, e1), dot(e2, e2), dot(e3, e3)));
}
";
/// Rows of x that one thread takes at a time on the CPU.
const CHUNK: usize = 256;
/// Running minima on the CPU: as many as the widest vectors hold.
const LANES: usize = 8;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;

/// For each row of `x`, the nearest row of `y`.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Index of the nearest row, the lowest one of equals.
    pub index: Vec<usize>,
    /// Its squared distance.
    pub squared_distance: Vec<f64>,
}

/// `argmin_j |x_i - y_j|^2` and the minimum, for the rows of `x` (`n x d`) against those of `y` (`m x d`).
///
/// On a GPU the two are read back: `8 n` bytes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the rows differ in length.
///
/// ```
/// use mercer::{Device, Matrix, ops::nearest};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[0.1, 0.9, 5.0])?;
/// let centres = Matrix::column(&cpu, &[0.0, 1.0])?;
/// assert_eq!(nearest(&x, &centres)?.index, [0, 1, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn nearest(x: &Matrix, y: &Matrix) -> Result<Nearest> {
    match check("nearest", x, Some(y))? {
        Shared::Cpu => Ok(cpu(x.cpu(), y.cpu())),
        Shared::Gpu(gpu) => gpu.guard("nearest", || on_gpu(gpu, x, y)),
    }
}

fn cpu(x: &Array2<f64>, y: &Array2<f64>) -> Nearest {
    let (n, d) = x.dim();
    let (x, centres) = (x.as_standard_layout(), Centres::new(y.view()));
    let mut found = Nearest { index: vec![0; n], squared_distance: vec![0.0; n] };
    let results = found.index.par_chunks_mut(CHUNK).zip(found.squared_distance.par_chunks_mut(CHUNK));
    results.zip(flat(&x).par_chunks(CHUNK * d)).for_each_init(
        || centres.scratch(),
        |scratch, ((index, squared_distance), x)| centres.nearest(x, scratch, index, squared_distance),
    );
    found
}

/// Rows to be near to, as the CPU compares with them.
pub(crate) struct Centres {
    y: Array2<f64>,
    mean: Vec<f64>,
    /// `y - mean` and, as a last column, `-|y - mean|^2 / 2`.
    widened: Array2<f64>,
    /// The largest `|y - mean|^2`.
    widest: f64,
}

impl Centres {
    pub fn new(y: ArrayView2<f64>) -> Self {
        let (m, d) = y.dim();
        let y = y.as_standard_layout().into_owned();
        let mean = y.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let (mut widened, mut widest) = (Array2::zeros((m, d + 1)), 0f64);
        for (mut to, y) in widened.rows_mut().into_iter().zip(y.rows()) {
            let centred = &y - &mean;
            let norm = centred.dot(&centred);
            to.slice_mut(s![..d]).assign(&centred);
            to[d] = -0.5 * norm;
            widest = widest.max(norm);
        }
        Centres { y, mean: mean.to_vec(), widened, widest }
    }

    /// Room for [`Centres::nearest`] to work in.
    pub fn scratch(&self) -> (Vec<f64>, Vec<f64>) {
        let (m, wide) = self.widened.dim();
        (vec![1.0; CHUNK * wide], vec![0.0; CHUNK * m])
    }

    /// The nearest row of y, the lowest of equals, and its squared distance, for each of the rows in `x`.
    ///
    /// Scores `|y|^2 - 2 x.y` by a matrix product, relative to the mean of y so that little cancels; then, of the few
    /// rows whose scores are within rounding of the least, the one that is nearest by the sum of squares.
    pub fn nearest(
        &self,
        x: &[f64],
        (shifted, scores): &mut (Vec<f64>, Vec<f64>),
        index: &mut [usize],
        squared_distance: &mut [f64],
    ) {
        let ((m, wide), d) = (self.widened.dim(), self.mean.len());
        let results = index.chunks_mut(CHUNK).zip(squared_distance.chunks_mut(CHUNK));
        for (x, (index, squared_distance)) in x.chunks(CHUNK * d).zip(results) {
            let (rows, fit) = (index.len(), "a chunk is whole rows");
            let (shifted, scores) = (&mut shifted[..rows * wide], &mut scores[..rows * m]);
            for (to, from) in shifted.chunks_exact_mut(wide).zip(x.chunks_exact(d)) {
                for ((to, x), m) in to.iter_mut().zip(from).zip(&self.mean) {
                    *to = x - m;
                }
            }
            let left = ArrayView2::from_shape((rows, wide), &*shifted).expect(fit);
            let product = ArrayViewMut2::from_shape((rows, m), &mut *scores).expect(fit);
            product_alone(-2.0, left, self.widened.t(), product);
            let y = flat(&self.y);
            Arch::new().dispatch(Pick {
                x,
                y,
                shifted,
                scores,
                widest: self.widest,
                index,
                squared_distance,
            });
        }
    }
}

/// The choice for some rows of x, given their scores.
struct Pick<'a> {
    x: &'a [f64],
    y: &'a [f64],
    /// `x - mean`, and a one.
    shifted: &'a [f64],
    scores: &'a [f64],
    widest: f64,
    index: &'a mut [usize],
    squared_distance: &'a mut [f64],
}

impl WithSimd for Pick<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.index.len();
        let (d, m) = (self.x.len() / rows, self.scores.len() / rows);
        for i in 0..rows {
            let (x, scores) = (&self.x[i * d..(i + 1) * d], &self.scores[i * m..(i + 1) * m]);
            let shifted = &self.shifted[i * (d + 1)..(i + 1) * (d + 1) - 1];
            let near = reduce_lanes(shifted, shifted, 0.0, |sum, a, b| sum + a * b, |a, b| a + b);
            let (least, first, second) = two_least(simd, scores);
            let bound = least + 1e-14 * (d as f64).sqrt() * (near + self.widest);
            // Infinite scores name nobody: then the first row stands.
            let mut best = (0, f64::INFINITY);
            let some = if second > bound { first..first + 1 } else { 0..m };
            for j in some {
                if scores[j] <= bound {
                    let y = &self.y[j * d..(j + 1) * d];
                    let exact = reduce_lanes(x, y, 0.0, |sum, a, b| sum + (a - b) * (a - b), |a, b| a + b);
                    if exact < best.1 {
                        best = (j, exact);
                    }
                }
            }
            (self.index[i], self.squared_distance[i]) = best;
        }
    }
}

/// The least score, where it is, and the least of the others; infinite where there is none.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn two_least<S: Simd>(simd: S, scores: &[f64]) -> (f64, usize, f64) {
    let (whole, rest) = S::as_simd_f64s(scores);
    let none = simd.splat_f64s(f64::INFINITY);
    let (mut low, mut next, mut at) = (none, none, simd.splat_f64s(0.0));
    for (step, &s) in whole.iter().enumerate() {
        let better = simd.less_than_f64s(s, low);
        next = simd.min_f64s(next, simd.max_f64s(low, s));
        at = simd.select_f64s(better, simd.splat_f64s(step as f64), at);
        low = simd.min_f64s(low, s);
    }
    let vectors = [low, next, at];
    let lanes: &[f64] = bytemuck::cast_slice(&vectors);
    let (low, others) = lanes.split_at(S::F64_LANES);
    let (next, at) = others.split_at(S::F64_LANES);
    let mut found = (f64::INFINITY, 0, f64::INFINITY);
    for (l, ((&low, &next), &at)) in low.iter().zip(next).zip(at).enumerate() {
        if low < found.0 {
            found = (low, at as usize * S::F64_LANES + l, found.0.min(next));
        } else {
            found.2 = found.2.min(low);
        }
    }
    for (l, &score) in rest.iter().enumerate() {
        if score < found.0 {
            found = (score, scores.len() - rest.len() + l, found.0);
        } else {
            found.2 = found.2.min(score);
        }
    }
    found
}

/// A reduction over pairs with as many running results as a vector has lanes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn reduce_lanes(
    a: &[f64],
    b: &[f64],
    start: f64,
    take: impl Fn(f64, f64, f64) -> f64,
    join: impl Fn(f64, f64) -> f64,
) -> f64 {
    let mut lanes = [start; LANES];
    let (whole_a, whole_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = whole_a.remainder().iter().zip(whole_b.remainder());
    let rest = rest.fold(start, |so_far, (a, b)| take(so_far, *a, *b));
    for (a, b) in whole_a.zip(whole_b) {
        for l in 0..LANES {
            lanes[l] = take(lanes[l], a[l], b[l]);
        }
    }
    lanes.into_iter().fold(rest, join)
}

fn on_gpu(gpu: &Gpu, x: &Matrix, y: &Matrix) -> Result<Nearest> {
    let (n, m, d4) = (x.rows(), y.rows(), x.vec4s());
    let [half_x, half_y] = [x, y].map(|m| m.precision() == Precision::Half);
    let operands = operand("x", 0, half_x) + &operand("y", 1, half_y);
    let key = format!("nearest{}{}", u8::from(half_x), u8::from(half_y));
    // Two words a row: a matrix of vec4s would waste half.
    let tiles = (ITERATIONS / (d4 + d4.div_ceil(4) + 24)).max(1);
    let dn = step(&gpu.limits(), TILE, &[x])?.min((gpu.limits().binding_bytes / 8) as usize / TILE * TILE);
    let dm = step(&gpu.limits(), TILE, &[y])?.min(tiles * TILE);
    let mut found = Nearest { index: Vec::with_capacity(n), squared_distance: Vec::with_capacity(n) };
    for rows in windows(n, dn) {
        let bytes = rows.len() as u64 * 8;
        let out = gpu.alloc("nearest.out", bytes)?;
        for cols in windows(m, dm) {
            let params = Params {
                n: rows.len() as u32,
                m: cols.len() as u32,
                d4: d4 as u32,
                row_first: rows.start as u32,
                col_first: cols.start as u32,
                stride: 0,
                col: 0,
                extra: u32::from(cols.start > 0),
            };
            gpu.run(&Pass {
                op: "nearest",
                shader: Shader { key: &key, parts: &[DISTANCE, &operands, TILE_LOOP, SHADER] },
                entry: "main",
                constants: &[],
                binds: &[x.rows_bind(rows.start, rows.end), y.rows_bind(cols.start, cols.end), out.whole()],
                params: bytemuck::bytes_of(&params),
                grid: [1, rows.len().div_ceil(TILE) as u32, 1],
            })?;
        }
        let raw: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(&gpu.download(&out, 0, bytes)?);
        found.index.extend(raw.iter().map(|w| w[1] as usize));
        found.squared_distance.extend(raw.iter().map(|w| f64::from(f32::from_bits(w[0]))));
    }
    Ok(found)
}
