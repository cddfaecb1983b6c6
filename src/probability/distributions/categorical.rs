//! One of K categories, and counts of them.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;

use super::{Binomial, Dirichlet, probability};
use crate::check::{numbers, parameter, require, room, weights, zeros};
use crate::configure::getters;
use crate::probability::special::{softmax, x_log_x};
use crate::probability::stirling;
use crate::{Error, Result};

/// Probabilities: not negative, and of sum one to rounding, which is divided away.
pub(crate) fn probabilities(op: &'static str, p: &[f64]) -> Result<Vec<f64>> {
    require(op, !p.is_empty(), || "there are no probabilities".to_owned())?;
    numbers(op, "p", ArrayView1::from(p).insert_axis(Axis(0)))?;
    for (k, &p) in p.iter().enumerate() {
        parameter(&format!("p[{k}]"), p, p >= 0.0, "a probability must not be negative")?;
    }
    let sum: f64 = p.iter().sum();
    parameter("sum of probabilities", sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
    Ok(p.iter().map(|p| p / sum).collect())
}

/// Rows of zeros with a one at each category: class 2 of five is `(0, 1, 0, 0, 0)` if it is number 1 from zero.
///
/// # Errors
/// [`Error::Parameter`] for a category that is not below K, or more than memory has room for.
///
/// ```
/// use mercer::probability::distributions::one_hot;
/// assert_eq!(one_hot(&[1], 5)?, ndarray::array![[0.0, 1.0, 0.0, 0.0, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn one_hot(categories: &[usize], k: usize) -> Result<Array2<f64>> {
    let mut out = zeros("categories", categories.len(), k)?;
    for (i, &c) in categories.iter().enumerate() {
        parameter(&format!("categories[{i}]"), c as f64, c < k, "must be below the number of categories")?;
        out[[i, c]] = 1.0;
    }
    Ok(out)
}

/// `p(k) = μ_k` for k = 0 .. K-1; in 1-of-K coding `Π μ_k^{t_k}`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Categorical {
    p: Vec<f64>,
}

getters!(Categorical {
    /// μ, which sums to one.
    probabilities => p: &[f64],
});

impl Categorical {
    /// Categories with these probabilities, which must sum to one.
    ///
    /// # Errors
    /// [`Error::Shape`] for none, [`Error::NotFinite`], [`Error::Parameter`] for negative ones or another sum.
    pub fn new(p: &[f64]) -> Result<Self> {
        Ok(Categorical { p: probabilities("Categorical::new", p)? })
    }

    /// Categories with probabilities `softmax(η)`; `η + c` is the same distribution.
    ///
    /// # Errors
    /// [`Error::Shape`] for none, [`Error::NotFinite`].
    pub fn from_logits(eta: &[f64]) -> Result<Self> {
        require("Categorical::from_logits", !eta.is_empty(), || "there are no logits".to_owned())?;
        numbers("Categorical::from_logits", "eta", ArrayView1::from(eta).insert_axis(Axis(0)))?;
        Ok(Categorical { p: softmax(eta) })
    }

    /// `ln μ_k`; minus infinity for a category beyond the last.
    pub fn log_density(&self, k: usize) -> f64 {
        self.p.get(k).map_or(f64::NEG_INFINITY, |p| p.ln())
    }

    /// `Pr(X ≤ k)`.
    pub fn cdf(&self, k: usize) -> f64 {
        self.p.iter().take(k.saturating_add(1)).sum::<f64>().min(1.0)
    }

    /// The smallest k with `Pr(X ≤ k) ≥ p`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < p < 1`.
    pub fn quantile(&self, p: f64) -> Result<usize> {
        probability(p)?;
        Ok((0..self.p.len()).find(|&k| self.cdf(k) >= p).unwrap_or(self.p.len() - 1))
    }

    /// The first of the most probable categories.
    pub fn mode(&self) -> usize {
        (0..self.p.len()).fold(0, |best, k| if self.p[k] > self.p[best] { k } else { best })
    }

    /// `-Σ μ ln μ` in nats.
    pub fn entropy(&self) -> f64 {
        -self.p.iter().map(|&p| x_log_x(p)).sum::<f64>()
    }

    /// Covariance of the 1-of-K coding: `diag(μ) - μμᵀ`.
    pub fn covariance(&self) -> Array2<f64> {
        let k = self.p.len();
        Array2::from_shape_fn((k, k), |(i, j)| {
            let own = if i == j { self.p[i] } else { 0.0 };
            own - self.p[i] * self.p[j]
        })
    }

    /// Independent draws; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<usize>> {
        room("count", count, 8)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let last = self.p.iter().rposition(|&p| p > 0.0).unwrap_or(0);
        let mut draw = || {
            let mut u = rng.random::<f64>();
            for (k, p) in self.p.iter().enumerate() {
                if u < *p {
                    return k;
                }
                u -= p;
            }
            last
        };
        Ok((0..count).map(|_| draw()).collect())
    }

    /// Shares `N_k/N` of the categories among weighted observations: a category that was never seen has probability zero.
    ///
    /// # Errors
    /// [`Error::Shape`] for no observations or other than one weight for each, [`Error::Parameter`] for one that is not
    /// below `k`, or bad weights.
    pub fn fit_weighted(k: usize, x: &[usize], w: &[f64]) -> Result<Self> {
        let counts = counted(k, x, w)?;
        let total: f64 = counts.iter().sum();
        Categorical::new(&counts.iter().map(|c| c / total).collect::<Vec<_>>())
    }

    /// [`fit_weighted`](Self::fit_weighted) with weights of one.
    ///
    /// # Errors
    /// As there.
    pub fn fit(k: usize, x: &[usize]) -> Result<Self> {
        Self::fit_weighted(k, x, &vec![1.0; x.len()])
    }

    /// The most probable μ under a Dirichlet prior: `(N_k + α_k - 1)/(N + Σα - K)`.
    ///
    /// # Errors
    /// As [`fit_weighted`](Self::fit_weighted), and [`Error::Parameter`] where the posterior has no mode inside.
    pub fn fit_map(x: &[usize], w: &[f64], prior: &Dirichlet) -> Result<Self> {
        let counts = counted(prior.alpha().len(), x, w)?;
        Categorical::new(&prior.after(&counts)?)
    }
}

/// Weighted counts of K categories.
pub(crate) fn counted(k: usize, x: &[usize], w: &[f64]) -> Result<Vec<f64>> {
    require("Categorical::fit", !x.is_empty(), || "there are no observations".to_owned())?;
    weights("Categorical::fit", ArrayView1::from(w), x.len())?;
    room("k", k, 8)?;
    let mut counts = vec![0.0; k];
    for (i, (&c, w)) in x.iter().zip(w).enumerate() {
        parameter(&format!("x[{i}]"), c as f64, c < k, "must be below the number of categories")?;
        counts[c] += w;
    }
    Ok(counts)
}

/// `p(x) = n!/Πx_k! Π μ_k^{x_k}` for counts x that sum to n.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Multinomial {
    trials: u64,
    p: Vec<f64>,
}

getters!(Multinomial {
    /// n.
    trials: u64,
    /// μ, which sums to one.
    probabilities => p: &[f64],
});

impl Multinomial {
    /// Counts of so many draws of categories with these probabilities.
    ///
    /// # Errors
    /// As [`Categorical::new`], and [`Error::Parameter`] unless n is at most 2⁵³.
    pub fn new(trials: u64, p: &[f64]) -> Result<Self> {
        parameter("trials", trials as f64, trials <= 1 << 53, "must be at most 2^53")?;
        Ok(Multinomial { trials, p: probabilities("Multinomial::new", p)? })
    }

    /// `ln p(x)`; minus infinity for counts that are not whole, or do not sum to n.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of categories.
    pub fn log_density(&self, x: &[f64]) -> Result<f64> {
        let k = self.p.len();
        require("Multinomial::log_density", x.len() == k, || format!("{k} categories, {} counts", x.len()))?;
        let n = self.trials as f64;
        if x.iter().any(|x| !(*x >= 0.0 && x.fract() == 0.0)) || x.iter().sum::<f64>() != n {
            return Ok(f64::NEG_INFINITY);
        }
        Ok(stirling::multinomial(x, &self.p))
    }

    /// `n μ`.
    pub fn mean(&self) -> Vec<f64> {
        self.p.iter().map(|p| p * self.trials as f64).collect()
    }

    /// `n(diag(μ) - μμᵀ)`.
    pub fn covariance(&self) -> Array2<f64> {
        Categorical { p: self.p.clone() }.covariance() * self.trials as f64
    }

    /// The most probable counts, the first of them if there are several: at least `⌊nμ_k⌋` of each category, and one more for the
    /// largest `μ_k/(x_k + 1)` until they are n.
    pub fn mode(&self) -> Vec<f64> {
        let n = self.trials as f64;
        let mut x: Vec<f64> = self.p.iter().map(|p| (n * p).floor()).collect();
        let more = (n - x.iter().sum::<f64>()).max(0.0) as usize;
        for _ in 0..more {
            let gain = |k: usize| self.p[k] / (x[k] + 1.0);
            let best = (1..x.len()).fold(0, |best, k| if gain(k) > gain(best) { k } else { best });
            x[best] += 1.0;
        }
        x
    }

    /// `E[-ln p(x)]`, by sums over the counts of each category, which are binomial; where such a sum would have many terms, by its
    /// limit, which is within 1e-10.
    pub fn entropy(&self) -> f64 {
        let n = self.trials as f64;
        let each = |&p: &f64| {
            if p == 0.0 {
                return 0.0;
            }
            if n * p * (1.0 - p) > 1e10 {
                return 0.5 * (stirling::LN_TAU + (n * p).ln() + 1.0 - p);
            }
            let count = Binomial::new(self.trials, p.min(1.0));
            count.map_or(f64::NAN, |b| b.expected(|x, _| stirling::count_term(x, n * p)))
        };
        if self.trials == 0 {
            return 0.0;
        }
        self.p.iter().map(each).sum::<f64>() - stirling::stirling_error(n) - 0.5 * (stirling::LN_TAU + n.ln())
    }

    /// Independent counts, `count x K`: a chain of binomial draws; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let k = self.p.len();
        let mut out = zeros("count", count, k)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mut row in out.rows_mut() {
            let (mut left, mut mass) = (self.trials, 1.0);
            for (j, p) in self.p.iter().enumerate() {
                let share = if j + 1 == k || mass <= *p { 1.0 } else { p / mass };
                let binomial = rand_distr::Binomial::new(left, share).map_err(|_| Error::Parameter {
                    name: "p".to_owned(),
                    value: share,
                    requirement: "a probability must lie in [0, 1]",
                })?;
                let own = if *p == 0.0 && j + 1 < k { 0 } else { binomial.sample(&mut rng) };
                row[j] = own as f64;
                left -= own;
                mass -= p;
            }
        }
        Ok(out)
    }

    /// The μ of largest likelihood for weighted rows of counts: shares of the total.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Parameter`] for counts that are negative, not whole, or of another sum than n.
    pub fn fit_weighted(trials: u64, rows: ArrayView2<f64>, w: &[f64]) -> Result<Self> {
        let sums = counted_rows("Multinomial::fit", trials, rows, w)?;
        let total: f64 = sums.iter().sum();
        crate::check::positive("sum of counts", total)?;
        Multinomial::new(trials, &sums.iter().map(|s| s / total).collect::<Vec<_>>())
    }
}

/// Weighted sums of rows of counts, each of n trials.
pub(super) fn counted_rows(
    op: &'static str,
    trials: u64,
    rows: ArrayView2<f64>,
    w: &[f64],
) -> Result<Vec<f64>> {
    crate::check::finite(op, "rows", rows)?;
    weights(op, ArrayView1::from(w), rows.nrows())?;
    for ((i, j), &x) in rows.indexed_iter() {
        let whole = x >= 0.0 && x.fract() == 0.0;
        parameter(&format!("rows[{i}, {j}]"), x, whole, "must be a whole number, not negative")?;
    }
    for (i, row) in rows.rows().into_iter().enumerate() {
        parameter(&format!("sum of rows[{i}]"), row.sum(), row.sum() == trials as f64, "must be n")?;
    }
    Ok(rows.t().dot(&ArrayView1::from(w)).to_vec())
}
