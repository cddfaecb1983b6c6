//! Mixtures of Bernoulli distributions. Checked in `tests/mixture/discrete.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::model::{DiscreteMixture, Family};

/// `p(x) = sum_k π_k prod_j μ_kj^x_j (1 - μ_kj)^(1 - x_j)`, x of zeros and ones: naive Bayes without labels.
///
/// Symmetric Beta priors of `smoothing` further yeses and noes for each feature and component keep the probabilities from
/// zero and one.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[1., 1., 0., 0.], [1., 1., 1., 0.], [0., 0., 1., 1.], [0., 1., 1., 1.]];
/// let fit = BernoulliMixture::new(2).fit(&Device::cpu(), &x)?;
/// let labels = fit.predict(&x)?;
/// assert!(labels[0] == labels[1] && labels[2] == labels[3] && labels[0] != labels[2]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub type BernoulliMixture = DiscreteMixture<Bernoulli>;

/// Yes or no, for each feature by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bernoulli;

impl Family for Bernoulli {
    const NAME: &'static str = "BernoulliMixture";
    const REQUIREMENT: &'static str = "must be 0 or 1";

    fn allows(v: f64) -> bool {
        v == 0.0 || v == 1.0
    }

    fn comparable(x: ArrayView2<f64>) -> Array2<f64> {
        x.to_owned()
    }

    fn trials(mass: f64, _: ArrayView1<f64>) -> f64 {
        mass
    }

    fn outcomes(_: usize) -> usize {
        2
    }

    fn free(d: usize) -> usize {
        d
    }

    fn logs(p: f64) -> (f64, f64) {
        (p.ln(), (-p).ln_1p())
    }
}
