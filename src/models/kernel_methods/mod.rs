//! Functions of a kernel's space: kernel ridge regression, exactly and on landmarks, and features that stand for a kernel.
//!
//! | to do | use |
//! |---|---|
//! | fit a function of a kernel's space, exactly | [`KernelRidge`] |
//! | the same for millions of points, on landmarks | [`Falkon`] |
//! | make a linear model a kernel one | [`features`] |

mod expansion;
mod falkon;
pub mod features;
mod kernel_ridge;

pub use falkon::{Falkon, FittedFalkon};
pub use kernel_ridge::{FittedKernelRidge, KernelRidge, Solver};
