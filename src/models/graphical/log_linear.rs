//! Log-linear fields, whose weights are learned by gradients. Checked in `tests/graphical/log_linear.rs`.

use ndarray::{Array1, Array2};

use super::factor::states;
use crate::check::{parameter, require};
use crate::inference::logs::{log_sum_exp, normalise};
use crate::{Error, Result};

/// `p(x | η) = exp(Σ_k η_k f_k(x)) / Z(η)` with features f of whole assignments: `∇ log p = f(x) - E[f]`, what the data show
/// less what the model expects. All sums are exact, by enumeration.
///
/// ```
/// use mercer::models::graphical::LogLinear;
/// // One coin: the feature is its value, the weight the log odds.
/// let coin = LogLinear::new(&[2], 1, |x| vec![x[0] as f64])?;
/// let learned = coin.learn(&[vec![1], vec![1], vec![1], vec![0]], &[0.0])?;
/// assert!((learned[0] - 3f64.ln()).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LogLinear {
    sizes: Vec<usize>,
    /// The features of every assignment, one a row.
    features: Array2<f64>,
}

const OP: &str = "LogLinear";

impl LogLinear {
    /// Variables of so many values, and `count` features of an assignment.
    ///
    /// # Errors
    /// More than 2²⁰ assignments; features that are not `count` finite numbers.
    pub fn new(sizes: &[usize], count: usize, features: impl Fn(&[usize]) -> Vec<f64>) -> Result<Self> {
        let all: f64 = sizes.iter().map(|s| *s as f64).product();
        parameter("assignments", all, (1.0..=1_048_576.0).contains(&all), "must be between 1 and 2^20")?;
        parameter("count", count as f64, count > 0, "must be at least 1")?;
        let mut table = Array2::zeros((all as usize, count));
        for (x, mut row) in states(sizes).zip(table.rows_mut()) {
            let f = features(&x);
            require(OP, f.len() == count && f.iter().all(|v| v.is_finite()), || {
                format!("features {f:?} of {x:?}")
            })?;
            row.assign(&Array1::from(f));
        }
        Ok(LogLinear { sizes: sizes.to_vec(), features: table })
    }

    fn place(&self, x: &[usize]) -> Result<usize> {
        let fits = x.len() == self.sizes.len() && x.iter().zip(&self.sizes).all(|(v, s)| v < s);
        require(OP, fits, || format!("{x:?} is no assignment"))?;
        Ok(x.iter().zip(&self.sizes).fold(0, |i, (v, s)| i * s + v))
    }

    fn logs(&self, weights: &[f64]) -> Result<Vec<f64>> {
        let fits = weights.len() == self.features.ncols() && weights.iter().all(|w| w.is_finite());
        require(OP, fits, || format!("{} features, weights {weights:?}", self.features.ncols()))?;
        Ok(self.features.dot(&Array1::from(weights.to_vec())).to_vec())
    }

    /// `log Z(η)`.
    ///
    /// # Errors
    /// Another number of weights, NaN.
    pub fn log_partition(&self, weights: &[f64]) -> Result<f64> {
        Ok(log_sum_exp(&self.logs(weights)?))
    }

    /// `E[f]` under the model: the negative phase.
    ///
    /// # Errors
    /// As [`LogLinear::log_partition`].
    pub fn expected(&self, weights: &[f64]) -> Result<Array1<f64>> {
        let mut p = self.logs(weights)?;
        normalise(&mut p);
        Ok(Array1::from(p).dot(&self.features))
    }

    /// The mean of f over the data: the positive phase.
    ///
    /// # Errors
    /// No data, or something that is no assignment.
    pub fn observed(&self, data: &[Vec<usize>]) -> Result<Array1<f64>> {
        require(OP, !data.is_empty(), || "there are no data".to_owned())?;
        let mut sum = Array1::zeros(self.features.ncols());
        for x in data {
            sum += &self.features.row(self.place(x)?);
        }
        Ok(sum / data.len() as f64)
    }

    /// The mean log-likelihood of the data and its gradient, positive less negative phase.
    ///
    /// # Errors
    /// As [`LogLinear::observed`] and [`LogLinear::log_partition`].
    pub fn gradient(&self, data: &[Vec<usize>], weights: &[f64]) -> Result<(f64, Array1<f64>)> {
        let seen = self.observed(data)?;
        let value =
            seen.iter().zip(weights).map(|(f, w)| f * w).sum::<f64>() - self.log_partition(weights)?;
        Ok((value, seen - self.expected(weights)?))
    }

    /// The weights of greatest likelihood, where the model's moments are the data's: Newton's method with halved steps.
    ///
    /// # Errors
    /// As [`LogLinear::gradient`]; [`Error::NoConvergence`] for data whose moments only infinite weights reach.
    pub fn learn(&self, data: &[Vec<usize>], start: &[f64]) -> Result<Vec<f64>> {
        const MOST: usize = 500;
        let (mut w, k) = (start.to_vec(), self.features.ncols());
        let (mut value, mut g) = self.gradient(data, &w)?;
        for _ in 0..MOST {
            let size = g.iter().fold(0f64, |m, v| m.max(v.abs()));
            if size < 1e-10 {
                return Ok(w);
            }
            // The Hessian is minus the covariance of the features; a ridge keeps redundant ones apart.
            let mut p = self.logs(&w)?;
            normalise(&mut p);
            let mean = Array1::from(p.clone()).dot(&self.features);
            let off = &self.features - &mean;
            let weighted = &off * &Array1::from(p).insert_axis(ndarray::Axis(1));
            let hessian = off.t().dot(&weighted) + Array2::<f64>::eye(k) * 1e-9;
            let small = crate::linalg::small_cholesky::Small::new(OP, hessian.view())?;
            let direction = small.solve_rows(g.view().insert_axis(ndarray::Axis(0))).row(0).to_owned();
            let mut step = 1.0;
            loop {
                let next: Vec<f64> = w.iter().zip(&direction).map(|(w, d)| w + step * d).collect();
                let (v, h) = self.gradient(data, &next)?;
                if v >= value || step < 1e-8 {
                    (w, value, g) = (next, v, h);
                    break;
                }
                step *= 0.5;
            }
        }
        let residual = g.iter().fold(0f64, |m, v| m.max(v.abs()));
        Err(Error::NoConvergence { op: OP, iterations: MOST, residual, tolerance: 1e-10 })
    }
}
