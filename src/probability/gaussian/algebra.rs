//! Marginals, conditionals, sums, affine maps and products of normal distributions.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::factor::{forward, lower, solve, solve_one, symmetrised};
use super::multivariate::MultivariateNormal;
use crate::Result;
use crate::check::{finite, numbers, parameter, require};

/// Indices below d, each once.
fn distinct(op: &'static str, entries: &[usize], d: usize) -> Result<()> {
    require(op, !entries.is_empty(), || "no entries are named".to_owned())?;
    for (at, &i) in entries.iter().enumerate() {
        parameter(&format!("entries[{at}]"), i as f64, i < d, "must be below the number of dimensions")?;
        require(op, !entries[..at].contains(&i), || format!("entry {i} is named twice"))?;
    }
    Ok(())
}

fn block(a: &Array2<f64>, rows: &[usize], columns: &[usize]) -> Array2<f64> {
    a.select(Axis(0), rows).select(Axis(1), columns)
}

impl MultivariateNormal {
    /// The distribution of some entries, in this order: the entries of μ and the block of Σ.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for an entry that is not there, [`Error::Shape`](crate::Error::Shape)
    /// for none or one named twice.
    pub fn marginal(&self, entries: &[usize]) -> Result<Self> {
        distinct("MultivariateNormal::marginal", entries, self.mean().len())?;
        let own = block(self.covariance(), entries, entries);
        MultivariateNormal::new(self.mean().select(Axis(0), entries).view(), own.view())
    }

    /// The distribution of the other entries, in their order, given the values of these:
    /// `μ₁ + Σ₁₂Σ₂₂⁻¹(x₂ - μ₂)` and `Σ₁₁ - Σ₁₂Σ₂₂⁻¹Σ₂₁`.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal), and if nothing is left, or the values are not as many.
    pub fn condition(&self, entries: &[usize], values: ArrayView1<f64>) -> Result<Self> {
        const OP: &str = "MultivariateNormal::condition";
        let d = self.mean().len();
        distinct(OP, entries, d)?;
        require(OP, entries.len() < d, || "nothing is left to be distributed".to_owned())?;
        require(OP, values.len() == entries.len(), || {
            format!("{} entries, {} values", entries.len(), values.len())
        })?;
        numbers(OP, "values", values.insert_axis(Axis(0)))?;
        let others: Vec<usize> = (0..d).filter(|i| !entries.contains(i)).collect();
        let l = lower(OP, block(self.covariance(), entries, entries).view())?;
        let cross = block(self.covariance(), entries, &others);
        let half = forward(&l, cross.view());
        let gap = &values - &self.mean().select(Axis(0), entries);
        let mean = self.mean().select(Axis(0), &others) + cross.t().dot(&solve_one(&l, gap.view()));
        let covariance = symmetrised(block(self.covariance(), &others, &others) - half.t().dot(&half));
        MultivariateNormal::new(mean.view(), covariance.view())
    }

    /// The distribution of the sum of this and an independent one: `N(μ + μ', Σ + Σ')`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of dimensions.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        same(self, other)?;
        let covariance = self.covariance() + other.covariance();
        MultivariateNormal::new((self.mean() + other.mean()).view(), covariance.view())
    }

    /// The distribution of `b + A x`: `N(b + Aμ, AΣAᵀ)`, for A of full row rank.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if rows of A depend on each other.
    pub fn affine(&self, a: ArrayView2<f64>, b: ArrayView1<f64>) -> Result<Self> {
        const OP: &str = "MultivariateNormal::affine";
        finite(OP, "a", a)?;
        require(OP, a.ncols() == self.mean().len() && b.len() == a.nrows(), || {
            format!("a is {} x {}, b has {}, x has {}", a.nrows(), a.ncols(), b.len(), self.mean().len())
        })?;
        let half = a.dot(self.factor());
        MultivariateNormal::new((&a.dot(self.mean()) + &b).view(), symmetrised(half.dot(&half.t())).view())
    }

    /// `N(x|μ₁,Σ₁) N(x|μ₂,Σ₂) = Z N(x|μ,Σ)` with `Σ⁻¹ = Σ₁⁻¹ + Σ₂⁻¹`, `Σ⁻¹μ = Σ₁⁻¹μ₁ + Σ₂⁻¹μ₂` and
    /// `Z = N(μ₁ | μ₂, Σ₁ + Σ₂)`: the normal distribution, and `ln Z`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of dimensions.
    pub fn product(&self, other: &Self) -> Result<(Self, f64)> {
        let sum = MultivariateNormal::new(other.mean().view(), self.plus(other)?.covariance().view())?;
        let log = sum.log_density(self.mean().view().insert_axis(Axis(0)))?[0];
        // Σ = Σ₁ - Σ₁(Σ₁ + Σ₂)⁻¹Σ₁, without an inverse of either.
        let gain = solve(sum.factor(), self.covariance().view());
        let gap: Array1<f64> = other.mean() - self.mean();
        let mean = self.mean() + gain.t().dot(&gap);
        let half = forward(sum.factor(), self.covariance().view());
        let covariance = symmetrised(self.covariance() - half.t().dot(&half));
        Ok((MultivariateNormal::new(mean.view(), covariance.view())?, log))
    }
}

fn same(a: &MultivariateNormal, b: &MultivariateNormal) -> Result<()> {
    let (n, m) = (a.mean().len(), b.mean().len());
    require("MultivariateNormal", n == m, || format!("{n} dimensions and {m}"))
}
