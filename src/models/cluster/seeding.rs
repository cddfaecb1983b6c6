//! Rows to start from: k-means++ and at random. Always on the host in f64: every device makes the same choice.

use ndarray::{ArrayView1, ArrayView2};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::Result;
use crate::check::{components, finite};
use crate::learn::Inputs;
use crate::linalg::landmarks;

/// `p(i) ∝ min_l |x_i - μ_l|^2`: k rows of `x`, each drawn far from those before it.
///
/// The first is drawn uniformly. Then `E[W] <= 8 (log K + 2) W*`, with W the sum of squared distances to the
/// nearest of these rows and W* the least that any K centres reach. A row is drawn twice only if fewer than k rows differ.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if k is zero or above n; [`Error::NotFinite`](crate::Error::NotFinite)
/// if `x` holds a NaN or an infinity.
///
/// ```
/// use mercer::models::cluster::plus_plus;
/// let x = ndarray::array![[0.0], [0.0], [5.0], [5.0], [9.0]];
/// let mut rows = plus_plus(&x, 3, 1)?;
/// rows.sort();
/// assert!(rows[0] < 2 && (2..4).contains(&rows[1]) && rows[2] == 4); // one of each
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn plus_plus(x: impl Inputs, k: usize, seed: u64) -> Result<Vec<usize>> {
    let x = x.inputs();
    components("clusters", k, x.nrows())?;
    finite("plus_plus", "x", x.view())?;
    far_apart(x.view(), None, k, seed)
}

/// [`plus_plus`] of data that were checked, each row with its weight.
pub(crate) fn far_apart(
    x: ArrayView2<f64>,
    weights: Option<ArrayView1<f64>>,
    k: usize,
    seed: u64,
) -> Result<Vec<usize>> {
    let n = x.nrows();
    components("clusters", k, n)?;
    let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = vec![draw(&mut rng, (0..n).map(weight).collect())];
    let mut nearest = vec![f64::INFINITY; n];
    while rows.len() < k {
        let newest = x.row(rows[rows.len() - 1]);
        nearest.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, d)| {
            *d = d.min(squared_distance(x.row(i), newest));
        });
        let mut chances: Vec<f64> = nearest.iter().enumerate().map(|(i, d)| weight(i) * d).collect();
        if chances.iter().all(|&c| c <= 0.0) {
            // Every row equals one that is chosen: any other will do.
            chances = (0..n).map(|i| f64::from(u8::from(!rows.contains(&i)))).collect();
        }
        rows.push(draw(&mut rng, chances));
    }
    Ok(rows)
}

/// k different rows, each as likely as any other.
pub(crate) fn random_rows(n: usize, k: usize, seed: u64) -> Result<Vec<usize>> {
    components("clusters", k, n)?;
    landmarks(n, k, seed)
}

pub(super) fn squared_distance(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The row of `centres` that lies nearest to `x`, the first of equals, and its squared distance.
pub(super) fn closest(x: ArrayView1<f64>, centres: ArrayView2<f64>) -> Option<(usize, f64)> {
    let all = centres.rows().into_iter().map(|c| squared_distance(x, c)).enumerate();
    all.reduce(|a, b| if b.1 < a.1 { b } else { a })
}

/// `Σ_i min_k ‖x_i - c_k‖²`.
pub(super) fn cost(x: ArrayView2<f64>, centres: ArrayView2<f64>) -> f64 {
    x.rows().into_iter().filter_map(|row| closest(row, centres)).map(|c| c.1).sum()
}

/// An index, by its chance; one whose chance is zero is never drawn.
pub(super) fn draw(rng: &mut impl Rng, chances: Vec<f64>) -> usize {
    // A sum of squares may overflow where none of them does.
    let top = chances.iter().copied().fold(0.0, f64::max);
    let total: f64 = chances.iter().map(|c| c / top).sum();
    let mut left = rng.random::<f64>() * total;
    let mut last = 0;
    for (i, c) in chances.iter().enumerate().filter(|(_, c)| **c > 0.0) {
        last = i;
        left -= c / top;
        if left < 0.0 {
            break;
        }
    }
    last
}
