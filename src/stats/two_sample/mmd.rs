//! The maximum mean discrepancy between two samples.
//!
//! Checked in `tests/stats/mmd.rs` against double loops, against reference values, and over all relabellings.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::test::flops;
use crate::check::{numbers, parameter, pooled, two_samples};
use crate::learn::Inputs;
use crate::matrix::Points;
use crate::stats::resample::{Forms, Labels, finite, forms, number_on};
use crate::{Device, Kernel, Matrix, Progress, Result, ops};

/// `MMD²(P, Q) = E k(X, X') + E k(Y, Y') - 2 E k(X, Y) = ‖μ_P - μ_Q‖²`, and its estimators from samples of P and Q.
///
/// It is zero only for P = Q if the kernel is characteristic ([`Kernel::is_characteristic`]). `x` is `m x d` and `y`
/// is `n x d`, one observation a row. The quadratic-time estimators hold K in blocks and never whole.
///
/// ```
/// use mercer::prelude::*;
/// let (x, y) = (ndarray::array![[0.0], [1.0], [2.0]], ndarray::array![[1.0], [2.0], [4.0], [5.0]]);
/// let mmd = Mmd::new(Kernel::rbf(1.0));
/// let cpu = Device::cpu();
/// assert!((mmd.biased(&cpu, &x, &y)? - 0.368_819_915).abs() < 1e-9);
/// assert!((mmd.unbiased(&cpu, &x, &y)? + 0.007_568_654).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mmd {
    kernel: Kernel,
}

/// A mean of independent terms, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The mean.
    pub value: f64,
    /// The estimated variance of that mean.
    pub variance: f64,
    /// Terms that were averaged.
    pub terms: usize,
}

impl MeanEstimate {
    /// The mean of some values and the variance of that mean, their sample variance over their number.
    fn of(values: &[f64]) -> Self {
        let terms = values.len();
        let value = values.iter().sum::<f64>() / terms as f64;
        let spread = values.iter().map(|v| (v - value) * (v - value)).sum::<f64>();
        MeanEstimate { value, variance: spread / ((terms - 1) * terms) as f64, terms }
    }
}

impl Mmd {
    /// The discrepancy that this kernel sees.
    pub fn new(kernel: Kernel) -> Self {
        Mmd { kernel }
    }

    /// The kernel of the test.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// `1/m² Σ k(x, x') + 1/n² Σ k(y, y') - 2/(mn) Σ k(x, y)`, over all pairs: never negative, biased upwards.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an empty sample or different features,
    /// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for a result that is
    /// not finite, and what the kernel refuses.
    pub fn biased(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        two_samples("Mmd::biased", x.view(), y.view(), 1)?;
        let value = self.estimate("Mmd::biased", device, x.view(), y.view(), biased)?;
        Ok(value.max(0.0))
    }

    /// The same over pairs of different observations: `1/(m(m-1)) Σ + 1/(n(n-1)) Σ - 2/(mn) Σ`. It may be negative.
    ///
    /// # Errors
    /// As [`Mmd::biased`]; each sample must have two observations.
    pub fn unbiased(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        two_samples("Mmd::unbiased", x.view(), y.view(), 2)?;
        self.estimate("Mmd::unbiased", device, x.view(), y.view(), unbiased)
    }

    fn estimate(
        &self,
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        of: fn(&Forms, &Labels, usize) -> f64,
    ) -> Result<f64> {
        let labels = Labels::data_only(x.nrows(), y.nrows());
        let (all, kernel) = (pooled(x, y), std::slice::from_ref(&self.kernel));
        number_on(op, device, |device| {
            let points = Points::new(op, device, all.view(), self.kernel.origin(), flops(all.view(), 1, 1))?;
            let (found, _) = forms(&points, kernel, &labels, u64::MAX, &Progress::none())?;
            Ok(of(&found[0], &labels, 0))
        })
    }

    /// The mean of `h = k(x, x') + k(y, y') - k(x, y') - k(x', y)` over disjoint quadruples of consecutive rows:
    /// unbiased, asymptotically normal, and linear in n.
    ///
    /// A longer sample's surplus is not used.
    ///
    /// # Errors
    /// As [`Mmd::biased`]; each sample must have four observations.
    pub fn linear_time(&self, x: impl Inputs, y: impl Inputs) -> Result<MeanEstimate> {
        self.block(x, y, 2)
    }

    /// The mean of the unbiased estimates on disjoint blocks of `size` consecutive rows of both samples: between the
    /// linear-time estimator (`size` 2) and the unbiased one (`size` n), and asymptotically normal if the number of
    /// blocks grows.
    ///
    /// On each block it is the mean of h over pairs of different rows, which leaves out `k(x_i, y_i)`.
    ///
    /// # Errors
    /// As [`Mmd::biased`]; [`Error::Parameter`](crate::Error::Parameter) for a size below two or fewer than two blocks.
    pub fn block(&self, x: impl Inputs, y: impl Inputs, size: usize) -> Result<MeanEstimate> {
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        two_samples("Mmd::block", x, y, 4)?;
        parameter("block size", size as f64, size >= 2, "a block needs two rows of each sample")?;
        let blocks = x.nrows().min(y.nrows()) / size;
        parameter("block size", size as f64, blocks >= 2, "there must be two blocks or more")?;
        let within = |b: usize| {
            let rows = b * size..(b + 1) * size;
            rows.clone().flat_map(move |i| (i + 1..rows.end).map(move |j| (i, j)))
        };
        let pairs: Vec<(usize, usize)> = (0..blocks).flat_map(within).collect();
        let h = self.h(x, y, &pairs)?;
        let each = pairs.len() / blocks;
        let means: Vec<f64> = h.chunks_exact(each).map(|h| h.iter().sum::<f64>() / each as f64).collect();
        let mean = MeanEstimate::of(&means);
        finite("Mmd::block", mean.value)?;
        finite("Mmd::block", mean.variance)?;
        Ok(mean)
    }

    /// The mean of h over the pairs (i, i + 1), ..., (i, i + r) of rows, all of them at `r = n - 1`: an incomplete
    /// U-statistic whose cost is r n.
    ///
    /// Pairs share observations, so that the mean's variance is not known from the terms alone.
    ///
    /// # Errors
    /// As [`Mmd::biased`]; [`Error::Parameter`](crate::Error::Parameter) unless 1 <= r < n, n the shorter sample's size.
    pub fn incomplete(&self, x: impl Inputs, y: impl Inputs, r: usize) -> Result<f64> {
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        two_samples("Mmd::incomplete", x, y, 2)?;
        let n = x.nrows().min(y.nrows());
        parameter("r", r as f64, r >= 1 && r < n, "there are n - 1 diagonals above the main one")?;
        let pairs: Vec<(usize, usize)> =
            (1..=r).flat_map(|shift| (0..n - shift).map(move |i| (i, i + shift))).collect();
        finite("Mmd::incomplete", self.h(x, y, &pairs)?.iter().sum::<f64>() / pairs.len() as f64)
    }

    /// `h(z_i, z_j)` of some pairs of rows, on the host: O(1) work a pair is not worth a device.
    fn h(&self, x: ArrayView2<f64>, y: ArrayView2<f64>, pairs: &[(usize, usize)]) -> Result<Vec<f64>> {
        let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
        let rows = |a: ArrayView2<f64>| a.rows().into_iter().map(|r| r.to_vec()).collect::<Vec<_>>();
        let (x, y) = (rows(x.view()), rows(y.view()));
        let k = |a: &[f64], b: &[f64]| self.kernel.value(a, b);
        let h = |&(i, j): &(usize, usize)| {
            Ok(k(&x[i], &x[j])? + k(&y[i], &y[j])? - k(&x[i], &y[j])? - k(&x[j], &y[i])?)
        };
        pairs.par_iter().map(h).collect()
    }

    /// The witness `f(t) = 1/m Σ k(x_i, t) - 1/n Σ k(y_j, t)` at the rows of `at`: where it is positive P is denser.
    ///
    /// Divided by the square root of [`Mmd::biased`] it has unit norm and is the function that tells P from Q best.
    ///
    /// # Errors
    /// As [`Mmd::biased`], and if `at` has other features.
    pub fn witness(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Inputs,
        at: impl Inputs,
    ) -> Result<Vec<f64>> {
        const OP: &str = "Mmd::witness";
        let (x, y, at) = (x.inputs(), y.inputs(), at.inputs());
        two_samples(OP, x.view(), y.view(), 1)?;
        two_samples(OP, x.view(), at.view(), 1)?;
        let (m, n) = (x.nrows(), y.nrows());
        let weight = |i: usize| if i < m { 1.0 / m as f64 } else { -1.0 / n as f64 };
        let weights: Vec<f64> = (0..m + n).map(weight).collect();
        // Where the witness is asked for belongs to the points: it may lie far from the samples.
        let all = pooled(pooled(x.view(), y.view()).view(), at.view());
        let flops = ((m + n) * at.nrows()) as f64 * (2 * x.ncols() + 10) as f64;
        let points = Points::new(OP, device, all.view(), self.kernel.origin(), flops)?;
        let on = |rows: std::ops::Range<usize>| points.like(OP, all.slice(ndarray::s![rows, ..]));
        let column = Matrix::column(points.device(), &weights)?;
        let f = ops::gram_vec(&self.kernel, &on(m + n..all.nrows())?, Some(&on(0..m + n)?), &column)?
            .to_array()?;
        numbers(OP, "the witness", f.view())?;
        Ok(f.into_iter().collect())
    }
}

/// The sums of K0 within the two samples of a resample, and the quadratic form.
fn sums(forms: &Forms, labels: &Labels, resample: usize) -> (f64, f64, f64) {
    let (m, n) = (labels.m as f64, labels.n as f64);
    let q = forms.quadratic[resample];
    let (first, second) = labelled_sums(&forms.rows, labels.of(resample));
    // q = XX/m² + YY/n² - 2 XY/(mn), XX + XY = first and YY + XY = second: XY without a difference of large sums.
    let across = (first / (m * m) + second / (n * n) - q) / (1.0 / m + 1.0 / n).powi(2);
    (first - across, second - across, q)
}

/// The sums of the values labelled one, and of the others. Eight of each, which the compiler turns into vectors.
fn labelled_sums(values: &[f64], labels: &[u8]) -> (f64, f64) {
    let (mut first, mut all) = ([0.0; 8], [0.0; 8]);
    let eights = values.len() / 8 * 8;
    for (values, labels) in values.chunks_exact(8).zip(labels.chunks_exact(8)) {
        for l in 0..8 {
            first[l] += values[l] * f64::from(labels[l]);
            all[l] += values[l];
        }
    }
    for (value, &label) in values[eights..].iter().zip(&labels[eights..]) {
        first[0] += value * f64::from(label);
        all[0] += value;
    }
    let first: f64 = first.iter().sum();
    (first, all.iter().sum::<f64>() - first)
}

/// The unbiased estimate of one resample.
pub(super) fn unbiased(forms: &Forms, labels: &Labels, resample: usize) -> f64 {
    let (m, n) = (labels.m as f64, labels.n as f64);
    let (xx, yy, q) = sums(forms, labels, resample);
    // The two within-sample means divide by m² in q and by m (m - 1) here; the differences are small and kept apart.
    q + xx / (m * m * (m - 1.0)) + yy / (n * n * (n - 1.0))
}

/// The biased estimate of one resample.
pub(super) fn biased(forms: &Forms, labels: &Labels, resample: usize) -> f64 {
    let (m, n) = (labels.m as f64, labels.n as f64);
    let weight = |label: u8| if label == 1 { 1.0 / (m * m) } else { 1.0 / (n * n) };
    let own = forms.diagonal.iter().zip(labels.of(resample));
    forms.quadratic[resample] + own.map(|(d, &label)| d * weight(label)).sum::<f64>()
}
