//! Kalman's filter, and the smoother of Rauch, Tung and Striebel.

use ndarray::{Array1, Array2, Array3, Axis, s};

use super::model::{LinearGaussian, OP};
use crate::Result;
use crate::check::{finite, require};
use crate::learn::Inputs;
use crate::linalg::small_cholesky::Small;

/// What was known of each state when its observation had been seen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Filtered {
    /// `E[z_t | x_1..t]`, `T x k`.
    pub means: Array2<f64>,
    /// `Cov[z_t | x_1..t]`, `T x k x k`.
    pub covariances: Array3<f64>,
    /// `E[z_t | x_1..t-1]`, `T x k`.
    pub predicted_means: Array2<f64>,
    /// `Cov[z_t | x_1..t-1]`, `T x k x k`.
    pub predicted_covariances: Array3<f64>,
    /// `log p(x)`.
    pub log_likelihood: f64,
}

/// What the whole sequence says of each state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SmoothedStates {
    /// `E[z_t | x]`, `T x k`.
    pub means: Array2<f64>,
    /// `Cov[z_t | x]`, `T x k x k`.
    pub covariances: Array3<f64>,
    /// `Cov[z_t, z_{t-1} | x]` of each t from the second on, `T x k x k`; zero for the first.
    pub lagged: Array3<f64>,
    /// `log p(x)`.
    pub log_likelihood: f64,
}

/// Rounding makes covariances lopsided; the mean with the transpose does not.
fn even(a: Array2<f64>) -> Array2<f64> {
    (&a + &a.t()) * 0.5
}

impl LinearGaussian {
    /// Kalman's filter, with the covariance in Joseph's form, which stays positive.
    ///
    /// # Errors
    /// An empty sequence, another number of columns, NaN; an observation whose predicted covariance is singular.
    pub fn filter(&self, x: impl Inputs) -> Result<Filtered> {
        let x = x.inputs();
        let (t, d, k) = (x.nrows(), self.emission.nrows(), self.initial_mean.len());
        require(OP, t > 0 && x.ncols() == d, || {
            format!("the model has {d} features, a sequence is {:?}", x.dim())
        })?;
        let mut out = Filtered {
            means: Array2::zeros((t, k)),
            covariances: Array3::zeros((t, k, k)),
            predicted_means: Array2::zeros((t, k)),
            predicted_covariances: Array3::zeros((t, k, k)),
            log_likelihood: 0.0,
        };
        let (a, c) = (&self.transition, &self.emission);
        let (mut mean, mut cov) = (self.initial_mean.clone(), self.initial_covariance.clone());
        for step in 0..t {
            if step > 0 {
                mean = a.dot(&mean);
                cov = even(a.dot(&cov).dot(&a.t()) + &self.transition_noise);
            }
            out.predicted_means.row_mut(step).assign(&mean);
            out.predicted_covariances.index_axis_mut(Axis(0), step).assign(&cov);
            let seen = x.row(step);
            if !(self.missing && seen.iter().all(|v| v.is_nan())) {
                finite(OP, "a sequence", x.slice(s![step..=step, ..]))?;
                let cross = cov.dot(&c.t());
                let small = Small::new(OP, even(c.dot(&cross) + &self.emission_noise).view())?;
                let gain = small.solve_rows(cross.view());
                let off: Array1<f64> = &seen - &c.dot(&mean);
                let solved = small.solve_rows(off.view().insert_axis(Axis(0)));
                out.log_likelihood -= 0.5
                    * (solved.row(0).dot(&off)
                        + small.log_det
                        + d as f64 * (2.0 * std::f64::consts::PI).ln());
                mean = &mean + &gain.dot(&off);
                let rest = Array2::<f64>::eye(k) - gain.dot(c);
                cov = even(rest.dot(&cov).dot(&rest.t()) + gain.dot(&self.emission_noise).dot(&gain.t()));
            }
            out.means.row_mut(step).assign(&mean);
            out.covariances.index_axis_mut(Axis(0), step).assign(&cov);
        }
        Ok(out)
    }

    /// The log-likelihood of a sequence.
    ///
    /// # Errors
    /// As [`LinearGaussian::filter`].
    pub fn log_likelihood(&self, x: impl Inputs) -> Result<f64> {
        Ok(self.filter(x)?.log_likelihood)
    }

    /// The smoother of Rauch, Tung and Striebel: the posterior of every state given the whole sequence.
    ///
    /// # Errors
    /// As [`LinearGaussian::filter`]; a predicted covariance that is singular.
    pub fn smooth(&self, x: impl Inputs) -> Result<SmoothedStates> {
        let f = self.filter(x)?;
        let (t, k) = f.means.dim();
        let (mut means, mut covariances) = (f.means.clone(), f.covariances.clone());
        let mut lagged = Array3::zeros((t, k, k));
        for step in (0..t - 1).rev() {
            let own = f.covariances.index_axis(Axis(0), step);
            let ahead = f.predicted_covariances.index_axis(Axis(0), step + 1);
            let cross = own.dot(&self.transition.t());
            let gain = Small::new(OP, ahead)?.solve_rows(cross.view());
            let later = covariances.index_axis(Axis(0), step + 1).to_owned();
            let mean =
                &f.means.row(step) + &gain.dot(&(&means.row(step + 1) - &f.predicted_means.row(step + 1)));
            means.row_mut(step).assign(&mean);
            let cov = even(&own + &gain.dot(&(&later - &ahead)).dot(&gain.t()));
            covariances.index_axis_mut(Axis(0), step).assign(&cov);
            lagged.index_axis_mut(Axis(0), step + 1).assign(&later.dot(&gain.t()));
        }
        Ok(SmoothedStates { means, covariances, lagged, log_likelihood: f.log_likelihood })
    }
}
