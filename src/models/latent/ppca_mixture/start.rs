//! Where EM starts: rows spread out by k-means++, and what is nearest to each of them.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::model::{Component, Model};
use crate::models::em::{EmModel, Statistics};
use crate::models::latent::gaussian::Subspace;
use crate::{Matrix, Result};

/// Passes of k-means after the seeding.
const PASSES: usize = 10;

pub(super) fn start(
    model: &Model,
    blocks: &[Matrix],
    x: ArrayView2<f64>,
    count: usize,
    seed: u64,
) -> Result<Vec<Component>> {
    let mut centres = spread(x, count, seed);
    for _ in 0..PASSES {
        centres = moved(x, &centres);
    }
    let flat = |mean: Array1<f64>| {
        let axes = crate::models::latent::axes::orthonormal(Array2::zeros((model.latents, x.ncols())).view());
        let variances = Array1::from_elem(model.latents, model.floor);
        let gaussian = Subspace { mean, axes, variances, noise: model.floor };
        Component { weight: 1.0 / count as f64, gaussian, floored: false }
    };
    let empty: Vec<Component> = centres.rows().into_iter().map(|c| flat(c.to_owned())).collect();
    let mut first = 0;
    let mut whole = None;
    for block in blocks {
        let mut shares = Array2::zeros((block.rows(), count));
        for i in 0..block.rows() {
            shares[[i, nearest(x.row(first + i).to_owned().view(), &centres).0]] = 1.0;
        }
        first += block.rows();
        let sums = model.sums(&empty, block, shares, 0.0)?;
        match &mut whole {
            None => whole = Some(sums),
            Some(whole) => Statistics::add(whole, &sums),
        }
    }
    whole.map_or(Ok(empty.clone()), |sums| model.maximise(&empty, &sums))
}

/// The nearest centre and its squared distance.
fn nearest(row: ndarray::ArrayView1<f64>, centres: &Array2<f64>) -> (usize, f64) {
    let distance = |c: ndarray::ArrayView1<f64>| row.iter().zip(c).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let all = centres.rows().into_iter().map(distance).enumerate();
    all.fold((0, f64::INFINITY), |best, (i, d)| if d < best.1 { (i, d) } else { best })
}

/// Rows drawn one after the other, each with probability proportional to its squared distance from those drawn.
fn spread(x: ArrayView2<f64>, count: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = x.nrows();
    let mut chosen = vec![rng.random_range(0..n)];
    while chosen.len() < count {
        let centres = x.select(Axis(0), &chosen);
        let distances: Vec<f64> = x.rows().into_iter().map(|r| nearest(r, &centres).1).collect();
        let mut left = rng.random::<f64>() * distances.iter().sum::<f64>();
        // Where all rows are taken, or duplicates of those that are, any will do.
        let next = distances.iter().position(|d| {
            left -= d;
            left < 0.0
        });
        chosen.push(next.unwrap_or_else(|| rng.random_range(0..n)));
    }
    x.select(Axis(0), &chosen)
}

/// Each centre at the mean of what is nearest to it; one that nothing is nearest to stays.
fn moved(x: ArrayView2<f64>, centres: &Array2<f64>) -> Array2<f64> {
    let mut sums = Array2::zeros(centres.dim());
    let mut counts = Array1::<f64>::zeros(centres.nrows());
    for row in x.rows() {
        let (c, _) = nearest(row, centres);
        sums.row_mut(c).scaled_add(1.0, &row);
        counts[c] += 1.0;
    }
    for ((mut sum, count), old) in sums.rows_mut().into_iter().zip(&counts).zip(centres.rows()) {
        if *count > 0.0 {
            sum /= *count;
        } else {
            sum.assign(&old);
        }
    }
    sums
}
