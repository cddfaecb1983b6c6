//! Every verb: the CPU against its definition, every adapter against the CPU, at tile edges above all.

#[path = "../support/mod.rs"]
mod support;

mod cholesky;
mod gemm;
mod gram;
mod gram_diagonal;
mod gram_sum;
mod gram_vec;
mod half;
mod nearest;
mod solve_triangular;
mod transpose;
mod vector_state;
