//! The posterior of a few parameters on a grid.

use ndarray::{Array1, Array2};

use crate::Result;
use crate::check::{parameter, require, room};
use crate::configure::getters;
use crate::probability::special::log_sum_exp;

/// `p(θ | D) = p(D | θ) p(θ)/p(D)` at the middles of equal cells of a box: for one or two parameters, and any model.
///
/// ```
/// use mercer::probability::bayes::GridPosterior;
/// // Seven heads, three tails, a uniform prior: Beta(8, 4), and B(8, 4) for the evidence.
/// let coin = GridPosterior::new(&[(0.0, 1.0, 2000)], |t| 7.0 * t[0].ln() + 3.0 * (1.0 - t[0]).ln())?;
/// assert!((coin.mean()[0] - 2.0 / 3.0).abs() < 1e-6 && (coin.log_evidence() + 7.185387016).abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GridPosterior {
    points: Array2<f64>,
    probabilities: Array1<f64>,
    log_evidence: f64,
    best: usize,
}

getters!(GridPosterior {
    /// Middles of the cells, one a row.
    points: &Array2<f64>,
    /// Probabilities of the cells, which sum to one.
    probabilities: &Array1<f64>,
    /// `ln ∫ p(D | θ) p(θ) dθ` over the box.
    log_evidence: f64,
});

impl GridPosterior {
    /// The posterior with log density `log_joint(θ) = ln p(D | θ) + ln p(θ)`, on axes `(low, high, cells)`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no axes, [`Error::Parameter`](crate::Error::Parameter) for an axis that is
    /// empty, more cells than memory has room for, or a density that is zero or not a number everywhere.
    pub fn new(axes: &[(f64, f64, usize)], log_joint: impl Fn(&[f64]) -> f64) -> Result<Self> {
        require("GridPosterior::new", !axes.is_empty(), || "there are no axes".to_owned())?;
        let mut volume = 0.0;
        let mut cells = 1usize;
        for (i, &(low, high, n)) in axes.iter().enumerate() {
            let proper = low.is_finite() && high.is_finite() && low < high && n > 0;
            parameter(
                &format!("width of axis {i}"),
                high - low,
                proper,
                "an axis goes up, in one cell or more",
            )?;
            volume += ((high - low) / n as f64).ln();
            cells = cells.saturating_mul(n);
        }
        room("cells", cells, 8 * (axes.len() + 2))?;
        let mut points = Array2::zeros((cells, axes.len()));
        for (mut row, at) in points.rows_mut().into_iter().zip(0..cells) {
            let mut rest = at;
            for (j, &(low, high, n)) in axes.iter().enumerate().rev() {
                row[j] = low + (high - low) * ((rest % n) as f64 + 0.5) / n as f64;
                rest /= n;
            }
        }
        let logs: Vec<f64> = points.rows().into_iter().map(|row| log_joint(&row.to_vec())).collect();
        let bad = logs.iter().find(|l| l.is_nan() || **l == f64::INFINITY);
        parameter(
            "log_joint",
            bad.copied().unwrap_or(0.0),
            bad.is_none(),
            "must be a number, or minus infinity",
        )?;
        let total = log_sum_exp(&logs);
        parameter("log evidence", total, total.is_finite(), "the density is zero on the whole grid")?;
        let best = (0..cells).fold(0, |b, i| if logs[i] > logs[b] { i } else { b });
        let probabilities = logs.iter().map(|l| (l - total).exp()).collect();
        Ok(GridPosterior { points, probabilities, log_evidence: total + volume, best })
    }

    /// The most probable point of the grid.
    pub fn mode(&self) -> Vec<f64> {
        self.points.row(self.best).to_vec()
    }

    /// `E[g(θ) | D]`.
    pub fn expectation(&self, g: impl Fn(&[f64]) -> f64) -> f64 {
        self.points.rows().into_iter().zip(&self.probabilities).map(|(row, p)| p * g(&row.to_vec())).sum()
    }

    /// `E[θ | D]`.
    pub fn mean(&self) -> Vec<f64> {
        self.points.t().dot(&self.probabilities).to_vec()
    }

    /// `Var[θ | D]` of each parameter.
    pub fn variance(&self) -> Vec<f64> {
        let mean = self.mean();
        (0..mean.len()).map(|j| self.expectation(|t| (t[j] - mean[j]).powi(2))).collect()
    }
}
