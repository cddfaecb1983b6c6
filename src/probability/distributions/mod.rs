//! Distributions as values: densities, distribution functions, quantiles, moments, modes, entropies, draws, and fits.
//!
//! | of | distributions |
//! |---|---|
//! | real numbers | [`Normal`], [`StudentT`], [`Laplace`] |
//! | positive numbers | [`Exponential`], [`Gamma`], [`InverseGamma`] |
//! | proportions, angles | [`Beta`], [`VonMises`] |
//! | counts | [`Bernoulli`], [`Binomial`], [`Poisson`] |
//! | categories, and their counts | [`Categorical`], [`Multinomial`] |
//! | points | [`MultivariateNormal`](super::gaussian::MultivariateNormal), [`MultivariateT`](super::gaussian::MultivariateT) |
//! | parameters | [`Dirichlet`], [`Wishart`], [`InverseWishart`], [`NormalInverseGamma`], [`NormalInverseWishart`] |
//!
//! What every distribution of one number can be asked is [`Univariate`]; what can be fitted to weighted numbers is
//! [`Learned`], under a prior [`Coordinates`]; what a mixture or a generative classifier can be made of is a [`Component`]. A value holds parameters
//! that were checked when it was made. Checked in `tests/probability/distributions.rs`: scipy in the bulk, 40 digits in the tails.

mod bernoulli;
mod beta;
mod categorical;
mod component;
mod dirichlet;
mod gamma;
mod laplace;
mod normal;
mod normal_inverse;
mod poisson;
mod posterior_mode;
mod solve;
mod student_t;
mod von_mises;
mod wishart;

pub use bernoulli::{Bernoulli, Binomial};
pub use beta::Beta;
pub use categorical::{Categorical, Multinomial, one_hot};
pub use component::{Component, Learned};
pub use dirichlet::Dirichlet;
pub use gamma::{Exponential, Gamma, InverseGamma};
pub use laplace::Laplace;
pub use normal::Normal;
pub use normal_inverse::{NormalInverseGamma, NormalInverseWishart};
pub use poisson::Poisson;
pub use posterior_mode::Coordinates;
pub use student_t::StudentT;
pub use von_mises::VonMises;
pub use wishart::{InverseWishart, Wishart};

use ndarray::Array1;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::Result;
use crate::check::{parameter, room};

/// A distribution of one number.
///
/// `Pr(a < X ≤ b) = F(b) - F(a) = ∫ p`, or the sum of p over whole numbers. The functions of x are defined for every x: a
/// density is zero outside the support, and NaN goes in and out.
///
/// ```
/// use mercer::probability::distributions::{Normal, Univariate};
///
/// let height = Normal::new(170.0, 49.0)?; // mean and variance
/// assert!((height.cdf(170.0) - 0.5).abs() < 1e-15);
/// assert!((height.between(156.0, 184.0) - 0.9545).abs() < 1e-4);
/// assert!((height.quantile(0.975)? - 183.72).abs() < 1e-2);
/// let people = height.sample(3, 7)?; // the seed decides
/// assert_eq!(people.len(), 3);
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait Univariate {
    /// `ln p(x)`, of a probability for whole numbers; minus infinity outside the support.
    fn log_density(&self, x: f64) -> f64;

    /// `F(x) = Pr(X ≤ x)`.
    fn cdf(&self, x: f64) -> f64;

    /// `Pr(X > x)`, with its own digits where it is small.
    fn survival(&self, x: f64) -> f64;

    /// The smallest x with `F(x) ≥ p`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless `0 < p < 1`.
    fn quantile(&self, p: f64) -> Result<f64>;

    /// `E[X]`, if it exists.
    fn mean(&self) -> Option<f64>;

    /// `E[(X - E X)²]`, if it is finite.
    fn variance(&self) -> Option<f64>;

    /// Where the density is largest, if there is one such place.
    fn mode(&self) -> Option<f64>;

    /// `H = E[-ln p(X)]` in nats; of a density it may be negative.
    fn entropy(&self) -> f64;

    /// Independent draws; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>>;

    /// `p(x)`.
    fn density(&self, x: f64) -> f64 {
        self.log_density(x).exp()
    }

    /// `Pr(a < X ≤ b)`, by whichever tail is the smaller.
    fn between(&self, a: f64, b: f64) -> f64 {
        if self.cdf(a) < 0.5 { self.cdf(b) - self.cdf(a) } else { self.survival(a) - self.survival(b) }
    }

    /// `√Var`, if it is finite.
    fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }
}

/// A probability that a quantile can be asked for.
pub(super) fn probability(p: f64) -> Result<()> {
    parameter("p", p, p > 0.0 && p < 1.0, "a quantile is of a probability between 0 and 1")
}

/// `count` draws from the stream of the seed.
pub(crate) fn draws(
    count: usize,
    seed: u64,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> f64,
) -> Result<Array1<f64>> {
    room("count", count, 8)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok((0..count).map(|_| draw(&mut rng)).collect())
}
