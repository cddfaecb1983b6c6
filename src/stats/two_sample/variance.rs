//! How much the unbiased estimate of MMD² varies, and the kernel for which that matters least.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::mmd::Mmd;
use crate::check::{parameter, pooled, require, two_samples};
use crate::learn::Inputs;
use crate::matrix::Points;
use crate::ops::{Along, Reduction, Zip, gram, reduce, zip};
use crate::stats::dependence::{sum_of_squares, u_centred};
use crate::stats::resample::{finite, permuted};
use crate::{Device, Kernel, Matrix, Result};

/// What stands between a ratio and a division by zero, relative to nothing: variances of kernels bounded by one are far
/// above it unless the estimate is constant.
const FLOOR: f64 = 1e-16;

impl Mmd {
    /// The variance of [`Mmd::unbiased`] under whatever P and Q the samples come from, from one pair of samples.
    ///
    /// With f the witness and k̃ the kernel centred on both sides,
    /// `4/m Var f(X) + 4/n Var f(Y) + 2/(m(m-1)) E k̃(X, X')² + 2/(n(n-1)) E k̃(Y, Y')² + 4/(mn) E k̃(X, Y)²`: the first two
    /// vanish for P = Q. The last three are estimated without bias, the first two up to a relative O(1/n). Like every
    /// estimate without bias of what may be nearly nothing, the sum may be negative: it is for one pair of samples in
    /// four where P = Q. Averages over samples are right; for a scale to divide by take [`Mmd::power_ratio`], which is never
    /// less than the variance for P = Q. Three Gram matrices are held.
    ///
    /// # Errors
    /// As [`Mmd::unbiased`]; each sample must have four observations.
    pub fn variance(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        two_samples("Mmd::variance", x.view(), y.view(), 4)?;
        let (first, second) = self.orders(device, x.view(), y.view())?;
        finite("Mmd::variance", first + second)
    }

    /// The part of the variance that falls as 1/n, which an estimate may put below zero, and the part that falls as
    /// 1/n².
    fn orders(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<(f64, f64)> {
        const OP: &str = "Mmd::variance";
        let (of_x, of_all, d) = (x.nrows(), x.nrows() + y.nrows(), x.ncols());
        let (m, n) = (of_x as f64, y.nrows() as f64);
        let all = pooled(x, y);
        let flops = (of_all * of_all) as f64 * (2 * d + 20) as f64;
        let points = Points::new(OP, device, all.view(), self.kernel().origin(), flops)?;
        let x = points.like(OP, all.slice(s![..of_x, ..]))?;
        let y = points.like(OP, all.slice(s![of_x.., ..]))?;
        let (kx, ky) = (gram(self.kernel(), &x, None)?, gram(self.kernel(), &y, None)?);
        let across = gram(self.kernel(), &x, Some(&y))?;
        let (to_y, to_x) = (means(&across, Along::EachRow)?, means(&across, Along::EachColumn)?);
        let (of_x, of_y) = (others(&kx)?, others(&ky)?);
        let within_x = sum_of_squares(&u_centred(&kx)?)? / (m * (m - 3.0));
        let within_y = sum_of_squares(&u_centred(&ky)?)? / (n * (n - 3.0));
        let rows = reduce(&across, Along::EachRow, Reduction::Mean)?;
        let half = zip(&across, &rows, Zip::Sub)?;
        let both = zip(&half, &reduce(&half, Along::EachColumn, Reduction::Mean)?, Zip::Sub)?;
        let between = sum_of_squares(&both)? / ((m - 1.0) * (n - 1.0));
        // The witness at an observation is known from the others with an error of its own, whose share is taken off.
        let at_x = sample_variance(&of_x, &to_y) - within_x * (m - 2.0) / (m - 1.0).powi(2) - between / n;
        let at_y = sample_variance(&of_y, &to_x) - within_y * (n - 2.0) / (n - 1.0).powi(2) - between / m;
        let second = 2.0 * (within_x / (m * (m - 1.0)) + within_y / (n * (n - 1.0)));
        Ok((4.0 * (at_x / m + at_y / n), second + 4.0 * between / (m * n)))
    }

    /// `MMD² / √Var`, unbiased estimate over its standard deviation: asymptotically, the kernel that maximises it has
    /// the most powerful test.
    ///
    /// # Errors
    /// As [`Mmd::variance`].
    pub fn power_ratio(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        two_samples("Mmd::power_ratio", x.view(), y.view(), 4)?;
        let (first, second) = self.orders(device, x.view(), y.view())?;
        // Never less than under the hypothesis: noise must not make a ratio large.
        let deviation = (first.max(0.0) + second + FLOOR).sqrt();
        finite("Mmd::power_ratio", self.unbiased(device, x, y)? / deviation)
    }
}

fn means(k: &Matrix, along: Along) -> Result<Vec<f64>> {
    Ok(reduce(k, along, Reduction::Mean)?.to_array()?.into_iter().collect())
}

/// The mean of `k(x_i, x_j)` over j other than i.
fn others(k: &Matrix) -> Result<Vec<f64>> {
    let n = k.rows() as f64;
    let diagonal = crate::ops::diagonal(k)?.to_array()?;
    let rows = means(k, Along::EachRow)?;
    Ok(rows.into_iter().zip(diagonal).map(|(r, d)| (n * r - d) / (n - 1.0)).collect())
}

fn sample_variance(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let differences = || a.iter().zip(b).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / n;
    differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0)
}

/// The kernel with the largest power ratio on a random share of each sample, and the rest of both samples.
pub(super) fn split(
    device: &Device,
    kernels: Vec<Kernel>,
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    share: f64,
    seed: u64,
) -> Result<(Kernel, Array2<f64>, Array2<f64>)> {
    parameter("share", share, share > 0.0 && share < 1.0, "must lie between 0 and 1")?;
    let cut = |a: ArrayView2<f64>, index: usize| {
        let n = a.nrows();
        let some = ((share * n as f64).round() as usize).max(4);
        require("TwoSampleTest", some + 2 <= n, || {
            format!("a split needs four observations to choose by and two to test, of {n}")
        })?;
        let order = permuted(n, n, seed, index);
        Ok((a.select(Axis(0), &order[..some]), a.select(Axis(0), &order[some..])))
    };
    // Streams that no resample uses.
    let ((some_x, rest_x), (some_y, rest_y)) = (cut(x, usize::MAX - 1)?, cut(y, usize::MAX - 2)?);
    let mut best: Option<(f64, Kernel)> = None;
    for kernel in kernels {
        let ratio = Mmd::new(kernel.clone()).power_ratio(device, &some_x, &some_y)?;
        if best.as_ref().is_none_or(|(most, _)| ratio > *most) {
            best = Some((ratio, kernel));
        }
    }
    let Some((_, kernel)) = best else {
        return Err(crate::Error::Shape { op: "TwoSampleTest", what: "there is no kernel".to_owned() });
    };
    Ok((kernel, rest_x, rest_y))
}
