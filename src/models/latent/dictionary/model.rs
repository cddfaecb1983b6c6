//! Dictionary learning: atoms, and rows as sparse sums of them.

use ndarray::{Array2, ArrayView2, Axis};

use super::code::{SparseCoder, codes};
use super::fitted::FittedDictionary;
use super::there::There;
use crate::check::{finite, not_negative, number, parameter, require, room};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, Report};
use crate::random::gaussians;
use crate::{Device, Progress, Result};

const OP: &str = "DictionaryLearning::fit";

/// What codes may be.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sparsity {
    /// Any numbers, with the penalty `λ‖z‖₁`; atoms have a norm of at most one, for else λ would mean nothing. Without a
    /// penalty the atoms span the principal components of rows as they are.
    L1(f64),
    /// One 1 and zeros: K-means, with the atoms for centres.
    OneHot,
}

/// Dictionary learning: `min ½ Σ_n‖x_n - Dᵀz_n‖² + λ Σ_n‖z_n‖₁` over atoms, the k rows of D, and codes z.
///
/// Codes given atoms are lassos ([`sparse_code`](super::sparse_code())); atoms given codes are least squares, one after
/// another, with norms of at most one. Neither raises the objective. It is not convex; the seed decides where it starts.
/// Rows are not centred. On a device rows and penalised codes stay there, in f32; atoms are found on the CPU in f64 from
/// `ZᵀZ` and `ZᵀX`. One-hot codes are found on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[2.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, 1.0], [4.0, 0.0]];
/// let fitted = DictionaryLearning::new(2, Sparsity::L1(0.01)).fit(&Device::cpu(), &x)?;
/// let back = fitted.inverse_transform(fitted.transform(&x)?)?;
/// assert!((&back - &x).iter().all(|d| d.abs() < 0.1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DictionaryLearning {
    atoms: usize,
    sparsity: Sparsity,
    coder: SparseCoder,
    #[cfg_attr(feature = "serde", serde(skip))]
    start: Option<Array2<f64>>,
    max_iterations: usize,
    tolerance: f64,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl DictionaryLearning {
    /// With k atoms.
    pub fn new(atoms: usize, sparsity: Sparsity) -> Self {
        DictionaryLearning {
            atoms,
            sparsity,
            coder: SparseCoder::Fista,
            start: None,
            max_iterations: 200,
            tolerance: 1e-8,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

setters!(DictionaryLearning {
    /// How codes are found.
    coder: SparseCoder,
    /// Atoms to begin with, k x d; by default rows of the data, disturbed.
    start: into Option<Array2<f64>>,
    /// The most iterations; 200 by default.
    max_iterations: usize,
    /// The gain, relative to the objective, that counts as none; 1e-8 by default.
    tolerance: f64,
    /// Seed of the atoms to begin with.
    seed: u64,
    /// Called after every iteration with the objective; it can cancel the fit.
    progress: Progress,
});

fits!(DictionaryLearning: Fit -> FittedDictionary);

impl Fit for DictionaryLearning {
    type Fitted = FittedDictionary;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedDictionary> {
        finite(OP, "x", x)?;
        parameter("atoms", self.atoms as f64, self.atoms > 0, "must be at least 1")?;
        room("atoms", self.atoms, 8 * (x.nrows() + x.ncols()))?;
        room("atoms", self.atoms, 8usize.saturating_mul(self.atoms))?;
        if let Sparsity::L1(penalty) = self.sparsity {
            not_negative("penalty", penalty)?;
        }
        let mut atoms = self.begin(x)?;
        let mut z = Array2::zeros((x.nrows(), self.atoms));
        let mut there = match self.sparsity {
            Sparsity::L1(penalty) => There::new(device, x, &atoms, (penalty, self.coder))?,
            Sparsity::OneHot => None,
        };
        let mut trace = Vec::new();
        let (mut iterations, mut converged) = (0, false);
        while !converged && iterations < self.max_iterations {
            let value = if let Some(there) = &mut there {
                let (gram, inner) = there.encode(atoms.view())?;
                self.improve(&mut atoms, &gram, &inner);
                there.objective(&atoms)?
            } else {
                z = encode(&Device::cpu(), (self.sparsity, self.coder), atoms.view(), x, z)?;
                self.improve(&mut atoms, &z.t().dot(&z), &z.t().dot(&x));
                objective(self.sparsity, atoms.view(), x, &z)
            };
            number(OP, "the objective", value)?;
            converged =
                trace.last().is_some_and(|before: &f64| before - value <= self.tolerance * before.abs());
            trace.push(value);
            iterations += 1;
            self.progress.report(OP, iterations, self.max_iterations, value)?;
        }
        finite(OP, "the atoms", atoms.view())?;
        let last = trace.last().copied().unwrap_or(f64::NAN);
        let report = Report::new(trace, iterations, converged, vec![last]);
        Ok(FittedDictionary::new(device, atoms, (self.sparsity, self.coder), report))
    }
}

/// The codes of rows, no worse than those given.
pub(super) fn encode(
    device: &Device,
    (s, coder): (Sparsity, SparseCoder),
    atoms: ArrayView2<f64>,
    x: ArrayView2<f64>,
    z: Array2<f64>,
) -> Result<Array2<f64>> {
    let penalty = match s {
        Sparsity::L1(penalty) => penalty,
        Sparsity::OneHot => {
            let mut hot = Array2::zeros(z.raw_dim());
            for (row, mut code) in x.rows().into_iter().zip(hot.rows_mut()) {
                let away = |k: usize| (&row - &atoms.row(k)).mapv(|v| v * v).sum();
                let nearest = (0..atoms.nrows()).fold((0, f64::INFINITY), |best, k| {
                    let own = away(k);
                    if own < best.1 { (k, own) } else { best }
                });
                code[nearest.0] = 1.0;
            }
            return Ok(hot);
        }
    };
    codes(device, atoms, x, (penalty, coder), z)
}

fn objective(s: Sparsity, atoms: ArrayView2<f64>, x: ArrayView2<f64>, z: &Array2<f64>) -> f64 {
    let error = 0.5 * (&x - &z.dot(&atoms)).mapv(|v| v * v).sum();
    let penalty = if let Sparsity::L1(penalty) = s { penalty } else { 0.0 };
    error + penalty * z.iter().map(|v| v.abs()).sum::<f64>()
}

impl DictionaryLearning {
    fn begin(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (n, d) = x.dim();
        let mut atoms = if let Some(start) = &self.start {
            let fits = start.dim() == (self.atoms, d);
            require(OP, fits, || format!("a start of {:?} for {} atoms of {d}", start.dim(), self.atoms))?;
            finite(OP, "the start", start.view())?;
            start.clone()
        } else {
            let mut order: Vec<usize> = (0..n).collect();
            crate::random::shuffle(&mut order, self.seed, 0);
            let scale = x.std_axis(Axis(0), 0.0).mean().unwrap_or(1.0).max(1e-300);
            let mut normal = gaussians(self.seed, 1);
            Array2::from_shape_fn((self.atoms, d), |(k, j)| x[[order[k % n], j]] + 0.1 * scale * normal())
        };
        if let Sparsity::L1(_) = self.sparsity {
            for mut atom in atoms.rows_mut() {
                let norm = atom.dot(&atom).sqrt();
                if norm > 0.0 {
                    atom /= norm;
                }
            }
        }
        Ok(atoms)
    }

    /// Each atom by least squares given the others, from `ZᵀZ` and `ZᵀX`; its norm is at most one where codes are penalised.
    fn improve(&self, atoms: &mut Array2<f64>, gram: &Array2<f64>, inner: &Array2<f64>) {
        for k in 0..self.atoms {
            if gram[[k, k]] <= 0.0 {
                continue;
            }
            let step = (&inner.row(k) - &gram.row(k).dot(&*atoms)) / gram[[k, k]];
            let mut atom = atoms.row_mut(k);
            atom += &step;
            let norm = atom.dot(&atom).sqrt();
            if norm > 1.0 && self.sparsity != Sparsity::OneHot {
                atom /= norm;
            }
        }
    }
}
