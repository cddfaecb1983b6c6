//! The hinge loss with a stored kernel, by coordinate ascent on its dual.

use ndarray::{Array1, ArrayView2};

use crate::check::positive;
use crate::learn::Report;
use crate::{Progress, Result};

/// How far the solution of a margin problem is from the best, at most.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MarginCertificate {
    /// `Σ max(0, 1 - y f) + λ ‖f‖² + η fᵀLf`.
    pub primal: f64,
    /// The value of the dual, which no primal value is below.
    pub dual: f64,
    /// Labelled points with a multiplier above zero.
    pub support: usize,
    /// Labelled points with the largest multiplier, 1.
    pub bounded: usize,
}

impl MarginCertificate {
    /// The primal value less the dual one: never negative but for rounding.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }
}

/// `max_β Σ β_i - ¼ Σ_ij y_i y_j k_ij β_i β_j` with `0 <= β <= 1`, whose primal is `min_a Σ max(0, 1 - y f) + aᵀKa`,
/// `f = K a`, `a = ½ y β`. Each step is the best one along its coordinate.
pub(super) fn hinge(
    op: &'static str,
    k: ArrayView2<f64>,
    y: &[f64],
    (tolerance, passes): (f64, usize),
    progress: &Progress,
) -> Result<(Array1<f64>, MarginCertificate, Report)> {
    positive("tolerance", tolerance)?;
    let n = y.len();
    let (mut beta, mut f) = (vec![0.0; n], Array1::<f64>::zeros(n));
    let mut trace = Vec::new();
    let judge = |beta: &[f64], f: &Array1<f64>| {
        let norm: f64 = (0..n).map(|i| 0.5 * y[i] * beta[i] * f[i]).sum();
        let loss: f64 = (0..n).map(|i| (1.0 - y[i] * f[i]).max(0.0)).sum();
        MarginCertificate {
            primal: loss + norm,
            dual: beta.iter().sum::<f64>() - norm,
            support: beta.iter().filter(|b| **b > 0.0).count(),
            bounded: beta.iter().filter(|b| **b >= 1.0).count(),
        }
    };
    let mut found = judge(&beta, &f);
    let mut converged = found.gap() <= tolerance * (1.0 + found.primal.abs());
    while !converged && trace.len() < passes {
        for i in 0..n {
            let (slope, curvature) = (1.0 - y[i] * f[i], 0.5 * k[[i, i]]);
            let best = if curvature > 0.0 {
                (beta[i] + slope / curvature).clamp(0.0, 1.0)
            } else {
                f64::from(u8::from(slope > 0.0))
            };
            let step = best - beta[i];
            if step != 0.0 {
                beta[i] = best;
                f.scaled_add(0.5 * y[i] * step, &k.column(i));
            }
        }
        found = judge(&beta, &f);
        trace.push(found.dual);
        progress.report(op, trace.len(), passes, found.gap())?;
        converged = found.gap() <= tolerance * (1.0 + found.primal.abs());
    }
    let a = (0..n).map(|i| 0.5 * y[i] * beta[i]).collect();
    let (passes, last) = (trace.len(), found.dual);
    Ok((a, found, Report::new(trace, passes, converged, vec![last])))
}
