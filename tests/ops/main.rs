//! Every verb: the CPU against its definition, every adapter against the CPU, at tile edges above all.

#[path = "../support/mod.rs"]
mod support;

mod argmin;
mod centre;
mod cholesky;
mod descend;
mod diagonal;
mod forward_backward;
mod fourier;
mod gather;
mod gaussian_log_density;
mod gemm;
mod gram;
mod gram_diagonal;
mod gram_sum;
mod gram_vec;
mod half;
mod lattice;
mod log_det;
mod logsumexp;
mod map;
mod moments;
mod nearest;
mod nearest_k;
mod output_loss;
mod pair_hmm;
mod random;
mod reduce;
mod ridge_rows;
mod shrink;
mod softmax;
mod solve_triangular;
mod spmm;
mod topic_sweep;
mod transpose;
mod tsne_forces;
mod unit_draws;
mod units;
