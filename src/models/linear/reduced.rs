//! Rows of several ranks, reduced to a few that have the same products: `Σ zᵢzᵢᵀ = RᵀR`.
//!
//! Each rank factors its own centred rows `(x, y) = QR` and sends R, which is as large as the columns are many; two of
//! them, one below the other, are factored again. No square is formed, and small singular values keep their digits.

use faer::Mat;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use crate::Result;
use crate::host::zero_upper::restored;
use crate::learn::ranks::Meeting;
use crate::saved::garbled;

/// Rows that stand for those of all ranks.
pub(super) struct Reduced {
    /// Centred rows, no more than there are columns of both.
    pub x: Array2<f64>,
    pub y: Array2<f64>,
    /// The means that were subtracted: zero without an intercept.
    pub x_mean: Array1<f64>,
    pub y_mean: Array1<f64>,
    /// How many rows there are on all ranks, or what they weigh.
    pub total: f64,
}

impl Reduced {
    pub fn new(
        all: &Meeting,
        op: &'static str,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
        intercept: bool,
    ) -> Result<Self> {
        let rows = all.pairs(op, x, y)?.total as f64;
        let (n, d) = x.dim();
        let mut z = concatenate(Axis(1), &[x, y]).map_err(|_| garbled())?;
        let own = w.map_or(n as f64, |w| w.sum());
        let total = if w.is_some() { all.total(op, own)? } else { rows };
        let mut mean = Array1::zeros(z.ncols());
        if intercept {
            let own = match w {
                _ if own <= 0.0 => (0.0, mean.clone()),
                None => (own, z.mean_axis(Axis(0)).unwrap_or_else(|| mean.clone())),
                Some(w) => (own, w.dot(&z) / own),
            };
            mean = all
                .together(op, own, |a, b| {
                    if b.0 > 0.0 {
                        let gap = &b.1 - &a.1;
                        a.0 += b.0;
                        a.1.scaled_add(b.0 / a.0, &gap);
                    }
                    Ok(())
                })?
                .1;
        }
        z -= &mean;
        if let Some(w) = w {
            z *= &w.mapv(f64::sqrt).insert_axis(Axis(1));
        }
        let rows = all.together(op, triangle(z), |a, b| {
            let both = concatenate(Axis(0), &[a.view(), b.view()]).map_err(|_| garbled())?;
            *a = triangle(both);
            Ok(())
        })?;
        Ok(Reduced {
            x: rows.slice(s![.., ..d]).to_owned(),
            y: rows.slice(s![.., d..]).to_owned(),
            x_mean: mean.slice(s![..d]).to_owned(),
            y_mean: mean.slice(s![d..]).to_owned(),
            total,
        })
    }

    /// What centring moved into the intercept.
    pub fn intercept(&self, coefficients: &Array2<f64>) -> Array1<f64> {
        &self.y_mean - &self.x_mean.dot(coefficients)
    }
}

/// R of `z = QR`, or z itself if it has no more rows.
fn triangle(z: Array2<f64>) -> Array2<f64> {
    let (n, p) = z.dim();
    if n <= p {
        return z;
    }
    let qr = restored(|| Mat::from_fn(n, p, |i, j| z[[i, j]]).qr());
    let r = qr.thin_R();
    Array2::from_shape_fn((p, p), |(i, j)| if i <= j { r[(i, j)] } else { 0.0 })
}
