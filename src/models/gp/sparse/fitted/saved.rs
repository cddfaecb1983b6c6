//! A sparse process as it is saved. Checked in `tests/saved/sparse.rs`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{FittedSparseGp, Matrix, Minimum, Result, SparseGpRegressor, gram_diagonal};
use crate::check::{finite, positive, require, parameter};
use crate::saved::{Format, Grid, Record, Triangular, saved_as};

const OP: &str = "a saved FittedSparseGp";
/// What rounding may leave below one of the squared length of a row of `chol(I + AΛ⁻¹Aᵀ)`.
const ROUNDING: f64 = 1e-9;

#[derive(Serialize, Deserialize)]
#[serde(rename = "FittedSparseGp")]
struct Saved<'a> {
    format: Format,
    model: Cow<'a, SparseGpRegressor>,
    value: f64,
    gap: f64,
    jitter: f64,
    minimum: Option<Cow<'a, Minimum>>,
    z: Grid<'a>,
    l: Triangular<'a>,
    lb: Triangular<'a>,
    beta: Grid<'a>,
}

saved_as!(FittedSparseGp, Saved);

impl<'a> Record<'a, FittedSparseGp> for Saved<'a> {
    fn of(own: &'a FittedSparseGp) -> Result<Self> {
        Ok(Saved {
            format: Format,
            model: Cow::Borrowed(&own.model),
            value: own.value,
            gap: own.gap,
            jitter: own.jitter,
            minimum: own.minimum.as_ref().map(Cow::Borrowed),
            z: Grid::new(own.z.cpu()),
            l: Triangular::new(own.l.cpu()),
            lb: Triangular::new(own.lb.cpu()),
            beta: Grid::new(own.beta.cpu()),
        })
    }

    fn restored(self) -> Result<FittedSparseGp> {
        let Saved { value, gap, jitter, .. } = self;
        let model = self.model.into_owned();
        positive("noise", model.noise)?;
        require(OP, !model.kernel.has_white_noise(), || "white noise in the kernel".to_owned())?;
        parameter("value", value, value.is_finite(), "must be finite")?;
        for (name, value) in [("gap", gap), ("jitter", jitter)] {
            parameter(name, value, value >= 0.0 && value.is_finite(), "must be finite and not negative")?;
        }
        let z = self.z.into_array();
        finite(OP, "the inducing inputs", z.view())?;
        let (m, outputs) = (z.nrows(), self.beta.dim().1);
        require(OP, outputs > 0, || "no outputs".to_owned())?;
        let beta = self.beta.checked(OP, "beta", (m, outputs))?;
        let z = Matrix::from_host(z);
        let own = gram_diagonal(&model.kernel, &z)?.into_array()? + jitter;
        let l = self.l.of_diagonal(OP, own.column(0))?;
        let lb = self.lb.checked(OP, m)?;
        let short = lb.rows().into_iter().position(|row| row.dot(&row) < 1.0 - ROUNDING);
        require(OP, short.is_none(), || {
            format!("row {} of the factor of I + AΛ⁻¹Aᵀ is shorter than one", short.unwrap_or(0))
        })?;
        let [l, lb, beta] = [l, lb, beta].map(Matrix::from_host);
        let minimum = self.minimum.map(Cow::into_owned);
        Ok(FittedSparseGp { model, value, gap, jitter, minimum, z, l, lb, beta })
    }
}
