//! What every exponential family can be asked, from its statistics and its log-partition function.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::check::{entries, finite, largest, parameter, require, weights};
use crate::probability::gaussian::factor::{lower, solve_one};
use crate::{Error, Result};

/// `Σ w u(x)`, `Σ w` and `Σ w ln m(x)`: all that a likelihood needs to know of data. Summaries of parts add.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// `Σ_n w_n u(x_n)`.
    pub sum: Vec<f64>,
    /// `Σ_n w_n`.
    pub count: f64,
    /// `Σ_n w_n ln m(x_n)`.
    pub log_measure: f64,
}

impl Statistics {
    /// The summary of both.
    ///
    /// # Errors
    /// [`Error::Shape`] if they are of different families.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let (k, l) = (self.sum.len(), other.sum.len());
        require("Statistics::merge", k == l, || format!("{k} statistics and {l}"))?;
        Ok(Statistics {
            sum: self.sum.iter().zip(&other.sum).map(|(a, b)| a + b).collect(),
            count: self.count + other.count,
            log_measure: self.log_measure + other.log_measure,
        })
    }

    /// `Σ w u / Σ w`.
    pub fn mean(&self) -> Vec<f64> {
        self.sum.iter().map(|s| s / self.count).collect()
    }
}

/// `p(x | η) = m(x) exp(ηᵀu(x) - A(η))` with K natural parameters η; x is a row of numbers, often of one.
///
/// ```
/// use mercer::probability::exponential::{ExponentialFamily, Member};
///
/// let coin = Member::Bernoulli;
/// let mu = coin.mean_parameters(&[0.3])?; // σ(0.3)
/// assert!((coin.natural_parameters(&mu)?[0] - 0.3).abs() < 1e-14);
/// assert!((coin.divergence(&[0.3], &[0.8])? - 0.0295241631).abs() < 1e-10);
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait ExponentialFamily {
    /// K.
    fn dimension(&self) -> usize;

    /// Numbers in a row x.
    fn features(&self) -> usize {
        1
    }

    /// `u(x)` and `ln m(x)`; none outside the support.
    fn statistics(&self, x: &[f64]) -> Option<(Vec<f64>, f64)>;

    /// Whether `A(η)` is finite.
    fn is_feasible(&self, eta: &[f64]) -> bool;

    /// `A(η)`, for η in the domain.
    fn log_partition_at(&self, eta: &[f64]) -> f64;

    /// `∇A(η) = E[u(x)]`, for η in the domain.
    fn gradient_at(&self, eta: &[f64]) -> Vec<f64>;

    /// `∇²A(η) = Cov[u(x)]`, for η in the domain.
    fn hessian_at(&self, eta: &[f64]) -> Array2<f64>;

    /// Some η in the domain, from where a search for another begins.
    fn start(&self) -> Vec<f64>;

    /// An error if what the family itself is given by, such as a count of categories, is out of its domain.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    fn check_family(&self) -> Result<()> {
        Ok(())
    }

    /// η, if it is of the right length and in the domain.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Parameter`].
    fn check(&self, eta: &[f64]) -> Result<()> {
        self.check_family()?;
        let k = self.dimension();
        require("ExponentialFamily", eta.len() == k, || {
            format!("{k} natural parameters, {} given", eta.len())
        })?;
        let inside = eta.iter().all(|e| e.is_finite()) && self.is_feasible(eta);
        parameter(
            "eta[0]",
            eta.first().copied().unwrap_or(f64::NAN),
            inside,
            "the natural parameters must lie in the domain, where A is finite",
        )
    }

    /// `A(η)`.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn log_partition(&self, eta: &[f64]) -> Result<f64> {
        self.check(eta)?;
        Ok(self.log_partition_at(eta))
    }

    /// The mean parameters `μ = ∇A(η)`.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn mean_parameters(&self, eta: &[f64]) -> Result<Vec<f64>> {
        self.check(eta)?;
        Ok(self.gradient_at(eta))
    }

    /// The Fisher information `J = ∇²A(η) = Cov[u(x)]`.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn fisher_information(&self, eta: &[f64]) -> Result<Array2<f64>> {
        self.check(eta)?;
        Ok(self.hessian_at(eta))
    }

    /// The η with `∇A(η) = μ`: Newton's method on the convex `A(η) - ηᵀμ`, unless the family knows it in closed form.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`]; [`Error::NoConvergence`] for means that no member has.
    fn natural_parameters(&self, mean: &[f64]) -> Result<Vec<f64>> {
        newton(self, mean)
    }

    /// `ln p(x | η)`; minus infinity outside the support.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn log_density(&self, eta: &[f64], x: &[f64]) -> Result<f64> {
        let a = self.log_partition(eta)?;
        Ok(self.statistics(x).map_or(f64::NEG_INFINITY, |(u, m)| dot(eta, &u) - a + m))
    }

    /// The summary of weighted rows.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for a row outside the support or bad weights.
    fn summary(&self, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<Statistics> {
        const OP: &str = "ExponentialFamily::summary";
        self.check_family()?;
        finite(OP, "x", x)?;
        weights(OP, w, x.nrows())?;
        require(OP, x.ncols() == self.features(), || {
            format!("rows of {} numbers, x has {}", self.features(), x.ncols())
        })?;
        let mut all = Statistics { sum: vec![0.0; self.dimension()], count: 0.0, log_measure: 0.0 };
        for (i, (row, &w)) in x.axis_iter(Axis(0)).zip(w).enumerate() {
            let row = row.to_vec();
            let outside = || Error::Parameter {
                name: format!("x[{i}, 0]"),
                value: row[0],
                requirement: "must lie in the support of the family",
            };
            let (u, m) = self.statistics(&row).ok_or_else(outside)?;
            all.sum.iter_mut().zip(u).for_each(|(s, u)| *s += w * u);
            all.count += w;
            all.log_measure += w * m;
        }
        Ok(all)
    }

    /// `Σ ln p(x_n | η) = ηᵀ Σu - N A(η) + Σ ln m`.
    ///
    /// # Errors
    /// As [`check`](Self::check), and [`Error::Shape`] for data of another family.
    fn log_likelihood(&self, eta: &[f64], data: &Statistics) -> Result<f64> {
        matching(self.dimension(), data)?;
        Ok(dot(eta, &data.sum) - data.count * self.log_partition(eta)? + data.log_measure)
    }

    /// `(1/N) ∇ Σ ln p(x_n | η) = mean of u(x_n) - μ(η)`: what the data say, less what the model says.
    ///
    /// # Errors
    /// As [`check`](Self::check), and [`Error::Shape`] for data of another family.
    fn gradient(&self, eta: &[f64], data: &Statistics) -> Result<Vec<f64>> {
        matching(self.dimension(), data)?;
        Ok(data.mean().iter().zip(self.mean_parameters(eta)?).map(|(d, m)| d - m).collect())
    }

    /// The η of largest likelihood: that whose means are those of the data.
    ///
    /// # Errors
    /// As [`natural_parameters`](Self::natural_parameters).
    fn fit(&self, data: &Statistics) -> Result<Vec<f64>> {
        self.natural_parameters(&data.mean())
    }

    /// `KL(η₁ ‖ η₂) = A(η₂) - A(η₁) - (η₂ - η₁)ᵀ∇A(η₁)`: a Bregman divergence.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn divergence(&self, from: &[f64], to: &[f64]) -> Result<f64> {
        let mean = self.mean_parameters(from)?;
        let linear: f64 = to.iter().zip(from).zip(&mean).map(|((t, f), m)| (t - f) * m).sum();
        Ok((self.log_partition(to)? - self.log_partition(from)? - linear).max(0.0))
    }

    /// `½ (η₂ - η₁)ᵀ J(η₁) (η₂ - η₁)`: the divergence of neighbours, but for the third order.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    fn quadratic_divergence(&self, from: &[f64], to: &[f64]) -> Result<f64> {
        self.check(to)?;
        let step: Array1<f64> = to.iter().zip(from).map(|(t, f)| t - f).collect();
        Ok(0.5 * step.dot(&self.fisher_information(from)?.dot(&step)))
    }

    /// Chernoff's `C_a = a A(η₁) + (1-a) A(η₂) - A(aη₁ + (1-a)η₂) = -ln ∫ p₁^a p₂^(1-a)`; at a = ½ it is Bhattacharyya's.
    ///
    /// # Errors
    /// As [`check`](Self::check), and [`Error::Parameter`] unless `0 < a < 1`.
    fn chernoff(&self, a: f64, one: &[f64], other: &[f64]) -> Result<f64> {
        parameter("a", a, a > 0.0 && a < 1.0, "must lie between 0 and 1")?;
        let (first, second) = (self.log_partition(one)?, self.log_partition(other)?);
        let between: Vec<f64> = one.iter().zip(other).map(|(p, q)| a * p + (1.0 - a) * q).collect();
        Ok(a * first + (1.0 - a) * second - self.log_partition(&between)?)
    }
}

/// An error for statistics of another family.
fn matching(dimension: usize, data: &Statistics) -> Result<()> {
    require("ExponentialFamily", data.sum.len() == dimension, || {
        format!("a family of {dimension} statistics, data of {}", data.sum.len())
    })
}

/// `Σ a b`.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Newton's method on `A(η) - ηᵀμ` with halved steps.
pub(super) fn newton<F: ExponentialFamily + ?Sized>(family: &F, mean: &[f64]) -> Result<Vec<f64>> {
    const MOST: usize = 200;
    let k = family.dimension();
    require("natural_parameters", mean.len() == k, || format!("{k} mean parameters, {} given", mean.len()))?;
    entries("natural_parameters", "mean", mean)?;
    let mut eta = family.start();
    let value = |eta: &[f64]| family.log_partition_at(eta) - dot(eta, mean);
    let mut best = value(&eta);
    let mut residual = f64::INFINITY;
    for _ in 0..MOST {
        let g: Array1<f64> = family.gradient_at(&eta).iter().zip(mean).map(|(a, m)| m - a).collect();
        let h = family.hessian_at(&eta);
        // In standard deviations of the statistics.
        residual = largest(&(&g / &h.diag().mapv(f64::sqrt)));
        if residual < 1e-13 {
            return Ok(eta);
        }
        let step = solve_one(&lower("natural_parameters", h.view())?, g.view());
        let mut t = 1.0;
        let next = loop {
            let next: Vec<f64> = eta.iter().zip(&step).map(|(e, s)| e + t * s).collect();
            if family.is_feasible(&next) && value(&next) <= best + 1e-14 * best.abs() {
                break Some(next);
            }
            t *= 0.5;
            if t < 1e-12 {
                break None;
            }
        };
        let Some(next) = next else { break };
        best = value(&next);
        eta = next;
    }
    if residual < 1e-9 {
        return Ok(eta);
    }
    Err(Error::NoConvergence { op: "natural_parameters", iterations: MOST, residual, tolerance: 1e-9 })
}
