//! Distributions, and what is computed of them.

pub(crate) mod normal;
pub(crate) mod posterior_variance;
