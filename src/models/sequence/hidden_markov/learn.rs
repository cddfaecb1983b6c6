//! Baum-Welch: EM whose E-step is forward and backward. Checked in `tests/sequence/hidden_markov.rs`.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::emission::{Emission, symbol};
use super::fitted::FittedHiddenMarkov;
use super::forward_backward::Smoothed;
use crate::Result;
use crate::check::parameter;
use crate::inference::em::{EmModel, Statistics};
use crate::inference::logs::log_sum_exp;
use crate::linalg::small_cholesky::Small;

/// Rows of one task.
const BLOCK: usize = 2048;

/// Expected counts of first states, transitions and emissions.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    first: Array1<f64>,
    moves: Array2<f64>,
    /// Of symbols `K x V`, of normal vectors the weights of each component `K x M`.
    counts: Array2<f64>,
    /// Of the normal vectors of each component, whose weights are the counts.
    means: Array2<f64>,
    /// About these means: nothing cancels, however far from the origin they are.
    scatter: Array3<f64>,
    states: Array1<f64>,
    log_likelihood: f64,
}

impl Sums {
    pub fn new(of: &FittedHiddenMarkov) -> Self {
        let (k, d) = (of.initial().len(), of.emission().features());
        let (m, parts) = match of.emission() {
            Emission::Discrete(p) => (p.ncols(), 0),
            Emission::Gaussian { .. } => (1, k),
            Emission::Mixture { weights, .. } => (weights.ncols(), weights.len()),
        };
        Sums {
            first: Array1::zeros(k),
            moves: Array2::zeros((k, k)),
            counts: Array2::zeros((k, m)),
            means: Array2::zeros((parts, d)),
            scatter: Array3::zeros((parts, d, d)),
            states: Array1::zeros(k),
            log_likelihood: 0.0,
        }
    }

    /// The expected number of transitions from a state.
    pub fn left(&self, s: usize) -> f64 {
        self.moves.row(s).sum()
    }

    /// The expected number of observations of a state that are not missing.
    pub fn seen(&self, s: usize) -> f64 {
        self.counts.row(s).sum()
    }

    /// Adds a weight w with this mean and its scatter to a component, whose count has w already.
    fn merge(&mut self, part: usize, w: f64, mean: ArrayView1<f64>, scatter: ArrayView2<f64>) {
        if w <= 0.0 {
            return;
        }
        let m = self.counts.ncols();
        let all = self.counts[[part / m, part % m]];
        let off = &mean - &self.means.row(part);
        let share = (w / all).min(1.0);
        self.means.row_mut(part).scaled_add(share, &off);
        let mut own = self.scatter.index_axis_mut(Axis(0), part);
        for ((i, j), s) in own.indexed_iter_mut() {
            *s += w * (1.0 - share) * off[i] * off[j] + scatter[[i, j]];
        }
    }

    /// Adds what a sequence shows under these posteriors of its states.
    pub fn gather(
        &mut self,
        model: &FittedHiddenMarkov,
        x: ArrayView2<f64>,
        states: &Array2<f64>,
        moves: &Array2<f64>,
    ) -> Result<()> {
        self.first += &states.row(0);
        self.moves += moves;
        self.states += &states.sum_axis(Axis(0));
        let one = |block: usize| {
            let rows = block * BLOCK..x.nrows().min((block + 1) * BLOCK);
            let mut part = Sums::new(model);
            part.block(model, x.slice(s![rows.clone(), ..]), states.slice(s![rows, ..]))?;
            Ok(part)
        };
        let parts: Vec<Result<Sums>> = (0..x.nrows().div_ceil(BLOCK)).into_par_iter().map(one).collect();
        parts.into_iter().try_for_each(|part| {
            self.add(&part?);
            Ok(())
        })
    }

    /// What the rows of a block show, of emissions alone.
    fn block(
        &mut self,
        model: &FittedHiddenMarkov,
        x: ArrayView2<f64>,
        states: ArrayView2<f64>,
    ) -> Result<()> {
        // What is missing shows nothing.
        let seen: Vec<usize> = (0..x.nrows()).filter(|t| x.row(*t).iter().all(|v| v.is_finite())).collect();
        match model.emission() {
            Emission::Discrete(b) => {
                for t in seen {
                    let v = symbol(x[[t, 0]], b.ncols())?;
                    self.counts.column_mut(v).scaled_add(1.0, &states.row(t));
                }
            }
            Emission::Gaussian { .. } => {
                for s in 0..states.ncols() {
                    let weights: Vec<f64> = seen.iter().map(|t| states[[*t, s]]).collect();
                    self.component(s, x, &seen, &weights);
                }
            }
            Emission::Mixture { weights, .. } => {
                let (m, logs) = (weights.ncols(), model.emission().log_components(x)?);
                for s in 0..states.ncols() {
                    let wholes: Vec<f64> = seen
                        .iter()
                        .map(|t| log_sum_exp(&(0..m).map(|c| logs[[*t, s * m + c]]).collect::<Vec<_>>()))
                        .collect();
                    for c in 0..m {
                        let share = |(t, whole): (&usize, &f64)| {
                            let p = states[[*t, s]];
                            if p > 0.0 { p * (logs[[*t, s * m + c]] - whole).exp() } else { 0.0 }
                        };
                        let weights: Vec<f64> = seen.iter().zip(&wholes).map(share).collect();
                        self.component(s * m + c, x, &seen, &weights);
                    }
                }
            }
        }
        Ok(())
    }

    /// The count, mean and scatter of a component that has none yet, from these rows with these weights.
    fn component(&mut self, part: usize, x: ArrayView2<f64>, rows: &[usize], weights: &[f64]) {
        let (m, d) = (self.counts.ncols(), x.ncols());
        let all: f64 = weights.iter().sum();
        self.counts[[part / m, part % m]] += all;
        if all <= 0.0 {
            return;
        }
        let mut mean = vec![0.0; d];
        for (t, w) in rows.iter().zip(weights) {
            mean.iter_mut().zip(x.row(*t)).for_each(|(to, v)| *to += w / all * v);
        }
        let (mut scatter, mut off) = (vec![0.0; d * d], vec![0.0; d]);
        for (t, w) in rows.iter().zip(weights) {
            off.iter_mut().zip(x.row(*t).iter().zip(&mean)).for_each(|(o, (v, m))| *o = v - m);
            for i in 0..d {
                let by = w * off[i];
                scatter[i * d..=i * d + i].iter_mut().zip(&off).for_each(|(s, o)| *s += by * o);
            }
        }
        self.means.row_mut(part).iter_mut().zip(mean).for_each(|(to, v)| *to = v);
        let mut own = self.scatter.index_axis_mut(Axis(0), part);
        for ((i, j), s) in own.indexed_iter_mut() {
            *s = scatter[i.max(j) * d + i.min(j)];
        }
    }
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.first += &other.first;
        self.moves += &other.moves;
        self.counts += &other.counts;
        let m = self.counts.ncols();
        for (c, mean) in other.means.rows().into_iter().enumerate() {
            let scatter = other.scatter.index_axis(Axis(0), c);
            self.merge(c, other.counts[[c / m, c % m]], mean, scatter);
        }
        self.states += &other.states;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.first *= by;
        self.moves *= by;
        self.counts *= by;
        self.scatter *= by;
        self.states *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.states.sum()
    }
}

pub(super) struct BaumWelch<'a> {
    pub data: PhantomData<ArrayView2<'a, f64>>,
    pub pseudo_counts: f64,
    pub floor: f64,
    pub missing: bool,
}

/// Rows of counts as shares; a row of nothing keeps what was believed before.
fn shares(counts: &Array2<f64>, added: f64, before: &Array2<f64>) -> Array2<f64> {
    let mut p = counts + added;
    for (mut row, old) in p.rows_mut().into_iter().zip(before.rows()) {
        let all = row.sum();
        if all > 0.0 {
            row /= all;
        } else {
            row.assign(&old);
        }
    }
    p
}

impl BaumWelch<'_> {
    /// The M-step.
    pub fn parameters(&self, from: &FittedHiddenMarkov, sums: &Sums) -> Result<FittedHiddenMarkov> {
        let added = self.pseudo_counts;
        let first = sums.first.clone().insert_axis(Axis(0));
        let initial = shares(&first, added, &from.initial().clone().insert_axis(Axis(0))).row(0).to_owned();
        let transition = shares(&sums.moves, added, from.transition());
        let normals = |weights: Vec<f64>, means: &Array2<f64>, covariances: &Array3<f64>| {
            let (mut means, mut covariances, d) = (means.clone(), covariances.clone(), means.ncols());
            for (c, w) in weights.iter().enumerate().filter(|(_, w)| **w > 1e-12) {
                for i in 0..d {
                    for j in 0..d {
                        let floor = if i == j { self.floor } else { 0.0 };
                        covariances[[c, i, j]] = (sums.scatter[[c, i, j]] + floor) / w;
                    }
                }
                means.row_mut(c).assign(&sums.means.row(c));
            }
            (means, covariances)
        };
        let emission = match from.emission() {
            Emission::Discrete(p) => Emission::Discrete(shares(&sums.counts, added, p)),
            Emission::Gaussian { means, covariances } => {
                let (means, covariances) = normals(sums.counts.iter().copied().collect(), means, covariances);
                Emission::Gaussian { means, covariances }
            }
            Emission::Mixture { weights, means, covariances } => {
                let (means, covariances) = normals(sums.counts.iter().copied().collect(), means, covariances);
                Emission::Mixture { weights: shares(&sums.counts, 0.0, weights), means, covariances }
            }
        };
        Ok(FittedHiddenMarkov::new(initial, transition, emission)?.allow_missing(self.missing))
    }
}

impl<'a> EmModel for BaumWelch<'a> {
    const NAME: &'static str = "HiddenMarkov";
    type Batch = Vec<ArrayView2<'a, f64>>;
    type Params = FittedHiddenMarkov;
    type Stats = Sums;

    fn expect(&self, params: &FittedHiddenMarkov, batch: &Self::Batch) -> Result<Sums> {
        let one = |x: &ArrayView2<f64>| -> Result<Sums> {
            let Smoothed { states, transitions, log_likelihood, .. } = params.smooth(x)?;
            let requirement =
                "a sequence is impossible under the parameters: start elsewhere, or add pseudo-counts";
            parameter(
                "log-likelihood of a sequence",
                log_likelihood,
                log_likelihood > f64::NEG_INFINITY,
                requirement,
            )?;
            let mut sums = Sums::new(params);
            sums.gather(params, *x, &states, &transitions)?;
            sums.log_likelihood = log_likelihood;
            Ok(sums)
        };
        let each: Vec<Sums> = batch.par_iter().map(one).collect::<Result<_>>()?;
        let mut all = Sums::new(params);
        for s in &each {
            all.add(s);
        }
        Ok(all)
    }

    fn maximise(&self, params: &FittedHiddenMarkov, sums: &Sums) -> Result<FittedHiddenMarkov> {
        self.parameters(params, sums)
    }

    /// The log-likelihood, plus the logarithm of the prior that pseudo-counts and the floor are.
    fn objective(&self, params: &FittedHiddenMarkov, sums: &Sums) -> f64 {
        let mut prior = 0.0;
        if self.pseudo_counts > 0.0 {
            let logs = |p: &Array2<f64>| p.iter().map(|v| v.ln()).sum::<f64>();
            prior += params.initial().iter().map(|v| v.ln()).sum::<f64>() + logs(params.transition());
            if let Emission::Discrete(p) = params.emission() {
                prior += logs(p);
            }
        }
        // The floor of the scatter is a prior too: -½ floor tr Σ⁻¹.
        let (mut traces, d) = (0.0, params.emission().features());
        if let Emission::Gaussian { covariances, .. } | Emission::Mixture { covariances, .. } =
            params.emission()
        {
            for c in covariances.outer_iter().filter(|_| self.floor > 0.0) {
                traces += Small::new(Self::NAME, c).map_or(f64::NAN, |s| s.inverse(d).diag().sum());
            }
        }
        sums.log_likelihood + self.pseudo_counts * prior - 0.5 * self.floor * traces
    }
}
