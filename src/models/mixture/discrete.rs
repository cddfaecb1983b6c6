//! Mixtures whose log densities are linear in the data: `log p_k(x) = a_k^T x + b_k`. Products on every device.
//!
//! Both the Bernoulli and the categorical mixture are; a [`Family`] says in what they differ.

use std::fmt;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::discrete_fitted::FittedDiscreteMixture;
use super::factors::log_weight;
use super::gaussian_em::responsibilities;
use super::start::{MixtureStart, memberships};
use crate::check::components;
use crate::inference::em::{Em, EmModel, Observations, Statistics};
use crate::ops::{Along, Reduction, Trans, Zip, gemm, reduce, zip};
use crate::{Device, Error, Matrix, Result};

/// In what the discrete mixtures differ.
pub trait Family: Copy + Default + fmt::Debug {
    /// What errors and progress call the mixture.
    const NAME: &'static str;
    /// What an entry of the data must be, in words.
    const REQUIREMENT: &'static str;
    /// Whether a number can be an entry of the data.
    fn allows(v: f64) -> bool;
    /// Rows whose distances mean something.
    fn comparable(x: ArrayView2<f64>) -> Array2<f64>;
    /// How many trials a component's sums come from: `mass` rows with this `total`.
    fn trials(mass: f64, total: ArrayView1<f64>) -> f64;
    /// Possible outcomes of a trial, d features given.
    fn outcomes(d: usize) -> usize;
    /// `log p` of an occurrence and of its absence.
    fn logs(p: f64) -> (f64, f64);
}

/// A mixture of discrete distributions: [`BernoulliMixture`](super::BernoulliMixture) or
/// [`CategoricalMixture`](super::CategoricalMixture).
#[derive(Debug, Clone)]
pub struct DiscreteMixture<F> {
    /// K.
    pub components: usize,
    /// Counts that every probability has before any data.
    pub smoothing: f64,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
    /// The distribution of a component.
    pub family: F,
}

/// π and the probabilities, `K x d`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Params {
    pub weights: Array1<f64>,
    pub probabilities: Array2<f64>,
}

/// What the rows add up to, by component.
#[derive(Debug, Clone)]
struct Sums {
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

impl<F: Family> DiscreteMixture<F> {
    /// k components, the best of five starts.
    pub fn new(k: usize) -> Self {
        let em = Em { restarts: 5, ..Em::default() };
        DiscreteMixture { components: k, smoothing: 0.01, em, family: F::default() }
    }

    /// Fits the rows of `x`, `n x d`, each with a weight if there are any.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n, an entry is not what it should be or a weight is negative;
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Cancelled`].
    pub fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedDiscreteMixture<F>> {
        self.check(x)?;
        let (n, k) = (x.nrows(), self.components);
        components("components", k, n)?;
        let device = device.suited_to(4.0 * x.len() as f64 * k as f64 * self.em.max_iterations as f64);
        let rows = Observations::new(&device, x, weights)?;
        let start = |seed| self.start(x, weights, seed);
        let run = self.em.run(&DiscreteEm { of: self }, std::slice::from_ref(&rows), start)?;
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
        match x.indexed_iter().find(|(_, v)| v.is_finite() && !F::allows(**v)) {
            Some(((i, j), &v)) => refuse(format!("x[{i}, {j}]"), v, F::REQUIREMENT),
            None => Ok(()),
        }
    }

    /// The M-step of the cells of rows that lie far from each other.
    fn start(&self, x: ArrayView2<f64>, weights: Option<&[f64]>, seed: u64) -> Result<Params> {
        let rows = F::comparable(x);
        let cpu = Device::cpu();
        let labels = MixtureStart::PlusPlus.labels(&cpu, rows.view(), weights, self.components, seed)?;
        let r = memberships(&labels, self.components, weights)?;
        let sums = Sums { mass: r.sum_axis(Axis(0)), total: r.t().dot(&x), log_likelihood: 0.0 };
        Ok(self.learn(&sums))
    }

    /// The most probable parameters under symmetric Beta or Dirichlet priors.
    fn learn(&self, sums: &Sums) -> Params {
        let a = self.smoothing;
        let before = a * F::outcomes(sums.total.ncols()) as f64;
        let mut probabilities = &sums.total + a;
        for (k, mut row) in probabilities.rows_mut().into_iter().enumerate() {
            row /= F::trials(sums.mass[k], sums.total.row(k)) + before;
        }
        Params { weights: &sums.mass / sums.mass.sum(), probabilities }
    }
}

/// `log π_k + a_k^T x_i + b_k`, `n x K`.
pub(super) fn log_joint<F: Family>(params: &Params, x: &Matrix) -> Result<Matrix> {
    let p = &params.probabilities;
    let slope = p.mapv(|p| {
        let (yes, no) = F::logs(p);
        yes - no
    });
    let offset = Array2::from_shape_fn((1, p.nrows()), |(_, k)| {
        log_weight(params.weights[k]) + p.row(k).iter().map(|&p| F::logs(p).1).sum::<f64>()
    });
    let [slope, offset] = [slope, offset].map(|a| Matrix::from_array(&x.device(), a.view()));
    zip(&gemm(1.0, x, Trans::No, &slope?, Trans::Yes)?, &offset?, Zip::Add)
}

struct DiscreteEm<'a, F> {
    of: &'a DiscreteMixture<F>,
}

impl<F: Family> EmModel for DiscreteEm<'_, F> {
    const NAME: &'static str = F::NAME;
    type Batch = Observations;
    type Params = Params;
    type Stats = Sums;

    fn expect(&self, params: &Params, rows: &Observations) -> Result<Sums> {
        let (r, log_likelihood) = responsibilities(log_joint::<F>(params, &rows.x)?, rows)?;
        let mass = reduce(&r, Along::EachColumn, Reduction::Sum)?.to_array()?.index_axis_move(Axis(0), 0);
        let total = gemm(1.0, &r, Trans::Yes, &rows.x, Trans::No)?.to_array()?;
        Ok(Sums { mass, total, log_likelihood })
    }

    fn maximise(&self, _: &Params, sums: &Sums) -> Result<Params> {
        Ok(self.of.learn(sums))
    }

    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior = |&p: &f64| {
            let (yes, no) = F::logs(p);
            yes + no
        };
        sums.log_likelihood + self.of.smoothing * params.probabilities.iter().map(prior).sum::<f64>()
    }

    fn rounding(&self) -> f64 {
        // Sums of probabilities may come from f32, whatever the device of a later fit.
        1e-5
    }
}
