//! What a fit would do and cost, asked before it is run.

use std::fmt;

use crate::{Device, Error, Result};

/// Bytes that a fit may allocate unless told otherwise: two n x n matrices up to about n = 11,500.
pub(crate) const BUDGET: u64 = 2 << 30;

/// How the system of a kernel method is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// The n x n matrix is stored and factored.
    Dense,
    /// The matrix is never stored: conjugate gradients, each product made of kernel values that are evaluated anew.
    MatrixFree {
        /// Columns of the low-rank preconditioner.
        rank: usize,
    },
    /// The functions are restricted to the span of m landmarks (inducing points).
    Landmarks {
        /// m.
        count: usize,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Dense => write!(f, "a stored matrix, factored"),
            Method::MatrixFree { rank } => {
                write!(f, "matrix-free conjugate gradients, preconditioner of rank {rank}")
            }
            Method::Landmarks { count } => write!(f, "{count} landmarks"),
        }
    }
}

/// Which method, how many bytes, how many floating-point operations.
///
/// Bytes are the peak of what the fit allocates itself, the caller's data not included. Operations count a kernel
/// value as `2d + 20` and are exact to leading order for a direct method; an iterative one does `flops` once and
/// `flops_per_iteration` as often as its certificate will say.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// How the system would be solved.
    pub method: Method,
    /// Peak bytes on the host.
    pub host_bytes: u64,
    /// Peak bytes on the device; zero if that is the CPU.
    pub device_bytes: u64,
    /// Operations that are done once.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub flops: f64,
    /// Operations of one iteration; zero for a direct method.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub flops_per_iteration: f64,
    /// Seconds that a model of the device's [card](crate::device::Card) gives for both kinds of operations, to leading order;
    /// zero on the CPU and for a card that has none. They are no measurement.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub model_seconds: [f64; 2],
}

impl Plan {
    /// What `device` would hold besides the host, and operations done once and in each iteration. In floating point: no size
    /// is so large that it overflows, and the cast ends at the largest integer.
    pub(crate) fn on(
        device: &Device,
        method: Method,
        [host, there]: [f64; 2],
        [flops, flops_per_iteration]: [f64; 2],
    ) -> Self {
        let there = if device.is_gpu() { there } else { 0.0 };
        let seconds = |flops: f64| device.card().map_or(0.0, |card| card.seconds(flops));
        Plan {
            method,
            host_bytes: host as u64,
            device_bytes: there as u64,
            flops,
            flops_per_iteration,
            model_seconds: [seconds(flops), seconds(flops_per_iteration)],
        }
    }

    /// Bytes where most are needed.
    pub(crate) fn need(&self) -> u64 {
        self.host_bytes.max(self.device_bytes)
    }
}

/// An error if `op` needs more bytes than its budget; `instead` says what to do then.
pub(crate) fn affords(op: &'static str, need: u64, budget: u64, instead: &'static str) -> Result<()> {
    if need <= budget { Ok(()) } else { Err(Error::OverBudget { op, need, budget, instead }) }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        write!(f, "{}: {:.1} MB on the host, ", self.method, mb(self.host_bytes))?;
        write!(f, "{:.1} MB on the device, {:.2e} flops", mb(self.device_bytes), self.flops)?;
        if self.flops_per_iteration > 0.0 {
            write!(f, " and {:.2e} an iteration", self.flops_per_iteration)?;
        }
        match self.model_seconds {
            [0.0, 0.0] => Ok(()),
            [once, 0.0] => write!(f, "; by a model of the card {:.3} ms", 1e3 * once),
            [once, each] => {
                let ms = |s: f64| 1e3 * s;
                write!(f, "; by a model of the card {:.3} ms and {:.3} an iteration", ms(once), ms(each))
            }
        }
    }
}

/// Operations of one kernel value on `d` features: a difference and a product each, and an exponential.
pub(crate) fn kernel_flops(d: usize) -> f64 {
    2.0 * d as f64 + 20.0
}

/// Bytes of a row of f32 on a GPU, in whole vec4s.
pub(crate) fn row_bytes(cols: usize) -> f64 {
    16.0 * (cols as f64 / 4.0).ceil()
}
