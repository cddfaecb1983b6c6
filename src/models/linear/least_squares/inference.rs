//! Standard errors, tests, intervals and criteria of least squares.

use ndarray::{Array, Array1, Array2, Axis};
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

use super::fitted::FittedLeastSquares;
use crate::check::{level, parameter};
use crate::learn::{Inputs, TargetDim};
use crate::{Error, Result};

impl<D: TargetDim> FittedLeastSquares<D> {
    /// Observations less the rank and the intercept; zero where every observation is met.
    pub fn degrees_of_freedom(&self) -> f64 {
        let found = &self.inference;
        (found.total - found.rank as f64 - f64::from(u8::from(found.intercept))).max(0.0)
    }

    /// An unbiased estimate of the variance of the noise of each target: the sum of squares over the degrees of freedom.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are none left.
    pub fn noise_variance(&self) -> Result<Array1<f64>> {
        let freedom = self.degrees_of_freedom();
        let requirement = "there must be more observations than coefficients";
        parameter("degrees of freedom", freedom, freedom > 1e-9, requirement)?;
        Ok(&self.inference.residual_squares / freedom)
    }

    /// `β = n / Σ (y_i - ŷ_i)²` of each target: the precision of the noise by maximum likelihood.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a target is met exactly, which no finite precision does.
    pub fn noise_precision(&self) -> Result<Array1<f64>> {
        for &sum in &self.inference.residual_squares {
            parameter("residual sum of squares", sum, sum > 0.0, "must be positive for a finite precision")?;
        }
        Ok(self.inference.total / &self.inference.residual_squares)
    }

    /// `1 - Σ(y - ŷ)²/Σ(y - ȳ)²` on the training data, of each target; one where y does not vary.
    pub fn r_squared(&self) -> Array1<f64> {
        let each = self.inference.residual_squares.iter().zip(&self.inference.total_squares);
        each.map(|(left, all)| if *all > 0.0 { 1.0 - left / all } else { 1.0 }).collect()
    }

    /// `cov(W) = σ² (XᵀX)⁺` over the variance of the noise, d x d: the same for all targets.
    pub fn unscaled_covariance(&self) -> &Array2<f64> {
        &self.inference.inverse
    }

    /// Standard errors of the coefficients, d x t.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::noise_variance`].
    pub fn standard_errors(&self) -> Result<Array2<f64>> {
        let (noise, inverse) = (self.noise_variance()?, &self.inference.inverse);
        Ok(Array2::from_shape_fn(self.linear.coefficients.dim(), |(j, t)| {
            (inverse[[j, j]] * noise[t]).sqrt()
        }))
    }

    /// Standard errors of the intercept, one for each target; zero if there is none.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::noise_variance`].
    pub fn intercept_standard_errors(&self) -> Result<Array1<f64>> {
        let found = &self.inference;
        let own = if found.intercept {
            1.0 / found.total + found.mean.dot(&found.inverse.dot(&found.mean))
        } else {
            0.0
        };
        Ok(self.noise_variance()?.mapv(|s| (s * own).sqrt()))
    }

    /// `t = w / se(w)`, d x t.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::noise_variance`], and [`Error::Singular`] for a coefficient without any error.
    pub fn t_values(&self) -> Result<Array2<f64>> {
        let errors = self.standard_errors()?;
        if let Some(((index, _), &value)) = errors.indexed_iter().find(|(_, e)| **e <= 0.0) {
            return Err(Error::Singular { op: "FittedLeastSquares::t_values", index, value });
        }
        Ok(&self.linear.coefficients / &errors)
    }

    /// The probability of a t at least as large if the coefficient were zero, d x t; two-sided.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::t_values`].
    pub fn p_values(&self) -> Result<Array2<f64>> {
        let freedom = self.degrees_of_freedom();
        // Of the tail itself, and not one minus the rest.
        Ok(self.t_values()?.mapv(|t| beta_reg(0.5 * freedom, 0.5, freedom / (freedom + t * t))))
    }

    /// `ln p(y)` at the maximum, of all targets together, each with its own variance of the noise.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::noise_precision`].
    pub fn log_likelihood(&self) -> Result<f64> {
        let (n, beta) = (self.inference.total, self.noise_precision()?);
        Ok(beta.iter().map(|b| 0.5 * n * ((b / std::f64::consts::TAU).ln() - 1.0)).sum())
    }

    /// How many numbers were fitted: coefficients up to the rank, intercept and variance of the noise, of every target.
    pub fn parameters(&self) -> usize {
        self.linear.intercept.len() * (self.inference.rank + usize::from(self.inference.intercept) + 1)
    }

    /// `2k - 2 ln p(y)`: smaller is better.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::log_likelihood`].
    pub fn aic(&self) -> Result<f64> {
        Ok(2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood()?)
    }

    /// `k ln n - 2 ln p(y)`: smaller is better.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::log_likelihood`].
    pub fn bic(&self) -> Result<f64> {
        Ok(self.parameters() as f64 * self.inference.total.ln() - 2.0 * self.log_likelihood()?)
    }

    /// Where the mean of y lies at each row of `x` with the probability `level`: lower and upper ends.
    ///
    /// # Errors
    /// As `predict` and [`FittedLeastSquares::noise_variance`], and [`Error::Parameter`] for a level outside (0, 1).
    pub fn confidence_interval(&self, x: impl Inputs, level: f64) -> Result<(Array<f64, D>, Array<f64, D>)> {
        self.interval(x, level, 0.0)
    }

    /// Where a new observation lies at each row of `x` with the probability `level`: lower and upper ends.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::confidence_interval`].
    pub fn prediction_interval(&self, x: impl Inputs, level: f64) -> Result<(Array<f64, D>, Array<f64, D>)> {
        self.interval(x, level, 1.0)
    }

    fn interval(&self, x: impl Inputs, probability: f64, own: f64) -> Result<(Array<f64, D>, Array<f64, D>)> {
        const OP: &str = "FittedLeastSquares::interval";
        level(probability)?;
        let (noise, freedom) = (self.noise_variance()?, self.degrees_of_freedom());
        let law = StudentsT::new(0.0, 1.0, freedom).map_err(|_| Error::Parameter {
            name: "degrees of freedom".to_owned(),
            value: freedom,
            requirement: "must be positive",
        })?;
        let width = law.inverse_cdf(0.5 + 0.5 * probability);
        let x = x.inputs();
        let centre = self.linear.at(OP, x.view())?;
        let found = &self.inference;
        let away = &x - &found.mean;
        let base = if found.intercept { 1.0 / found.total } else { 0.0 };
        let spread = (&away.dot(&found.inverse) * &away).sum_axis(Axis(1)) + base + own;
        let half =
            Array2::from_shape_fn(centre.dim(), |(i, t)| width * (noise[t] * spread[i].max(0.0)).sqrt());
        Ok((D::shaped(&centre - &half), D::shaped(centre + half)))
    }
}
