//! Sampling from densities that are known up to a constant.
//!
//! | to do | use |
//! |---|---|
//! | draw from a density of a few bounded variables, without gradients or step sizes | [`slice_sample`] |

mod slice;

pub use slice::{SliceParams, SliceSamples, slice_sample};
