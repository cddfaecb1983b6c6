//! What factor analysis is to fit, and how.

use ndarray::{Array1, ArrayView2};

use super::FittedFactorAnalysis;
use super::steps::{FLOOR, Model, Params};
use crate::check::{parameter, rows};
use crate::inference::em::{Em, em_setters};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{Meeting, across};
use crate::models::latent::StreamedMoments;
use crate::models::latent::axes::sign;
use crate::models::latent::rotation::{Rotation, rotate};
use crate::{Device, Error, Result};

/// Factor analysis: `x = W z + m + e` with `z ~ N(0, I_k)` and `e ~ N(0, diag(ψ))`, so `x ~ N(m, W W^T + diag(ψ))`.
///
/// An iteration takes the best W for ψ, which eigenvectors of `ψ^-½ S ψ^-½` give, then the ψ of EM's M-step,
/// `ψ_j = S_jj - Σ_c w_jc²`: the likelihood rises faster than under plain EM and never falls.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((60, 4), |(i, j)| {
///     let noise = ((i * i * 7 + i * j * 131 + j * 977) % 101) as f64 / 101.0 - 0.5;
///     (i as f64 * 0.7).sin() * [1.0, -1.0, 0.5, 2.0][j] + noise * [0.2, 0.4, 0.6, 0.8][j]
/// });
/// let fitted = FactorAnalysis::new(1).rotation(Rotation::Varimax).fit(&Device::cpu(), &x)?;
/// assert!(fitted.report().converged() && fitted.noise_variances().iter().all(|v| *v < 0.1));
/// assert!((fitted.loadings()[[1, 0]] / fitted.loadings()[[3, 0]] + 0.5).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`] unless `1 <= k <= d`; [`Error::Singular`] for a column that is constant.
#[derive(Debug, Clone)]
pub struct FactorAnalysis {
    factors: usize,
    rotation: Option<Rotation>,
    em: Em,
}

setters!(FactorAnalysis {
    /// How many factors there are.
    factors: usize,
    /// Turns the factors, which the likelihood does not notice, so that they are easier to name.
    rotation: into Option<Rotation>,
});

em_setters!(FactorAnalysis: max_iterations, tolerance, progress);

fits!(FactorAnalysis: Fit -> FittedFactorAnalysis);
across!(FactorAnalysis: Fit -> FittedFactorAnalysis);

impl Fit for FactorAnalysis {
    type Fitted = FittedFactorAnalysis;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedFactorAnalysis> {
        rows("FactorAnalysis::fit", "x", x, 2)?;
        Ok(self.fit_moments(&[StreamedMoments::of(device, x)?])?.on(device))
    }
}

impl FactorAnalysis {
    /// With this many factors.
    pub fn new(factors: usize) -> Self {
        // Gains shrink slowly near the maximum: the usual tolerance would stop far from it.
        let em = Em::new().max_iterations(2000).tolerance(1e-9);
        FactorAnalysis { factors, rotation: None, em }
    }

    /// By moments, which every rank has after one exchange.
    fn run_across(&self, all: &Meeting, device: &Device, x: ArrayView2<f64>) -> Result<FittedFactorAnalysis> {
        Ok(self.fit_moments(&[StreamedMoments::of_all(all, device, x)?])?.on(device))
    }

    /// Fits data that is known by the moments of its parts.
    ///
    /// # Errors
    /// As `fit`, and [`Error::Shape`] if the parts do not fit together.
    pub fn fit_moments(&self, parts: &[StreamedMoments]) -> Result<FittedFactorAnalysis> {
        let whole = StreamedMoments::merged("FactorAnalysis::fit", parts)?;
        let d = whole.columns();
        let requirement = "must be between 1 and the number of columns";
        parameter("factors", self.factors as f64, (1..=d).contains(&self.factors), requirement)?;
        let variances = whole.variances();
        if let Some(index) = variances.iter().position(|v| *v <= 0.0) {
            return Err(Error::Singular {
                op: "FactorAnalysis::fit, variance",
                index,
                value: variances[index],
            });
        }
        let second = whole.covariance(0)?;
        let model = Model { mean: whole.mean().clone(), factors: self.factors, floor: &variances * FLOOR };
        let outcome =
            self.em.clone().restarts(1).run(&model, parts, |_| model.best(Array1::ones(d), &second))?;
        let Params { mut w, psi } = outcome.params;
        if let Some(rotation) = self.rotation {
            w = rotate(w.view(), rotation)?;
        }
        for mut column in w.columns_mut() {
            if sign(column.view()) < 0.0 {
                column *= -1.0;
            }
        }
        Ok(FittedFactorAnalysis::new(model.mean, w, psi, whole.count(), outcome.report))
    }
}
