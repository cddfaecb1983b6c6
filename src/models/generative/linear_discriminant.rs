//! Linear discriminant analysis. Checked in `tests/classify/discriminants.rs` against scikit-learn and its own densities.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::discriminant::discriminant;
use super::gaussians::{Gaussians, priors, shrunk};
use super::moments::Moments;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{inputs, parameter};
use crate::learn::classify::{Body, Joint, Task, contrast, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::inherent;
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Label, Transform};
use crate::linalg::eigh;
use crate::ops::product;
use crate::{Device, Result};

/// `p(x | k) = N(x; m_k, C)`, one covariance for all classes: `p(k | x) = softmax(w_kᵀx + w_k0)` with `w_k = C⁻¹m_k` and
/// `w_k0 = -½ m_kᵀC⁻¹m_k + ln p(k)`.
///
/// Means are those of the classes, `C = Σ_k (N_k/N) S_k` is the pooled covariance (divided by N, the likeliest; by N - K
/// if unbiased), and priors are the shares of the classes unless given. A shrinkage s makes it
/// `(1 - s) C + s (tr C/d) I`, which columns that depend on each other, or more features than rows, make necessary.
/// `transform` projects on Fisher's directions, at most K - 1: those of the largest variance between classes in units of
/// that within.
///
/// A GPU sums the moments of the classes and computes densities in f32; what that does not tell, nearly dependent features
/// and rows between two classes, is computed in f64 on the CPU, as is Ledoit and Wolf's shrinkage.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [3.0, 3.0], [5.0, 3.0], [3.0, 5.0], [5.0, 5.0], [4.0, 4.0]];
/// let fit = LinearDiscriminant::new().fit(&Device::cpu(), &x, [1, 1, 1, 1, 2, 2, 2, 2, 2])?;
/// assert!((fit.predict_proba(array![[2.5, 2.5]])?[[0, 0]] - 4.0 / 9.0).abs() < 1e-12);
/// assert_eq!(fit.transform(&x)?.ncols(), 1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if the covariance is singular: shrink it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearDiscriminant {
    shrinkage: f64,
    priors: Option<Vec<f64>>,
    unbiased: bool,
    components: Option<usize>,
    ledoit_wolf: bool,
}

impl LinearDiscriminant {
    /// Maximum likelihood, priors from the data, all of Fisher's directions.
    pub fn new() -> Self {
        LinearDiscriminant {
            shrinkage: 0.0,
            priors: None,
            unbiased: false,
            components: None,
            ledoit_wolf: false,
        }
    }
}

impl Default for LinearDiscriminant {
    fn default() -> Self {
        Self::new()
    }
}

setters!(LinearDiscriminant {
    /// The shrinkage s of the covariance, in [0, 1].
    shrinkage: f64,
    /// Whether the covariance of each class is shrunk by what the data say, as Ledoit and Wolf have it, in units of its
    /// deviations, before they are pooled: scikit-learn's `auto`. The shrinkage s is then not used, and N divides.
    ledoit_wolf: bool,
    /// The probability of each class, in the order of the classes; their shares by default.
    priors: into Option<Vec<f64>>,
    /// Whether the covariance is divided by N - K instead of N.
    unbiased: bool,
    /// How many of Fisher's directions `transform` projects on; all by default.
    components: into Option<usize>,
});

fits_across!(LinearDiscriminant: Classify -> FittedLinearDiscriminant);

impl LinearDiscriminant {
    fn learn(&self, all: &Meeting, device: &Device, task: &Task, moments: Moments) -> Result<Found> {
        let op = "LinearDiscriminant::fit";
        let s = self.shrinkage;
        parameter("shrinkage", s, (0.0..=1.0).contains(&s), "must lie between 0 and 1")?;
        let (k, d) = (task.classes, task.x.ncols());
        let components = self.components.unwrap_or(d.min(k - 1));
        let possible = (1..=d.min(k - 1)).contains(&components);
        parameter(
            "components",
            components as f64,
            possible,
            "must be at least 1, below the classes, at most the features",
        )?;
        let priors = priors(op, self.priors.as_ref(), &moments.mass)?;
        let total = moments.mass.sum();
        let freedom = if self.unbiased { total - k as f64 } else { total };
        parameter("observations", total, freedom > 0.0, "must be more than the classes")?;
        let sum =
            |all: &mut dyn Iterator<Item = Array2<f64>>| all.fold(Array2::zeros((d, d)), |sum, s| sum + s);
        let within = if self.ledoit_wolf {
            sum(&mut moments
                .shrunk_covariances(all, task)?
                .into_iter()
                .zip(&moments.mass)
                .map(|(c, m)| c * (m / total)))
        } else {
            shrunk(sum(&mut moments.scatters.iter().cloned()) / freedom, s)
        };
        let gaussians = Gaussians::new(op, device, moments.means, vec![within], priors)?;

        // Fisher: the eigenvectors of the covariance of the means, in the coordinates where that within is one.
        let shares = &moments.mass / total;
        let centre = shares.dot(&gaussians.means);
        let mut spread = Array2::zeros((k, d));
        let deviations = &gaussians.means - &centre;
        product(1.0, deviations.view(), gaussians.whitening(0).t(), 0.0, spread.view_mut());
        let between = (&spread * &shares.view().insert_axis(Axis(1))).t().dot(&spread);
        let between = 0.5 * (&between + &between.t());
        let e = eigh(between.view())?;
        let directions = gaussians.whitening(0).t().dot(&e.vectors.slice(s![.., ..components]));
        let all: f64 = e.values.iter().map(|v| v.max(0.0)).sum();
        let share = |v: &f64| if all > 0.0 { v.max(0.0) / all } else { 0.0 };
        let explained = e.values.iter().take(components).map(share).collect();
        Ok(Found { gaussians, centre, directions, explained })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    gaussians: Gaussians,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    centre: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    directions: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    explained: Array1<f64>,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.centre.len()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.log_joint(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        self.gaussians.check(op, classes)?;
        let (d, c) = self.directions.dim();
        let fits = d == self.centre.len() && d == self.gaussians.means.ncols() && c == self.explained.len();
        require(op, fits, || "directions that do not fit".to_owned())?;
        finite(op, "the directions", self.directions.view())?;
        finite(op, "the centre", self.centre.view().insert_axis(Axis(1)))
    }
}

fitted_classifier! {
    /// Fitted [`LinearDiscriminant`].
    FittedLinearDiscriminant(Found): Probable, Joint
}

discriminant!(LinearDiscriminant -> FittedLinearDiscriminant);

getters!(FittedLinearDiscriminant<L> {
    /// Fisher's directions, `d x c`: of unit variance within classes.
    directions => found.directions: &Array2<f64>,
    /// The share of the variance between classes along each direction.
    explained => found.explained: &Array1<f64>,
});

inherent!(FittedLinearDiscriminant<L: Label>: Transform);

impl<L> FittedLinearDiscriminant<L> {
    /// The covariance C within classes.
    pub fn covariance(&self) -> ArrayView2<'_, f64> {
        self.found.gaussians.covariance(0)
    }

    /// `w_k = C⁻¹m_k`, `d x K`; of two classes `w_2 - w_1`, `d x 1`.
    pub fn coefficients(&self) -> Array2<f64> {
        let w = self.found.gaussians.whitening(0);
        contrast(w.t().dot(&w.dot(&self.found.gaussians.means.t())))
    }

    /// `w_k0 = -½ m_kᵀC⁻¹m_k + ln p(k)`, K; of two classes the second less the first.
    pub fn intercept(&self) -> Array1<f64> {
        let g = &self.found.gaussians;
        let white = g.whitening(0).dot(&g.means.t());
        let each = white.columns().into_iter().zip(&g.priors).map(|(z, p)| p.ln() - 0.5 * z.dot(&z));
        contrast(each.collect::<Array1<f64>>().insert_axis(Axis(0))).row(0).to_owned()
    }
}

/// Fisher's projections of `x` less the mean of all rows.
impl<L: Label> Transform for FittedLinearDiscriminant<L> {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedLinearDiscriminant::transform", x, self.found.features())?;
        let mut out = Array2::zeros((x.nrows(), self.found.directions.ncols()));
        product(1.0, (&x - &self.found.centre).view(), self.found.directions.view(), 0.0, out.view_mut());
        Ok(out)
    }
}
