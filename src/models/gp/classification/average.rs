//! Class probabilities: the link averaged over what is not known of the latent value. Checked in
//! `tests.rs` against 300 digits and in `tests/gp_classify/probability.rs` against each other.

use std::f64::consts::FRAC_PI_8;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::likelihood::Link;
use super::softmax::softmax;
use crate::check::zeros;
use crate::probability::normal::{cdf, density};
use crate::{Error, Result};

/// Beyond this the logistic function is `e^f` or 1 but for 1e-17.
const FLAT: f64 = 40.0;
/// Standard deviations beyond which the normal density adds less than 1e-16.
const WIDE: f64 = 8.5;
/// Up to this standard deviation the integral is a sum over all of its range.
const BROAD: f64 = 20.0;

/// How `p(y | x) = ∫ p(y | f) N(f; μ, v) df` is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Average {
    /// The integral itself: exact for the probit link; for the logistic link to 1e-12 of the smaller of the two
    /// probabilities, however small, by the trapezoidal rule, which converges geometrically: σ is analytic in the strip
    /// |Im f| < π. A large variance would take many points; there the rule sums `σ(f) - Φ(√(π/8) f)`, which is gone at
    /// |f| = 80, and the mean of the second term is known. Gauss-Hermite rules fail where the variance is large.
    Quadrature,
    /// `Φ(μ/√(1 + v))`, exact for the probit link; for the logistic link the same with its slope
    /// matched at zero, `σ(μ/√(1 + πv/8))`, which is wrong by at most 0.02.
    ProbitFormula,
    /// No average at all: `p(y | μ)`, the plug-in, which takes the latent value as known and so is too sure of itself.
    PlugIn,
    /// The mean over draws of f, in antithetic pairs; the same draws for every point.
    MonteCarlo {
        /// Draws, rounded up to a whole number of pairs.
        samples: usize,
        /// Seed of the draws.
        seed: u64,
    },
}

/// An [`Average`] with its draws made.
pub(super) enum Averager {
    Quadrature,
    ProbitFormula,
    PlugIn,
    /// Half of the draws, pairs x functions; the other half are their negatives.
    Draws(Array2<f64>),
}

impl Averager {
    pub fn new(by: Average, functions: usize) -> Result<Self> {
        Ok(match by {
            Average::Quadrature => Averager::Quadrature,
            Average::ProbitFormula => Averager::ProbitFormula,
            Average::PlugIn => Averager::PlugIn,
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

    /// The probabilities of the classes -1 and +1. Both links are symmetric: the smaller one is averaged, for as a
    /// difference from one it would keep few of its digits.
    pub fn probabilities(&self, link: Link, mean: f64, variance: f64) -> [f64; 2] {
        let below = -mean.abs();
        let small = match self {
            Averager::Quadrature => quadrature(link, below, variance),
            Averager::ProbitFormula => probit_formula(link, below, variance),
            Averager::PlugIn => link.value(below),
            Averager::Draws(draws) => {
                let sd = variance.sqrt();
                let pair = |z: &f64| link.value(below + sd * z) + link.value(below - sd * z);
                draws.iter().map(pair).sum::<f64>() / (2 * draws.nrows()) as f64
            }
        };
        if mean > 0.0 { [small, 1.0 - small] } else { [1.0 - small, small] }
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

/// The average of the link over `N(mean, variance)`, for a mean of at most zero.
fn quadrature(link: Link, mean: f64, variance: f64) -> f64 {
    let sd = variance.sqrt();
    if sd == 0.0 {
        return link.value(mean);
    }
    if link == Link::Probit {
        return mean_cdf(1.0, mean, variance);
    }
    // Where the variance is large and the mean is not larger still, what matters happens about zero. Beyond four times
    // that deviation a mean that is larger leaves nothing but zero.
    if sd > BROAD && (-mean < 0.5 * variance || sd > 4.0 * BROAD) {
        return broad(mean, variance);
    }
    // The logarithm of the integrand falls from its top as that of a normal density does, or faster.
    let top = top(mean, variance);
    if top + WIDE * sd < -FLAT {
        return (mean + 0.5 * variance).exp();
    }
    // The error of the rule is about exp(π²/(2v) - 2π²/h) of the integral, at v = 1 below 1e-18.
    let step = 0.4 * sd.min(1.0);
    let reach = (WIDE * sd / step).ceil() as i64;
    let at = |i: i64| {
        let f = top + i as f64 * step;
        Link::Logistic.value(f) * density((f - mean) / sd)
    };
    (-reach..=reach).map(at).sum::<f64>() * step / sd
}

/// `∫ σ(f) N(f; mean, variance) df` for a deviation of more than [`BROAD`].
fn broad(mean: f64, variance: f64) -> f64 {
    let (sd, step, lambda) = (variance.sqrt(), 0.4, FRAC_PI_8.sqrt());
    let reach = (2.0 * FLAT / step) as i64;
    let at = |i: i64| {
        let f = i as f64 * step;
        (Link::Logistic.value(f) - cdf(lambda * f)) * density((f - mean) / sd)
    };
    mean_cdf(FRAC_PI_8, mean, variance) + (-reach..=reach).map(at).sum::<f64>() * step / sd
}

/// Where `σ(f) N(f; mean, variance)` is largest: the root of `f = mean + variance σ(-f)`.
fn top(mean: f64, variance: f64) -> f64 {
    let (mut low, mut high) = (mean, mean + variance);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if middle < mean + variance * Link::Logistic.value(-middle) { low = middle } else { high = middle }
    }
    low
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
