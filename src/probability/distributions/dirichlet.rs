//! The Dirichlet distribution of the probabilities of K categories.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;

use crate::check::{inputs, parameter, positive, require, weights, zeros};
use crate::configure::getters;
use crate::probability::special::{digamma, log_gamma, log_multivariate_beta, log_sum_exp, trigamma};
use crate::probability::stirling::{digamma_difference, dirichlet_entropy};
use crate::{Error, Result};

/// `p(π) = Γ(Σα)/ΠΓ(α_k) Π π_k^(α_k - 1)` on the simplex; of two categories it is [`Beta`](super::Beta).
///
/// ```
/// use mercer::probability::distributions::Dirichlet;
/// let d = Dirichlet::new(&[1.0, 2.0, 0.5])?;
/// assert!((d.log_density(&[0.5, 0.3, 0.2])? - 0.2293548113).abs() < 1e-10);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Dirichlet {
    alpha: Vec<f64>,
}

getters!(Dirichlet {
    /// α: pseudo-counts of the categories.
    alpha: &[f64],
});

impl Dirichlet {
    /// The Dirichlet distribution with these concentrations.
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than two, [`Error::Parameter`] unless all are positive.
    pub fn new(alpha: &[f64]) -> Result<Self> {
        require("Dirichlet::new", alpha.len() > 1, || format!("{} categories; two or more", alpha.len()))?;
        alpha.iter().enumerate().try_for_each(|(k, &a)| positive(&format!("alpha[{k}]"), a))?;
        Ok(Dirichlet { alpha: alpha.to_vec() })
    }

    /// `Σ α_k`.
    pub fn total(&self) -> f64 {
        self.alpha.iter().sum()
    }

    /// `ln p(π)`; minus infinity off the simplex.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of categories, [`Error::NotFinite`]; [`Error::Overflow`] at a corner where one factor
    /// vanishes and another is infinite, π zero for an α above one and for an α below: there is no value.
    pub fn log_density(&self, pi: &[f64]) -> Result<f64> {
        inputs("Dirichlet::log_density", ArrayView1::from(pi).insert_axis(Axis(0)), self.alpha.len())?;
        let off = pi.iter().any(|&p| p < 0.0) || (pi.iter().sum::<f64>() - 1.0).abs() > 1e-9;
        if off {
            return Ok(f64::NEG_INFINITY);
        }
        let power = |(&a, &p): (&f64, &f64)| if a == 1.0 { 0.0 } else { (a - 1.0) * p.ln() };
        let log = self.alpha.iter().zip(pi).map(power).sum::<f64>() - log_multivariate_beta(&self.alpha);
        if log.is_nan() {
            let (op, what) = ("Dirichlet::log_density", "the log density");
            return Err(Error::Overflow { op, what, value: log, row: 0, col: 0 });
        }
        Ok(log)
    }

    /// `α_k/Σα`.
    pub fn mean(&self) -> Vec<f64> {
        let total = self.total();
        self.alpha.iter().map(|a| a / total).collect()
    }

    /// `α_k(α₀ - α_k)/(α₀²(α₀ + 1))`, `α₀ = Σα`.
    pub fn variance(&self) -> Vec<f64> {
        let total = self.total();
        self.alpha.iter().map(|a| a / total * ((total - a) / total) / (total + 1.0)).collect()
    }

    /// `(α_k - 1)/(α₀ - K)` if all α exceed one; else it lies on the boundary, and none is said.
    pub fn mode(&self) -> Option<Vec<f64>> {
        let rest = self.total() - self.alpha.len() as f64;
        self.alpha.iter().all(|&a| a > 1.0).then(|| self.alpha.iter().map(|a| (a - 1.0) / rest).collect())
    }

    /// The mode after so many more of each category.
    pub(super) fn after(&self, counts: &[f64]) -> Result<Vec<f64>> {
        let less: Vec<f64> = self.alpha.iter().zip(counts).map(|(a, n)| a + n - 1.0).collect();
        let smallest = less.iter().fold(f64::INFINITY, |m, a| m.min(*a));
        let inside = smallest >= 0.0 && less.iter().any(|&a| a > 0.0) && less.len() == counts.len();
        let requirement = "must be at least one: the posterior has no mode inside";
        parameter("smallest count + alpha", smallest + 1.0, inside, requirement)?;
        let total: f64 = less.iter().sum();
        Ok(less.iter().map(|a| a / total).collect())
    }

    /// `E[ln π_k] = ψ(α_k) - ψ(α₀)`.
    pub fn mean_log(&self) -> Vec<f64> {
        let total = self.total();
        self.alpha.iter().map(|&a| digamma_difference(a, total - a)).collect()
    }

    /// `H = ln B(α) - Σ (α_k - 1) E[ln π_k]`.
    pub fn entropy(&self) -> f64 {
        dirichlet_entropy(&self.alpha)
    }

    /// `KL(self ‖ other) = ln B(β) - ln B(α) + Σ (α_k - β_k) E[ln π_k]`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of categories.
    pub fn divergence(&self, other: &Self) -> Result<f64> {
        let (k, l) = (self.alpha.len(), other.alpha.len());
        require("Dirichlet::divergence", k == l, || format!("{k} categories and {l}"))?;
        let each = self.alpha.iter().zip(&other.alpha).zip(self.mean_log());
        let cross: f64 = each.map(|((a, b), l)| (a - b) * l).sum();
        Ok(log_multivariate_beta(&other.alpha) - log_multivariate_beta(&self.alpha) + cross)
    }

    /// Independent draws, `count x K`, rows that sum to one; the seed decides.
    ///
    /// Gamma variables, divided by their sum; in logarithms, so that a small α still has draws that are positive.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut out = zeros("count", count, self.alpha.len())?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mut row in out.rows_mut() {
            for (out, &a) in row.iter_mut().zip(&self.alpha) {
                let large = rand_distr::Gamma::new(a + 1.0, 1.0).map_err(|_| Error::Parameter {
                    name: "alpha".to_owned(),
                    value: a,
                    requirement: "must be positive and finite",
                })?;
                *out = large.sample(&mut rng).ln() + (1.0 - rng.random::<f64>()).ln() / a;
            }
            let total = log_sum_exp(&row.to_vec());
            row.mapv_inplace(|l| (l - total).exp());
        }
        Ok(out)
    }

    /// `argmax_α Σ_i w_i ln p(π_i | α)` by Newton's method from matched moments.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows or other than one weight for each, [`Error::Parameter`] for rows that are not inside the
    /// simplex or are all the same, [`Error::NoConvergence`].
    pub fn fit_weighted(rows: ArrayView2<f64>, w: &[f64]) -> Result<Self> {
        require("Dirichlet::fit", rows.nrows() > 0 && rows.ncols() > 1, || {
            format!("there are {} x {} probabilities", rows.nrows(), rows.ncols())
        })?;
        weights("Dirichlet::fit", ArrayView1::from(w), rows.nrows())?;
        for ((i, k), &p) in rows.indexed_iter() {
            parameter(&format!("rows[{i}, {k}]"), p, p > 0.0 && p < 1.0, "must lie between 0 and 1")?;
        }
        for (i, sum) in rows.sum_axis(Axis(1)).iter().enumerate() {
            parameter(&format!("sum of rows[{i}]"), *sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
        }
        let w = ArrayView1::from(w);
        let total = w.sum();
        let mean: Array1<f64> = rows.t().dot(&w) / total;
        let square: Array1<f64> = rows.mapv(|p| p * p).t().dot(&w) / total;
        let logs: Array1<f64> = rows.mapv(f64::ln).t().dot(&w) / total;
        let spread = &square - &mean.mapv(|m| m * m);
        let widest = (0..mean.len()).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
        parameter("variance", spread[widest], spread[widest] > 1e-15, "the rows must not all be equal")?;
        let size = ((mean[widest] - square[widest]) / spread[widest]).max(1e-3);
        let start: Vec<f64> = mean.iter().map(|m| m * size).collect();
        Dirichlet::new(&matched(&logs.to_vec(), &start)?)
    }
}

/// The α with `ψ(α_k) - ψ(Σα) = target_k`: the maximum of `N(Σ target_k (α_k - 1) - ln B(α))`. The Hessian is a diagonal
/// plus a constant, so that a step is of K operations; it is halved while the objective falls.
pub(super) fn matched(target: &[f64], start: &[f64]) -> Result<Vec<f64>> {
    let value = |a: &[f64]| {
        log_gamma(a.iter().sum()) - a.iter().map(|&a| log_gamma(a)).sum::<f64>()
            + a.iter().zip(target).map(|(a, t)| (a - 1.0) * t).sum::<f64>()
    };
    let mut a = start.to_vec();
    let mut most = value(&a);
    let mut residual = f64::INFINITY;
    for _ in 0..500 {
        let total: f64 = a.iter().sum();
        let g: Vec<f64> = a.iter().zip(target).map(|(&a, t)| digamma(total) - digamma(a) + t).collect();
        residual = g.iter().zip(&a).fold(0f64, |m, (g, a)| m.max((g * a).abs()));
        if residual < 1e-13 {
            return Ok(a);
        }
        let q: Vec<f64> = a.iter().map(|&a| -trigamma(a)).collect();
        let z = trigamma(total);
        let b = g.iter().zip(&q).map(|(g, q)| g / q).sum::<f64>()
            / (1.0 / z + q.iter().map(|q| 1.0 / q).sum::<f64>());
        let step: Vec<f64> = g.iter().zip(&q).map(|(g, q)| (g - b) / q).collect();
        let mut t = 1.0;
        loop {
            let next: Vec<f64> = a.iter().zip(&step).map(|(a, s)| a - t * s).collect();
            let rises = next.iter().all(|&a| a > 0.0) && value(&next) >= most - 1e-14 * most.abs();
            if rises {
                most = value(&next);
                a = next;
                break;
            }
            t *= 0.5;
            if t < 1e-12 {
                break;
            }
        }
        if t < 1e-12 {
            break;
        }
    }
    if residual < 1e-9 {
        return Ok(a);
    }
    Err(Error::NoConvergence { op: "Dirichlet::fit", iterations: 500, residual, tolerance: 1e-9 })
}
