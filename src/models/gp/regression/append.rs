//! More data at the same hyper-parameters: the factor grows, nothing is factored again.

use ndarray::{ArrayRef, ArrayView2, Axis, concatenate};

use super::evidence::Conditioned;
use super::fitted::FittedGp;
use super::plan::dense;
use crate::check::{inputs, pairs, require};
use crate::learn::{Inputs, TargetDim, Targets};
use crate::linalg::Noise;
use crate::matrix::Points;
use crate::{Error, Result};

impl<D: TargetDim> FittedGp<D> {
    /// Conditions on k more observations, `x` (`k x d`) and `y` (k targets), with the same noise: `O(n²k)`, and the same
    /// answers as a fit to everything.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::NotFinite`] for data that do not fit; [`Error::Parameter`] for a model with a noise
    /// for each point ([`FittedGp::append_with_noise`] is for those); [`Error::NotPositiveDefinite`] for a point that is
    /// there already, without noise; [`Error::OverBudget`] if the covariance is not stored, or would no longer fit. The
    /// model is then what it was.
    pub fn append(&mut self, x: impl Inputs, y: impl Targets<Of = ArrayRef<f64, D>>) -> Result<()> {
        let (x, y) = (x.inputs(), y.targets());
        match self.model.noise {
            Noise::Same(v) => self.extend(x.view(), D::columns(&y), &vec![v; x.nrows()], Noise::Same(v)),
            Noise::Each(_) => {
                let requirement = "this model has a noise for each point: say that of the new ones";
                Err(Error::Parameter { name: "noise".to_owned(), value: f64::NAN, requirement })
            }
        }
    }

    /// [`FittedGp::append`] with the variance of the noise of each new observation.
    ///
    /// # Errors
    /// As [`FittedGp::append`].
    pub fn append_with_noise(
        &mut self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        noise: &[f64],
    ) -> Result<()> {
        let old = match &self.model.noise {
            Noise::Same(v) => vec![*v; self.y.nrows()],
            Noise::Each(v) => v.clone(),
        };
        let all = Noise::Each([&old, noise].concat());
        self.extend(x.inputs().view(), D::columns(&y.targets()), noise, all)
    }

    fn extend(&mut self, x: ArrayView2<f64>, y: ArrayView2<f64>, noise: &[f64], all: Noise) -> Result<()> {
        const OP: &str = "FittedGp::append";
        pairs(OP, x, y)?;
        inputs(OP, x, self.x().ncols())?;
        require(OP, y.ncols() == self.y.ncols(), || {
            format!("the model was fitted to {} targets, y has {}", self.y.ncols(), y.ncols())
        })?;
        let factor = self.stored(OP, "fit everything anew")?;
        let (n, d, q) = (self.y.nrows() + x.nrows(), x.ncols(), y.ncols());
        self.model.affords(OP, self.device(), (n, d, q), false, "fit everything anew")?;
        let misfit = |e: ndarray::ShapeError| Error::Shape { op: OP, what: e.to_string() };
        let factor = factor.extended(self.kernel(), self.x(), x, noise)?;
        let points = concatenate(Axis(0), &[self.x(), x]).map_err(misfit)?;
        let targets = concatenate(Axis(0), &[self.y(), y]).map_err(misfit)?;
        let mut model = self.model.clone();
        model.noise = all;
        let points = Points::new(OP, self.device(), points.view(), self.kernel().origin(), f64::INFINITY)?;
        let conditioned = Conditioned::with_factor(&model, factor, &points, targets.view())?;
        let plan = dense(points.device(), n, d, q, false);
        *self = Self::of(model, points, targets, plan, conditioned, self.report.search.take());
        Ok(())
    }
}
