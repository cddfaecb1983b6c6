//! Exponential families `p(x | η) = m(x) exp(ηᵀu(x) - A(η))`. Checked in `tests/probability/exponential.rs`.
//!
//! | to do | use |
//! |---|---|
//! | density, mean map `∇A`, its inverse, Fisher information `∇²A` | [`ExponentialFamily`], of which [`Member`]s are twelve |
//! | a summary of data that adds | [`Statistics`] |
//! | the likelihood, its gradient, its maximum | [`ExponentialFamily::log_likelihood`], [`ExponentialFamily::gradient`], [`ExponentialFamily::fit`] |
//! | KL as a Bregman divergence, its quadratic form, Chernoff's | [`ExponentialFamily::divergence`] and its neighbours |
//! | the conjugate prior of any of them | [`ConjugatePrior`] |
//! | the distribution of largest entropy with given means | [`maximum_entropy`] |

mod conjugate;
mod family;
mod maximum_entropy;
mod members;

pub use conjugate::ConjugatePrior;
pub use family::{ExponentialFamily, Statistics};
pub use maximum_entropy::{MaximumEntropy, maximum_entropy};
pub use members::Member;
