//! The variational free energy of finite latent variables, for any q. Checked in `tests/probability/free_energy.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Result;
use crate::check::{parameter, require};
use crate::probability::special::{log_sum_exp, x_log_x};

/// `F(θ, q) = E_q[ln p(x, z | θ)] + H(q) = ln p(x | θ) - KL(q(z) ‖ p(z | x, θ))`, summed over rows.
///
/// ```
/// use mercer::inference::FreeEnergy;
/// let log_joint = ndarray::array![[-1.0, -2.0], [-3.0, -0.5]]; // ln p(x_i, z = k)
/// let best = FreeEnergy::posterior(log_joint.view())?;
/// let at_best = FreeEnergy::new(log_joint.view(), best.view())?;
/// assert!((at_best.value() - at_best.log_likelihood).abs() < 1e-12); // the bound is reached
/// let other = FreeEnergy::new(log_joint.view(), ndarray::array![[0.5, 0.5], [0.5, 0.5]].view())?;
/// assert!((other.value() + other.divergence - other.log_likelihood).abs() < 1e-12 && other.divergence > 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeEnergy {
    /// `E_q[ln p(x, z)]`.
    pub energy: f64,
    /// `H(q) = -E_q[ln q]`.
    pub entropy: f64,
    /// `KL(q(z) ‖ p(z | x))`.
    pub divergence: f64,
    /// `ln p(x)`.
    pub log_likelihood: f64,
}

fn proper(log_joint: ArrayView2<f64>) -> Result<()> {
    require("FreeEnergy", !log_joint.is_empty(), || "there are no rows".to_owned())?;
    let bad = log_joint.iter().copied().find(|l| l.is_nan() || *l == f64::INFINITY);
    parameter("log_joint", bad.unwrap_or(0.0), bad.is_none(), "must be numbers, or minus infinity")
}

impl FreeEnergy {
    /// From `ln p(x_i, z = k)`, `n x K`, and `q_i(k)`, `n x K` with rows that sum to one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::Parameter`](crate::Error::Parameter) for a q that is no distribution, or
    /// that gives mass to what cannot be.
    pub fn new(log_joint: ArrayView2<f64>, q: ArrayView2<f64>) -> Result<Self> {
        proper(log_joint)?;
        require("FreeEnergy", q.dim() == log_joint.dim(), || {
            format!("log joint {:?}, q {:?}", log_joint.dim(), q.dim())
        })?;
        let mut all = FreeEnergy { energy: 0.0, entropy: 0.0, divergence: 0.0, log_likelihood: 0.0 };
        for (joint, q) in log_joint.rows().into_iter().zip(q.rows()) {
            let sum = q.sum();
            let is_one = q.iter().all(|&q| q >= 0.0) && (sum - 1.0).abs() < 1e-9;
            parameter("sum of a row of q", sum, is_one, "each row must be a distribution")?;
            let evidence = log_sum_exp(&joint.to_vec());
            all.log_likelihood += evidence;
            for (&l, &q) in joint.iter().zip(q).filter(|(_, q)| **q > 0.0) {
                all.energy += q * l;
                all.entropy -= x_log_x(q);
                all.divergence += q * (q.ln() - (l - evidence));
            }
        }
        parameter("energy", all.energy, all.energy.is_finite(), "q must be zero where the joint density is")?;
        Ok(all)
    }

    /// `F = energy + entropy`.
    pub fn value(&self) -> f64 {
        self.energy + self.entropy
    }

    /// The q that makes F largest: `p(z = k | x_i)`, `n x K`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn posterior(log_joint: ArrayView2<f64>) -> Result<Array2<f64>> {
        proper(log_joint)?;
        let totals: Array1<f64> = log_joint.map_axis(Axis(1), |row| log_sum_exp(&row.to_vec()));
        for (i, &t) in totals.iter().enumerate() {
            parameter(&format!("log density of row {i}"), t, t.is_finite(), "each row must be possible")?;
        }
        Ok((&log_joint - &totals.insert_axis(Axis(1))).mapv(f64::exp))
    }
}
