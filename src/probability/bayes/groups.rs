//! Empirical Bayes across groups: a normal prior learned from many noisy means.

use crate::Result;
use crate::check::{numbers, positive, require};
use crate::configure::getters;

/// `x_g ~ N(θ_g, s_g²)`, `θ_g ~ N(m, t²)`: m and t² maximise `Π N(x_g | m, s_g² + t²)`, the evidence with the θ integrated out.
///
/// ```
/// use mercer::probability::bayes::EmpiricalBayes;
/// let schools = EmpiricalBayes::fit(&[28.0, 8.0, -3.0, 7.0], &[25.0, 16.0, 36.0, 25.0])?;
/// let shrunk = schools.posterior_means();
/// assert!(shrunk[0] < 28.0 && shrunk[0] > schools.mean()); // pulled to what is common
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EmpiricalBayes {
    mean: f64,
    variance: f64,
    log_evidence: f64,
    observed: Vec<f64>,
    noise: Vec<f64>,
}

getters!(EmpiricalBayes {
    /// m.
    mean: f64,
    /// t²; zero if the groups differ by no more than their noise.
    variance: f64,
    /// `Σ ln N(x_g | m, s_g² + t²)`.
    log_evidence: f64,
});

impl EmpiricalBayes {
    /// The prior of largest evidence for group means `x` with these variances: m in closed form for each t², and t² by a search.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for fewer than two groups or other than one variance for each,
    /// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for variances that are not positive.
    pub fn fit(x: &[f64], variances: &[f64]) -> Result<Self> {
        const OP: &str = "EmpiricalBayes::fit";
        require(OP, x.len() == variances.len() && x.len() > 1, || {
            format!("{} groups, {} variances", x.len(), variances.len())
        })?;
        numbers(OP, "x", ndarray::ArrayView1::from(x).insert_axis(ndarray::Axis(0)))?;
        variances.iter().enumerate().try_for_each(|(g, &v)| positive(&format!("variances[{g}]"), v))?;
        let at = |t: f64| {
            let w: Vec<f64> = variances.iter().map(|s| 1.0 / (s + t)).collect();
            let mean = w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() / w.iter().sum::<f64>();
            let log: f64 = w
                .iter()
                .zip(x)
                .map(|(w, x)| 0.5 * (w / std::f64::consts::TAU).ln() - 0.5 * w * (x - mean) * (x - mean))
                .sum();
            // d log/dt with the mean at its best.
            let slope: f64 =
                w.iter().zip(x).map(|(w, x)| 0.5 * w * (w * (x - mean) * (x - mean) - 1.0)).sum();
            (mean, log, slope)
        };
        let far = x.iter().fold(0f64, |m, v| m.max((v - x[0]).abs())).powi(2) + 1e-300;
        // The evidence may have several tops: the best of a grid of t² from nothing to the range, then the root of its slope.
        let grid: Vec<f64> = std::iter::once(0.0)
            .chain((0..200).map(|i| far * (10f64).powf(-8.0 + 8.0 * f64::from(i) / 199.0)))
            .collect();
        let best = (0..grid.len()).fold(0, |b, i| if at(grid[i]).1 > at(grid[b]).1 { i } else { b });
        let (mut low, mut high) = (grid[best.saturating_sub(1)], grid[(best + 1).min(grid.len() - 1)]);
        let variance = if best == 0 && at(0.0).2 <= 0.0 {
            0.0
        } else {
            for _ in 0..200 {
                let t = 0.5 * (low + high);
                if at(t).2 > 0.0 {
                    low = t;
                } else {
                    high = t;
                }
            }
            0.5 * (low + high)
        };
        let (mean, log_evidence, _) = at(variance);
        Ok(EmpiricalBayes { mean, variance, log_evidence, observed: x.to_vec(), noise: variances.to_vec() })
    }

    /// `E[θ_g | x]`: each group's mean, shrunk towards m by the share of its noise.
    pub fn posterior_means(&self) -> Vec<f64> {
        let shrink = |(x, s): (&f64, &f64)| self.mean + self.variance / (self.variance + s) * (x - self.mean);
        self.observed.iter().zip(&self.noise).map(shrink).collect()
    }

    /// `Var[θ_g | x] = t² s²/(t² + s²)`, m and t² taken as known.
    pub fn posterior_variances(&self) -> Vec<f64> {
        self.noise.iter().map(|s| self.variance * s / (self.variance + s)).collect()
    }
}
