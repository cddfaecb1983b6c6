//! Moments on a GPU: a shader that weighs and centres, and products of what it leaves.

use ndarray::{Array1, Array2, s};

use super::{Moments, Second};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::window::{step, windows};
use crate::ops::gemm::{Block, Part, Product, Trans, on_gpu as product};
use crate::ops::reduce::{Along, GROUP, Reduction, reduce};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../../shaders/moments.wgsl");

/// Mirrors `Params` in `shaders/moments.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    n: u32,
    d4: u32,
    r_stride: u32,
    k: u32,
    centre: u32,
}

/// A grid with an invocation for each of `count` vec4s, on as many axes as it takes.
fn over_two_axes(count: usize, most: u32) -> [u32; 3] {
    let groups = count.div_ceil(GROUP) as u32;
    let x = groups.min(most);
    [x, groups.div_ceil(x.max(1)), 1]
}

/// For each component the rows `sqrt(r) (x - c)`, with a column of `sqrt(r)` in a vec4 of its own: the products of these
/// columns with each other are all three moments.
pub(super) fn on_gpu(gpu: &Gpu, x: &Matrix, r: &Matrix, centres: &Matrix, second: Second) -> Result<Pending> {
    let ((n, d), d4, k) = (x.shape(), x.vec4s(), r.cols());
    let full = second == Second::Full;
    let cols = 4 * d4 + 1;
    let scaled = |rows| Matrix::alloc(gpu, "moments.scaled", (rows, cols), Precision::Single);
    let whole = scaled(1)?; // for its row size
    let fit = (gpu.limits().binding_bytes / whole.bytes()) as usize / 64 * 64;
    let dn = step(&gpu.limits(), GROUP, &[x, r])?.min(fit.max(64)).min(1 << 17);
    let (dk, mut found) = (step(&gpu.limits(), GROUP, &[centres])?, Vec::new());
    for rows in windows(n, dn) {
        let z = scaled(rows.len())?;
        for component in 0..k {
            let bound = component / dk * dk..k.min(component / dk * dk + dk);
            let params = Params {
                n: rows.len() as u32,
                d4: d4 as u32,
                r_stride: r.vec4s() as u32,
                k: component as u32,
                centre: (component - bound.start) as u32,
            };
            gpu.run(&Pass {
                op: "moments",
                shader: Shader::new("moments", &[SHADER]),
                entry: "main",
                constants: &[],
                binds: &[
                    x.rows_bind(rows.start, rows.end),
                    r.rows_bind(rows.start, rows.end),
                    centres.rows_bind(bound.start, bound.end),
                    z.bind(),
                ],
                params: bytemuck::bytes_of(&params),
                grid: over_two_axes(rows.len() * (d4 + 1), gpu.limits().groups_per_axis),
                work: 0.0,
            })?;
            let from = if full { 0 } else { 4 * d4 };
            let b = Block { of: &z, row: 0, col: from, rows: rows.len(), cols: cols - from };
            let products = Matrix::alloc(gpu, "moments.products", (cols, b.cols), Precision::Single)?;
            let a = Block::whole(&z);
            let of = Product { alpha: 1.0, a, ta: Trans::Yes, b, tb: Trans::No, beta: 0.0, part: Part::All };
            product(gpu, &of, Block::whole(&products))?;
            let squares =
                if full { None } else { Some(reduce(&z, Along::EachColumn, Reduction::SumSquares)?) };
            found.push((component, products, squares));
        }
    }
    Ok(Pending { found, shape: (k, d), full })
}

/// Moments that are computed but not yet read back: products of each component in each window of rows.
pub(crate) struct Pending {
    found: Vec<(usize, Matrix, Option<Matrix>)>,
    shape: (usize, usize),
    full: bool,
}

impl Pending {
    /// What is to be read back, together with what else there is.
    pub fn matrices(&self) -> Vec<&Matrix> {
        self.found
            .iter()
            .flat_map(|(_, products, squares)| [Some(products), squares.as_ref()])
            .flatten()
            .collect()
    }

    /// The moments by what [`Pending::matrices`] held.
    pub fn read(&self, arrays: &[Array2<f64>]) -> Moments {
        let ((k, d), mut arrays) = (self.shape, arrays.iter());
        let mut sums = Moments {
            mass: Array1::zeros(k),
            first: Array2::zeros((k, d)),
            second: Array2::zeros((if self.full { k * d } else { k }, d)),
        };
        for (k, _, squares) in &self.found {
            let Some(products) = arrays.next() else { return sums };
            let last = products.column(products.ncols() - 1);
            sums.mass[*k] += last[products.nrows() - 1];
            let mut first = sums.first.row_mut(*k);
            first += &last.slice(s![..d]);
            if let Some(squares) = squares.as_ref().and_then(|_| arrays.next()) {
                let mut own = sums.second.row_mut(*k);
                own += &squares.slice(s![0, ..d]);
            } else {
                let mut own = sums.second.slice_mut(s![k * d..(k + 1) * d, ..]);
                let products = products.slice(s![..d, ..d]);
                own += &((&products + &products.t()) * 0.5);
            }
        }
        sums
    }
}
