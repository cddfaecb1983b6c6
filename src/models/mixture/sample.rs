//! Draws from what was fitted: first the component, by its weight, then an observation of it.
//!
//! Checked in `tests/mixture/sample.rs` against the frequencies and moments that the parameters promise.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::factors::lower_cholesky;
use super::{
    Bernoulli, Categorical, FittedDiscreteMixture, FittedGaussianMixture, FittedLinearRegressionMixture,
    FittedLogisticRegressionMixture,
};
use crate::{Error, Result};

impl FittedGaussianMixture {
    /// n rows drawn from the mixture, and the component of each.
    ///
    /// # Errors
    /// [`Error::Shape`] if n is zero, [`Error::NotPositiveDefinite`] in theory.
    pub fn sample(&self, n: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let (k, d) = self.params.means.dim();
        let factors = (0..k).map(|own| lower_cholesky(self.params.covariance.matrix(own, d).view()));
        let factors = factors.collect::<Result<Vec<_>>>()?;
        rows((n, d), self.params.weights.view(), seed, |k, rng| {
            let z = Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal));
            &self.params.means.row(k) + &factors[k].dot(&z)
        })
    }
}

impl FittedDiscreteMixture<Bernoulli> {
    /// n rows of zeros and ones drawn from the mixture, and the component of each.
    ///
    /// # Errors
    /// [`Error::Shape`] if n is zero.
    pub fn sample(&self, n: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let shape = (n, self.probabilities.ncols());
        rows(shape, self.weights.view(), seed, |k, rng| {
            self.probabilities.row(k).mapv(|p| f64::from(u8::from(rng.random::<f64>() < p)))
        })
    }
}

impl FittedDiscreteMixture<Categorical> {
    /// The counts of n texts of `length` words each, drawn from the mixture, and the component of each.
    ///
    /// # Errors
    /// [`Error::Shape`] if n is zero.
    pub fn sample(&self, n: usize, length: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let d = self.probabilities.ncols();
        rows((n, d), self.weights.view(), seed, |k, rng| {
            let mut counts = Array1::zeros(d);
            for _ in 0..length {
                counts[choose(self.probabilities.row(k), rng.random())] += 1.0;
            }
            counts
        })
    }
}

impl FittedLinearRegressionMixture {
    /// A y for each row of `x`, `m x d`, drawn from the mixture, and the line it lies about.
    ///
    /// # Errors
    /// As [`FittedLinearRegressionMixture::lines`].
    pub fn sample(&self, x: ArrayView2<f64>, seed: u64) -> Result<(Array1<f64>, Vec<usize>)> {
        let lines = self.lines(x)?;
        let (y, labels): (Vec<f64>, _) = answers(&lines, self.weights.view(), seed, |k, mean, rng| {
            mean + self.variances[k].sqrt() * rng.sample::<f64, _>(StandardNormal)
        });
        Ok((Array1::from(y), labels))
    }
}

impl FittedLogisticRegressionMixture {
    /// An answer for each row of `x`, `m x d`, drawn from the mixture, and the group it comes from.
    ///
    /// # Errors
    /// As [`FittedLogisticRegressionMixture::probabilities`].
    pub fn sample(&self, x: ArrayView2<f64>, seed: u64) -> Result<(Vec<bool>, Vec<usize>)> {
        let probabilities = self.probabilities(x)?;
        Ok(answers(&probabilities, self.weights.view(), seed, |_, p, rng| rng.random::<f64>() < p))
    }
}

/// Rows drawn by `draw` from the component that it is given, and the components.
fn rows(
    (n, d): (usize, usize),
    weights: ArrayView1<f64>,
    seed: u64,
    mut draw: impl FnMut(usize, &mut ChaCha8Rng) -> Array1<f64>,
) -> Result<(Array2<f64>, Vec<usize>)> {
    if n == 0 {
        return Err(Error::Shape { op: "sample", what: "no rows were asked for".to_owned() });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut x, mut labels) = (Array2::zeros((n, d)), Vec::with_capacity(n));
    for mut row in x.rows_mut() {
        let label = choose(weights, rng.random());
        row.assign(&draw(label, &mut rng));
        labels.push(label);
    }
    Ok((x, labels))
}

/// For each row of what the components predict, `m x K`, an answer drawn from one of them, and which.
fn answers<T>(
    predicted: &Array2<f64>,
    weights: ArrayView1<f64>,
    seed: u64,
    draw: impl Fn(usize, f64, &mut ChaCha8Rng) -> T,
) -> (Vec<T>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let one = |row: ArrayView1<f64>| {
        let label = choose(weights, rng.random());
        (draw(label, row[label], &mut rng), label)
    };
    predicted.rows().into_iter().map(one).unzip()
}

/// The place that a uniform number falls into.
fn choose(weights: ArrayView1<f64>, uniform: f64) -> usize {
    let mut left = uniform * weights.sum();
    let alive = weights.iter().enumerate().filter(|(_, w)| **w > 0.0);
    let mut last = 0;
    for (k, w) in alive {
        last = k;
        left -= w;
        if left < 0.0 {
            break;
        }
    }
    last
}
