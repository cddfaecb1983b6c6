//! What a mixture of linear regressions has learned.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayRef, ArrayView2, Axis, Ix1};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::linear::{Lines, join};
#[cfg(feature = "serde")]
use crate::check::{finite, parameter, positive, require, weights};
use crate::check::{inputs, pairs};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, Report, Reported, TargetDim, Targets};
use crate::models::mixture::responsibilities::shares;
use crate::models::mixture::sample::answers;
use crate::saved::Format;
use crate::{Device, Matrix, Result};

/// Fitted [`LinearRegressionMixture`](super::LinearRegressionMixture).
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedLinearRegressionMixture<D = Ix1> {
    format: Format,
    lines: Lines,
    log_likelihood: f64,
    count: usize,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
    targets: PhantomData<D>,
}

getters!(FittedLinearRegressionMixture<D> {
    /// The weights π, of length K.
    weights => lines.weights: &Array1<f64>,
    /// The slopes w, `K x d`.
    slopes => lines.slopes: &Array2<f64>,
    /// The intercepts b.
    intercepts => lines.intercepts: &Array1<f64>,
    /// The variances σ² about the lines.
    variances => lines.variances: &Array1<f64>,
    /// The log-likelihood `sum_i log p(y_i | x_i)` of the data of the fit.
    log_likelihood: f64,
    /// How the fit went: the log-likelihood, less the ridge, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedLinearRegressionMixture<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedLinearRegressionMixture<D> {
    type Output = Array<f64, D>;

    /// `E[y | x_i] = sum_k π_k (w_k^T x_i + b_k)`.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Ok(D::shaped(self.lines(x)?.dot(self.weights()).insert_axis(Axis(1))))
    }
}

impl<D> Reported for FittedLinearRegressionMixture<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> FittedLinearRegressionMixture<D> {
    pub(super) fn new(
        lines: Lines,
        log_likelihood: f64,
        count: usize,
        report: Report,
        device: Device,
    ) -> Self {
        let (format, targets) = (Format, PhantomData);
        FittedLinearRegressionMixture { format, lines, log_likelihood, count, report, device, targets }
    }

    /// What each line says, `w_k^T x_i + b_k`, `m x K`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn lines(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("FittedLinearRegressionMixture::lines", x.view(), self.slopes().ncols())?;
        Ok(x.dot(&self.slopes().t()) + self.intercepts())
    }

    /// Responsibilities once y is seen, `p(k | x_i, y_i)`, `m x K`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn responsibilities(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
    ) -> Result<Array2<f64>> {
        const OP: &str = "FittedLinearRegressionMixture::responsibilities";
        let (x, y) = (x.inputs(), y.targets());
        let y = D::columns(&y);
        pairs(OP, x.view(), y)?;
        Ix1::fits(OP, y.ncols())?;
        inputs(OP, x.view(), self.slopes().ncols())?;
        shares(&self.lines.log_joint(&Matrix::from_host(join(x.view(), y)?))?)
    }

    /// A y for each row of `x`, `m x d`, drawn from the mixture, and the line it lies about.
    ///
    /// # Errors
    /// As `predict`.
    pub fn sample_at(&self, x: impl Inputs, seed: u64) -> Result<(Array1<f64>, Vec<usize>)> {
        let lines = self.lines(x)?;
        let (y, labels): (Vec<f64>, _) = answers(&lines, self.weights().view(), seed, |k, mean, rng| {
            mean + self.variances()[k].sqrt() * rng.sample::<f64, _>(StandardNormal)
        });
        Ok((Array1::from(y), labels))
    }

    /// The number of free parameters: slopes, intercepts, variances and weights.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.slopes().dim();
        k * (d + 3) - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * (self.count as f64).ln() - 2.0 * self.log_likelihood
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLinearRegressionMixture<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedLinearRegressionMixture<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLinearRegressionMixture";
        let k = self.slopes().nrows();
        finite(OP, "the slopes", self.slopes().view())?;
        weights(OP, self.weights().view(), k)?;
        let lengths = [self.intercepts().len(), self.variances().len()];
        require(OP, lengths == [k; 2], || format!("{k} slopes, {lengths:?} intercepts and variances"))?;
        let intercepts = self.intercepts().view().insert_axis(Axis(1));
        finite(OP, "the intercepts", intercepts)?;
        self.variances().iter().try_for_each(|v| positive("variance", *v))?;
        require(OP, self.count > 0, || "it was fitted to nothing".to_owned())?;
        parameter("log_likelihood", self.log_likelihood, self.log_likelihood.is_finite(), "must be finite")
    }
}
