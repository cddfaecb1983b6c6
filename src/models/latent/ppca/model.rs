//! What probabilistic PCA is to fit, and how.

use ndarray::{Array1, Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{FittedPpca, ard, closed, complete, missing};
use crate::check::{parameter, require, rows};
use crate::inference::em::{Em, Outcome, em_setters};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{Meeting, across};
use crate::models::latent::gaussian::{Subspace, normal};
use crate::models::latent::{Pca, StreamedMoments};
use crate::{Device, Result};

/// How the parameters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PpcaSolver {
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
/// Without [`PpcaSolver::Em`] or missing values nothing is iterated. With [`missing`](Ppca::missing) a NaN in the data is an
/// entry that was not observed; the likelihood is that of the entries that were.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[2., 0., 1.], [0., 1., -1.], [-1., -1., 0.], [1., 2., 2.], [-2., -1., -1.], [0., -1., -1.]];
/// let ppca = Ppca::new(1).fit(&Device::cpu(), &x)?;
/// assert!((ppca.noise_variance() - 0.5471803544).abs() < 1e-10);
/// assert!((ppca.log_likelihood() + 25.4488012703).abs() < 1e-9);
/// assert!((ppca.score_samples(&x)?.sum() - ppca.log_likelihood()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) unless `1 <= k < d` (and `k < n` for the closed form);
/// [`Error::NotFinite`](crate::Error::NotFinite) for an infinity, a NaN where none may be missing, or a column of which
/// nothing was observed; [`Error::Singular`](crate::Error::Singular) if no noise is left, the likelihood being unbounded
/// then, or less than f32 resolves.
#[derive(Debug, Clone)]
pub struct Ppca {
    pub(super) components: usize,
    pub(super) solver: PpcaSolver,
    missing: bool,
    pub(super) em: Em,
}

setters!(Ppca {
    /// How many latent dimensions there are.
    components: usize,
    /// How the parameters are found; in closed form by default.
    solver: PpcaSolver,
    /// Whether a NaN stands for an entry that was not observed. The parameters are then found by EM.
    missing: bool,
});

em_setters!(Ppca: max_iterations, tolerance, restarts, seed, mode, progress);

fits!(Ppca: Fit -> FittedPpca);
across!(Ppca: Fit -> FittedPpca);

impl Fit for Ppca {
    type Fitted = FittedPpca;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedPpca> {
        rows("Ppca::fit", "x", x, 2)?;
        let (n, d) = x.dim();
        self.check(d)?;
        if self.missing {
            return missing::fit(self, device, x);
        }
        match self.solver {
            PpcaSolver::ClosedForm => {
                let requirement = "must be less than the number of rows";
                parameter("components", self.components as f64, self.components < n, requirement)?;
                let pca = Pca::new(self.components).ddof(0).fit(device, x)?;
                let resolution = if pca.device().is_gpu() { 1e-6 } else { 1e-13 };
                Ok(closed::fit(pca, resolution)?.on(device))
            }
            _ => Ok(self.fit_moments(&[StreamedMoments::of(device, x)?])?.on(device)),
        }
    }
}

impl Ppca {
    /// With this many latent dimensions.
    pub fn new(components: usize) -> Self {
        Ppca { components, solver: PpcaSolver::default(), missing: false, em: Em::new() }
    }

    /// Fits data that is known by the moments of its parts; all of them lie in memory, the data need not.
    ///
    /// # Errors
    /// As `fit`, and [`Error::Shape`](crate::Error::Shape) if the parts do not fit together.
    pub fn fit_moments(&self, parts: &[StreamedMoments]) -> Result<FittedPpca> {
        let whole = StreamedMoments::merged("Ppca::fit", parts)?;
        self.check(whole.columns())?;
        match self.solver {
            PpcaSolver::ClosedForm => {
                closed::fit(Pca::new(self.components).ddof(0).fit_moments(&whole)?, 1e-13)
            }
            _ => complete::fit(self, parts, &whole),
        }
    }

    /// By moments, which every rank has after one exchange; nothing may be missing unless this process is alone.
    fn run_across(&self, all: &Meeting, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpca> {
        if all.alone() {
            return Fit::fit(self, device, x, &());
        }
        require("Ppca::fit", !self.missing, || "ranks exchange moments, which need all values".to_owned())?;
        Ok(self.fit_moments(&[StreamedMoments::of_all(all, device, x)?])?.on(device))
    }

    fn check(&self, d: usize) -> Result<()> {
        let k = self.components;
        let requirement = "must be at least 1 and less than the number of columns";
        parameter("components", k as f64, (1..d).contains(&k), requirement)
    }

    /// A start for a seed: small random loadings beside noise of the size of the data.
    pub(super) fn random_start(&self, d: usize, variance: f64, seed: u64) -> Params {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let w = normal(&mut rng, d, self.components) * (variance / self.components as f64).sqrt();
        Params { w, shift: Array1::zeros(d), noise: variance, alpha: None }
    }
}

/// What EM moves.
#[derive(Debug, Clone)]
pub(super) struct Params {
    /// `d x k`.
    pub w: Array2<f64>,
    /// The mean, relative to where the data was centred; it moves only if values are missing.
    pub shift: Array1<f64>,
    pub noise: f64,
    /// The precisions of the columns of W, if they are estimated.
    pub alpha: Option<Array1<f64>>,
}

/// What EM leaves of n rows, made ready for use.
pub(super) fn finish<S>(
    outcome: Outcome<Params, S>,
    mean: &Array1<f64>,
    log_likelihood: f64,
    n: usize,
) -> Result<FittedPpca> {
    let Params { w, shift, noise, alpha } = outcome.params;
    let (w, alpha) = ard::relevant(w, alpha);
    let gaussian = Subspace::of(mean + &shift, w.view(), noise)?;
    Ok(FittedPpca::new(gaussian, log_likelihood, alpha, n, outcome.report))
}
