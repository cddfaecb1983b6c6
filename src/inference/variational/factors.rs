//! Bayesian matrix factorisation, as coordinate ascent sees it. Checked in `tests/inference/factors.rs`.

use std::ops::Range;

use super::cavi::Conditionals;
use super::family::Family;
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::random::Philox;

/// `y_ij ~ N(φ_iᵀψ_j, σ²)` where it was observed, `φ_i ~ N(0, σ_φ² I)`, `ψ_j ~ N(0, σ_ψ² I)`: a model of
/// [`Cavi`](super::Cavi) whose factors `q(φ_i)`, `q(ψ_j)` are normal with full covariances.
///
/// The first blocks are the rows' factors, the others the columns'; those of one side are updated in parallel.
///
/// ```
/// use mercer::inference::variational::{BayesianFactors, Cavi};
/// let ratings = [(0, 0, 5.0), (0, 1, 1.0), (1, 0, 4.0), (1, 1, 1.0), (2, 0, 5.0)];
/// let model = BayesianFactors::new(3, 2, 1, &ratings, 0.1)?;
/// let found = Cavi::new().run(&model, model.start(1)?)?;
/// let guess = model.predict(&found, 2, 1)?;
/// assert!((guess - 1.2).abs() < 0.4, "{guess}");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BayesianFactors {
    rows: usize,
    columns: usize,
    rank: usize,
    observed: Vec<(usize, usize, f64)>,
    noise: f64,
    priors: [f64; 2],
}

impl BayesianFactors {
    /// Entries (row, column, value) of a `rows x columns` matrix of this rank, with noise of this variance; priors of
    /// variance one.
    ///
    /// # Errors
    /// No entries, an entry outside the matrix, NaN, a variance that is not positive.
    pub fn new(
        rows: usize,
        columns: usize,
        rank: usize,
        observed: &[(usize, usize, f64)],
        noise: f64,
    ) -> Result<Self> {
        const OP: &str = "BayesianFactors";
        positive("noise", noise)?;
        parameter("rank", rank as f64, rank > 0, "must be at least 1")?;
        require(OP, !observed.is_empty(), || "nothing was observed".to_owned())?;
        for &(i, j, y) in observed {
            require(OP, i < rows && j < columns, || format!("({i}, {j}) is outside {rows} x {columns}"))?;
            parameter(&format!("y[{i}, {j}]"), y, y.is_finite(), "must be finite")?;
        }
        Ok(BayesianFactors { rows, columns, rank, observed: observed.to_vec(), noise, priors: [1.0; 2] })
    }

    /// The prior variances of the rows' and of the columns' factors.
    ///
    /// # Errors
    /// One that is not positive.
    pub fn priors(mut self, rows: f64, columns: f64) -> Result<Self> {
        positive("prior variance of rows", rows)?;
        positive("prior variance of columns", columns)?;
        self.priors = [rows, columns];
        Ok(self)
    }

    /// Natural parameters to start from: means drawn with this seed, at the scale of the priors.
    ///
    /// # Errors
    /// More factors than memory has room for.
    pub fn start(&self, seed: u64) -> Result<Vec<Vec<f64>>> {
        let (d, blocks) = (self.rank, self.rows + self.columns);
        crate::check::room("rank", blocks.saturating_mul(d + d * d), 8)?;
        let mut rng = Philox::new(seed, 0);
        let one = |b: usize, rng: &mut Philox| {
            let prior = self.prior(b);
            let mut v = vec![0.0; d + d * d];
            for k in 0..d {
                v[k] = rng.normal() / prior.sqrt();
                v[d + k * d + k] = -0.5 / prior;
            }
            v
        };
        Ok((0..blocks).map(|b| one(b, &mut rng)).collect())
    }

    /// `E[φ_i]·E[ψ_j]`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) outside the matrix, or factors of another model.
    pub fn predict(&self, factors: &super::MeanField, row: usize, column: usize) -> Result<f64> {
        let e = factors.expected();
        let fits = row < self.rows && column < self.columns && e.len() == self.rows + self.columns;
        require("BayesianFactors", fits, || format!("({row}, {column}) is outside the matrix"))?;
        let (own, other) = (&e[row], &e[self.rows + column]);
        let ranks = own.len() >= self.rank && other.len() >= self.rank;
        require("BayesianFactors", ranks, || "factors of another model".to_owned())?;
        Ok((0..self.rank).map(|k| own[k] * other[k]).sum())
    }

    fn prior(&self, block: usize) -> f64 {
        self.priors[usize::from(block >= self.rows)]
    }
}

impl Conditionals for BayesianFactors {
    fn families(&self) -> Vec<Family> {
        vec![Family::Normals(self.rank); self.rows + self.columns]
    }

    fn natural(&self, block: usize, expected: &[Vec<f64>]) -> Result<Vec<f64>> {
        let d = self.rank;
        let mut v = vec![0.0; d + d * d];
        for k in 0..d {
            v[d + k * d + k] = -0.5 / self.prior(block);
        }
        for &(i, j, y) in &self.observed {
            let (own, other) = if block < self.rows { (i, self.rows + j) } else { (self.rows + j, i) };
            if own == block {
                let u = &expected[other];
                v[..d].iter_mut().zip(u).for_each(|(v, m)| *v += y * m / self.noise);
                v[d..].iter_mut().zip(&u[d..]).for_each(|(v, s)| *v -= 0.5 * s / self.noise);
            }
        }
        Ok(v)
    }

    fn expected_log_joint(&self, expected: &[Vec<f64>]) -> Result<f64> {
        let (d, log_tau) = (self.rank, (2.0 * std::f64::consts::PI).ln());
        let prior = |(b, u): (usize, &Vec<f64>)| {
            let square: f64 = (0..d).map(|k| u[d + k * d + k]).sum();
            -0.5 * (d as f64 * (log_tau + self.prior(b).ln()) + square / self.prior(b))
        };
        let mut sum: f64 = expected.iter().enumerate().map(prior).sum();
        for &(i, j, y) in &self.observed {
            let (a, b) = (&expected[i], &expected[self.rows + j]);
            let inner: f64 = a[..d].iter().zip(&b[..d]).map(|(a, b)| a * b).sum();
            let second: f64 = a[d..].iter().zip(&b[d..]).map(|(a, b)| a * b).sum();
            sum -= 0.5 * (log_tau + self.noise.ln() + (y * y - 2.0 * y * inner + second) / self.noise);
        }
        Ok(sum)
    }

    fn groups(&self) -> Vec<Range<usize>> {
        vec![0..self.rows, self.rows..self.rows + self.columns]
    }
}
