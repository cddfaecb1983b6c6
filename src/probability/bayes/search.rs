//! Maximum likelihood and maximum posterior of any model, by a search.

use crate::Result;
use crate::check::{parameter, require};
use crate::optim::{Minimiser, Minimum};

/// A log density and its gradient by θ.
type Log = (f64, Vec<f64>);

/// `argmin_θ -Σ_i ln p(y_i | θ)` within bounds, from a start; `log_density(θ, i)` gives the logarithm and its gradient for the
/// i-th of n observations. A sum of logarithms, never a logarithm of a product.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for no observations, and those of the minimiser and the density.
///
/// ```
/// use mercer::optim::Minimiser;
/// use mercer::probability::bayes::maximum_likelihood;
/// let seen = [1.0, 0.0, 1.0, 1.0];
/// let coin = maximum_likelihood(&Minimiser::new(), &[0.5], &[(1e-6, 1.0 - 1e-6)], 4, |t, i| {
///     let (x, p): (f64, f64) = (seen[i], t[0]);
///     Ok((x * p.ln() + (1.0 - x) * (1.0 - p).ln(), vec![x / p - (1.0 - x) / (1.0 - p)]))
/// })?;
/// assert!((coin.point[0] - 0.75).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn maximum_likelihood(
    minimiser: &Minimiser,
    start: &[f64],
    bounds: &[(f64, f64)],
    n: usize,
    log_density: impl Fn(&[f64], usize) -> Result<Log>,
) -> Result<Minimum> {
    let flat = |theta: &[f64]| Ok((0.0, vec![0.0; theta.len()]));
    maximum_posterior(minimiser, start, bounds, n, log_density, flat)
}

/// `argmin_θ -Σ_i ln p(y_i | θ) - ln p(θ)`: a normal prior is ridge's penalty, Laplace's the lasso's, a flat one none.
///
/// # Errors
/// As [`maximum_likelihood`].
pub fn maximum_posterior(
    minimiser: &Minimiser,
    start: &[f64],
    bounds: &[(f64, f64)],
    n: usize,
    log_density: impl Fn(&[f64], usize) -> Result<Log>,
    log_prior: impl Fn(&[f64]) -> Result<Log>,
) -> Result<Minimum> {
    parameter("n", n as f64, n > 0, "there must be an observation")?;
    minimiser.run(start, bounds, |theta| {
        let (mut sum, mut gradient) = log_prior(theta)?;
        for i in 0..n {
            let (log, slope) = log_density(theta, i)?;
            let (k, own) = (gradient.len(), slope.len());
            require("maximum_posterior", k == own, || format!("gradients of {k} and {own} numbers"))?;
            sum += log;
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += s);
        }
        Ok((-sum, gradient.iter().map(|g| -g).collect()))
    })
}
