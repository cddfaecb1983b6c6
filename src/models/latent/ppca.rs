//! Probabilistic principal component analysis.

mod ard;
mod closed;
mod complete;
mod fitted;
mod holes;
mod missing;

pub use fitted::FittedPpca;

use ndarray::{Array1, Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::gaussian::{Subspace, normal};
use crate::check::{rows, parameter};
use super::moments::Moments;
use super::pca::Pca;
use super::report::Report;
use crate::inference::em::{Em, Outcome};
use crate::{Device, Error, Result};

/// How the parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// From the eigenvectors of the covariance: the global maximum, at once.
    #[default]
    ClosedForm,
    /// By EM from a random start: the same maximum, in many steps that never need an eigenvector.
    Em,
    /// By EM under a prior `w_j ~ N(0, I/α_j)` with its own precision for each column of W, which is estimated too:
    /// columns that the data does not need shrink to zero and are left out. The number of components asked for is
    /// then the most there can be.
    Automatic,
}

/// Probabilistic PCA: `x = W z + m + e` with `z ~ N(0, I_k)` and `e ~ N(0, σ² I_d)`, so `x ~ N(m, W W^T + σ² I)`.
///
/// The maximum of the likelihood is `σ² = (1/(d-k)) Σ_{j>k} λ_j`, `W = U_k (Λ_k - σ² I)^½`, with eigenpairs of the
/// covariance over n. W is unique up to a rotation; the one with orthogonal columns, the longest first, is returned.
///
/// Without [`Solver::Em`] or missing values nothing is iterated. With [`missing`](Ppca::missing) a NaN in the data is an
/// entry that was not observed; the likelihood is that of the entries that were.
///
/// ```
/// use mercer::{Device, models::latent::Ppca};
/// let x = ndarray::array![[2., 0., 1.], [0., 1., -1.], [-1., -1., 0.], [1., 2., 2.], [-2., -1., -1.], [0., -1., -1.]];
/// let ppca = Ppca::new(1).fit(&Device::cpu(), x.view())?;
/// assert!((ppca.noise_variance - 0.5471803544).abs() < 1e-10);
/// assert!((ppca.log_likelihood + 25.4488012703).abs() < 1e-9);
/// assert!((ppca.score_samples(x.view())?.sum() - ppca.log_likelihood).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ppca {
    components: usize,
    solver: Solver,
    missing: bool,
    em: Em,
}

impl Ppca {
    /// With this many latent dimensions.
    pub fn new(components: usize) -> Self {
        Ppca { components, solver: Solver::default(), missing: false, em: Em::default() }
    }

    /// How the parameters are found.
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// Whether a NaN stands for an entry that was not observed. The parameters are then found by EM.
    #[must_use]
    pub fn missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    /// Iterations, tolerance, restarts, seed and progress of EM, where it is used.
    #[must_use]
    pub fn em(mut self, em: Em) -> Self {
        self.em = em;
        self
    }

    /// Fits `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than two rows; [`Error::Parameter`] unless `1 <= k < d` (and `k < n` for
    /// the closed form); [`Error::NotFinite`] for an infinity, a NaN where none may be missing, or a column of which
    /// nothing was observed; [`Error::Singular`] if no noise is left, the likelihood being unbounded then, or less than f32 resolves;
    /// [`Error::Cancelled`]; those of the device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpca> {
        rows("Ppca::fit", "x", x, 2)?;
        let (n, d) = x.dim();
        self.check(d)?;
        if self.missing {
            return missing::fit(self, device, x);
        }
        match self.solver {
            Solver::ClosedForm => {
                let requirement = "must be less than the number of rows";
                parameter("components", self.components as f64, self.components < n, requirement)?;
                let pca = Pca::new(self.components).ddof(0).fit(device, x)?;
                let resolution = if device.is_gpu() { 1e-6 } else { 1e-13 };
                Ok(closed::fit(pca, resolution)?.on(device))
            }
            _ => Ok(self.fit_moments(&[Moments::of(device, x)?])?.on(device)),
        }
    }

    /// Fits data that is known by the moments of its parts; all of them lie in memory, the data need not.
    ///
    /// # Errors
    /// As [`Ppca::fit`], and [`Error::Shape`] if the parts do not fit together.
    pub fn fit_moments(&self, parts: &[Moments]) -> Result<FittedPpca> {
        let first = parts.first().ok_or_else(|| empty("there are no parts"))?;
        let mut whole = Moments::new(first.columns())?;
        parts.iter().try_for_each(|part| whole.merge(part))?;
        if whole.count() < 2 {
            return Err(empty("there must be 2 rows or more"));
        }
        self.check(whole.columns())?;
        match self.solver {
            Solver::ClosedForm => closed::fit(Pca::new(self.components).ddof(0).fit_moments(&whole)?, 1e-13),
            _ => complete::fit(self, parts, &whole),
        }
    }

    fn check(&self, d: usize) -> Result<()> {
        let k = self.components;
        let requirement = "must be at least 1 and less than the number of columns";
        parameter("components", k as f64, (1..d).contains(&k), requirement)
    }

    /// A start for a seed: small random loadings beside noise of the size of the data.
    fn random_start(&self, d: usize, variance: f64, seed: u64) -> Params {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let w = normal(&mut rng, d, self.components) * (variance / self.components as f64).sqrt();
        Params { w, shift: Array1::zeros(d), noise: variance, alpha: None }
    }
}

fn empty(what: &str) -> Error {
    Error::Shape { op: "Ppca::fit", what: what.to_owned() }
}

/// What EM moves.
#[derive(Debug, Clone)]
pub(super) struct Params {
    /// `d x k`.
    w: Array2<f64>,
    /// The mean, relative to where the data was centred; it moves only if values are missing.
    shift: Array1<f64>,
    noise: f64,
    /// The precisions of the columns of W, if they are estimated.
    alpha: Option<Array1<f64>>,
}

/// What EM leaves, made ready for use.
fn finish<S>(outcome: Outcome<Params, S>, mean: &Array1<f64>, log_likelihood: f64) -> Result<FittedPpca> {
    let report = Report::of(&outcome);
    let Params { w, shift, noise, alpha } = outcome.params;
    let (w, alpha) = ard::relevant(w, alpha);
    let gaussian = Subspace::of(mean + &shift, w.view(), noise)?;
    Ok(FittedPpca::new(gaussian, log_likelihood, alpha, Some(report)))
}
