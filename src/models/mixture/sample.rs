//! Draws from what was fitted: first the component, by its weight, then an observation of it.
//!
//! Checked in `tests/mixture/sample.rs` against the frequencies and moments that the parameters promise.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, StandardNormal};

use super::factors::lower_cholesky;
use super::{Bernoulli, Categorical, FittedDiscreteMixture, FittedGaussianMixture};
use crate::check::{parameter, require, room, zeros};
use crate::learn::Sample;
use crate::{Error, Result};

/// Most words of a text that is drawn word by word.
const LONGEST: usize = 1_000_000;

impl FittedGaussianMixture {
    /// New observations, `count x d`, and the component of each.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if none are asked for, [`Error::Parameter`](crate::Error::Parameter) for
    /// more than memory has room for.
    pub fn sample_labelled(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let (k, d) = self.means().dim();
        let factors = (0..k).map(|own| lower_cholesky(self.covariance().at(own, d).view()));
        let factors = factors.collect::<Result<Vec<_>>>()?;
        rows((count, d), self.weights().view(), seed, |k, rng| {
            let z = Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal));
            &self.means().row(k) + &factors[k].dot(&z)
        })
    }
}

impl Sample for FittedGaussianMixture {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        Ok(self.sample_labelled(count, seed)?.0)
    }
}

/// Draws from a mixture of Student-t distributions about `means`, with factors of their scale matrices.
pub(super) fn students(
    count: usize,
    seed: u64,
    weights: ArrayView1<f64>,
    means: ArrayView2<f64>,
    scales: &[Array2<f64>],
    (free, each): (&[f64], bool),
) -> Result<Array2<f64>> {
    let d = means.ncols();
    let squares = free.iter().map(|&free| {
        // As good as infinite: normal.
        let free = if free == f64::INFINITY { 1.0 } else { free };
        let requirement = "must be positive and finite";
        let name = "degrees of freedom".to_owned();
        ChiSquared::new(free).map_err(|_| Error::Parameter { name, value: free, requirement })
    });
    let squares = squares.collect::<Result<Vec<_>>>()?;
    let (x, _) = rows((count, d), weights, seed, |k, rng| {
        let z = Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal));
        let mut wide = || if free[k].is_finite() { (free[k] / rng.sample(squares[k])).sqrt() } else { 1.0 };
        if each {
            return &means.row(k) + &(scales[k].dot(&z) * Array1::from_shape_simple_fn(d, wide));
        }
        &means.row(k) + &(scales[k].dot(&z) * wide())
    })?;
    Ok(x)
}

impl FittedDiscreteMixture<Bernoulli> {
    /// New rows of zeros and ones, `count x d`, and the component of each.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::sample`].
    pub fn sample_labelled(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let shape = (count, self.probabilities().ncols());
        rows(shape, self.weights().view(), seed, |k, rng| {
            self.probabilities().row(k).mapv(|p| f64::from(u8::from(rng.random::<f64>() < p)))
        })
    }
}

impl FittedDiscreteMixture<Categorical> {
    /// The counts of new texts of `length` words each, `count x d`, and the component of each.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::sample`].
    pub fn sample_labelled(
        &self,
        count: usize,
        length: usize,
        seed: u64,
    ) -> Result<(Array2<f64>, Vec<usize>)> {
        let d = self.probabilities().ncols();
        parameter("length", length as f64, length <= LONGEST, "must not be above a million words")?;
        rows((count, d), self.weights().view(), seed, |k, rng| {
            let mut counts = Array1::zeros(d);
            for _ in 0..length {
                counts[choose(self.probabilities().row(k), rng.random())] += 1.0;
            }
            counts
        })
    }
}

/// Rows drawn by `draw` from the component that it is given, and the components.
fn rows(
    (n, d): (usize, usize),
    weights: ArrayView1<f64>,
    seed: u64,
    mut draw: impl FnMut(usize, &mut ChaCha8Rng) -> Array1<f64>,
) -> Result<(Array2<f64>, Vec<usize>)> {
    require("sample", n > 0, || "no rows were asked for".to_owned())?;
    room("count", n, size_of::<usize>().saturating_add(d.saturating_mul(size_of::<f64>())))?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut x, mut labels) = (zeros("count", n, d)?, Vec::with_capacity(n));
    for mut row in x.rows_mut() {
        let label = choose(weights, rng.random());
        row.assign(&draw(label, &mut rng));
        labels.push(label);
    }
    Ok((x, labels))
}

/// For each row of what the components predict, `m x K`, an answer drawn from one of them, and which.
pub(super) fn answers<T>(
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
