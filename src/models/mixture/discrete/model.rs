//! Mixtures whose log densities are linear in the data: `log p_k(x) = a_k^T x + b_k`. Products on every device.
//!
//! Both the Bernoulli and the categorical mixture are; a [`Family`] says in what they differ.

use std::fmt;
use std::marker::PhantomData;

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::fitted::FittedDiscreteMixture;
use super::sums::{Params, Sums};
use crate::check::{components, numbers, parameter, positive};
use crate::inference::em::{Em, EmModel, Observations, em_setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::matrix::{Origin, Points};
use crate::models::mixture::factors::log_weight;
use crate::models::mixture::gaussian::{MixtureStart, memberships};
use crate::models::mixture::responsibilities::responsibilities;
use crate::ops::{Trans, Zip, gemm, zip};
use crate::{Device, Matrix, Result};

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
    /// How many probabilities of a component are free, d features given.
    fn free(d: usize) -> usize;
    /// `log p` of an occurrence and of its absence.
    fn logs(p: f64) -> (f64, f64);
}

/// A mixture of discrete distributions: [`BernoulliMixture`](super::BernoulliMixture) or
/// [`CategoricalMixture`](super::CategoricalMixture).
#[derive(Debug, Clone)]
pub struct DiscreteMixture<F> {
    components: usize,
    smoothing: f64,
    em: Em,
    family: PhantomData<F>,
}

em_setters!(DiscreteMixture<F: Family>: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(DiscreteMixture<F: Family>: Fit -> FittedDiscreteMixture<F>);

impl<F: Family> DiscreteMixture<F> {
    /// k components, the best of five starts.
    pub fn new(k: usize) -> Self {
        let em = Em::new().restarts(5);
        DiscreteMixture { components: k, smoothing: 0.01, em, family: PhantomData }
    }

    /// How many components there are: K.
    #[must_use]
    pub fn components(mut self, components: usize) -> Self {
        self.components = components;
        self
    }

    /// The counts that every probability has before any data; 0.01 by default.
    #[must_use]
    pub fn smoothing(mut self, smoothing: f64) -> Self {
        self.smoothing = smoothing;
        self
    }

    fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedDiscreteMixture<F>> {
        positive("smoothing", self.smoothing)?;
        numbers(F::NAME, "x", x)?;
        let part = all.part(F::NAME, x)?;
        let bad = x.indexed_iter().find(|(_, v)| !F::allows(**v));
        bad.map_or(Ok(()), |((i, j), &v)| parameter(&format!("x[{i}, {j}]"), v, false, F::REQUIREMENT))?;
        components("components", self.components, part.total)?;
        let flops = 4.0 * x.len() as f64 * self.components as f64 * self.em.max_iterations as f64;
        let points =
            (x.nrows() > 0).then(|| Points::new(F::NAME, device, x, Origin::Fixed, flops)).transpose()?;
        let new = |points| Observations::unchecked(points, w.map(|w| w.to_owned()));
        let rows = Vec::from_iter(points.map(new));
        let exact = rows.first().and_then(Observations::exact).map(|rows| vec![rows]);
        let sampled = all.sample(F::NAME, part, x, w, self.em.seed)?;
        let start = |seed| self.start(sampled.x.view(), sampled.weights(), seed);
        let model = DiscreteEm { of: self };
        let em = self.em.known_by(self, x, w);
        let run = em.run_exactly_across(all, &model, &rows, exact.as_ref(), start)?;
        let device = rows.first().map_or_else(Device::cpu, |rows| rows.device().clone());
        Ok(FittedDiscreteMixture::new(
            run.params,
            run.stats.log_likelihood,
            run.stats.mass.sum(),
            run.report,
            device,
        ))
    }

    /// The M-step of the cells of rows that lie far from each other.
    fn start(&self, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>, seed: u64) -> Result<Params> {
        let rows = F::comparable(x);
        let cpu = Device::cpu();
        let labels = MixtureStart::PlusPlus.labels(&cpu, rows.view(), w, self.components, seed)?;
        let r = memberships(&labels, self.components, w);
        Ok(self.learn(&Sums::of_memberships(&r, x)))
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
        let (r, log_likelihood) = responsibilities(log_joint::<F>(params, rows.x()?)?, rows)?;
        Sums::of(&r, rows.x()?, log_likelihood)
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

    fn rounding(&self, _: &Self::Params) -> f64 {
        // Sums of probabilities may come from f32, whatever the device of a later fit.
        1e-5
    }
}
