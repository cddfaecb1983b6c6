//! Where the inducing points start.

use ndarray::{Array2, ArrayView2, Axis};

use crate::check::{finite, parameter, require};
use crate::models::kernel_methods::features::Landmarks;
use crate::{Kernel, Result};

/// How inducing inputs are chosen before any of them is moved.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Inducing {
    /// These inputs, `m x d`.
    Given(#[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))] Array2<f64>),
    /// Points of the data.
    Among {
        /// Their number m; fewer if the data have fewer points that differ.
        count: usize,
        /// The rule that chooses them.
        by: Landmarks,
        /// Seed of the rule's draws.
        seed: u64,
    },
}

impl Inducing {
    /// The points of largest variance given those chosen, again and again, under the kernel as it stands: the pivots of
    /// a pivoted Cholesky factor.
    pub fn greedy(count: usize) -> Self {
        Inducing::Among { count, by: Landmarks::PivotedCholesky, seed: 0 }
    }

    /// A uniform subset of the data.
    pub fn uniform(count: usize, seed: u64) -> Self {
        Inducing::Among { count, by: Landmarks::Uniform, seed }
    }

    /// The seeding of k-means++ in the space of the kernel.
    pub fn k_means_plus_plus(count: usize, seed: u64) -> Self {
        Inducing::Among { count, by: Landmarks::KMeansPlusPlus, seed }
    }

    /// Whether they can be those of `x`, `n x d`.
    pub(super) fn check(&self, op: &'static str, x: ArrayView2<f64>) -> Result<()> {
        match self {
            Inducing::Given(z) => {
                finite(op, "the inducing inputs", z.view())?;
                require(op, z.ncols() == x.ncols(), || {
                    format!("x has {} features, the inducing inputs {}", x.ncols(), z.ncols())
                })
            }
            Inducing::Among { count, .. } => {
                let requirement = "must be between 1 and the number of observations";
                parameter("inducing points", *count as f64, (1..=x.nrows()).contains(count), requirement)
            }
        }
    }

    /// The points, `m x d`.
    pub(super) fn choose(&self, kernel: &Kernel, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        match *self {
            Inducing::Given(ref z) => Ok(z.clone()),
            Inducing::Among { count, by, seed } => Ok(x.select(Axis(0), &by.choose(kernel, x, count, seed)?)),
        }
    }
}
