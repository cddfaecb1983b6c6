//! The mixture of normals of unit variance, as coordinate ascent sees it. Checked in `tests/inference/cavi.rs`.

use std::ops::Range;

use super::cavi::Conditionals;
use super::family::Family;
use super::stochastic::GlobalLocal;
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::configure::getters;

/// `x_i | c_i ~ N(μ_{c_i}, 1)`, `μ_k ~ N(0, s²)`, `c_i` uniform over K components: a model of [`Cavi`](super::Cavi) and of
/// [`StochasticVi`](super::StochasticVi).
///
/// The first K blocks are the means (global), the others the assignments (local, in parallel).
///
/// ```
/// use mercer::inference::variational::{Cavi, KnownVarianceMixture};
/// let model = KnownVarianceMixture::new(&[-2.1, -1.9, 2.0, 2.2], 2, 4.0)?;
/// let found = Cavi::new().run(&model, model.start(&[-1.0, 1.0], 1.0)?)?;
/// assert!((found.expected()[0][0] - -1.7).abs() < 0.2);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KnownVarianceMixture {
    data: Vec<f64>,
    components: usize,
    prior_variance: f64,
}

getters!(KnownVarianceMixture {
    /// The observations.
    data: &[f64],
    /// K.
    components: usize,
    /// s².
    prior_variance: f64,
});

impl KnownVarianceMixture {
    /// The model of these observations.
    ///
    /// # Errors
    /// No data, NaN, no components, a variance that is not positive.
    pub fn new(data: &[f64], components: usize, prior_variance: f64) -> Result<Self> {
        require("KnownVarianceMixture", !data.is_empty(), || "there are no data".to_owned())?;
        for (i, v) in data.iter().enumerate() {
            parameter(&format!("data[{i}]"), *v, v.is_finite(), "must be finite")?;
        }
        parameter("components", components as f64, components > 0, "must be at least 1")?;
        positive("prior_variance", prior_variance)?;
        Ok(KnownVarianceMixture { data: data.to_vec(), components, prior_variance })
    }

    /// Natural parameters to start from: means of these values and one variance, assignments uniform.
    ///
    /// # Errors
    /// Another number of means, a variance that is not positive.
    pub fn start(&self, means: &[f64], variance: f64) -> Result<Vec<Vec<f64>>> {
        positive("variance", variance)?;
        require("KnownVarianceMixture", means.len() == self.components, || {
            format!("{} components, {} means", self.components, means.len())
        })?;
        let means = means.iter().map(|m| vec![m / variance, -0.5 / variance]);
        Ok(means.chain(self.data.iter().map(|_| vec![0.0; self.components])).collect())
    }
}

/// `E[log p(x | μ_k)]` of each component, up to what they share.
fn scores(x: f64, means: &[Vec<f64>]) -> Vec<f64> {
    means.iter().map(|u| x * u[0] - 0.5 * u[1]).collect()
}

impl Conditionals for KnownVarianceMixture {
    fn families(&self) -> Vec<Family> {
        let k = self.components;
        let locals = self.data.iter().map(|_| Family::Categorical(k));
        std::iter::repeat_n(Family::Normal, k).chain(locals).collect()
    }

    fn natural(&self, block: usize, expected: &[Vec<f64>]) -> Result<Vec<f64>> {
        let k = self.components;
        if block >= k {
            return Ok(scores(self.data[block - k], &expected[..k]));
        }
        let mut v = vec![0.0, -0.5 / self.prior_variance];
        for (x, q) in self.data.iter().zip(&expected[k..]) {
            v[0] += q[block] * x;
            v[1] -= 0.5 * q[block];
        }
        Ok(v)
    }

    fn expected_log_joint(&self, expected: &[Vec<f64>]) -> Result<f64> {
        let (k, log_tau) = (self.components, (2.0 * std::f64::consts::PI).ln());
        let prior = |u: &Vec<f64>| -0.5 * (log_tau + self.prior_variance.ln() + u[1] / self.prior_variance);
        let mut sum: f64 = expected[..k].iter().map(prior).sum();
        for (x, q) in self.data.iter().zip(&expected[k..]) {
            sum -= (k as f64).ln();
            let each = scores(*x, &expected[..k]);
            sum += q.iter().zip(&each).map(|(q, s)| q * (s - 0.5 * x * x - 0.5 * log_tau)).sum::<f64>();
        }
        Ok(sum)
    }

    /// Local assignments first, given the means; then the means, which are independent given the assignments.
    fn groups(&self) -> Vec<Range<usize>> {
        let k = self.components;
        vec![k..k + self.data.len(), 0..k]
    }
}

impl GlobalLocal for KnownVarianceMixture {
    fn family(&self) -> Vec<Family> {
        vec![Family::Normal; self.components]
    }

    fn count(&self) -> usize {
        self.data.len()
    }

    fn prior(&self) -> Vec<Vec<f64>> {
        vec![vec![0.0, -0.5 / self.prior_variance]; self.components]
    }

    fn local(&self, i: usize, expected: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let q = Family::Categorical(self.components).expected(&scores(self.data[i], expected))?;
        Ok(q.iter().map(|q| vec![q * self.data[i], -0.5 * q]).collect())
    }
}
