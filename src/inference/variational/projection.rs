//! The normal distribution closest to a density of one variable: in either Kullback-Leibler direction, and between them by
//! α-divergences. Checked in `tests/inference/projection.rs`.

use crate::check::{parameter, require, room};
use crate::inference::logs::log_sum_exp;
use crate::optim::Minimiser;
use crate::{Error, Result};

/// A density of one variable, normalised on the midpoints of a grid.
///
/// ```
/// use mercer::inference::variational::Grid;
/// let two_bumps = |x: f64| (0.3 * (-(x + 1.0).powi(2) / 0.18).exp() + 0.7 * (-(x - 1.0).powi(2) / 0.18).exp()).ln();
/// let p = Grid::new(-8.0, 8.0, 8000, two_bumps)?;
/// assert!((p.moment_projection().variance - 0.93).abs() < 1e-6); // covers both
/// assert!((p.information_projection(1.0, 0.1)?.mean - 0.999).abs() < 1e-3); // keeps to one
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Grid {
    points: Vec<f64>,
    /// log p at the points, normalised.
    logs: Vec<f64>,
    width: f64,
}

/// A normal distribution by which a density was replaced.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NormalFit {
    /// Its mean.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
    /// The divergence that it minimises, at the minimum.
    pub divergence: f64,
}

impl NormalFit {
    fn log_density(&self, x: f64) -> f64 {
        -0.5 * ((x - self.mean).powi(2) / self.variance + (2.0 * std::f64::consts::PI * self.variance).ln())
    }
}

impl Grid {
    /// The density whose logarithm, up to a constant, is `log_density`, on `count` cells of [low, high].
    ///
    /// # Errors
    /// Ends out of order, fewer than ten cells, NaN, a density that vanishes everywhere.
    pub fn new(low: f64, high: f64, count: usize, log_density: impl Fn(f64) -> f64) -> Result<Self> {
        let ordered = low < high && (high - low).is_finite();
        parameter("low", low, ordered, "must be below the other end, and both finite")?;
        require("Grid", count >= 10, || format!("{count} cells; there must be ten or more"))?;
        room("count", count, 16)?;
        let width = (high - low) / count as f64;
        let points: Vec<f64> = (0..count).map(|i| low + (i as f64 + 0.5) * width).collect();
        let mut logs: Vec<f64> = points.iter().map(|x| log_density(*x)).collect();
        let all = log_sum_exp(&logs) + width.ln();
        if !all.is_finite() || logs.iter().any(|l| l.is_nan()) {
            let requirement = "the density must be finite, and not vanish everywhere";
            return Err(Error::Parameter { name: "log of the integral".to_owned(), value: all, requirement });
        }
        for l in &mut logs {
            *l -= all;
        }
        Ok(Grid { points, logs, width })
    }

    fn moments(&self, logs: &[f64]) -> (f64, f64) {
        let all = log_sum_exp(logs);
        let weight = |i: usize| (logs[i] - all).exp();
        let mean: f64 = self.points.iter().enumerate().map(|(i, x)| weight(i) * x).sum();
        let variance = self.points.iter().enumerate().map(|(i, x)| weight(i) * (x - mean).powi(2)).sum();
        (mean, variance)
    }

    /// `KL(p || q)` from the density to a normal one.
    pub fn kl_to(&self, mean: f64, variance: f64) -> f64 {
        let q = NormalFit { mean, variance, divergence: 0.0 };
        let part = |(x, l): (&f64, &f64)| {
            if *l > -700.0 { l.exp() * (l - q.log_density(*x)) * self.width } else { 0.0 }
        };
        self.points.iter().zip(&self.logs).map(part).sum()
    }

    /// `KL(q || p)` from a normal distribution to the density.
    pub fn kl_from(&self, mean: f64, variance: f64) -> f64 {
        let q = NormalFit { mean, variance, divergence: 0.0 };
        let part = |(x, l): (&f64, &f64)| {
            let own = q.log_density(*x);
            if own > -700.0 { own.exp() * (own - l) * self.width } else { 0.0 }
        };
        self.points.iter().zip(&self.logs).map(part).sum()
    }

    /// The M-projection `argmin_q KL(p || q)`: the normal distribution with the density's moments.
    pub fn moment_projection(&self) -> NormalFit {
        let (mean, variance) = self.moments(&self.logs);
        NormalFit { mean, variance, divergence: self.kl_to(mean, variance) }
    }

    /// The I-projection `argmin_q KL(q || p)`, variational inference itself, from this mean and variance downhill, within
    /// two standard deviations of the start: there may be several minima, about one for each mode.
    ///
    /// # Errors
    /// A start outside the grid or a variance that is not positive; [`Error::NoConvergence`].
    pub fn information_projection(&self, mean: f64, variance: f64) -> Result<NormalFit> {
        let (low, high) = (self.points[0], self.points[self.points.len() - 1]);
        parameter("mean", mean, mean >= low && mean <= high, "must lie on the grid")?;
        crate::check::positive("variance", variance)?;
        // By mean and log standard deviation; the gradients of E_q[log q - log p] are expectations under q.
        let slope = |at: &[f64]| {
            let (m, s) = (at[0], at[1].exp());
            let q = NormalFit { mean: m, variance: s * s, divergence: 0.0 };
            let (mut value, mut dm, mut ds) = (0.0, 0.0, 0.0);
            for (x, l) in self.points.iter().zip(&self.logs) {
                let own = q.log_density(*x);
                if own > -700.0 {
                    let (w, z) = (own.exp() * self.width, (x - m) / s);
                    value += w * (own - l);
                    dm += w * (own - l) * z / s;
                    ds += w * (own - l) * (z * z - 1.0);
                }
            }
            Ok((value, vec![dm, ds]))
        };
        let widest = (high - low).ln();
        let reach = 2.0 * variance.sqrt();
        let bounds = [((mean - reach).max(low), (mean + reach).min(high)), ((2.0 * self.width).ln(), widest)];
        let found = Minimiser::new().tolerance(1e-10).max_iterations(500).run(
            &[mean, 0.5 * variance.ln()],
            &bounds,
            slope,
        )?;
        let (mean, variance) = (found.point[0], (2.0 * found.point[1]).exp());
        Ok(NormalFit { mean, variance, divergence: found.value })
    }

    /// `D_α(p || q) = (1 - ∫ p^α q^(1-α)) / (α (1-α))`, the limits KL(q || p) at 0 and KL(p || q) at 1.
    pub fn alpha_divergence(&self, alpha: f64, mean: f64, variance: f64) -> f64 {
        if alpha == 0.0 {
            return self.kl_from(mean, variance);
        }
        if alpha == 1.0 {
            return self.kl_to(mean, variance);
        }
        let q = NormalFit { mean, variance, divergence: 0.0 };
        let part = |(x, l): (&f64, &f64)| (alpha * l + (1.0 - alpha) * q.log_density(*x)).exp() * self.width;
        let overlap: f64 = self.points.iter().zip(&self.logs).map(part).sum();
        (1.0 - overlap) / (alpha * (1.0 - alpha))
    }

    /// The α-projection `argmin_q D_α(p || q)`, α ≠ 0: the fixed point of `q ← moments of p^α q^(1-α)`, damped (power
    /// expectation propagation with one factor). α ≤ 1/2 keeps to a mode near the start, α ≥ 1 covers all of them.
    ///
    /// # Errors
    /// α = 0, a variance that is not positive, [`Error::NoConvergence`].
    pub fn alpha_projection(&self, alpha: f64, mean: f64, variance: f64) -> Result<NormalFit> {
        const MOST: usize = 20_000;
        parameter("alpha", alpha, alpha.is_finite() && alpha != 0.0, "must be finite and not zero")?;
        crate::check::positive("variance", variance)?;
        let mut q = NormalFit { mean, variance, divergence: 0.0 };
        // Natural parameters are averaged, half old and half new: beyond α = 1 a whole step overshoots.
        let share = 0.5 / alpha.abs().max(1.0);
        for _ in 0..MOST {
            let tilted: Vec<f64> = self
                .points
                .iter()
                .zip(&self.logs)
                .map(|(x, l)| alpha * l + (1.0 - alpha) * q.log_density(*x))
                .collect();
            let (m, v) = self.moments(&tilted);
            let precision = (1.0 - share) / q.variance + share / v;
            let shift = (1.0 - share) * q.mean / q.variance + share * m / v;
            let next = NormalFit { mean: shift / precision, variance: 1.0 / precision, divergence: 0.0 };
            let moved = (next.mean - q.mean).abs().max((next.variance / q.variance - 1.0).abs());
            q = next;
            if moved < 1e-13 {
                q.divergence = self.alpha_divergence(alpha, q.mean, q.variance);
                return Ok(q);
            }
        }
        Err(Error::NoConvergence {
            op: "alpha_projection",
            iterations: MOST,
            residual: f64::NAN,
            tolerance: 1e-13,
        })
    }
}
