//! Hidden Markov models.

mod emission;
mod fitted;
mod forward_backward;
mod learn;
mod model;
mod resident;
mod scaled;
mod sums;
mod viterbi;

pub use emission::Emission;
pub use fitted::FittedHiddenMarkov;
pub use forward_backward::Smoothed;
pub use model::{Emissions, HiddenMarkov};
pub use viterbi::Decoded;
