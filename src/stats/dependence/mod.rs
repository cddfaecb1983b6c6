//! Two variables or more: how much they depend on each other, and whether they do.

mod asymptotic;
mod distance;
mod finite_set;
mod hsic;
mod joint;
mod streamed;
mod test;

pub use distance::{
    DistanceCovariance, DistanceDependence, distance_induced_kernel, distance_kernel, energy_distance,
};
pub use finite_set::FiniteSetIndependence;
pub use hsic::{Hsic, HsicTerms};
pub(super) use hsic::{sum_of_squares, u_centred};
pub use joint::JointHsic;
pub use test::{IndependenceTest, PairChoice};
