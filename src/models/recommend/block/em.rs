//! EM for block models, hard and variational.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayViewMut1, Axis};

use super::model::{BlockModel, OP};
use crate::Result;
use crate::learn::Report;
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::models::recommend::ratings::Ratings;
use crate::random::{gaussians, shuffle, uniforms};

/// The least variance, relative to that of all ratings: a block of equal ratings has none.
const LEAST: f64 = 1e-6;
/// Sweeps of the factors of blocks, each two least-squares problems.
const SWEEPS: usize = 50;

/// Where an iteration stands.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Probabilities of the groups of users; zeros and ones if hard.
    pub user: Array2<f64>,
    pub item: Array2<f64>,
    pub means: Array2<f64>,
    /// Factors of the groups of users and of items, if the blocks have factors.
    pub factors: Option<(Array2<f64>, Array2<f64>)>,
    pub variance: f64,
    overall: f64,
    spread: f64,
}

/// One start: the negative squared error if hard, the bound on the log-likelihood if soft, never falls.
pub(super) fn run_once(model: &BlockModel, ratings: &Ratings, seed: u64) -> Result<(State, Report)> {
    let mut state = begin(model, ratings, seed);
    state.maximise(model, ratings);
    let mut trace = vec![state.objective(model.soft, ratings)];
    let (mut iterations, mut converged) = (0, false);
    while !converged && iterations < model.max_iterations {
        state.assign_users(model.soft, ratings);
        state.maximise(model, ratings);
        state.assign_items(model.soft, ratings);
        state.maximise(model, ratings);
        let value = state.objective(model.soft, ratings);
        let before = trace[trace.len() - 1];
        trace.push(value);
        iterations += 1;
        converged = value - before <= model.tolerance * value.abs().max(f64::MIN_POSITIVE);
        model.progress.report(OP, iterations, model.max_iterations, value)?;
    }
    let last = trace[trace.len() - 1];
    Ok((state, Report::new(trace, iterations, converged, vec![last])))
}

/// Groups of nearly equal size in a random order; soft ones lean towards them.
fn begin(model: &BlockModel, ratings: &Ratings, seed: u64) -> State {
    let mut uniform = uniforms(seed, 2);
    let mut draw = |n: usize, k: usize, stream: u64| {
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut order, seed, stream);
        let mut q = Array2::zeros((n, k));
        for (place, &row) in order.iter().enumerate() {
            q[[row, place % k]] = 1.0;
        }
        if model.soft {
            q.mapv_inplace(|v: f64| v + 0.5 * uniform());
            q.rows_mut().into_iter().for_each(normalise);
        }
        q
    };
    let user = draw(ratings.users(), model.user_groups, 0);
    let item = draw(ratings.items(), model.item_groups, 1);
    let overall = ratings.mean();
    let weight: f64 = ratings.entries().iter().map(|r| r.weight).sum();
    let square: f64 = ratings.entries().iter().map(|r| r.weight * (r.value - overall).powi(2)).sum();
    let spread = if square > 0.0 { square / weight } else { 1.0 };
    let means = Array2::from_elem((model.user_groups, model.item_groups), overall);
    let factors = model.rank.map(|rank| {
        let mut normal = gaussians(seed, 3);
        let mut draw = |n| Array2::from_shape_simple_fn((n, rank), || 1.0 + 0.1 * normal());
        (draw(model.user_groups), draw(model.item_groups))
    });
    State { user, item, means, factors, variance: spread, overall, spread }
}

fn normalise(mut row: ArrayViewMut1<f64>) {
    let sum = row.sum();
    row /= sum;
}

/// Scores become probabilities: the largest has all of it if hard (the first of equals), else a softmax.
fn assign(mut scores: ArrayViewMut1<f64>, soft: bool) {
    let mut top = 0;
    for k in 1..scores.len() {
        if scores[k] > scores[top] {
            top = k;
        }
    }
    let largest = scores[top];
    if soft {
        scores.mapv_inplace(|v| (v - largest).exp());
        normalise(scores);
    } else {
        scores.fill(0.0);
        scores[top] = 1.0;
    }
}

/// Shares of groups, none of them zero.
fn shares(q: &Array2<f64>) -> Array1<f64> {
    q.mean_axis(Axis(0)).map_or_else(|| Array1::zeros(q.ncols()), |m| m.mapv(|v| v.max(1e-300)))
}

impl State {
    fn log_density(&self, soft: bool, value: f64, a: usize, b: usize) -> f64 {
        let square = (value - self.means[[a, b]]).powi(2);
        if soft { -0.5 * ((TAU * self.variance).ln() + square / self.variance) } else { -square }
    }

    fn assign_users(&mut self, soft: bool, ratings: &Ratings) {
        let prior = shares(&self.user);
        for u in 0..ratings.users() {
            let mut scores: Array1<f64> = prior.mapv(|p| if soft { p.ln() } else { 0.0 });
            for r in ratings.of_user(u) {
                for ((a, b), _) in self.means.indexed_iter() {
                    scores[a] += r.weight * self.item[[r.item, b]] * self.log_density(soft, r.value, a, b);
                }
            }
            assign(scores.view_mut(), soft);
            self.user.row_mut(u).assign(&scores);
        }
    }

    fn assign_items(&mut self, soft: bool, ratings: &Ratings) {
        let prior = shares(&self.item);
        for i in 0..ratings.items() {
            let mut scores: Array1<f64> = prior.mapv(|p| if soft { p.ln() } else { 0.0 });
            for r in ratings.of_item(i) {
                for ((a, b), _) in self.means.indexed_iter() {
                    scores[b] += r.weight * self.user[[r.user, a]] * self.log_density(soft, r.value, a, b);
                }
            }
            assign(scores.view_mut(), soft);
            self.item.row_mut(i).assign(&scores);
        }
    }

    /// Means of blocks, or their factors, and the variance.
    fn maximise(&mut self, model: &BlockModel, ratings: &Ratings) {
        let mut counts = Array2::zeros(self.means.raw_dim());
        let mut sums: Array2<f64> = Array2::zeros(self.means.raw_dim());
        for r in ratings.entries() {
            for ((a, b), count) in counts.indexed_iter_mut() {
                let w = r.weight * self.user[[r.user, a]] * self.item[[r.item, b]];
                *count += w;
                sums[[a, b]] += w * r.value;
            }
        }
        let overall = self.overall;
        let means = Array2::from_shape_fn(counts.raw_dim(), |at| {
            if counts[at] > 0.0 { sums[at] / counts[at] } else { overall }
        });
        self.means = match &mut self.factors {
            None => means,
            Some((user, item)) => {
                for _ in 0..SWEEPS {
                    refit(user, item, &counts, &means);
                    refit(item, user, &counts.t().to_owned(), &means.t().to_owned());
                }
                user.dot(&item.t())
            }
        };
        if model.soft {
            let weight: f64 = ratings.entries().iter().map(|r| r.weight).sum();
            self.variance = (self.squared_error(ratings) / weight).max(LEAST * self.spread);
        }
    }

    /// `Σ w Q P (y - θ)²`.
    pub fn squared_error(&self, ratings: &Ratings) -> f64 {
        let one = |r: &crate::models::recommend::Rating| -> f64 {
            let each = self.means.indexed_iter();
            each.map(|((a, b), m)| self.user[[r.user, a]] * self.item[[r.item, b]] * (r.value - m).powi(2))
                .sum()
        };
        ratings.entries().iter().map(|r| r.weight * one(r)).sum()
    }

    fn objective(&self, soft: bool, ratings: &Ratings) -> f64 {
        let square = self.squared_error(ratings);
        if !soft {
            return -square;
        }
        let weight: f64 = ratings.entries().iter().map(|r| r.weight).sum();
        let fit = -0.5 * (weight * (TAU * self.variance).ln() + square / self.variance);
        let entropy = |q: &Array2<f64>| {
            let prior = shares(q);
            q.indexed_iter()
                .map(|((_, k), &p)| if p > 0.0 { p * (prior[k] / p).ln() } else { 0.0 })
                .sum::<f64>()
        };
        fit + entropy(&self.user) + entropy(&self.item)
    }
}

/// The rows of `own` by weighted least squares of the rows of `means` on `other`; a row that is not determined stays.
fn refit(own: &mut Array2<f64>, other: &Array2<f64>, counts: &Array2<f64>, means: &Array2<f64>) {
    let k = own.ncols();
    for (a, mut row) in own.rows_mut().into_iter().enumerate() {
        let (mut g, mut h) = (vec![0.0; k * k], vec![0.0; k]);
        for (b, phi) in other.rows().into_iter().enumerate() {
            let w = counts[[a, b]];
            for i in 0..k {
                h[i] += w * phi[i] * (means[[a, b]] - row.dot(&phi));
                for j in 0..k {
                    g[i * k + j] += w * phi[i] * phi[j];
                }
            }
        }
        // A step from where the row is: directions without data are left alone by a ridge of rounding size.
        let trace: f64 = (0..k).map(|i| g[i * k + i]).sum();
        (0..k).for_each(|i| g[i * k + i] += 1e-12 * trace);
        if trace > 0.0 && cholesky(&mut g, k).is_ok() {
            solve(&g, &mut h);
            row.iter_mut().zip(&h).for_each(|(r, h)| *r += h);
        }
    }
}
