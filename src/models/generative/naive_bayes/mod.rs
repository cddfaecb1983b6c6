//! Naive Bayes: features that are independent once the class is known. Checked in `tests/classify/naive_bayes.rs`.
//!
//! Counts are kept, and probabilities made of them: by maximum likelihood, or as the posterior predictive of conjugate
//! priors, which is the same with pseudo-counts added.

mod bayesian_gaussian;
mod bernoulli;
mod categorical;
mod gaussian;
mod multinomial;

pub use bayesian_gaussian::{BayesianGaussianNaiveBayes, FittedBayesianGaussianNaiveBayes};
pub use bernoulli::{BernoulliNaiveBayes, FittedBernoulliNaiveBayes};
pub use categorical::{CategoricalNaiveBayes, FittedCategoricalNaiveBayes};
pub use gaussian::{FittedGaussianNaiveBayes, GaussianNaiveBayes};
pub use multinomial::{FittedMultinomialNaiveBayes, MultinomialNaiveBayes};

use ndarray::{Array1, Array2, ArrayView2};

use crate::check::{inputs, parameter, require};
use crate::learn::classify::{contrast, softmax_rows};
use crate::learn::{Inputs, Label, Labels, Targets};
use crate::models::generative::on_device::linear_scores;
use crate::ops::product;
use crate::{Device, Error, Result};

/// The logarithm of zero: finite, so that differences stay numbers.
pub(super) const NEVER: f64 = -1e30;

/// `ln p`, or [`NEVER`] of zero.
pub(super) fn log(p: f64) -> f64 {
    if p > 0.0 { p.ln() } else { NEVER }
}

/// `(α + n_k) / (Kα + n)`.
fn class_log_priors(mass: &Array1<f64>, alpha: f64) -> Array1<f64> {
    let total = mass.sum() + alpha * mass.len() as f64;
    mass.mapv(|m| log((m + alpha) / total))
}

/// Sums in which something impossible happened are impossible, no more and no less.
fn floored(mut joint: Array2<f64>) -> Array2<f64> {
    joint.mapv_inplace(|v| if v <= 0.5 * NEVER { NEVER } else { v });
    joint
}

/// `x tᵀ` with a constant for each class, on the device if it is worth it.
fn linear(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    table: &Array2<f64>,
    constant: &Array1<f64>,
) -> Result<Array2<f64>> {
    let exact = |x: ArrayView2<f64>| {
        let mut out = Array2::zeros((x.nrows(), table.nrows()));
        product(1.0, x, table.t(), 0.0, out.view_mut());
        out + constant
    };
    Ok(floored(linear_scores(op, device, x, table, constant, exact)?.unwrap_or_else(|| exact(x))))
}

/// Further rows of known classes, `d` features each, and the index of the class of each.
pub(super) fn further<L: Label>(
    op: &'static str,
    labels: &Labels<L>,
    d: usize,
    x: impl Inputs,
    y: impl Targets<Of = [L]>,
) -> Result<(Array2<f64>, Vec<usize>)> {
    let (x, y) = (x.inputs(), y.targets());
    inputs(op, x.view(), d)?;
    require(op, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
    Ok((x.to_owned(), labels.indices(&y)?))
}

/// An error for a row that no class can have made: its posterior is not defined.
pub(super) fn possible(joint: &Array2<f64>) -> Result<()> {
    let lost = joint.rows().into_iter().position(|row| row.iter().all(|v| *v <= NEVER));
    let requirement =
        "has probability zero in every class, so that there is no posterior: give the counts a prior";
    lost.map_or(Ok(()), |row| {
        Err(Error::Parameter { name: format!("row {row}"), value: row as f64, requirement })
    })
}

fn scores(joint: Array2<f64>) -> Result<Array2<f64>> {
    possible(&joint)?;
    Ok(contrast(joint))
}

fn posterior(joint: Array2<f64>) -> Result<Array2<f64>> {
    possible(&joint)?;
    Ok(softmax_rows(joint))
}

/// The first entry of x that is no count, named; `whole` wants integers.
fn counts(x: ArrayView2<f64>, whole: bool, requirement: &'static str) -> Result<()> {
    let bad = x.indexed_iter().find(|(_, v)| **v < 0.0 || (whole && v.fract() != 0.0));
    bad.map_or(Ok(()), |((i, j), v)| parameter(&format!("x[{i}, {j}]"), *v, false, requirement))
}

/// `Σ ln Γ(n_i + a) - ln Γ(a)` and the normaliser: `ln` of a Dirichlet-categorical sequence with these counts.
fn log_dirichlet_sequence(counts: impl Iterator<Item = f64>, alpha: impl Iterator<Item = f64>) -> f64 {
    use statrs::function::gamma::ln_gamma;
    let (mut total, mut prior, mut sum) = (0.0, 0.0, 0.0);
    for (n, a) in counts.zip(alpha) {
        total += n;
        prior += a;
        // Most words are in no text.
        sum += if n == 0.0 { 0.0 } else { ln_gamma(n + a) - ln_gamma(a) };
    }
    sum + ln_gamma(prior) - ln_gamma(prior + total)
}
