//! MMD without permutations (Gretton et al. 2009 and 2012, Zaremba et al. 2013).
//!
//! With N = m + n pooled observations and `λ_l` the eigenvalues of the centred kernel operator,
//! `mn/N MMD²_b → Σ_l λ_l ξ_l²` if P = Q. Its mean is `tr(HKH)/(N-1)`, which is also the exact mean over all
//! permutations, and its variance `2 Σ λ_l²`. Checked in `tests/stats/asymptotic.rs`.

use ndarray::{ArrayView2, s};

use super::mmd::{Mmd, biased, unbiased};
use super::test::{Estimator, OP, TwoSampleTest, flops};
use crate::check::{parameter, room};
use crate::linalg::{EigenParams, Stored, leading_eigenpairs};
use crate::matrix::Points;
use crate::ops::{centre, gram};
use crate::stats::outcome::{Run, TestOutcome};
use crate::stats::resample::{
    Forms, Labels, NOTHING, Null, chi_squares, forms, gamma, normal, outcome, trusted, varies,
};
use crate::{Device, Kernel, Matrix, Result};

impl TwoSampleTest {
    /// The outcome by the law that the null names; the first `m` rows of `all` are the first sample.
    pub(super) fn asymptotic(
        &self,
        device: &Device,
        m: usize,
        all: ArrayView2<f64>,
        kernel: &Kernel,
    ) -> Result<TestOutcome> {
        let (null, alpha) = (self.resampling.null, self.resampling.alpha);
        if let Null::Normal { block } = null {
            let (x, y) = (all.slice(s![..m, ..]), all.slice(s![m.., ..]));
            let found = Mmd::new(kernel.clone()).block(x, y, block)?;
            let verdict = normal(OP, found.value, found.variance, alpha)?;
            let method = format!("MMD over {} blocks of {block}, {}", found.terms, null.name());
            let run = Run::new(method, 0, None, &Device::cpu(), 0);
            return outcome(OP, found.value, verdict, &self.resampling, vec![kernel.clone()], run);
        }
        match null {
            Null::Gamma => {}
            Null::Spectral { draws, eigenvalues } => {
                parameter("draws", draws as f64, draws > 0, "there must be one or more")?;
                room("draws", draws, 8)?;
                parameter("eigenvalues", eigenvalues as f64, eigenvalues > 0, "there must be one or more")?;
            }
            _ => return Err(null.refused(OP, "use FiniteSetTest, or another law")),
        }
        trusted(OP, device, |device| self.by_law(device, m, all, kernel))
    }

    fn by_law(
        &self,
        device: &Device,
        m: usize,
        all: ArrayView2<f64>,
        kernel: &Kernel,
    ) -> Result<Option<TestOutcome>> {
        let (alpha, seed) = (self.resampling.alpha, self.resampling.seed);
        let labels = Labels::data_only(m, all.nrows() - m);
        let points = Points::new(OP, device, all, kernel.origin(), flops(all, 1, 1))?;
        let device = points.device();
        let (found, bytes) = forms(
            &points,
            std::slice::from_ref(kernel),
            &labels,
            self.resampling.memory,
            &self.resampling.progress,
        )?;
        let forms = &found[0];
        let unit = all.nrows() as f64 / (m * (all.nrows() - m)) as f64;
        let Moments { mean, variance } = moments(forms);
        let (statistic, offset) = match self.estimator {
            Estimator::Unbiased => (unbiased(forms, &labels, 0), unit * mean),
            Estimator::Biased => (biased(forms, &labels, 0), 0.0),
        };
        if device.is_gpu() && !(statistic.is_finite() && mean.is_finite() && variance.is_finite()) {
            return Ok(None);
        }
        let plain = forms.diagonal.iter().sum::<f64>() / all.nrows() as f64;
        let (verdict, seed, resamples, bytes) = match self.resampling.null {
            _ if !varies(device, mean, plain) && mean.is_finite() => (NOTHING, None, 0, bytes),
            Null::Spectral { draws, eigenvalues } => {
                let k = centre(&gram(kernel, points.matrix()?, None)?)?;
                let (values, rest) = spectrum(&k, eigenvalues.min(all.nrows()), mean)?;
                let values: Vec<f64> = values.into_iter().map(|v| unit * v).collect();
                let weights = (values.as_slice(), unit * rest);
                let verdict = chi_squares(statistic, offset, weights, draws, seed, alpha);
                (verdict, Some(seed), draws, bytes.max(2 * k.bytes()))
            }
            _ => (gamma(OP, statistic, offset, unit * mean, unit * unit * variance, alpha)?, None, 0, bytes),
        };
        let method = format!("MMD, {}", self.resampling.null.name());
        let run = Run::new(method, resamples, seed, device, bytes);
        outcome(OP, statistic, verdict, &self.resampling, vec![kernel.clone()], run).map(Some)
    }
}

/// Mean and variance of `Σ_l λ_l ξ_l²`.
struct Moments {
    mean: f64,
    variance: f64,
}

/// `tr(HKH)/(N-1)` and twice the mean of `k̃_ij²` over different observations, from sums over K alone.
fn moments(forms: &Forms) -> Moments {
    let n = forms.diagonal.len() as f64;
    let rows: Vec<f64> = forms.rows.iter().zip(&forms.diagonal).map(|(r, d)| r + d).collect();
    let total: f64 = rows.iter().sum();
    let (trace, squares): (f64, f64) =
        forms.diagonal.iter().fold((0.0, forms.squares), |(t, s), d| (t + d, s + d * d));
    let all = squares - 2.0 / n * rows.iter().map(|r| r * r).sum::<f64>() + (total / n) * (total / n);
    let own = |(r, d): (&f64, &f64)| d - 2.0 * r / n + total / (n * n);
    let diagonal: f64 = rows.iter().zip(&forms.diagonal).map(own).map(|v| v * v).sum();
    Moments { mean: (trace - total / n) / (n - 1.0), variance: 2.0 * (all - diagonal) / (n * (n - 1.0)) }
}

/// The leading eigenvalues of `HKH/(N-1)`, and what is left of their sum.
fn spectrum(k: &Matrix, count: usize, mean: f64) -> Result<(Vec<f64>, f64)> {
    let unit = 1.0 / (k.rows() as f64 - 1.0);
    let pairs = leading_eigenpairs(&Stored::new(k)?, count, &EigenParams::default())?;
    // Rounding leaves small negative ones where the matrix has lost rank.
    let values: Vec<f64> = pairs.values.iter().map(|v| unit * v.max(0.0)).collect();
    let rest = (mean - values.iter().sum::<f64>()).max(0.0);
    Ok((values, rest))
}
