//! What a mixture of PPCA has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::steps::{Component, responsibilities};
use crate::check::{columns, numbers, require, room, zeros};
#[cfg(feature = "serde")]
use crate::check::{finite, parameter};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Inputs, Predict, PredictProba, Report, Reported, Sample, Score};
use crate::matrix::points::suited;
use crate::models::latent::axes::fix_signs;
use crate::models::latent::centred;
use crate::saved::Format;
use crate::{Device, Result};

/// A fitted mixture of probabilistic PCAs.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedPpcaMixture {
    format: Format,
    /// Means relative to the centre, which keeps f32 in its range.
    parts: Vec<Component>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    centre: Array1<f64>,
    count: usize,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedPpcaMixture {
    /// How the fit went: the log-likelihood at the start and after each iteration, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedPpcaMixture: Predict -> Vec<usize>, PredictProba, Sample, Score);

impl FittedPpcaMixture {
    pub(super) fn new(
        device: &Device,
        mut parts: Vec<Component>,
        centre: &Array1<f64>,
        count: usize,
        report: Report,
    ) -> Self {
        for part in &mut parts {
            fix_signs(&mut part.gaussian.axes);
        }
        let (centre, device) = (centre.clone(), device.clone());
        FittedPpcaMixture { format: Format, parts, centre, count, report, device }
    }

    /// The log-likelihood `Σ log p(x_i)` of the data it was fitted to.
    pub fn log_likelihood(&self) -> f64 {
        self.report.objective()
    }

    /// How many Gaussians there are: K.
    pub fn components(&self) -> usize {
        self.parts.len()
    }

    /// The weights π, which sum to one.
    pub fn weights(&self) -> Array1<f64> {
        self.parts.iter().map(|p| p.weight).collect()
    }

    /// The mean `m_c` of every component, `K x d`.
    pub fn means(&self) -> Array2<f64> {
        let mut out = Array2::zeros((self.parts.len(), self.centre.len()));
        for (mut row, part) in out.rows_mut().into_iter().zip(&self.parts) {
            row.assign(&(&part.gaussian.mean + &self.centre));
        }
        out
    }

    /// The loadings `W_c`, `d x k`, of a component: orthogonal columns, the longest first.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn loadings(&self, component: usize) -> Result<Array2<f64>> {
        Ok(self.part(component)?.gaussian.loadings())
    }

    /// The covariance `W_c W_c^T + σ_c² I` of a component.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn covariance(&self, component: usize) -> Result<Array2<f64>> {
        Ok(self.part(component)?.gaussian.covariance())
    }

    /// The noise variance `σ_c²` of every component.
    pub fn noise_variances(&self) -> Array1<f64> {
        self.parts.iter().map(|p| p.gaussian.noise).collect()
    }

    /// The components whose noise would have fallen below the floor: they have collapsed onto few points.
    pub fn floored(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|&c| self.parts[c].floored).collect()
    }

    /// The log density `log p(x_i)` of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// As [`FittedPpcaMixture::predict`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        Ok(self.look("FittedPpcaMixture::score_samples", x.inputs().view())?.1)
    }

    /// The expected latents `E[z | x, c]` of each row of `x` in the subspace of a component: `m x k`.
    ///
    /// # Errors
    /// As [`FittedPpcaMixture::predict`], and [`Error::Shape`](crate::Error::Shape) if there is no such component.
    pub fn transform(&self, x: impl Inputs, component: usize) -> Result<Array2<f64>> {
        let x = x.inputs();
        columns("FittedPpcaMixture::transform", x.view(), self.centre.len())?;
        numbers("FittedPpcaMixture::transform", "x", x.view())?;
        let gaussian = &self.part(component)?.gaussian;
        let mean = &gaussian.mean + &self.centre;
        centred::project(&self.device, x.view(), mean.view(), gaussian.encoder().view())
    }

    /// New observations, `count x d`, each from a component drawn by its weight, and which.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
    pub fn sample_labelled(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let n = count;
        room("count", n, 4 * (self.centre.len() + 1) * size_of::<f64>())?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || {
            let mut left = rng.random::<f64>();
            let found = self.parts.iter().position(|p| {
                left -= p.weight;
                left < 0.0
            });
            found.unwrap_or(self.parts.len() - 1)
        };
        let labels: Vec<usize> = (0..n).map(|_| draw()).collect();
        let mut out = zeros("count", n, self.centre.len())?;
        for (c, part) in self.parts.iter().enumerate() {
            let own: Vec<usize> = (0..n).filter(|&i| labels[i] == c).collect();
            let rows = part.gaussian.sample(own.len(), seed.wrapping_add(1 + c as u64))? + &self.centre;
            own.iter().zip(rows.rows()).for_each(|(&i, row)| out.row_mut(i).assign(&row));
        }
        Ok((out, labels))
    }

    /// The number of free parameters of all components and their weights.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.parts.first().map_or((0, 0), |p| p.gaussian.axes.dim());
        let each = d * k + 1 + d - k * k.saturating_sub(1) / 2;
        self.parts.len() * each + self.parts.len() - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood()
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * (self.count as f64).ln() - 2.0 * self.log_likelihood()
    }

    fn part(&self, c: usize) -> Result<&Component> {
        let k = self.parts.len();
        require("FittedPpcaMixture", c < k, || format!("there is no component {c} of {k}"))?;
        Ok(&self.parts[c])
    }

    fn look(&self, op: &'static str, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        columns(op, x, self.centre.len())?;
        numbers(op, "x", x)?;
        let (n, d) = x.dim();
        let (mut shares, mut scores) = (Array2::zeros((n, self.parts.len())), Array1::zeros(n));
        let flops = 4.0 * x.len() as f64 * d as f64 * self.parts.len() as f64;
        let device = &suited(&self.device, x, flops);
        for rows in centred::blocks(device, n, d) {
            let block = centred::on(device, x.slice(s![rows.clone(), ..]), self.centre.view())?;
            let (own, log_p) = responsibilities(&self.parts, &block)?;
            shares.slice_mut(s![rows.clone(), ..]).assign(&own);
            scores.slice_mut(s![rows]).assign(&log_p);
        }
        Ok((shares, scores))
    }
}

impl Predict for FittedPpcaMixture {
    type Output = Vec<usize>;

    /// The most probable component of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(most_probable(self.look("FittedPpcaMixture::predict", x)?.0.view()))
    }
}

impl PredictProba for FittedPpcaMixture {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.look("FittedPpcaMixture::predict_proba", x)?.0)
    }
}

impl Sample for FittedPpcaMixture {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(self.sample_labelled(count, seed)?.0)
    }
}

/// The mean log density.
impl Score for FittedPpcaMixture {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedPpcaMixture {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedPpcaMixture);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedPpcaMixture {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedPpcaMixture";
        finite(OP, "the centre", self.centre.view().insert_axis(ndarray::Axis(0)))?;
        let d = self.centre.len();
        require(OP, !self.parts.is_empty() && self.count > 0, || "there are no components".to_owned())?;
        let k = self.parts[0].gaussian.variances.len();
        for part in &self.parts {
            part.gaussian.check(OP)?;
            require(OP, part.gaussian.axes.dim() == (k, d), || "components of different sizes".to_owned())?;
        }
        crate::check::weights(OP, self.weights().view(), self.parts.len())?;
        let log_likelihood = self.log_likelihood();
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")
    }
}
