//! A process conditioned on data, as it is saved. Checked in `tests/saved/gp.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer, ser::Error as _};

use super::evidence::Conditioned;
use super::fitted::{FittedGp, Posterior};
use super::matrix_free::SavedParts;
use super::mean::SavedTrend;
use super::regressor::GpRegressor;
use super::dense::Stored;
use crate::linalg::{Certificate, Noise, SavedFactor, SpdFactor};
use crate::check::{pairs, require, parameter};
use crate::learn::plan::{Method, Plan};
use crate::optim::Minimum;
use crate::saved::{Format, Grid, Record, saved_as, solves};
use crate::{Device, Error, Matrix, Result};

const OP: &str = "a saved FittedGp";
/// What the noise of the model and that of its factor may differ by, relative to it.
const ROUNDING: f64 = 1e-9;

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedGp")]
pub(in crate::models) struct SavedGp<'a> {
    format: Format,
    model: Cow<'a, GpRegressor>,
    x: Grid<'a>,
    y: Grid<'a>,
    alpha: Grid<'a>,
    trend: SavedTrend<'a>,
    certificate: Certificate,
    plan: Plan,
    log_marginal_likelihood: f64,
    minimum: Option<Cow<'a, Minimum>>,
    posterior: SavedPosterior<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Posterior")]
enum SavedPosterior<'a> {
    Stored(SavedFactor<'a>),
    MatrixFree(SavedParts<'a>),
}

saved_as!(FittedGp, SavedGp);

/// A [`FittedGp`] to be written without its factor, of which it borrows the rest; it is read as a [`FittedGp`].
#[derive(Debug, Clone, Copy)]
pub struct WithoutFactor<'a>(&'a FittedGp);

impl Serialize for WithoutFactor<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        SavedGp::with(self.0, false).map_err(S::Error::custom)?.serialize(to)
    }
}

impl FittedGp {
    /// To be saved without the `4n²` bytes of its factor: whoever reads it makes that again, in f64 on the CPU, by `n³/3`
    /// operations and within the [memory budget](GpRegressor::memory_budget). Means are the same bits; variances are as
    /// exact as they were.
    ///
    /// ```
    /// use mercer::models::gp::{FittedGp, GpRegressor};
    /// use mercer::{Device, Kernel};
    /// use ndarray::Array2;
    ///
    /// let x = Array2::from_shape_fn((100, 1), |(i, _)| 0.1 * i as f64);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    /// let fitted = gp.fit(&Device::cpu(), x.view(), x.mapv(f64::sin).view())?;
    /// let (all, less) = (serde_json::to_string(&fitted)?, serde_json::to_string(&fitted.without_factor())?);
    /// assert!(10 * less.len() < all.len());
    /// let loaded: FittedGp = serde_json::from_str(&less)?;
    /// assert_eq!(loaded.predict(x.view())?, fitted.predict(x.view())?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_factor(&self) -> WithoutFactor<'_> {
        WithoutFactor(self)
    }
}

impl<'a> SavedGp<'a> {
    fn with(own: &'a FittedGp, factor: bool) -> Result<Self> {
        let posterior = match &own.posterior {
            Posterior::Stored(stored) => SavedPosterior::Stored(stored.factor().saved(factor)?),
            Posterior::MatrixFree(parts) => SavedPosterior::MatrixFree(SavedParts::of(parts)),
        };
        Ok(SavedGp {
            format: Format,
            model: Cow::Borrowed(&own.model),
            x: Grid::new(own.x.cpu()),
            y: Grid::new(&own.y),
            alpha: Grid::new(own.alpha()),
            trend: SavedTrend::of(own.trend()),
            certificate: *own.certificate(),
            plan: own.plan,
            log_marginal_likelihood: own.log_marginal_likelihood(),
            minimum: own.minimum.as_ref().map(Cow::Borrowed),
            posterior,
        })
    }
}

impl<'a> Record<'a, FittedGp> for SavedGp<'a> {
    fn of(own: &'a FittedGp) -> Result<Self> {
        Self::with(own, true)
    }

    fn restored(self) -> Result<FittedGp> {
        let SavedGp { certificate, plan, log_marginal_likelihood: value, .. } = self;
        let model = self.model.into_owned();
        let (x, y) = (self.x.into_array(), self.y.into_array());
        pairs(OP, x.view(), y.view())?;
        let ((n, d), q) = (x.dim(), y.ncols());
        model.space(n)?;
        model.large.check()?;
        model.spd.jitter.rungs()?;
        parameter("log_marginal_likelihood", value, value.is_finite(), "must be finite")?;
        let alpha = self.alpha.checked(OP, "alpha", (n, q))?;
        let (trend, residual) = self.trend.restored(OP, model.mean, x.view(), y.view())?;
        let points = Matrix::from_host(x);
        let posterior = match (self.posterior, plan.method) {
            (SavedPosterior::Stored(saved), Method::Dense) => {
                if !saved.has_factor() {
                    model.affords(OP, &Device::cpu(), (n, d, q), false, "save it with its factor")?;
                }
                let factor = saved.of_kernel(OP, &model.kernel, &points)?;
                agrees(&model.noise, &factor, n)?;
                solves(OP, factor.factor().cpu(), alpha.view(), residual.view(), y.view())?;
                let log_marginal_likelihood = value;
                let conditioned = Conditioned { factor, trend, alpha, certificate, log_marginal_likelihood };
                Posterior::Stored(Box::new(Stored::new(&model.kernel, &points, conditioned)?))
            }
            (SavedPosterior::MatrixFree(saved), Method::MatrixFree { .. }) => {
                let data = (points.cpu().view(), y.view());
                let solved = (trend, residual, alpha);
                let parts = saved.restored((OP, &model), data, solved, certificate, value)?;
                Posterior::MatrixFree(Box::new(parts))
            }
            (_, method) => {
                return Err(Error::Shape { op: OP, what: format!("the plan is {method}, which it is not") });
            }
        };
        let minimum = self.minimum.map(Cow::into_owned);
        Ok(FittedGp { model, device: Device::cpu(), x: points, y, plan, posterior, minimum })
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
