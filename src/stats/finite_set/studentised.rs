//! Hotelling's form `T = uᵀ (C + δI)⁻¹ u` of a mean u with covariance C, and what it is made of for two samples and for
//! dependence, with derivatives by every feature of every observation.
//!
//! Checked in `tests/stats/finite_set.rs` against plain loops; the derivatives by what the optimiser reaches.

use ndarray::{Array1, Array2, Axis};

use crate::linalg::{SpdParams, solve_spd};
use crate::{Device, Result};

/// `δ = RIDGE · tr(C) / J`: keeps features that follow each other from making C singular.
const RIDGE: f64 = 1e-5;

/// T, `a = (C + δI)⁻¹ u`, and the factor of `dC_jj` that comes from δ.
struct Form {
    value: f64,
    a: Array1<f64>,
    by_trace: f64,
}

fn form(u: &Array1<f64>, c: &Array2<f64>) -> Result<Form> {
    let count = u.len() as f64;
    let mut c = c.clone();
    let delta = RIDGE * c.diag().sum() / count;
    c.diag_mut().mapv_inplace(|v| v + delta);
    let right = u.view().insert_axis(Axis(1));
    let a = solve_spd(&Device::cpu(), c.view(), right, &SpdParams::default())?.x.index_axis_move(Axis(1), 0);
    let by_trace = RIDGE * a.dot(&a) / count;
    Ok(Form { value: u.dot(&a), a, by_trace })
}

/// `x` less its column means, and those.
fn centred(x: &Array2<f64>) -> (Array2<f64>, Array1<f64>) {
    let mean = x.mean_axis(Axis(0)).expect("a sample is not empty");
    (x - &mean, mean)
}

/// A statistic and its derivative by each feature of each observation of both sides.
pub(in crate::stats) struct Statistic {
    pub value: f64,
    pub by_x: Array2<f64>,
    pub by_y: Array2<f64>,
}

/// `T` of `u = mean φ(x) - mean φ(y)`, `C = S_x/n + S_y/m`, from the features of both samples (`n x J`, `m x J`).
pub(in crate::stats) fn two_samples(x: &Array2<f64>, y: &Array2<f64>) -> Result<Statistic> {
    let (Form { value, a, by_trace }, [x, y]) = gap(x, y)?;
    let (sx, sy) = (scale(x.nrows()), scale(y.nrows()));
    let side = |centred: &Array2<f64>, scale: f64, sign: f64| {
        let along = centred.dot(&a) * (2.0 * scale);
        let n = centred.nrows() as f64;
        Array2::from_shape_fn(centred.raw_dim(), |(i, j)| {
            a[j] * (2.0 * sign / n - along[i]) - 2.0 * scale * by_trace * centred[[i, j]]
        })
    };
    Ok(Statistic { value, by_x: side(&x, sx, 1.0), by_y: side(&y, sy, -1.0) })
}

/// The same without derivatives.
pub(in crate::stats) fn two_samples_value(x: &Array2<f64>, y: &Array2<f64>) -> Result<f64> {
    Ok(gap(x, y)?.0.value)
}

/// The form of two samples, and both sides centred.
fn gap(x: &Array2<f64>, y: &Array2<f64>) -> Result<(Form, [Array2<f64>; 2])> {
    let ((x, mean_x), (y, mean_y)) = (centred(x), centred(y));
    let c = x.t().dot(&x) * scale(x.nrows()) + y.t().dot(&y) * scale(y.nrows());
    Ok((form(&(mean_x - mean_y), &c)?, [x, y]))
}

/// What makes of the squares of n centred rows the covariance of their mean.
fn scale(n: usize) -> f64 {
    1.0 / (n as f64 * (n as f64 - 1.0))
}

/// `T` of the covariances `u_j = cov(k_j(x), l_j(y))`, from the features of paired observations (both `n x J`).
pub(in crate::stats) fn dependence(x: &Array2<f64>, y: &Array2<f64>) -> Result<Statistic> {
    let (x, y) = (centred(x).0, centred(y).0);
    let n = x.nrows() as f64;
    let (Form { value, a, by_trace }, products) = covariances(&x, &y)?;
    let along = products.dot(&a);
    let by_product = Array2::from_shape_fn(products.raw_dim(), |(i, j)| {
        2.0 * a[j] / (n - 1.0) - 2.0 / (n * n) * (along[i] * a[j] + by_trace * products[[i, j]])
    });
    Ok(Statistic { value, by_x: centred(&(&by_product * &y)).0, by_y: centred(&(&by_product * &x)).0 })
}

/// The same without derivatives.
pub(in crate::stats) fn dependence_value(x: &Array2<f64>, y: &Array2<f64>) -> Result<f64> {
    Ok(covariances(&centred(x).0, &centred(y).0)?.0.value)
}

/// The form of centred pairs, and their centred products.
fn covariances(x: &Array2<f64>, y: &Array2<f64>) -> Result<(Form, Array2<f64>)> {
    let n = x.nrows() as f64;
    let (products, mean) = centred(&(x * y));
    let u = mean * (n / (n - 1.0));
    let c = products.t().dot(&products) / (n * n);
    Ok((form(&u, &c)?, products))
}
