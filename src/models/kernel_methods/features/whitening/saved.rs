//! Landmarks and their factor as they are saved.

use ndarray::Array1;
use serde::{Deserialize, Serialize};

use super::Whitening;
use crate::check::{finite, parameter};
use crate::saved::{Grid, Triangular};
use crate::{Kernel, Matrix, Result};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Whitening")]
pub(in crate::models) struct SavedWhitening<'a> {
    points: Grid<'a>,
    l: Triangular<'a>,
    jitter: f64,
}

impl<'a> SavedWhitening<'a> {
    pub fn of(own: &'a Whitening) -> Self {
        SavedWhitening { points: Grid::new(&own.points), l: Triangular::new(own.l.cpu()), jitter: own.jitter }
    }

    pub fn restored(self, op: &'static str, kernel: &Kernel) -> Result<Whitening> {
        let jitter = self.jitter;
        parameter("jitter", jitter, jitter >= 0.0 && jitter.is_finite(), "must be finite and not negative")?;
        let points = self.points.into_array();
        finite(op, "the landmarks", points.view())?;
        // Between two operands, as the factor was made: white noise in the kernel stays out of it.
        let own = |z: ndarray::ArrayView1<f64>| kernel.value(&z.to_vec(), &z.to_vec());
        let own: Array1<f64> = points.rows().into_iter().map(own).collect::<Result<_>>()?;
        let l = self.l.of_diagonal(op, (own + jitter).view())?;
        Ok(Whitening { points, l: Matrix::from_host(l), jitter })
    }
}
