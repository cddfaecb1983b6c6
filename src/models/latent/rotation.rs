//! Orthogonal rotations of loadings towards few large entries: orthomax.

use ndarray::{Array2, ArrayView2, Axis};

use crate::Result;
use crate::linalg::eigh;

/// Relative gain below which the rotation is done.
const GAIN: f64 = 1e-10;
const MOST: usize = 1000;

/// What a rotation R of the loadings W maximises, by columns of `L = W R`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// `Σ_j [Σ_i l_ij⁴ - (Σ_i l_ij²)² / d]`: the variance of the squares in each column; each factor is then large on
    /// few variables.
    Varimax,
    /// `Σ_ij l_ij⁴`: each variable is then large on few factors.
    Quartimax,
}

/// `W R` for the orthogonal R that is a fixed point of `R <- polar(W^T ∂/∂L)`.
pub(super) fn rotate(w: ArrayView2<f64>, rotation: Rotation) -> Result<Array2<f64>> {
    let (d, k) = w.dim();
    let mut r = Array2::<f64>::eye(k);
    let mut reached = 0.0;
    for _ in 0..MOST {
        let l = w.dot(&r);
        let mut slope = l.mapv(|v| v.powi(3));
        if rotation == Rotation::Varimax {
            let means = l.map_axis(Axis(0), |c| c.dot(&c)) / d as f64;
            slope = slope - &l * &means;
        }
        let Some((turned, gain)) = polar(w.t().dot(&slope))? else { break };
        r = turned;
        if gain <= reached * (1.0 + GAIN) {
            break;
        }
        reached = gain;
    }
    Ok(w.dot(&r))
}

/// The orthogonal factor `G (G^T G)^-½` and the sum of the singular values; none if G is singular.
fn polar(g: Array2<f64>) -> Result<Option<(Array2<f64>, f64)>> {
    let e = eigh(g.t().dot(&g).view())?;
    let (largest, least) = (e.values[0], e.values[e.values.len() - 1]);
    // Written so that a NaN is singular.
    let regular = least > 1e-28 * largest;
    if !regular {
        return Ok(None);
    }
    let roots = e.values.mapv(f64::sqrt);
    let inverse = (&e.vectors / &roots).dot(&e.vectors.t());
    Ok(Some((g.dot(&inverse), roots.sum())))
}

/// `(W W^T)^-½ W`: the nearest orthogonal matrix.
pub(super) fn nearest_orthogonal(w: &Array2<f64>) -> Result<Option<Array2<f64>>> {
    Ok(polar(w.clone())?.map(|(q, _)| q))
}
