//! The distribution of largest entropy with given means, over finitely many outcomes.

use ndarray::{Array2, ArrayView2, Axis};

use super::family::{ExponentialFamily, newton};
use crate::Result;
use crate::check::{entries, finite, require};
use crate::probability::special::{log_sum_exp, softmax, x_log_x};

/// What [`maximum_entropy`] found: `p(x) ∝ exp(ηᵀu(x))`.
#[derive(Debug, Clone, PartialEq)]
pub struct MaximumEntropy {
    /// η: the multipliers of the constraints.
    pub multipliers: Vec<f64>,
    /// p, one for each outcome.
    pub probabilities: Vec<f64>,
    /// `-Σ p ln p` in nats.
    pub entropy: f64,
}

/// The finite family `p(x_i) ∝ exp(ηᵀu_i)`; x is the number of a row.
struct Finite<'a> {
    u: ArrayView2<'a, f64>,
}

impl Finite<'_> {
    fn exponents(&self, eta: &[f64]) -> Vec<f64> {
        self.u.dot(&ndarray::ArrayView1::from(eta)).to_vec()
    }
}

impl ExponentialFamily for Finite<'_> {
    fn dimension(&self) -> usize {
        self.u.ncols()
    }

    fn statistics(&self, x: &[f64]) -> Option<(Vec<f64>, f64)> {
        let row = *x.first()? as usize;
        (row < self.u.nrows()).then(|| (self.u.row(row).to_vec(), 0.0))
    }

    fn is_feasible(&self, eta: &[f64]) -> bool {
        eta.iter().all(|e| e.is_finite())
    }

    fn log_partition_at(&self, eta: &[f64]) -> f64 {
        log_sum_exp(&self.exponents(eta))
    }

    fn gradient_at(&self, eta: &[f64]) -> Vec<f64> {
        self.u.t().dot(&ndarray::Array1::from(softmax(&self.exponents(eta)))).to_vec()
    }

    fn hessian_at(&self, eta: &[f64]) -> Array2<f64> {
        let p = ndarray::Array1::from(softmax(&self.exponents(eta)));
        let centred = &self.u - &self.u.t().dot(&p);
        (&centred * &p.insert_axis(Axis(1))).t().dot(&centred)
    }

    fn start(&self) -> Vec<f64> {
        vec![0.0; self.u.ncols()]
    }
}

/// `argmax H(p)` over distributions on m outcomes with `Σ p(x) u_k(x) = target_k`: `p ∝ exp(ηᵀu)`, by Newton's method on
/// the dual `A(η) - ηᵀtarget`. `statistics` is `m x K`, a row an outcome; its columns and a constant must be independent.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite),
/// [`Error::NoConvergence`](crate::Error::NoConvergence) or
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for means on or beyond the edge of what is possible, or
/// statistics that depend on each other.
///
/// ```
/// use mercer::probability::exponential::maximum_entropy;
/// // A die whose mean is 4.5.
/// let faces = ndarray::array![[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]];
/// let die = maximum_entropy(faces.view(), &[4.5])?;
/// assert!((die.probabilities[5] - 0.3475).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn maximum_entropy(statistics: ArrayView2<f64>, target: &[f64]) -> Result<MaximumEntropy> {
    const OP: &str = "maximum_entropy";
    finite(OP, "statistics", statistics)?;
    require(OP, target.len() == statistics.ncols(), || {
        format!("{} statistics, {} means", statistics.ncols(), target.len())
    })?;
    entries(OP, "target", target)?;
    let family = Finite { u: statistics };
    let multipliers = newton(&family, target)?;
    let probabilities = softmax(&family.exponents(&multipliers));
    let entropy = -probabilities.iter().map(|&p| x_log_x(p)).sum::<f64>();
    Ok(MaximumEntropy { multipliers, probabilities, entropy })
}
