//! A part of the data on a device: points and their weights, checked.

use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::matrix::{Origin, Points};
use crate::{Device, Matrix, Result};

/// Points where a model computes, each with a weight (one, unless said otherwise).
#[derive(Debug)]
pub(crate) struct Observations {
    points: Points,
    weights: Option<Array1<f64>>,
    column: OnceLock<Matrix>,
}

impl Observations {
    /// Points that were checked, with weights that are checked here.
    ///
    /// # Errors
    /// Those of [`weights`](crate::check::weights).
    pub fn new(op: &'static str, points: Points, weights: Option<ArrayView1<f64>>) -> Result<Self> {
        let n = points.host().nrows();
        weights.map(|w| crate::check::weights(op, w, n)).transpose()?;
        Ok(Observations { points, weights: weights.map(|w| w.to_owned()), column: OnceLock::new() })
    }

    /// Points with weights that were checked as part of a whole: those of a part may all be zero.
    pub fn unchecked(points: Points, weights: Option<Array1<f64>>) -> Self {
        Observations { points, weights, column: OnceLock::new() }
    }

    /// New points without weights for a model that was fitted on `device`.
    pub fn predicted(
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        origin: Origin,
        flops: f64,
    ) -> Result<Self> {
        Self::new(op, Points::new(op, device, x, origin, flops)?, None)
    }

    /// The same observations for f64 on the CPU, if they are elsewhere.
    pub fn exact(&self) -> Option<Self> {
        let elsewhere = self.points.device().is_gpu();
        elsewhere.then(|| Observations {
            points: self.points.on_cpu(),
            weights: self.weights.clone(),
            column: OnceLock::new(),
        })
    }

    /// The points on the host and where computations run.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Where computations run.
    pub fn device(&self) -> &Device {
        self.points.device()
    }

    /// The points where computations run, shifted on a GPU.
    pub fn x(&self) -> Result<&Matrix> {
        self.points.matrix()
    }

    pub fn weights(&self) -> Option<&Array1<f64>> {
        self.weights.as_ref()
    }

    /// The weights as a column beside the points, uploaded once.
    pub fn weight_column(&self) -> Result<Option<&Matrix>> {
        let Some(w) = &self.weights else { return Ok(None) };
        if self.column.get().is_none() {
            let there = Matrix::column(self.device(), &w.to_vec())?;
            return Ok(Some(self.column.get_or_init(|| there)));
        }
        Ok(self.column.get())
    }

    /// Means as the device sees them, and where that is in the space of the data: f32 moves them a little.
    pub fn place(&self, means: &Array2<f64>) -> Result<(Matrix, Array2<f64>)> {
        let there = self.points.like("means", means.view())?;
        if !self.device().is_gpu() {
            return Ok((there, means.clone()));
        }
        let shift = self.points.shift();
        let seen = (means - shift).mapv(|v| f64::from(v as f32)) + shift;
        Ok((there, seen))
    }
}
