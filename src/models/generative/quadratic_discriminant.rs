//! Quadratic discriminant analysis. Checked in `tests/classify/discriminants.rs` against scikit-learn.

use ndarray::{Array2, Array3, ArrayView2};

use super::discriminant::discriminant;
use super::gaussians::{Gaussians, priors, shrunk};
use super::moments::Moments;
use crate::check::parameter;
use crate::learn::classify::{Body, Joint, Task, contrast, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::{Device, Result};

/// `p(x | k) = N(x; m_k, C_k)`, each class its own covariance: `a_k = -½ ln|C_k| - ½ (x - m_k)ᵀC_k⁻¹(x - m_k) + ln p(k)`,
/// and `p(k | x) = softmax(a)`.
///
/// Means and covariances are those of the classes (divided by `N_k`, the likeliest; by `N_k - 1` if unbiased), priors the
/// shares of the classes unless given. A shrinkage s makes them `(1 - s) C_k + s (tr C_k/d) I`, which is necessary where
/// a class has no more rows than features.
///
/// A GPU sums the moments of the classes and computes densities in f32; what that does not tell, nearly dependent features
/// and rows between two classes, is computed in f64 on the CPU, as is Ledoit and Wolf's shrinkage.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[-1.0], [0.0], [1.0], [-3.0], [0.0], [3.0]];
/// let fit = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, ["near", "near", "near", "far", "far", "far"])?;
/// assert_eq!(fit.predict(array![[0.0], [4.0], [-4.0]])?, ["near", "far", "far"]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if a covariance is singular: shrink it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuadraticDiscriminant {
    shrinkage: f64,
    priors: Option<Vec<f64>>,
    unbiased: bool,
    ledoit_wolf: bool,
}

impl QuadraticDiscriminant {
    /// Maximum likelihood, priors from the data.
    pub fn new() -> Self {
        QuadraticDiscriminant { shrinkage: 0.0, priors: None, unbiased: false, ledoit_wolf: false }
    }
}

impl Default for QuadraticDiscriminant {
    fn default() -> Self {
        Self::new()
    }
}

setters!(QuadraticDiscriminant {
    /// The shrinkage s of the covariances, in [0, 1].
    shrinkage: f64,
    /// Whether covariances are shrunk by what the data say, as Ledoit and Wolf have it, in units of their deviations:
    /// scikit-learn's `auto`. The shrinkage s is then not used, and `N_k` divides.
    ledoit_wolf: bool,
    /// The probability of each class, in the order of the classes; their shares by default.
    priors: into Option<Vec<f64>>,
    /// Whether covariances are divided by `N_k - 1` instead of `N_k`.
    unbiased: bool,
});

fits_across!(QuadraticDiscriminant: Classify -> FittedQuadraticDiscriminant);

impl QuadraticDiscriminant {
    fn learn(&self, all: &Meeting, device: &Device, task: &Task, moments: Moments) -> Result<Found> {
        let op = "QuadraticDiscriminant::fit";
        let s = self.shrinkage;
        parameter("shrinkage", s, (0.0..=1.0).contains(&s), "must lie between 0 and 1")?;
        let priors = priors(op, self.priors.as_ref(), &moments.mass)?;
        let least = moments.mass.fold(f64::INFINITY, |m, v| m.min(*v));
        let enough = !self.unbiased || least > 1.0;
        parameter("rows of a class", least, enough, "must be more than one for an unbiased covariance")?;
        let divisor = |m: &f64| if self.unbiased { m - 1.0 } else { *m };
        let covariances = if self.ledoit_wolf {
            moments.shrunk_covariances(all, task)?
        } else {
            moments.scatters.iter().zip(&moments.mass).map(|(c, m)| shrunk(c / divisor(m), s)).collect()
        };
        Ok(Found { gaussians: Gaussians::new(op, device, moments.means, covariances, priors)? })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    gaussians: Gaussians,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.gaussians.means.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.log_joint(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        self.gaussians.check(op, classes)
    }
}

fitted_classifier! {
    /// Fitted [`QuadraticDiscriminant`].
    FittedQuadraticDiscriminant(Found): Probable, Joint
}

discriminant!(QuadraticDiscriminant -> FittedQuadraticDiscriminant);

getters!(FittedQuadraticDiscriminant<L> {
    /// The covariances of classes, `K x d x d`.
    covariances => found.gaussians.covariances: &Array3<f64>,
});
