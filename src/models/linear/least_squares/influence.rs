//! What single observations do to a fit.

use ndarray::{Array1, Array2, Axis};

use super::fitted::FittedLeastSquares;
use crate::Result;
use crate::check::parameter;
use crate::learn::TargetDim;

impl<D: TargetDim> FittedLeastSquares<D> {
    /// `h_ii`, the share of each observation in its own prediction; they sum to the rank and the intercept.
    pub fn leverage(&self) -> Array1<f64> {
        1.0 - &self.inference.free
    }

    /// `r_i / √(σ²(1 - h_ii))`, n x t; zero where an observation is met because nothing else speaks of it.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::noise_variance`], and [`Error::Parameter`](crate::Error::Parameter) if it is zero.
    pub fn studentised_residuals(&self) -> Result<Array2<f64>> {
        let (noise, found) = (self.noise_variance()?, &self.inference);
        for &s in &noise {
            parameter("noise variance", s, s > 0.0, "must be positive to be divided by")?;
        }
        let one = |(i, t): (usize, usize)| {
            let free = found.free[i];
            if free > 0.0 { found.residuals[[i, t]] / (noise[t] * free).sqrt() } else { 0.0 }
        };
        Ok(Array2::from_shape_fn(found.residuals.dim(), one))
    }

    /// Cook's distance, n x t: how far all predictions move without observation i, in units of their error;
    /// `r_i² h_ii / (p σ² (1 - h_ii)²)` for p coefficients.
    ///
    /// # Errors
    /// As [`FittedLeastSquares::studentised_residuals`].
    pub fn cooks_distance(&self) -> Result<Array2<f64>> {
        let found = &self.inference;
        let p = (found.rank + usize::from(found.intercept)).max(1) as f64;
        let mut out = self.studentised_residuals()?.mapv(|r| r * r / p);
        let odds = found.free.mapv(|f| if f > 0.0 { (1.0 - f) / f } else { 0.0 });
        out *= &odds.insert_axis(Axis(1));
        Ok(out)
    }
}
