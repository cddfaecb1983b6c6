//! Tests that are linear in n: the difference of two distributions, or a dependence, looked at in a few places only.

mod features;
mod independence;
mod outcome;
mod placement;
mod studentised;
#[cfg(test)]
mod tests;
mod two_sample;

pub use features::SetFeatures;
pub use independence::FiniteSetIndependence;
pub use outcome::FiniteSetOutcome;
pub use placement::Placement;
pub use two_sample::FiniteSetTest;
