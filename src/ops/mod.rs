//! The verbs: one file each, each with a CPU body (the definition) and a GPU body (the shader of the same stem).
//!
//! A verb runs where its operands live and returns a result that lives there too.

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
pub(crate) mod vector_state;
mod window;

pub use cholesky::cholesky;
pub use gemm::{Trans, gemm, gemm_add, syrk};
pub use gram::{gram, gram_half};
pub use gram_diagonal::gram_diagonal;
pub use gram_sum::{GramSum, Weights, gram_sum, gram_sum_grad};
pub use gram_vec::gram_vec;
pub use half::to_half;
pub use nearest::{Nearest, nearest};
pub use solve_triangular::{Side, Triangle, solve_triangular};
pub use transpose::transpose;

use crate::{Error, Result};

/// `Ok` if `holds`, else an [`Error::Shape`] that says what is wrong.
fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}
