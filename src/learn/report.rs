//! What happened in a fit that iterates: one type for every model.

use std::fmt;

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stop {
    /// There was a closed form: nothing was iterated.
    Direct,
    /// A step gained no more than the tolerance, or the gradient vanished.
    Converged,
    /// As many iterations as allowed were made.
    Iterations,
    /// No step gained anything, though the tolerance was not met: rounding ends it here.
    Stalled,
    /// The objective was no longer a number; what is kept is the best that there was before.
    Diverged,
}

/// How a fit went: iterations, objective, restarts, and why it stopped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// Iterations of the best start.
    pub iterations: usize,
    /// Why the best start ended.
    pub stop: Stop,
    /// The objective at the start and after each iteration, as the model defines it.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub trace: Vec<f64>,
    /// The objective that each start ended with.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub starts: Vec<f64>,
}

crate::saved::wired!(Report { iterations, stop, trace, starts });

impl crate::saved::Wire for Stop {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }

    fn read(from: &mut &[u8]) -> crate::Result<Self> {
        let all = [Stop::Direct, Stop::Converged, Stop::Iterations, Stop::Stalled, Stop::Diverged];
        all.get(u8::read(from)? as usize).copied().ok_or_else(crate::saved::garbled)
    }
}

impl Report {
    /// Of one start that left a value at each iteration.
    pub(crate) fn new(trace: Vec<f64>, iterations: usize, converged: bool, starts: Vec<f64>) -> Self {
        let stop = if converged { Stop::Converged } else { Stop::Iterations };
        Report { iterations, stop, trace, starts }
    }

    /// Of a closed form with this objective.
    pub(crate) fn direct(objective: f64) -> Self {
        Report { iterations: 0, stop: Stop::Direct, trace: vec![objective], starts: vec![objective] }
    }

    /// Whether the fit ended because there was no more to gain, or nothing to iterate.
    pub fn converged(&self) -> bool {
        matches!(self.stop, Stop::Converged | Stop::Direct)
    }

    /// The objective at the end; NaN if none was recorded.
    pub fn objective(&self) -> f64 {
        self.trace.last().copied().unwrap_or(f64::NAN)
    }

    /// The same with objectives of the other sign: costs instead of gains.
    pub(crate) fn negated(mut self) -> Self {
        self.trace.iter_mut().chain(&mut self.starts).for_each(|v| *v = -*v);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.stop {
            Stop::Direct => "closed form",
            Stop::Converged => "converged",
            Stop::Iterations => "stopped at the most iterations allowed",
            Stop::Stalled => "stalled",
            Stop::Diverged => "diverged",
        };
        write!(f, "{why}: {} iterations, objective {:.6e}", self.iterations, self.objective())?;
        if self.starts.len() > 1 { write!(f, ", best of {} starts", self.starts.len()) } else { Ok(()) }
    }
}
