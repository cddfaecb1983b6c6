//! A process conditioned on data, as it is saved: the factor is checked against kernel and data before anybody uses it.
//! Checked in `tests/saved/gp.rs`.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::Error as _};

use super::dense::DensePosterior;
use super::evidence::{Conditioned, Posterior};
use super::fitted::{FittedGp, GpReport};
use super::matrix_free::MatrixFreePosterior;
use super::model::GpRegressor;
use super::plan::rank;
use crate::check::{pairs, parameter, require};
use crate::learn::TargetDim;
use crate::learn::plan::{Method, Plan};
use crate::linalg::{KernelOperator, Noise, Operator, SavedFactor, SpdFactor};
use crate::matrix::Points;
use crate::models::gp::mean::SavedTrend;
use crate::saved::{Format, Grid, solves};
use crate::{Device, Error, Result};

const OP: &str = "a saved FittedGp";
/// What the noise of the model and that of its factor may differ by, relative to it.
const ROUNDING: f64 = 1e-9;
/// Rows of `Cα = y - Hβ` that are looked at where C is not stored.
const ROWS: usize = 32;
/// What they may be off by, besides what the solve was allowed.
const ROW_ROUNDING: f64 = 1e-8;

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedGp")]
struct SavedGp<'a> {
    format: Format,
    model: Cow<'a, GpRegressor>,
    x: Grid<'a>,
    y: Grid<'a>,
    alpha: Grid<'a>,
    trend: SavedTrend<'a>,
    plan: Plan,
    log_evidence: f64,
    report: Cow<'a, GpReport>,
    /// None if the covariance was not stored.
    factor: Option<SavedFactor<'a>>,
}

impl<D> Serialize for FittedGp<D> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        SavedGp::of(self, true).map_err(S::Error::custom)?.serialize(to)
    }
}

impl<'de, D: TargetDim> Deserialize<'de> for FittedGp<D> {
    fn deserialize<F: Deserializer<'de>>(from: F) -> std::result::Result<Self, F::Error> {
        SavedGp::deserialize(from)?.restored().map_err(de::Error::custom)
    }
}

/// A [`FittedGp`] to be written without its factor, of which it borrows the rest; it is read as a [`FittedGp`].
#[derive(Debug, Clone, Copy)]
pub struct WithoutFactor<'a, D>(&'a FittedGp<D>);

impl<D> Serialize for WithoutFactor<'_, D> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        SavedGp::of(self.0, false).map_err(S::Error::custom)?.serialize(to)
    }
}

impl<D> FittedGp<D> {
    /// To be saved without the `4n²` bytes of its factor: whoever reads it makes that again, in f64 on the CPU, by `n³/3`
    /// operations and within the [memory budget](GpRegressor::memory_budget). Means are the same bits; variances are as
    /// exact as they were.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::Array2;
    ///
    /// let x = Array2::from_shape_fn((100, 1), |(i, _)| 0.1 * i as f64);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    /// let fitted = gp.fit(&Device::cpu(), &x, x.mapv(f64::sin))?;
    /// let (all, less) = (serde_json::to_string(&fitted)?, serde_json::to_string(&fitted.without_factor())?);
    /// assert!(10 * less.len() < all.len());
    /// let loaded: FittedGp = serde_json::from_str(&less)?;
    /// assert_eq!(loaded.predict(&x)?, fitted.predict(&x)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_factor(&self) -> WithoutFactor<'_, D> {
        WithoutFactor(self)
    }
}

impl<'a> SavedGp<'a> {
    fn of<D>(own: &'a FittedGp<D>, factor: bool) -> Result<Self> {
        let factor = match &own.conditioned.posterior {
            Posterior::Dense(dense) => Some(dense.factor.saved(factor)?),
            Posterior::MatrixFree(_) => None,
        };
        Ok(SavedGp {
            format: Format,
            model: Cow::Borrowed(&own.model),
            x: Grid::new(own.points.on_host().cpu()),
            y: Grid::new(&own.y),
            alpha: Grid::new(own.alpha()),
            trend: SavedTrend::of(own.trend()),
            plan: own.plan,
            log_evidence: own.log_evidence(),
            report: Cow::Borrowed(&own.report),
            factor,
        })
    }

    /// Once everything in it is known to be in order.
    fn restored<D: TargetDim>(self) -> Result<FittedGp<D>> {
        let SavedGp { plan, log_evidence, .. } = self;
        let (model, report) = (self.model.into_owned(), self.report.into_owned());
        let (x, y) = (self.x.into_array(), self.y.into_array());
        pairs(OP, x.view(), y.view())?;
        let ((n, d), q) = (x.dim(), y.ncols());
        D::fits(OP, q)?;
        model.space(n)?;
        model.matrix_free.check()?;
        model.spd.jitter.rungs()?;
        parameter("log_evidence", log_evidence, log_evidence.is_finite(), "must be finite")?;
        let alpha = self.alpha.checked(OP, "alpha", (n, q))?;
        let (trend, residual) = self.trend.restored(OP, model.mean, x.view(), y.view())?;
        let points = Points::new(OP, &Device::cpu(), x.view(), model.kernel.origin(), 0.0)?;
        let posterior = match (self.factor, plan.method, &report.conjugate_gradients, &report.log_det) {
            (Some(saved), Method::Dense, None, None) => {
                if !saved.has_factor() {
                    model.affords(OP, &Device::cpu(), (n, d, q), false, "save it with its factor")?;
                }
                let factor = saved.of_kernel(OP, &model.kernel, points.on_host())?;
                agrees(&model.noise, &factor, n)?;
                solves(OP, factor.factor().cpu(), alpha.view(), residual.view(), y.view())?;
                Posterior::Dense(Box::new(DensePosterior { factor }))
            }
            (None, Method::MatrixFree { .. }, Some(info), Some(log_det)) => {
                let rank = rank(n, &model.matrix_free, model.budget);
                let found = (info.clone(), log_det.clone());
                let posterior = MatrixFreePosterior::restored(&model, &points, rank, found)?;
                some_rows(&model, &points, y.view(), &residual, &alpha)?;
                Posterior::MatrixFree(Box::new(posterior))
            }
            (_, method, ..) => {
                return Err(Error::Shape { op: OP, what: format!("the plan is {method}, which it is not") });
            }
        };
        let conditioned =
            Conditioned { posterior, trend, alpha, certificate: report.certificate, log_evidence };
        Ok(FittedGp::of(model, points, y, plan, conditioned, report.search))
    }
}

/// Whether what was added to the diagonal is the noise of the model, and the jitter.
fn agrees(noise: &Noise, factor: &SpdFactor, n: usize) -> Result<()> {
    let added = factor.added();
    let own = |i: usize| match noise {
        Noise::Same(v) => *v,
        Noise::Each(v) => v[i],
    };
    let off = |i: &usize| {
        let want = own(*i) + factor.jitter();
        (added[*i] - want).abs() > ROUNDING * want
    };
    let wrong = (0..n).find(off);
    require(OP, wrong.is_none(), || {
        format!("the noise of point {} is not that of its factor", wrong.unwrap_or(0))
    })
}

/// Whether `Cα = y - Hβ` in some rows, to the tolerance of the solve: all of them would take as long as an iteration.
fn some_rows(
    model: &GpRegressor,
    points: &Points,
    y: ArrayView2<f64>,
    residual: &Array2<f64>,
    alpha: &Array2<f64>,
) -> Result<()> {
    let which: Vec<usize> = (0..y.nrows()).step_by(y.nrows().div_ceil(ROWS)).collect();
    let operator = KernelOperator::new(&model.kernel, points.on_host(), model.noise.clone())?;
    let columns = operator.columns(&which)?;
    let (product, size) = (columns.t().dot(alpha), columns.mapv(f64::abs).t().dot(&alpha.mapv(f64::abs)));
    let allowed = residual.map_axis(Axis(0), |r| 100.0 * model.matrix_free.tolerance * r.dot(&r).sqrt());
    for ((row, c), product) in product.indexed_iter() {
        let off = (product - residual[[which[row], c]]).abs();
        // Written so that a NaN is refused.
        let fits = off <= allowed[c] + ROW_ROUNDING * (size[[row, c]] + y[[which[row], c]].abs());
        require(OP, fits, || format!("the coefficients do not solve for the targets in row {}", which[row]))?;
    }
    Ok(())
}
