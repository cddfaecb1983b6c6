//! Which points of a data set stand for all of them.

use ndarray::{Array1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::linalg::{KernelOperator, landmarks, pivoted_cholesky};
use crate::ops::{gram, gram_diagonal};
use crate::{Device, Kernel, Matrix, Result};

/// Entries of a pivoted Cholesky factor: a larger one is made of a uniform subset of the points instead.
const ENTRIES: usize = 1 << 24;
/// Columns beside those of the factor while it grows: of 32 candidates, and twice of those that are taken.
const COLUMNS: f64 = 96.0;

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Landmarks {
    /// Uniformly, without replacement.
    #[default]
    Uniform,
    /// By k-means++ in the kernel's space: each next one with a probability in proportion to the squared distance
    /// `k(x, x) - 2k(x, z) + k(z, z)` to the nearest so far.
    KMeansPlusPlus,
    /// Greedily, where the diagonal of what is not yet explained is largest: the pivots of a pivoted Cholesky factor.
    ///
    /// Where that factor would pass 2²⁴ entries, of a uniform subset of the points.
    PivotedCholesky,
}

impl Landmarks {
    /// `m` different rows of `x`, at most all of them; fewer if all that is left coincides with what was chosen.
    pub(in crate::models) fn choose(
        self,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        m: usize,
        seed: u64,
    ) -> Result<Vec<usize>> {
        let n = x.nrows();
        match self {
            Landmarks::Uniform => landmarks(n, m, seed),
            Landmarks::KMeansPlusPlus => plus_plus(kernel, x, m, seed),
            Landmarks::PivotedCholesky => {
                let some = candidates(n, m);
                let subset = if some < n { landmarks(n, some, seed)? } else { (0..n).collect() };
                let points = Matrix::from_array(&Device::cpu(), x.select(Axis(0), &subset).view())?;
                let k = KernelOperator::new(kernel, &points, 0.0)?;
                let pivots = pivoted_cholesky(&k, m, 0.0)?.pivots;
                // Of a kernel that is zero everywhere any point will do.
                Ok(if pivots.is_empty() {
                    vec![subset[0]]
                } else {
                    pivots.into_iter().map(|p| subset[p]).collect()
                })
            }
        }
    }

    /// The most bytes that a [choice](Landmarks::choose) of m among n points with d features holds at once.
    pub(in crate::models) fn bytes(self, n: usize, d: usize, m: usize) -> f64 {
        let (nf, df, mf) = (n as f64, d as f64, m as f64);
        8.0 * match self {
            // A number for each point, and the chosen ones again.
            Landmarks::Uniform => nf + mf,
            // The points, and twice as a kernel sees them; variances, kernel values and distances.
            Landmarks::KMeansPlusPlus => nf * (3.0 * df + 4.0) + mf,
            // The points twice while they are copied; the factor, and it again if it has fewer columns than asked for.
            Landmarks::PivotedCholesky => {
                nf + candidates(n, m) as f64 * (mf + mf.max(COLUMNS) + 2.0 * df + 4.0)
            }
        }
    }
}

/// Points that a pivoted Cholesky factor with m columns is made of.
fn candidates(n: usize, m: usize) -> usize {
    (ENTRIES / m.max(1)).clamp(m, n.max(m))
}

fn plus_plus(kernel: &Kernel, x: ArrayView2<f64>, m: usize, seed: u64) -> Result<Vec<usize>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let points = Matrix::from_array(&Device::cpu(), x)?;
    let own: Array1<f64> = gram_diagonal(kernel, &points)?.cpu().column(0).to_owned();
    let mut nearest = Array1::from_elem(x.nrows(), f64::INFINITY);
    let mut chosen = vec![rng.random_range(0..x.nrows())];
    while chosen.len() < m {
        let last = *chosen.last().unwrap_or(&0);
        let z = Matrix::from_host(x.select(Axis(0), &[last]));
        let k = gram(kernel, &points, Some(&z))?;
        for (i, near) in nearest.iter_mut().enumerate() {
            *near = near.min((own[i] + own[last] - 2.0 * k.cpu()[[i, 0]]).max(0.0));
        }
        for &i in &chosen {
            nearest[i] = 0.0;
        }
        let total: f64 = nearest.sum();
        if total <= 0.0 {
            break;
        }
        let mut left = rng.random::<f64>() * total;
        let next = nearest.iter().position(|d| {
            left -= d;
            left < 0.0 && *d > 0.0
        });
        // Rounding may leave a crumb beyond the last.
        chosen.push(next.or_else(|| nearest.iter().rposition(|d| *d > 0.0)).unwrap_or(0));
    }
    Ok(chosen)
}
