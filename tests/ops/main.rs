//! Every verb: the CPU against its definition, every adapter against the CPU, at tile edges above all.

#[path = "../support/mod.rs"]
mod support;

mod argmin;
mod centre;
mod diagonal;
mod gather;
mod gemm;
mod half;
mod log_det;
mod logsumexp;
mod map;
mod reduce;
mod softmax;
mod transpose;
