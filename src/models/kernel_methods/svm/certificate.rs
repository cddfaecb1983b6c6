//! What proves that a machine is the one that was asked for.

use std::fmt;

use super::problem::Optimum;
use crate::learn::{Report, Stop};

/// Primal and dual objective of a machine, and how far it is from the optimality conditions.
///
/// Whatever the solver did, the optimum lies between `dual` and `primal`: a gap of zero is a proof. The gradient behind it
/// is computed from the kernel at the end of a fit, not carried along.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SvmCertificate {
    /// The objective that is minimised, at the machine.
    pub primal: f64,
    /// The dual objective at its coefficients: no machine has a smaller primal one.
    pub dual: f64,
    /// Largest violation of the Karush-Kuhn-Tucker conditions, in units of the decision function, over all observations.
    pub violation: f64,
    /// Observations with a coefficient.
    pub support: usize,
    /// Observations whose coefficient is at its bound: inside the margin or beyond.
    pub bounded: usize,
    /// Whether rounding ended the search before its tolerance was met.
    pub stalled: bool,
}

impl SvmCertificate {
    /// `primal - dual`, never negative but for rounding.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }
}

impl fmt::Display for SvmCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "primal {:.6e}, dual {:.6e}, gap {:.1e}, violation {:.1e}, {} support vectors, {} at the bound",
            self.primal,
            self.dual,
            self.gap(),
            self.violation,
            self.support,
            self.bounded
        )
    }
}

/// Counts of the support vectors of a problem whose variables each have a point of their own.
pub(super) fn counts(found: &Optimum, upper: &[f64]) -> (usize, usize) {
    let support = found.a.iter().filter(|a| **a > 0.0).count();
    let bounded = found.a.iter().zip(upper).filter(|(a, u)| **a > 0.0 && a >= u).count();
    (support, bounded)
}

/// The report of several searches as one: iterations of all, the worst reason to stop, the dual objectives that they ended
/// with.
pub(super) fn report(found: &[(usize, bool)], certificates: &[SvmCertificate], trace: Vec<f64>) -> Report {
    let iterations = found.iter().map(|f| f.0).sum();
    let mut report = Report::new(trace, iterations, true, certificates.iter().map(|c| c.dual).collect());
    if found.iter().any(|f| f.1) {
        report.stop = Stop::Stalled;
    }
    report
}
