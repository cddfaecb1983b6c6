//! What a Bayesian network has learned.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayView2, Axis, Ix2};

use super::model::jacobians;
use crate::Result;
#[cfg(feature = "serde")]
use crate::check::positive;
use crate::check::{inputs, numbers};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, Report, Reported, TargetDim};
use crate::models::neural::network::Network;
use crate::models::neural::pass;
use crate::random::gaussians;
use crate::saved::Format;

/// A fitted [`BayesianNetwork`](super::BayesianNetwork).
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedBayesianNetwork<D = Ix2> {
    pub(super) format: Format,
    pub(super) network: Network,
    pub(super) mean: Vec<f64>,
    /// The covariance of the weights, or a row of variances for mean field.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) spread: Array2<f64>,
    /// None for Laplace's approximation.
    pub(super) draws: usize,
    pub(super) seed: u64,
    pub(super) noise_precision: f64,
    pub(super) log_evidence: f64,
    pub(super) report: Report,
    pub(super) targets: PhantomData<D>,
}

getters!(FittedBayesianNetwork<D> {
    /// The network.
    network: &Network,
    /// The means of its parameters.
    parameters => mean: &[f64],
    /// The covariance of the parameters; for mean field one row of variances.
    covariance => spread: &Array2<f64>,
    /// The logarithm of the evidence by Laplace's approximation, or a draw of its lower bound.
    log_evidence: f64,
    /// How the training went; the trace is the negative log joint density but for constants, or the negative bound.
    report: &Report,
});

inherent!(FittedBayesianNetwork<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> FittedBayesianNetwork<D> {
    fn moments(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array2<f64>)> {
        inputs("FittedBayesianNetwork::predict", x, self.network.inputs())?;
        let noise = 1.0 / self.noise_precision;
        if self.draws == 0 {
            let mean = pass::forward(&self.network, &self.mean, x);
            let mut variance = Array2::from_elem(mean.raw_dim(), noise);
            for (k, g) in jacobians(&self.network, &self.mean, x).iter().enumerate() {
                let spread = (&g.dot(&self.spread) * g).sum_axis(Axis(1));
                variance.column_mut(k).zip_mut_with(&spread, |v, s| *v += s.max(0.0));
            }
            return Ok((mean, variance));
        }
        let mut normal = gaussians(self.seed, 9);
        let (mut sum, mut squares) =
            (Array2::<f64>::zeros((x.nrows(), self.network.outputs())), None::<Array2<f64>>);
        let mut first = None;
        for _ in 0..self.draws {
            let w: Vec<f64> =
                self.mean.iter().zip(self.spread.row(0)).map(|(m, v)| m + v.sqrt() * normal()).collect();
            let y = pass::forward(&self.network, &w, x);
            // Around the first draw, so that squares do not cancel.
            let away = &y - &*first.get_or_insert_with(|| y.clone());
            sum += &away;
            squares = Some(squares.map_or_else(|| away.mapv(|v| v * v), |s| s + away.mapv(|v| v * v)));
        }
        let n = self.draws as f64;
        let away = sum / n;
        let variance = squares.unwrap_or_else(|| away.clone()) / n - away.mapv(|v| v * v);
        let mean = first.unwrap_or_else(|| away.clone()) + &away;
        Ok((mean, variance.mapv(|v| v.max(0.0) + noise)))
    }

    /// Means and variances of a new observation at each row of `x`, its noise included.
    ///
    /// # Errors
    /// As `predict`.
    pub fn predict_distribution(&self, x: impl Inputs) -> Result<(Array<f64, D>, Array<f64, D>)> {
        let (mean, variance) = self.moments(x.inputs().view())?;
        numbers("FittedBayesianNetwork::predict", "what is predicted", mean.view())?;
        numbers("FittedBayesianNetwork::predict", "the variances", variance.view())?;
        Ok((D::shaped(mean), D::shaped(variance)))
    }
}

impl<D: TargetDim> Predict for FittedBayesianNetwork<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        let (mean, _) = self.moments(x)?;
        numbers("FittedBayesianNetwork::predict", "what is predicted", mean.view())?;
        Ok(D::shaped(mean))
    }
}

impl<D> Reported for FittedBayesianNetwork<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBayesianNetwork<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedBayesianNetwork<D> {
    fn check(&self) -> Result<()> {
        const SAVED: &str = "a saved FittedBayesianNetwork";
        D::fits(SAVED, self.network.outputs())?;
        self.network.holds(&self.mean)?;
        positive("noise_precision", self.noise_precision)?;
        let p = self.mean.len();
        let want = (if self.draws == 0 { p } else { 1 }, p);
        let shape = self.spread.dim();
        crate::check::require(SAVED, shape == want, || {
            format!("a covariance of {shape:?} where {want:?} was to be")
        })?;
        numbers(SAVED, "the covariance", self.spread.view())
    }
}
