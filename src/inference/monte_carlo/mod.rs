//! Sampling from densities that are known up to a constant.

mod slice;

pub(crate) use slice::*;
