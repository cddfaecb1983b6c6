//! What an iteration did, for models that are fitted by one.

use crate::inference::em::Outcome;

/// How a fit went.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The objective at the start and after each iteration: the log-likelihood, with the log-prior if there is one.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because there was no more to gain than the tolerance.
    pub converged: bool,
    /// Where each start ended.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub objectives: Vec<f64>,
}

impl Report {
    /// Of one start that leaves a value at each iteration.
    pub(super) fn alone(trace: Vec<f64>, converged: bool) -> Self {
        let (iterations, objectives) = (trace.len(), trace.last().copied().into_iter().collect());
        Report { trace, iterations, converged, objectives }
    }

    pub(super) fn of<P, S>(outcome: &Outcome<P, S>) -> Self {
        Report {
            trace: outcome.trace.clone(),
            iterations: outcome.iterations,
            converged: outcome.converged,
            objectives: outcome.objectives.clone(),
        }
    }
}
