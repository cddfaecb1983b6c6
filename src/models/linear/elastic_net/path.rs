//! Whole paths of penalties, each fit started where the last one ended.

use ndarray::{Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Ix1, s};

use super::model::{ElasticNet, Lasso, Prepared};
use crate::Result;
use crate::check::{not_negative, pairs, parameter, require, room};
use crate::learn::configure::getters;
use crate::learn::{Inputs, TargetDim, Targets};

/// The coefficients of one target along a path of penalties, the largest first.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticNetPath {
    penalties: Vec<f64>,
    coefficients: Array2<f64>,
    intercepts: Array1<f64>,
    gaps: Array1<f64>,
    passes: Vec<usize>,
}

getters!(ElasticNetPath {
    /// The penalties λ, descending.
    penalties: &[f64],
    /// The coefficients, one row for each penalty.
    coefficients: &Array2<f64>,
    /// The intercept for each penalty.
    intercepts: &Array1<f64>,
    /// The duality gap for each penalty: the objective is above its minimum by this at most.
    duality_gaps => gaps: &Array1<f64>,
    /// Passes over the coefficients for each penalty.
    passes: &[usize],
});

impl ElasticNet {
    /// The coefficients for `count` penalties from the least that makes all of them zero down to `least` times it, evenly
    /// on a logarithmic scale; the penalty of the model itself is not used.
    ///
    /// # Errors
    /// As `fit`; [`Error::Parameter`](crate::Error::Parameter) for no penalties, a `least` outside (0, 1), or α = 0, for
    /// which no penalty makes all coefficients zero.
    pub fn path(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, Ix1>>,
        count: usize,
        least: f64,
    ) -> Result<ElasticNetPath> {
        let (x, y) = (x.inputs(), y.targets());
        self.check()?;
        pairs("ElasticNet::path", x.view(), Ix1::columns(&y))?;
        let data = Prepared::new(x.view(), Ix1::columns(&y), None, self.intercept);
        let penalties = grid(data.largest_penalty(self.mix), self.mix, count, least)?;
        self.along(&data, penalties)
    }

    /// The coefficients for these penalties, which are put in descending order.
    ///
    /// # Errors
    /// As `fit`, and [`Error::Shape`](crate::Error::Shape) for no penalties.
    pub fn path_at(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, Ix1>>,
        penalties: &[f64],
    ) -> Result<ElasticNetPath> {
        let (x, y) = (x.inputs(), y.targets());
        self.check()?;
        pairs("ElasticNet::path", x.view(), Ix1::columns(&y))?;
        require("ElasticNet::path", !penalties.is_empty(), || "there are no penalties".to_owned())?;
        penalties.iter().try_for_each(|&p| not_negative("penalty", p))?;
        let mut penalties = penalties.to_vec();
        penalties.sort_by(|a, b| b.total_cmp(a));
        self.along(&Prepared::new(x.view(), Ix1::columns(&y), None, self.intercept), penalties)
    }

    fn along(&self, data: &Prepared, penalties: Vec<f64>) -> Result<ElasticNetPath> {
        let (k, d) = (penalties.len(), data.columns.x.nrows());
        let mut coefficients = Array2::zeros((k, d));
        let (mut intercepts, mut gaps, mut passes) =
            (Array1::zeros(k), Array1::zeros(k), Vec::with_capacity(k));
        let mut start = Array2::zeros((d, 1));
        for (i, &penalty) in penalties.iter().enumerate() {
            let found = self.minima(data, penalty, &start)?;
            passes.push(found.first().map_or(0, |f| f.passes));
            let fit = self.fitted::<Ix1>(data, penalty, found)?;
            start.assign(fit.coefficients());
            coefficients.row_mut(i).assign(&start.column(0));
            intercepts[i] = fit.intercept()[0];
            gaps[i] = fit.duality_gap()[0];
        }
        Ok(ElasticNetPath { penalties, coefficients, intercepts, gaps, passes })
    }

    /// Mean squared errors on held-out rows of the fits along these penalties, to the rows that are left.
    pub(super) fn errors_along(
        &self,
        (x, y, w): (ArrayView2<f64>, ArrayView2<f64>, Option<ArrayView1<f64>>),
        (x_out, y_out, w_out): (ArrayView2<f64>, ArrayView2<f64>, Option<ArrayView1<f64>>),
        penalties: &[f64],
    ) -> Result<Array1<f64>> {
        let data = Prepared::new(x, y, w, self.intercept);
        let mut start = Array2::zeros((x.ncols(), y.ncols()));
        let mut errors = Array1::zeros(penalties.len());
        for (error, &penalty) in errors.iter_mut().zip(penalties) {
            let found = self.minima(&data, penalty, &start)?;
            let fit = self.fitted::<ndarray::Ix2>(&data, penalty, found)?;
            start.assign(fit.coefficients());
            let left = &y_out - &(x_out.dot(&start) + fit.intercept());
            let own = left.mapv(|v| v * v).sum_axis(ndarray::Axis(1));
            *error = w_out.map_or_else(|| own.sum(), |w| own.dot(&w));
        }
        Ok(errors)
    }
}

impl Lasso {
    /// [`ElasticNet::path`] with α = 1.
    ///
    /// # Errors
    /// As [`ElasticNet::path`].
    pub fn path(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, Ix1>>,
        count: usize,
        least: f64,
    ) -> Result<ElasticNetPath> {
        self.net.path(x, y, count, least)
    }

    /// [`ElasticNet::path_at`] with α = 1.
    ///
    /// # Errors
    /// As [`ElasticNet::path_at`].
    pub fn path_at(
        &self,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, Ix1>>,
        penalties: &[f64],
    ) -> Result<ElasticNetPath> {
        self.net.path_at(x, y, penalties)
    }
}

/// `count` penalties from `largest` down to `least` times it.
pub(super) fn grid(largest: f64, mix: f64, count: usize, least: f64) -> Result<Vec<f64>> {
    parameter("mix", mix, mix > 0.0, "must be positive: squares alone make no coefficient zero")?;
    parameter("count", count as f64, count > 0, "must be at least 1")?;
    parameter("least", least, least > 0.0 && least < 1.0, "must lie between 0 and 1")?;
    parameter("largest penalty", largest, largest.is_finite(), "must be finite: scale the data")?;
    room("count", count, 8)?;
    // Where no feature says anything of y, every penalty does.
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let step = if count > 1 { least.ln() / (count - 1) as f64 } else { 0.0 };
    let all = Array1::from_shape_fn(count, |i| largest * (step * i as f64).exp());
    Ok(all.slice(s![..]).to_vec())
}
