//! What a fit would do and cost, asked before it is run.

use std::fmt;

use crate::{Error, Result};

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
}

impl Plan {
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
        Ok(())
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
