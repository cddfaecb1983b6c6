//! What a factor in f32 has lost of a variance `prior - |v|²`, `v = L⁻¹b`, and which variances that could matter to.
//!
//! L is exact for a matrix that differs by a few roundings of `√(a_ii a_jj)` in each entry, so `|v|² = bᵀA⁻¹b` is off by
//! at most that part of `(Σ_i √a_ii |w_i|)²`, `w = L⁻ᵀv`.

use crate::linalg::{F32_VALUE, SpdFactor};
use crate::ops::{Along, Map, Reduction, Side, Trans, Triangle, map, reduce, solve_triangular};
use crate::{Matrix, Result};

/// What an entry of the matrix is off by in f32, relative to its size.
pub(super) const SINGLE: f64 = F32_VALUE;
/// Relative error of a variance that calls for a second look.
const DOUBT: f64 = 1e-4;

/// `√a Σ_i |w_i|` for each column v of `white`, where a is the largest entry of the diagonal.
pub(super) fn reach(factor: &SpdFactor, largest: f64, white: &Matrix) -> Result<Vec<f64>> {
    let w = solve_triangular(factor.factor(), Triangle::Lower, Trans::Yes, Side::Left, white)?;
    let sums = reduce(&map(&w, Map::Abs)?, Along::EachColumn, Reduction::Sum)?.into_array()?;
    // Where the factor is that of SAS, S has made the diagonal about one.
    let largest = if factor.scale().is_some() { 2.0 } else { largest };
    Ok(sums.iter().map(|sum| largest.sqrt() * sum).collect())
}

/// The variances that may be off by more than 1e-4 of themselves.
pub(super) fn doubtful<'a>(lost: &[f64], variances: impl IntoIterator<Item = &'a f64>) -> Vec<usize> {
    // Written so that a NaN is doubtful.
    let sound = |(lost, variance): (&f64, &f64)| *lost <= DOUBT * variance;
    lost.iter().zip(variances).enumerate().filter(|(_, pair)| !sound(*pair)).map(|(j, _)| j).collect()
}
