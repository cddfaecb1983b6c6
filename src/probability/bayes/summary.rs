//! Summaries of a posterior that is known by draws, or by its distribution.

use crate::Result;
use crate::check::{level, numbers, parameter, require};
use crate::probability::distributions::Univariate;

/// Mean, variance and order of draws of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    sorted: Vec<f64>,
}

impl Summary {
    /// The summary of some draws.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for fewer than two, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn new(draws: &[f64]) -> Result<Self> {
        require("Summary::new", draws.len() > 1, || format!("{} draws; two or more", draws.len()))?;
        numbers("Summary::new", "draws", ndarray::ArrayView1::from(draws).insert_axis(ndarray::Axis(0)))?;
        let mut sorted = draws.to_vec();
        sorted.sort_by(f64::total_cmp);
        Ok(Summary { sorted })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.sorted.iter().sum::<f64>() / self.sorted.len() as f64
    }

    /// The variance, over n - 1.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.sorted.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (self.sorted.len() - 1) as f64
    }

    /// The p-quantile, between the two draws next to it.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless p is in [0, 1].
    pub fn quantile(&self, p: f64) -> Result<f64> {
        parameter("p", p, (0.0..=1.0).contains(&p), "must lie in [0, 1]")?;
        let at = p * (self.sorted.len() - 1) as f64;
        let (below, share) = (at.floor() as usize, at.fract());
        let above = (below + 1).min(self.sorted.len() - 1);
        Ok((1.0 - share) * self.sorted[below] + share * self.sorted[above])
    }

    /// The interval with `1 - alpha` of the draws and half of alpha on either side.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless alpha is between 0 and 1.
    pub fn interval(&self, alpha: f64) -> Result<(f64, f64)> {
        level(alpha)?;
        Ok((self.quantile(0.5 * alpha)?, self.quantile(1.0 - 0.5 * alpha)?))
    }
}

/// The shortest interval that holds `1 - alpha` of the draws.
///
/// # Errors
/// As [`Summary::new`] and [`Summary::interval`].
pub fn shortest_interval(draws: &[f64], alpha: f64) -> Result<(f64, f64)> {
    level(alpha)?;
    let sorted = Summary::new(draws)?.sorted;
    let inside = (((1.0 - alpha) * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
    let width = |i: usize| sorted[i + inside - 1] - sorted[i];
    let best = (0..=sorted.len() - inside).fold(0, |b, i| if width(i) < width(b) { i } else { b });
    Ok((sorted[best], sorted[best + inside - 1]))
}

/// The interval of highest density of a unimodal distribution: `1 - alpha` of the mass, and equal density at both ends unless
/// one of them is the end of the support.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) unless alpha is between 0 and 1.
pub fn highest_density(of: &impl Univariate, alpha: f64) -> Result<(f64, f64)> {
    level(alpha)?;
    // The mass left of it, in (0, alpha): the width is smallest where the densities at the ends are equal.
    let ends = |left: f64| Ok::<_, crate::Error>((of.quantile(left)?, of.quantile(1.0 - (alpha - left))?));
    let (mut low, mut high) = (alpha * 1e-9, alpha * (1.0 - 1e-9));
    for _ in 0..60 {
        let left = 0.5 * (low + high);
        let (a, b) = ends(left)?;
        if of.log_density(a) < of.log_density(b) {
            low = left;
        } else {
            high = left;
        }
    }
    ends(0.5 * (low + high))
}
