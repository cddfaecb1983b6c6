//! Half a step: the factors of one side, given those of the other. One small system a row, all rows at once.

use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

use super::rows::Padded;
use crate::Result;

/// What the rows of one side are solved against.
pub(in crate::models::recommend) struct Half<'a> {
    /// Factors of the other side.
    pub other: &'a Array2<f64>,
    /// λ, added to the diagonal of each system.
    pub penalty: f64,
    /// `c ΣφφT` of all of the other side, for feedback that every pair gives.
    pub shared: Option<&'a Array2<f64>>,
}

/// A partner in a row's system: its index on the other side, its weight and its target.
pub(in crate::models::recommend) type Partner = (usize, f64, f64);

/// Row r of the result is `argmin_ψ Σ_p w_p (y_p - ψ·φ_p)² + ψᵀSψ + λ‖ψ‖²` over the partners p of r; zero for a row
/// without partners.
pub(in crate::models::recommend) fn solve_rows<F>(
    half: &Half,
    rows: usize,
    partners: F,
) -> Result<Array2<f64>>
where
    F: Fn(usize) -> Vec<Partner> + Sync,
{
    let k = half.other.ncols();
    let mut all = Array2::zeros((rows, k));
    let (padded, out) = (Padded::new(half), all.as_slice_mut().expect("a new array is row-major"));
    out.par_chunks_mut(k)
        .enumerate()
        .with_min_len(16)
        .try_for_each_init(|| padded.scratch(), |room, (r, out)| padded.solve(&partners(r), room, out))?;
    Ok(all)
}

impl Half<'_> {
    /// The system of one row.
    pub fn system(&self, partners: &[Partner]) -> (Vec<f64>, Vec<f64>) {
        let k = self.other.ncols();
        let mut a = self.shared.map_or_else(|| vec![0.0; k * k], |s| s.iter().copied().collect());
        let mut b = vec![0.0; k];
        for &(p, weight, target) in partners {
            let phi: ArrayView1<f64> = self.other.row(p);
            for i in 0..k {
                let scaled = weight * phi[i];
                b[i] += scaled * target;
                for j in 0..=i {
                    a[i * k + j] += scaled * phi[j];
                }
            }
        }
        for i in 0..k {
            a[i * k + i] += self.penalty;
        }
        (a, b)
    }
}
