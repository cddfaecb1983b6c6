//! The verbs: one file each, each with a CPU body (the definition) and a GPU body (the shader of the same stem).
//!
//! A verb runs where its operands live and returns a result that lives there too.
//!
//! | to do | look at |
//! |---|---|
//! | products | [`gemm()`], [`gemm_add`], [`syrk`], [`bilinear_forms`], [`relabelled_forms`] |
//! | products with a sparse matrix | [`spmm()`] |
//! | kernel matrices, stored | [`gram()`], [`gram_half`], [`gram_diagonal()`] |
//! | kernel matrices, never stored | [`gram_vec()`], [`gram_sum()`], [`gram_sum_grad`] |
//! | factor and solve | [`cholesky()`], [`solve_triangular()`], [`log_det()`] |
//! | rows and columns | [`reduce()`], [`logsumexp()`], [`softmax()`], [`argmin()`], [`nearest()`], [`nearest_k()`] |
//! | mixtures | [`gaussian_log_density()`], [`softmax_logsumexp`], [`moments()`] |
//! | centre, gather, permute, transpose | [`centre()`], [`centre_columns`], [`gather_rows`], [`permute`], [`permuted_sums`], [`transpose()`] |
//! | element by element | [`map()`], [`zip`], [`diagonal()`], [`add_diagonal`], [`add_diagonal_vector`] |
//! | waves of phases: Fourier features | [`fourier()`] |
//! | random numbers, the same on every device | [`random()`], [`random_words`], [`bernoulli`], [`bernoulli_by`], [`categorical`], [`permutation`] |
//! | units of a random layer | [`unit_draws()`], [`unit_draws_means`] |
//! | topics of documents | [`topic_sweep()`] |
//! | hidden states of many sequences | [`forward_backward()`] |
//! | alignments of many pairs of sequences | [`pair_hmm()`] |
//! | spins on a lattice | [`lattice_gibbs`], [`lattice_means`], [`lattice_mean_field`] |
//! | networks | [`units()`], [`units_back`], [`output_loss()`], [`descend()`], [`gather_listed`] |
//! | least squares of sparse rows | [`ridge_rows()`] |
//! | sparse codes | [`shrink()`] |
//! | pictures by t-SNE | [`tsne_forces()`] |
//! | half the memory | [`to_half`], [`gram_half`] |

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

pub use argmin::{ArgMin, argmin};
pub use centre::{centre, centre_columns};
pub use cholesky::cholesky;
pub(crate) use cholesky::{cholesky_in_place, factoring_bytes, inverses_bytes};
pub use descend::{Descending, Descent, Shrinkage, descend};
pub(crate) use descend::{Note, places, step};
pub use diagonal::{add_diagonal, add_diagonal_vector, diagonal};
pub(crate) use forward_backward::{ChainNumbers, SequenceRows, forward_backward_pending};
pub use forward_backward::{ForwardBackward, forward_backward};
pub use fourier::{Waves, fourier};
pub use gather::{RowList, gather_listed, gather_rows, permute, permuted_sums};
pub use gaussian_log_density::{Whitening, gaussian_log_density};
pub use gemm::{Relabellings, Trans, bilinear_forms, gemm, gemm_add, relabelled_forms, syrk};
pub(crate) use gemm::{
    accumulate, accumulate_alone, accumulate_lower_alone, add_lower, leading, on_a_worker, product,
    product_alone, triangle_squared,
};
pub(crate) use gram::gram_lower;
pub use gram::{gram, gram_half};
pub use gram_diagonal::gram_diagonal;
pub use gram_sum::{GramSum, Weights, gram_sum, gram_sum_grad};
pub use gram_vec::gram_vec;
pub(crate) use gram_vec::slabs_bytes;
pub use half::to_half;
pub use lattice::{Lattice, lattice_gibbs, lattice_mean_field, lattice_means};
pub use log_det::log_det;
pub use logsumexp::logsumexp;
pub use map::{Map, Zip, map, zip};
pub use moments::{Moments, Second, moments};
pub(crate) use moments::{PendingMoments, moments_pending};
pub(crate) use nearest::Centres;
pub use nearest::{Nearest, nearest};
pub use nearest_k::{NearestK, nearest_k};
pub(crate) use output_loss::output_loss_into;
pub use output_loss::{Output, output_loss};
pub use pair_hmm::pair_hmm;
pub use random::{Draw, bernoulli, bernoulli_by, categorical, permutation, random, random_words};
pub use reduce::{Along, Reduction, reduce};
pub use ridge_rows::{RatedRows, RidgeSystem, ridge_rows};
pub use shrink::{Shrinking, shrink};
pub(crate) use softmax::softmax_block;
pub use softmax::{softmax, softmax_logsumexp};
pub use solve_triangular::{Side, Triangle, solve_triangular};
pub(crate) use solve_triangular::{invert_lower, solve_in_place, solve_triangular_in_place};
pub(crate) use spmm::Multiplier;
pub use spmm::spmm;
pub use topic_sweep::{TopicPriors, TopicSweep, WordCounts, topic_sweep};
pub use transpose::transpose;
pub use tsne_forces::{Affinities, TsneForces, tsne_forces};
pub use unit_draws::{UnitDraw, unit_draws, unit_draws_means};
pub(crate) use unit_draws::{decide, sigmoids};
pub use units::{Unit, units, units_back};

use crate::check::require;

#[cfg(all(test, feature = "gpu"))]
mod tests;
