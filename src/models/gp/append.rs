//! More data at the same hyper-parameters: the factor grows, nothing is factored again.

use ndarray::{ArrayView2, Axis, concatenate};

use super::evidence::Conditioned;
use super::fitted::{FittedGp, Posterior};
use super::matrix_free::dense;
use super::dense::Stored;
use crate::linalg::Noise;
use crate::check::{inputs, pairs, require};
use crate::{Error, Matrix, Result};

impl FittedGp {
    /// Conditions on k more observations, `x` (`k x d`) and `y` (`k x q`), with the same noise: `O(n²k)`, and the same
    /// answers as a fit to everything.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`] for data that do not fit; [`Error::Parameter`] for a model with a noise
    /// for each point ([`FittedGp::add_with_noise`] is for those); [`Error::NotPositiveDefinite`] for a point that is
    /// there already, without noise; [`Error::OverBudget`] if the covariance is not stored, or would no longer fit. The
    /// model is then what it was.
    pub fn add(&mut self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<()> {
        match self.model.noise {
            Noise::Same(v) => self.extend(x, y, &vec![v; x.nrows()], Noise::Same(v)),
            Noise::Each(_) => {
                let requirement = "this model has a noise for each point: say that of the new ones";
                Err(Error::Parameter { name: "noise".to_owned(), value: f64::NAN, requirement })
            }
        }
    }

    /// [`FittedGp::add`] with the variance of the noise of each new observation.
    ///
    /// # Errors
    /// As [`FittedGp::add`].
    pub fn add_with_noise(&mut self, x: ArrayView2<f64>, y: ArrayView2<f64>, noise: &[f64]) -> Result<()> {
        let old = match &self.model.noise {
            Noise::Same(v) => vec![*v; self.x.rows()],
            Noise::Each(v) => v.clone(),
        };
        self.extend(x, y, noise, Noise::Each([&old, noise].concat()))
    }

    fn extend(&mut self, x: ArrayView2<f64>, y: ArrayView2<f64>, noise: &[f64], all: Noise) -> Result<()> {
        const OP: &str = "FittedGp::add";
        pairs(OP, x, y)?;
        inputs(OP, x, self.x.cols())?;
        require(OP, y.ncols() == self.y.ncols(), || {
            format!("the model was fitted to {} targets, y has {}", self.y.ncols(), y.ncols())
        })?;
        let old = self.stored(OP, "fit everything anew")?;
        let size = (self.x.rows() + x.nrows(), x.ncols(), y.ncols());
        self.model.affords(OP, &self.device, size, false, "fit everything anew")?;
        let misfit = |e: ndarray::ShapeError| Error::Shape { op: OP, what: e.to_string() };
        let factor = old.factor().extended(self.kernel(), self.x(), x, noise)?;
        let points = concatenate(Axis(0), &[self.x(), x]).map_err(misfit)?;
        let targets = concatenate(Axis(0), &[self.y(), y]).map_err(misfit)?;
        let mut model = self.model.clone();
        model.noise = all;
        let conditioned = Conditioned::with(&model, factor, points.view(), targets.view())?;
        let points = Matrix::from_host(points);
        self.posterior = Posterior::Stored(Box::new(Stored::new(model.kernel(), &points, conditioned)?));
        self.plan = dense(&self.device, size.0, size.1, size.2, false);
        (self.model, self.x, self.y) = (model, points, targets);
        Ok(())
    }
}
