//! Class probabilities: the link averaged over what is not known of the latent value. Checked in
//! `tests.rs` against 300 digits and in `tests/classify/probability.rs` against each other.

use std::f64::consts::FRAC_PI_8;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::likelihood::Link;
use super::softmax::softmax;
use crate::models::check::zeros;
use crate::models::normal::{cdf, density};
use crate::{Error, Result};

/// Beyond this the logistic function is 0 or 1 but for 1e-18.
const FLAT: f64 = 40.0;
/// Standard deviations beyond which the normal density adds less than 1e-16.
const WIDE: f64 = 8.5;

/// How `p(y | x) = ∫ p(y | f) N(f; μ, v) df` is computed; `p(y | μ)` alone would be too sure of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Average {
    /// The integral itself: exact for the probit link; for the logistic link to 1e-13, by the trapezoidal rule for
    /// `σ(f) - Φ(√(π/8) f)`, the mean of the second term being known. That difference is analytic in the strip
    /// |Im f| < π and gone at |f| = 40, so at most 160 equidistant points do, whatever the variance; Gauss-Hermite
    /// rules fail once it is large.
    Quadrature,
    /// `Φ(μ/√(1 + v))`, exact for the probit link; for the logistic link the same with its slope
    /// matched at zero, `σ(μ/√(1 + πv/8))`, which is wrong by at most 0.02.
    ProbitFormula,
    /// The mean over draws of f, in antithetic pairs; the same draws for every point.
    MonteCarlo {
        /// Draws, rounded up to a whole number of pairs.
        samples: usize,
        /// Of the draws.
        seed: u64,
    },
}

/// An [`Average`] with its draws made.
pub(super) enum Averager {
    Quadrature,
    ProbitFormula,
    /// Half of the draws, pairs x functions; the other half are their negatives.
    Draws(Array2<f64>),
}

impl Averager {
    pub fn new(by: Average, functions: usize) -> Result<Self> {
        Ok(match by {
            Average::Quadrature => Averager::Quadrature,
            Average::ProbitFormula => Averager::ProbitFormula,
            Average::MonteCarlo { samples: 0, .. } => {
                let requirement = "an average needs at least one draw";
                return Err(Error::Parameter { name: "samples".to_owned(), value: 0.0, requirement });
            }
            Average::MonteCarlo { samples, seed } => {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut draws = zeros("samples", samples.div_ceil(2), functions)?;
                draws.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
                Averager::Draws(draws)
            }
        })
    }

    /// The probability of the class +1.
    pub fn probability(&self, link: Link, mean: f64, variance: f64) -> f64 {
        match self {
            Averager::Quadrature => quadrature(link, mean, variance),
            Averager::ProbitFormula => probit_formula(link, mean, variance),
            Averager::Draws(draws) => {
                let sd = variance.sqrt();
                let pair = |z: &f64| link.value(mean + sd * z) + link.value(mean - sd * z);
                draws.iter().map(pair).sum::<f64>() / (2 * draws.nrows()) as f64
            }
        }
    }
}

/// `∫ Φ(√square f) N(f; mean, variance) df`.
fn mean_cdf(square: f64, mean: f64, variance: f64) -> f64 {
    cdf(mean * (square / (1.0 + square * variance)).sqrt())
}

fn probit_formula(link: Link, mean: f64, variance: f64) -> f64 {
    match link {
        Link::Logistic => link.value(mean / (1.0 + FRAC_PI_8 * variance).sqrt()),
        Link::Probit => mean_cdf(1.0, mean, variance),
    }
}

fn quadrature(link: Link, mean: f64, variance: f64) -> f64 {
    let sd = variance.sqrt();
    if sd == 0.0 {
        return link.value(mean);
    }
    if link == Link::Probit {
        return mean_cdf(1.0, mean, variance);
    }
    let known = mean_cdf(FRAC_PI_8, mean, variance);
    // The error of the rule is about exp(π²/(2v) - 2π²/h), at v = 1 with h = ½ as below 1e-14.
    let step = 0.5 * sd.min(1.0);
    let lambda = FRAC_PI_8.sqrt();
    let first = ((mean - WIDE * sd).max(-FLAT) - mean) / step;
    let last = ((mean + WIDE * sd).min(FLAT) - mean) / step;
    let (mut sum, first) = (0.0, first.ceil());
    // Counted beforehand: beyond 2⁵³ one step more is the same number.
    for i in 0..(last - first + 1.0).max(0.0) as usize {
        let at = first + i as f64;
        let f = mean + at * step;
        sum += (link.value(f) - cdf(lambda * f)) * density(at * step / sd);
    }
    (known + sum * step / sd).clamp(0.0, 1.0)
}

/// The mean softmax of a normal vector with this mean and covariance.
pub(super) fn mean_softmax(
    draws: ArrayView2<f64>,
    mean: ArrayView1<f64>,
    covariance: &Array2<f64>,
) -> Array1<f64> {
    let root = semidefinite_root(covariance);
    let (mut f, mut p) = (Array1::zeros(mean.len()), Array1::zeros(mean.len()));
    let mut sum = Array1::zeros(mean.len());
    for z in draws.rows() {
        for sign in [1.0, -1.0] {
            for (c, f) in f.iter_mut().enumerate() {
                *f = mean[c] + sign * root.row(c).dot(&z);
            }
            softmax(f.view(), &mut p.view_mut());
            sum += &p;
        }
    }
    sum / (2 * draws.nrows()) as f64
}

/// L with `L Lᵀ = a` for a small positive semi-definite matrix: a pivot lost to rounding leaves a zero column.
fn semidefinite_root(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for j in 0..n {
        let done = l.row(j).dot(&l.row(j));
        let pivot = a[[j, j]] - done;
        if pivot <= 1e-14 * a[[j, j]] {
            continue;
        }
        l[[j, j]] = pivot.sqrt();
        for i in j + 1..n {
            let rest = a[[i, j]] - l.row(i).dot(&l.row(j));
            l[[i, j]] = rest / l[[j, j]];
        }
    }
    l
}
