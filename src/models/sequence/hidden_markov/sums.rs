//! What the E-step of Baum-Welch leaves for the M-step: expected counts and moments. Checked in
//! `tests/sequence/hidden_markov.rs`.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, s};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::emission::{Emission, symbol};
use super::fitted::FittedHiddenMarkov;
use crate::Result;
use crate::inference::em::Statistics;
use crate::inference::logs::log_sum_exp;
use crate::linalg::small_cholesky::Small;
use crate::ops::Moments;

/// Rows of one task.
const BLOCK: usize = 2048;
/// Partial sums of a product.
const LANES: usize = 16;

/// Expected counts of first states, transitions and emissions.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    pub first: Array1<f64>,
    pub moves: Array2<f64>,
    /// Of symbols `K x V`, of normal vectors the weights of each component `K x M`.
    pub counts: Array2<f64>,
    /// Of the normal vectors of each component, whose weights are the counts.
    pub means: Array2<f64>,
    /// About these means: nothing cancels, however far from the origin they are.
    pub scatter: Array3<f64>,
    pub states: Array1<f64>,
    pub log_likelihood: f64,
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

    /// By expected symbols, `K x V`.
    pub fn of_symbols(
        first: Array1<f64>,
        moves: Array2<f64>,
        counts: Array2<f64>,
        log_likelihood: f64,
    ) -> Self {
        let states = counts.sum_axis(Axis(1));
        let (means, scatter) = (Array2::zeros((0, 1)), Array3::zeros((0, 1, 1)));
        Sums { first, moves, counts, means, scatter, states, log_likelihood }
    }

    /// By the moments of normal vectors about these centres.
    pub fn of_moments(
        first: Array1<f64>,
        moves: Array2<f64>,
        about: &Moments,
        centres: &Array2<f64>,
        log_likelihood: f64,
    ) -> Self {
        let (k, d) = centres.dim();
        let (mut means, mut scatter) = (centres.clone(), Array3::zeros((k, d, d)));
        for c in 0..k {
            let mass = about.mass[c].max(f64::MIN_POSITIVE);
            let off = &about.first.row(c) / mass;
            let mut mean = means.row_mut(c);
            mean += &off;
            for i in 0..d {
                for j in 0..d {
                    scatter[[c, i, j]] = about.second[[c * d + i, j]] - mass * off[i] * off[j];
                }
            }
        }
        let counts = about.mass.clone().insert_axis(Axis(1));
        Sums { first, moves, counts, means, scatter, states: about.mass.clone(), log_likelihood }
    }

    /// Whether every component that has something to show has a scatter that f32 left positive.
    pub fn positive(&self) -> bool {
        let parts = self.scatter.outer_iter().zip(&self.counts);
        parts.filter(|(_, w)| **w > 1e-12).all(|(s, _)| Small::new("HiddenMarkov", s).is_ok())
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
        let features = || -> Vec<Vec<f64>> {
            x.columns().into_iter().map(|x| seen.iter().map(|t| x[*t]).collect()).collect()
        };
        match model.emission() {
            Emission::Discrete(b) => {
                for &t in &seen {
                    let v = symbol(x[[t, 0]], b.ncols())?;
                    self.counts.column_mut(v).scaled_add(1.0, &states.row(t));
                }
            }
            Emission::Gaussian { .. } => {
                let features = features();
                for s in 0..states.ncols() {
                    let weights: Vec<f64> = seen.iter().map(|t| states[[*t, s]]).collect();
                    self.component(s, &features, &weights);
                }
            }
            Emission::Mixture { weights, .. } => {
                let (m, logs) = (weights.ncols(), model.emission().log_components(x)?);
                let features = features();
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
                        self.component(s * m + c, &features, &weights);
                    }
                }
            }
        }
        Ok(())
    }

    /// The count, mean and scatter of a component that has none yet, from the features of some rows with these weights.
    fn component(&mut self, part: usize, features: &[Vec<f64>], weights: &[f64]) {
        let m = self.counts.ncols();
        let all: f64 = weights.iter().sum();
        self.counts[[part / m, part % m]] += all;
        if all <= 0.0 {
            return;
        }
        let (mean, scatter) = Arch::new().dispatch(Weighed { features, weights, all });
        self.means.row_mut(part).iter_mut().zip(mean).for_each(|(to, v)| *to = v);
        let mut own = self.scatter.index_axis_mut(Axis(0), part);
        for ((i, j), s) in own.indexed_iter_mut() {
            *s = scatter[i.max(j) * features.len() + i.min(j)];
        }
    }
}

/// The mean of weighted rows, and the lower triangle of their scatter about it.
struct Weighed<'a> {
    features: &'a [Vec<f64>],
    weights: &'a [f64],
    all: f64,
}

impl WithSimd for Weighed<'_> {
    type Output = (Vec<f64>, Vec<f64>);

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Weighed { features, weights, all } = self;
        let d = features.len();
        let mean: Vec<f64> = features.iter().map(|x| dot(x, weights) / all).collect();
        let centred = |(x, mean): (&Vec<f64>, &f64)| x.iter().map(|v| v - mean).collect::<Vec<f64>>();
        let off: Vec<Vec<f64>> = features.iter().zip(&mean).map(centred).collect();
        let mut scatter = vec![0.0; d * d];
        for (i, own) in off.iter().enumerate() {
            let by: Vec<f64> = own.iter().zip(weights).map(|(o, w)| w * o).collect();
            (0..=i).for_each(|j| scatter[i * d + j] = dot(&by, &off[j]));
        }
        (mean, scatter)
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|l| sums[l] += a[l] * b[l]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
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
