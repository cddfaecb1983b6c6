//! Two samples: how far their distributions are apart, and whether they are one.

mod asymptotic;
mod c2st;
mod finite_set;
mod loss;
mod mmd;
mod test;
mod variance;

pub use c2st::{C2st, c2st};
pub use finite_set::FiniteSetTest;
pub use mmd::{MeanEstimate, Mmd};
pub use test::{Estimator, KernelChoice, TwoSampleTest};
