//! The verbs: one file each, each with a CPU body (the definition) and a GPU body (the shader of the same stem).
//!
//! A verb runs where its operands live and returns a result that lives there too.

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
mod window;

pub use argmin::{ArgMin, argmin};
pub use centre::{centre, centre_columns};
pub use diagonal::{add_diagonal, add_diagonal_vector, diagonal};
pub use gather::{gather_rows, permute};
pub use gemm::{Trans, gemm, gemm_add, syrk};
pub use half::to_half;
pub use log_det::log_det;
pub use logsumexp::logsumexp;
pub use map::{Map, Zip, map, zip};
pub use reduce::{Along, Reduction, reduce};
pub use softmax::softmax;
pub use transpose::transpose;

use crate::{Error, Result};

/// `Ok` if `holds`, else an [`Error::Shape`] that says what is wrong.
fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}
