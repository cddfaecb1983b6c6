//! What tests have in common that look at distributions in a few places only, in a time linear in n.

mod features;
mod outcome;
mod placement;
mod studentised;
#[cfg(test)]
mod tests;

pub use features::SetFeatures;
pub(super) use features::parts;
pub use outcome::FiniteSetOutcome;
pub(super) use outcome::Verdict;
pub use placement::Placement;
pub(super) use placement::{Search, around, flat, random_normal, random_rows, split};
pub(super) use studentised::{dependence, dependence_value, two_samples, two_samples_value};
