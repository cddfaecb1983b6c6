//! Sparse codes for a given dictionary, by proximal gradients and then exactly.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use crate::check::{finite, largest, not_negative, numbers, require};
use crate::learn::Inputs;
use crate::linalg::eigh;
use crate::linalg::small_cholesky::Small;
use crate::matrix::window::windows;
use crate::matrix::{Origin, Points};
use crate::ops::{Along, Reduction, Shrinking, Trans, gemm, reduce, shrink};
use crate::{Device, Matrix, Result};

const OP: &str = "sparse_code";

/// How codes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SparseCoder {
    /// Proximal gradient steps: the error falls as 1/t.
    Ista,
    /// The same with Nesterov's momentum, which starts anew where it would lead uphill: 1/t².
    #[default]
    Fista,
}

/// The codes `argmin_z ½‖x - Dᵀz‖² + λ‖z‖₁` of the rows of x for the atoms in the rows of D, k x d: one row a row of x.
///
/// Each step is `z ← S(z - ∇/L, λ/L)` with the soft threshold S and the largest eigenvalue L of `DDᵀ`. From time to time the
/// entries that are not zero are solved for, given their signs: where the conditions of the lasso hold of the solution the
/// code is exact, and rows where they do not step on, until no entry moves.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let atoms = array![[1.0, 0.0], [0.0, 1.0]]; // orthonormal: the code is the soft threshold of the projection
/// let z = sparse_code(&atoms, array![[3.0, -0.2]], 0.5, SparseCoder::Fista)?;
/// assert!((z[[0, 0]] - 2.5).abs() < 1e-9 && z[[0, 1]] == 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for rows of another width than the atoms',
/// [`Error::Parameter`](crate::Error::Parameter) for a negative λ, and bad data.
pub fn sparse_code(
    dictionary: &Array2<f64>,
    x: impl Inputs,
    penalty: f64,
    coder: SparseCoder,
) -> Result<Array2<f64>> {
    sparse_code_on(&Device::cpu(), dictionary, x, penalty, coder)
}

/// [`sparse_code`] whose steps run on a device in f32; what is exact is found and judged on the CPU in f64.
///
/// # Errors
/// As [`sparse_code`], and those of the device.
pub fn sparse_code_on(
    device: &Device,
    dictionary: &Array2<f64>,
    x: impl Inputs,
    penalty: f64,
    coder: SparseCoder,
) -> Result<Array2<f64>> {
    let x = x.inputs();
    finite(OP, "the dictionary", dictionary.view())?;
    finite(OP, "x", x.view())?;
    not_negative("penalty", penalty)?;
    let (d, own) = (dictionary.ncols(), x.ncols());
    require(OP, d == own, || format!("atoms of {d} numbers, rows of {own}"))?;
    let start = Array2::zeros((x.nrows(), dictionary.nrows()));
    codes(device, dictionary.view(), x.view(), (penalty, coder), start)
}

/// The most steps of one code.
pub(super) const STEPS: usize = 5000;
/// Steps between two looks at how far codes move.
const LOOK: usize = 10;
/// Looks without a smaller move after which rounding is all that moves.
const STALLED: usize = 20;
/// What counts as no move in f32, and in f64.
pub(super) const NEAR: f64 = 1e-6;
const THERE: f64 = 1e-10;
/// Rows that the CPU takes at once: each block ends when its own rows have.
const BLOCK: usize = 256;

/// Lassos with a dictionary in common: `½ zᵀGz - bᵀz + λ‖z‖₁` for any b.
pub(super) struct Lassos {
    /// `G = DDᵀ`.
    gram: Array2<f64>,
    /// L, its largest eigenvalue.
    pub largest: f64,
    penalty: f64,
    coder: SparseCoder,
}

impl Lassos {
    pub fn new(dictionary: ArrayView2<f64>, (penalty, coder): (f64, SparseCoder)) -> Result<Self> {
        let gram = dictionary.dot(&dictionary.t());
        numbers(OP, "products of atoms", gram.view())?;
        let largest = eigh(gram.view())?.values.iter().fold(0f64, |m, v| m.max(*v));
        Ok(Lassos { gram, largest, penalty, coder })
    }

    /// G/L on a device.
    pub fn scaled(&self, device: &Device) -> Result<Matrix> {
        Matrix::upload(OP, device, (&self.gram / self.largest).view())
    }

    /// Steps from these codes until none moves by more than the tolerance, so many at most; `gram` is G/L, `linear` b/L. On a GPU nothing
    /// but the largest move comes back, at every look.
    pub fn steps(
        &self,
        (gram, linear): (&Matrix, &Matrix),
        mut at: Shrinking,
        (tolerance, most): (f64, usize),
    ) -> Result<Shrinking> {
        let (momentum, threshold) = (self.coder == SparseCoder::Fista, self.penalty / self.largest);
        let (mut least, mut looks) = (f64::INFINITY, 0);
        for step in 1..=most {
            let product = gemm(1.0, &at.ahead, Trans::No, gram, Trans::No)?;
            at = shrink(at, product, linear, threshold, momentum)?;
            if step % LOOK > 0 {
                continue;
            }
            let moved = reduce(&at.state, Along::EachColumn, Reduction::Max)?.to_array()?[[0, 1]];
            looks = if moved < least { 0 } else { looks + 1 };
            least = least.min(moved);
            let stalled = looks >= STALLED && gram.device().is_gpu();
            // Codes that are no numbers do not move either; whoever reads them looks for that.
            if moved <= tolerance || stalled || moved.is_nan() {
                break;
            }
        }
        Ok(at)
    }

    /// The code with these signs: `G_SS z_S = b_S - λ sign` on the entries S that are not zero. None if it has other signs or
    /// does not meet the conditions of the lasso, `|b - Gz| ≤ λ` with equality and the sign of z on S.
    fn exact(&self, b: ArrayView1<f64>, z: ArrayView1<f64>) -> Option<Vec<f64>> {
        let own: Vec<usize> = (0..z.len()).filter(|&j| z[j] != 0.0).collect();
        let right =
            Array2::from_shape_fn((1, own.len()), |(_, i)| b[own[i]] - self.penalty * z[own[i]].signum());
        let part = Array2::from_shape_fn((own.len(), own.len()), |(i, j)| self.gram[[own[i], own[j]]]);
        let found = Small::new(OP, part.view()).ok()?.solve_rows(right.view());
        let signs = own.iter().zip(&found).all(|(&j, v)| v * z[j] > 0.0);
        let mut all = vec![0.0; z.len()];
        own.iter().zip(&found).for_each(|(&j, v)| all[j] = *v);
        let slack = 1e-9 * largest(b).max(self.penalty);
        let holds = (0..z.len()).all(|j| {
            let rest = b[j] - own.iter().zip(&found).map(|(&i, v)| self.gram[[j, i]] * v).sum::<f64>();
            let wanted = if all[j] == 0.0 {
                rest.abs() - self.penalty
            } else {
                (rest - self.penalty * all[j].signum()).abs()
            };
            wanted <= slack
        });
        ((signs || self.penalty == 0.0) && holds).then_some(all)
    }

    /// Replaces codes by exact ones where they can be found; the other rows' numbers.
    fn settle(&self, b: &Array2<f64>, z: &mut Array2<f64>, rows: Vec<usize>) -> Vec<usize> {
        let found: Vec<Option<Vec<f64>>> = rows.par_iter().map(|&n| self.exact(b.row(n), z.row(n))).collect();
        let mut open = Vec::new();
        for (n, exact) in rows.into_iter().zip(found) {
            match exact {
                Some(exact) => z.row_mut(n).assign(&ArrayView1::from(&exact)),
                None => open.push(n),
            }
        }
        open
    }

    /// Steps on the CPU for some rows.
    fn on_cpu(
        &self,
        b: &Array2<f64>,
        z: &mut Array2<f64>,
        rows: &[usize],
        until: (f64, usize),
    ) -> Result<()> {
        let cpu = Device::cpu();
        let gram = self.scaled(&cpu)?;
        for part in windows(rows.len(), BLOCK) {
            let own = &rows[part];
            let linear = Matrix::upload(OP, &cpu, (b.select(Axis(0), own) / self.largest).view())?;
            let start = Shrinking::new(Matrix::from_host(z.select(Axis(0), own)))?;
            let found = self.steps((&gram, &linear), start, until)?.codes.into_array()?;
            own.iter().zip(found.rows()).for_each(|(&n, row)| z.row_mut(n).assign(&row));
        }
        Ok(())
    }
}

/// Operations of a hundred steps, which decide where codes are found.
pub(super) fn flops(n: usize, k: usize) -> f64 {
    200.0 * n as f64 * (k * k) as f64
}

/// [`sparse_code`] from given codes on.
pub(super) fn codes(
    device: &Device,
    dictionary: ArrayView2<f64>,
    x: ArrayView2<f64>,
    lasso: (f64, SparseCoder),
    mut z: Array2<f64>,
) -> Result<Array2<f64>> {
    let lassos = Lassos::new(dictionary, lasso)?;
    if lassos.largest <= 0.0 {
        return Ok(Array2::zeros(z.raw_dim()));
    }
    let b = x.dot(&dictionary.t());
    numbers(OP, "products of atoms and rows", b.view())?;
    let (n, k) = b.dim();
    let linear = Points::new(OP, device, (&b / lassos.largest).view(), Origin::Fixed, flops(n, k))?;
    let mut open: Vec<usize> = (0..n).collect();
    if linear.device().is_gpu() {
        let there = linear.device();
        let start = Shrinking::new(Matrix::upload(OP, there, z.view())?)?;
        let at = lassos.steps((&lassos.scaled(there)?, linear.matrix()?), start, (NEAR, STEPS))?;
        z = at.codes.into_array()?;
        open = lassos.settle(&b, &mut z, open);
    }
    // A few steps often know the signs: rows that are exact by then wait for no others.
    for most in [2 * LOOK, 10 * LOOK, 50 * LOOK, STEPS] {
        lassos.on_cpu(&b, &mut z, &open, (THERE, most))?;
        open = lassos.settle(&b, &mut z, open);
    }
    numbers(OP, "the codes", z.view())?;
    Ok(z)
}
