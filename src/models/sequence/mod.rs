//! Sequences: a hidden state that moves, and observations that show something of it.
//!
//! | to do | use |
//! |---|---|
//! | states out of a finite set, symbols or vectors as observations | [`HiddenMarkov`], [`FittedHiddenMarkov`] |
//! | states that are vectors, all normal and linear: Kalman's filter and smoother | [`LinearGaussian`], [`LinearGaussianEm`] |
//!
//! Both work on the CPU, whatever the device.

mod hidden_markov;
mod linear_gaussian;

pub use hidden_markov::{Decoded, Emission, Emissions, FittedHiddenMarkov, HiddenMarkov, Smoothed};
pub use linear_gaussian::{Filtered, LinearGaussian, LinearGaussianEm, SmoothedStates};
