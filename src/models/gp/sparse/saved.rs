//! A sparse process as it is saved. Checked in `tests/saved/sparse.rs`.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::fitted::FittedSparseGp;
use super::model::SparseGpRegressor;
use crate::check::{finite, not_negative, parameter, positive, require};
use crate::learn::TargetDim;
use crate::ops::gram_diagonal;
use crate::optim::Minimum;
use crate::saved::{Format, Grid, Triangular};
use crate::{Device, Matrix, Result};

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

impl<D> Serialize for FittedSparseGp<D> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let saved = Saved {
            format: Format,
            model: Cow::Borrowed(&self.model),
            value: self.value,
            gap: self.gap,
            jitter: self.jitter,
            minimum: self.minimum.as_ref().map(Cow::Borrowed),
            z: Grid::new(self.z.cpu()),
            l: Triangular::new(self.l.cpu()),
            lb: Triangular::new(self.lb.cpu()),
            beta: Grid::new(self.beta.cpu()),
        };
        saved.serialize(to)
    }
}

impl<'de, D: TargetDim> Deserialize<'de> for FittedSparseGp<D> {
    fn deserialize<F: Deserializer<'de>>(from: F) -> std::result::Result<Self, F::Error> {
        Saved::deserialize(from)?.restored().map_err(de::Error::custom)
    }
}

impl Saved<'_> {
    /// Once everything in it is known to be in order.
    fn restored<D: TargetDim>(self) -> Result<FittedSparseGp<D>> {
        let Saved { value, gap, jitter, .. } = self;
        let model = self.model.into_owned();
        positive("noise", model.noise)?;
        require(OP, !model.kernel.has_white_noise(), || "white noise in the kernel".to_owned())?;
        parameter("value", value, value.is_finite(), "must be finite")?;
        for (name, value) in [("gap", gap), ("jitter", jitter)] {
            not_negative(name, value)?;
        }
        let z = self.z.into_array();
        finite(OP, "the inducing inputs", z.view())?;
        let (m, outputs) = (z.nrows(), self.beta.dim().1);
        D::fits(OP, outputs)?;
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
        let (device, targets) = (Device::cpu(), PhantomData);
        Ok(FittedSparseGp { model, device, value, gap, jitter, minimum, z, l, lb, beta, targets })
    }
}
