//! Mixtures of categorical distributions: clusters of texts. Checked in `tests/mixture/discrete.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::model::{DiscreteMixture, Family};

/// `p(x) ∝ sum_k π_k prod_j θ_kj^x_j`, x counts: texts of K kinds, each word of a text drawn from the kind's own frequencies
/// `θ_k`.
///
/// Symmetric Dirichlet priors of `smoothing` further counts of each category keep the probabilities from zero.
///
/// ```
/// use mercer::prelude::*;
/// // How often each of five texts has the words "goal", "match", "yeast", "oven".
/// let x = ndarray::array![[3., 2., 0., 0.], [1., 4., 0., 0.], [0., 0., 2., 2.], [0., 1., 4., 3.], [9., 5., 0., 1.]];
/// let fit = CategoricalMixture::new(2).fit(&Device::cpu(), &x)?;
/// let labels = fit.predict(&x)?;
/// assert!(labels[0] == labels[1] && labels[0] == labels[4] && labels[2] == labels[3] && labels[0] != labels[2]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub type CategoricalMixture = DiscreteMixture<Categorical>;

/// One of d categories, as often as the row's counts add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Categorical;

impl Family for Categorical {
    const NAME: &'static str = "CategoricalMixture";
    const REQUIREMENT: &'static str = "must not be negative: it is a count";

    fn allows(v: f64) -> bool {
        v >= 0.0
    }

    /// The square roots of shares, whose distance does not grow with the length of a text.
    fn comparable(x: ArrayView2<f64>) -> Array2<f64> {
        let mut rows = x.to_owned();
        for mut row in rows.rows_mut() {
            let length = row.sum().max(1.0);
            row.mapv_inplace(|v| (v / length).sqrt());
        }
        rows
    }

    fn trials(_: f64, total: ArrayView1<f64>) -> f64 {
        total.sum()
    }

    fn outcomes(d: usize) -> usize {
        d
    }

    /// They sum to one.
    fn free(d: usize) -> usize {
        d - 1
    }

    fn logs(p: f64) -> (f64, f64) {
        (p.ln(), 0.0)
    }
}
