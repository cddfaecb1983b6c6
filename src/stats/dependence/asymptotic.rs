//! HSIC without permutations: a gamma law with the moments of the null (Gretton et al. 2008).
//!
//! Checked in `tests/stats/asymptotic.rs` against the moments over all permutations.

use ndarray::ArrayView2;

use super::hsic::{Hsic, inner, sum_of_squares};
use super::test::{IndependenceTest, OP};
use crate::check::require;
use crate::matrix::Points;
use crate::ops::{Zip, centre, diagonal, gram, zip};
use crate::stats::outcome::{Run, TestOutcome};
use crate::stats::resample::{NOTHING, gamma, outcome, same_device, varies};
use crate::stats::two_sample::Estimator;
use crate::{Device, Kernel, Matrix, Result};

impl IndependenceTest {
    /// The outcome by the gamma law. Both Gram matrices are held.
    ///
    /// The mean of `HSIC_b` is `tr(K̃) tr(L̃) / (n²(n-1))`, exactly that over all permutations; the variance is the
    /// paper's, `2(n-4)(n-5)/(n(n-1)(n-2)(n-3))` times the mean of `(k̃_ij l̃_ij)²` over different observations.
    pub(super) fn gamma(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        k: &Kernel,
        l: &Kernel,
    ) -> Result<Option<TestOutcome>> {
        let n = x.nrows();
        require(OP, n >= 6, || format!("{n} observations; the variance of the gamma law needs six or more"))?;
        let trace = |a: &Matrix| -> Result<f64> { Ok(diagonal(a)?.to_array()?.sum()) };
        // The centred matrix, its trace, and whether that is more than rounding.
        let flops = (n * n) as f64 * (2 * (x.ncols() + y.ncols()) + 20) as f64;
        let (on_x, on_y) = same_device(OP, device, (x, k.origin()), (y, l.origin()), flops)?;
        let device = on_x.device();
        let centred = |kernel: &Kernel, a: &Points| -> Result<(Matrix, f64, bool)> {
            let plain = gram(kernel, a.matrix()?, None)?;
            let own = centre(&plain)?;
            let left = trace(&own)?;
            Ok((own, left, varies(device, left, trace(&plain)?)))
        };
        let ((own_k, trace_k, vary_k), (own_l, trace_l, vary_l)) = (centred(k, &on_x)?, centred(l, &on_y)?);
        let n = n as f64;
        let mean = trace_k * trace_l / (n * n * (n - 1.0));
        let products = zip(&own_k, &own_l, Zip::Mul)?;
        let squares = sum_of_squares(&products)? - sum_of_squares(&diagonal(&products)?)?;
        let factor = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0));
        let variance = factor * squares / (n * (n - 1.0));
        let (statistic, offset) = match self.estimator {
            Estimator::Biased => (inner(&own_k, &own_l)?.max(0.0) / (n * n), 0.0),
            Estimator::Unbiased => (Hsic::new(k.clone(), l.clone()).unbiased(device, x, y)?, mean),
        };
        if device.is_gpu() && !(statistic.is_finite() && mean.is_finite() && variance.is_finite()) {
            return Ok(None);
        }
        let alpha = self.resampling.alpha;
        let vary = vary_k && vary_l || !mean.is_finite();
        let verdict = if vary { gamma(OP, statistic, offset, mean, variance, alpha)? } else { NOTHING };
        let bytes = own_k.bytes() + own_l.bytes() + products.bytes();
        let run = Run::new(format!("HSIC, {}", self.resampling.null.name()), 0, None, device, bytes);
        outcome(OP, statistic, verdict, &self.resampling, vec![k.clone(), l.clone()], run).map(Some)
    }
}
