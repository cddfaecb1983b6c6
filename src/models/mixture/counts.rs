//! Mixtures whose log densities are linear in the data: `log p_k(x) = a_k^T x + b_k`. Products on every device.
//!
//! Both the Bernoulli and the categorical mixture are; they differ in a, b and the M-step.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::factors::log_weight;
use super::gaussian_em::responsibilities;
use super::start::{MixtureStart, memberships};
use crate::models::em::{Em, EmModel, Observations, Statistics, check_components};
use crate::ops::{Along, Reduction, Trans, Zip, gemm, logsumexp, reduce, softmax, zip};
use crate::{Device, Error, Matrix, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Bernoulli,
    Categorical,
}

/// What is fitted, and how.
pub(super) struct Counts<'a> {
    pub family: Family,
    pub components: usize,
    pub smoothing: f64,
    pub em: &'a Em,
}

/// π and the probabilities, `K x d`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Params {
    weights: Array1<f64>,
    probabilities: Array2<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Sums {
    mass: Array1<f64>,
    /// `sum_i w_i r_ik x_i`.
    total: Array2<f64>,
    log_likelihood: f64,
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.mass += &other.mass;
        self.total += &other.total;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.mass *= by;
        self.total *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.mass.sum()
    }
}

/// A fitted [`BernoulliMixture`](super::BernoulliMixture) or [`CategoricalMixture`](super::CategoricalMixture).
#[derive(Debug, Clone)]
pub struct FittedDiscreteMixture {
    /// π, of length K.
    pub weights: Array1<f64>,
    /// The probability of a yes for each feature, or of each category: `K x d`.
    pub probabilities: Array2<f64>,
    /// `sum_i w_i log p(x_i)`, for counts without the multinomial coefficients.
    pub log_likelihood: f64,
    /// The log-likelihood plus the logarithm of the prior, at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    family: Family,
    device: Device,
}

impl Counts<'_> {
    pub fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedDiscreteMixture> {
        self.check(x)?;
        let (n, k) = (x.nrows(), self.components);
        check_components("components", k, n)?;
        let device = device.suited_to(4.0 * x.len() as f64 * k as f64 * self.em.max_iterations as f64);
        let rows = Observations::new(&device, x, weights)?;
        let run = self.em.run(self, std::slice::from_ref(&rows), |seed| self.start(x, weights, seed))?;
        Ok(FittedDiscreteMixture {
            weights: run.params.weights,
            probabilities: run.params.probabilities,
            log_likelihood: run.stats.log_likelihood,
            trace: run.trace,
            iterations: run.iterations,
            converged: run.converged,
            family: self.family,
            device,
        })
    }

    fn check(&self, x: ArrayView2<f64>) -> Result<()> {
        let refuse = |name: String, value, requirement| Err(Error::Parameter { name, value, requirement });
        if !(self.smoothing > 0.0 && self.smoothing.is_finite()) {
            return refuse("smoothing".to_owned(), self.smoothing, "must be positive and finite");
        }
        for ((i, j), &v) in x.indexed_iter().filter(|(_, v)| v.is_finite()) {
            let (holds, requirement) = match self.family {
                Family::Bernoulli => (v == 0.0 || v == 1.0, "must be 0 or 1"),
                Family::Categorical => (v >= 0.0, "must not be negative: it is a count"),
            };
            if !holds {
                return refuse(format!("x[{i}, {j}]"), v, requirement);
            }
        }
        Ok(())
    }

    /// The M-step of the cells of rows that lie far from each other; counts are compared by the square roots of their
    /// shares, whose distance does not grow with the length of a text.
    fn start(&self, x: ArrayView2<f64>, weights: Option<&[f64]>, seed: u64) -> Result<Params> {
        let shares = |row: ndarray::ArrayView1<f64>| row.mapv(|v| (v / row.sum().max(1.0)).sqrt());
        let rows = match self.family {
            Family::Bernoulli => x.to_owned(),
            Family::Categorical => {
                let mut rows = x.to_owned();
                for mut row in rows.rows_mut() {
                    let own = shares(row.view());
                    row.assign(&own);
                }
                rows
            }
        };
        let cpu = Device::cpu();
        let labels = MixtureStart::PlusPlus.labels(&cpu, rows.view(), weights, self.components, seed)?;
        let r = memberships(&labels, self.components, weights)?;
        let sums = Sums { mass: r.sum_axis(Axis(0)), total: r.t().dot(&x), log_likelihood: 0.0 };
        Ok(self.learn(&sums))
    }

    /// The most probable parameters under symmetric Beta or Dirichlet priors.
    fn learn(&self, sums: &Sums) -> Params {
        let (d, a) = (sums.total.ncols() as f64, self.smoothing);
        let mut probabilities = &sums.total + a;
        for (k, mut row) in probabilities.rows_mut().into_iter().enumerate() {
            row /= match self.family {
                Family::Bernoulli => sums.mass[k] + 2.0 * a,
                Family::Categorical => sums.total.row(k).sum() + d * a,
            };
        }
        Params { weights: &sums.mass / sums.mass.sum(), probabilities }
    }
}

/// `log π_k + a_k^T x_i + b_k`, `n x K`.
fn log_joint(family: Family, params: &Params, x: &Matrix) -> Result<Matrix> {
    let p = &params.probabilities;
    let slope = match family {
        Family::Bernoulli => p.mapv(|p| (p / (1.0 - p)).ln()),
        Family::Categorical => p.mapv(f64::ln),
    };
    let offset = Array2::from_shape_fn((1, p.nrows()), |(_, k)| {
        let none = match family {
            Family::Bernoulli => p.row(k).iter().map(|p| (-p).ln_1p()).sum(),
            Family::Categorical => 0.0,
        };
        log_weight(params.weights[k]) + none
    });
    let [slope, offset] = [slope, offset].map(|a| Matrix::from_array(&x.device(), a.view()));
    zip(&gemm(1.0, x, Trans::No, &slope?, Trans::Yes)?, &offset?, Zip::Add)
}

impl EmModel for Counts<'_> {
    const NAME: &'static str = "DiscreteMixture";
    type Batch = Observations;
    type Params = Params;
    type Stats = Sums;

    fn expect(&self, params: &Params, rows: &Observations) -> Result<Sums> {
        let (r, log_likelihood) = responsibilities(log_joint(self.family, params, &rows.x)?, rows)?;
        let mass = reduce(&r, Along::EachColumn, Reduction::Sum)?.to_array()?.index_axis_move(Axis(0), 0);
        let total = gemm(1.0, &r, Trans::Yes, &rows.x, Trans::No)?.to_array()?;
        Ok(Sums { mass, total, log_likelihood })
    }

    fn maximise(&self, _: &Params, sums: &Sums) -> Result<Params> {
        Ok(self.learn(sums))
    }

    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior = |p: &f64| match self.family {
            Family::Bernoulli => p.ln() + (-p).ln_1p(),
            Family::Categorical => p.ln(),
        };
        sums.log_likelihood + self.smoothing * params.probabilities.iter().map(prior).sum::<f64>()
    }

    fn rounding(&self) -> f64 {
        // Sums of probabilities may come from f32, whatever the device of a later fit.
        1e-5
    }
}

impl FittedDiscreteMixture {
    /// The most responsible component of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows do not have d entries, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let largest = |row: ndarray::ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::MIN), |a, (k, &v)| if v > a.1 { (k, v) } else { a }).0
        };
        Ok(self.predict_proba(x)?.rows().into_iter().map(largest).collect())
    }

    /// Responsibilities, `p(k | x_i)`, `m x K`.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::predict`].
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        softmax(&self.joint(x)?)?.to_array()
    }

    /// `log p(x_i)` of each row, for counts without the multinomial coefficient.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::predict`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(logsumexp(&self.joint(x)?)?.to_array()?.index_axis_move(Axis(1), 0))
    }

    fn joint(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        let device = self.device.suited_to(2.0 * x.len() as f64 * self.weights.len() as f64);
        let params = Params { weights: self.weights.clone(), probabilities: self.probabilities.clone() };
        log_joint(self.family, &params, &Matrix::from_array(&device, x)?)
    }
}
