//! Expected squared losses of laws that are known: the best predictor, the best linear one, and what a fit loses to both.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use crate::check::{finite, not_negative, parameter, require, symmetric};
use crate::linalg::thin_svd;
use crate::{Error, Result};

/// What [`expected_squared_loss`] finds of a finite joint law.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExpectedLoss {
    /// `E[(y(x) - t)²]`.
    pub total: f64,
    /// `E[(y(x) - E[t|x])²]`: what a better predictor would save.
    pub excess: f64,
    /// `E[var(t|x)]`: what no predictor can save.
    pub noise: f64,
    /// `E[t|x]` for each x: the best predictor.
    pub best: Array1<f64>,
}

/// `E[(y(x) - t)²] = E[(y(x) - E[t|x])²] + E[var(t|x)]` of a finite law: `joint[i, j]` is the probability of `(x_i, t_j)`,
/// `values` are the `t_j`, `predictor` the `y(x_i)`.
///
/// # Errors
/// [`Error::Shape`] for operands that do not fit, [`Error::Parameter`] for probabilities that are negative or do not sum to
/// one, or an x of no probability.
pub fn expected_squared_loss(
    joint: ArrayView2<f64>,
    values: ArrayView1<f64>,
    predictor: ArrayView1<f64>,
) -> Result<ExpectedLoss> {
    const OP: &str = "expected_squared_loss";
    finite(OP, "the joint law", joint)?;
    let (n, m) = joint.dim();
    require(OP, values.len() == m && predictor.len() == n, || {
        format!("a law of {n} x {m}, {} values, {} predictions", values.len(), predictor.len())
    })?;
    for &p in joint {
        not_negative("probability", p)?;
    }
    let sum = joint.sum();
    parameter("sum of probabilities", sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
    let mut found = ExpectedLoss { total: 0.0, excess: 0.0, noise: 0.0, best: Array1::zeros(n) };
    for (i, row) in joint.rows().into_iter().enumerate() {
        let p = row.sum();
        parameter("probability of an x", p, p > 0.0, "must be positive")?;
        let mean = row.dot(&values) / p;
        let spread = row.iter().zip(values).map(|(p, t)| p * (t - mean).powi(2)).sum::<f64>();
        found.best[i] = mean;
        found.noise += spread;
        found.excess += p * (predictor[i] - mean).powi(2);
        found.total += row.iter().zip(values).map(|(p, t)| p * (t - predictor[i]).powi(2)).sum::<f64>();
    }
    Ok(found)
}

/// The expected squared loss of linear functions `wᵀφ(x)` of a law that is known by its moments:
/// `L(w) = E[t²] - 2wᵀE[φt] + wᵀE[φφᵀ]w`.
///
/// ```
/// use mercer::learn::loss::PopulationRisk;
/// use ndarray::array;
/// use std::f64::consts::{PI, TAU};
/// // t = sin(2πx) + noise of variance 0.1, x uniform on [0, 1], φ = (1, x).
/// let (second, cross) = (array![[1.0, 0.5], [0.5, 1.0 / 3.0]], array![0.0, -1.0 / TAU]);
/// let risk = PopulationRisk::new(second.view(), cross.view(), 0.6, 0.1)?;
/// let best = risk.optimum()?;
/// assert!((best[0] - 3.0 / PI).abs() < 1e-12 && (best[1] + 6.0 / PI).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationRisk {
    second: Array2<f64>,
    cross: Array1<f64>,
    square: f64,
    noise: f64,
}

/// What [`PopulationRisk::decompose`] finds: the three parts of an expected loss.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decomposition {
    /// The least that any predictor can have.
    pub minimum: f64,
    /// What the best of the linear functions has beyond that.
    pub bias: f64,
    /// What these weights have beyond the best ones.
    pub estimation: f64,
}

impl PopulationRisk {
    /// Of `E[φφᵀ]`, `E[φt]`, `E[t²]`, and the least loss of any predictor, `E[var(t|x)]`.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] and [`Error::Parameter`] for moments of no law.
    pub fn new(second: ArrayView2<f64>, cross: ArrayView1<f64>, square: f64, noise: f64) -> Result<Self> {
        const OP: &str = "PopulationRisk::new";
        let second = symmetric(OP, second)?;
        let (p, q) = (second.nrows(), cross.len());
        require(OP, p == q, || format!("{p} features, {q} moments with the target"))?;
        finite(OP, "E[φt]", cross.insert_axis(ndarray::Axis(1)))?;
        not_negative("E[t²]", square)?;
        not_negative("noise", noise)?;
        Ok(PopulationRisk { second, cross: cross.to_owned(), square, noise })
    }

    /// `w* = E[φφᵀ]⁺ E[φt]`: the best weights, the shortest of them if there are several.
    ///
    /// # Errors
    /// [`Error::NoConvergence`] of the decomposition.
    pub fn optimum(&self) -> Result<Array1<f64>> {
        let found = thin_svd(self.second.view())?;
        let least = found.values.first().map_or(0.0, |v| v * f64::EPSILON * self.cross.len() as f64);
        let along = found.u.t().dot(&self.cross);
        let scaled = along.iter().zip(&found.values).map(|(a, v)| if *v > least { a / v } else { 0.0 });
        Ok(found.v.dot(&scaled.collect::<Array1<f64>>()))
    }

    /// `L(w)`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a w of another length.
    pub fn value(&self, w: ArrayView1<f64>) -> Result<f64> {
        let (p, q) = (self.cross.len(), w.len());
        require("PopulationRisk::value", p == q, || format!("{p} features, {q} weights"))?;
        Ok(self.square - 2.0 * w.dot(&self.cross) + w.dot(&self.second.dot(&w)))
    }

    /// `L(w) = minimum + bias + estimation`.
    ///
    /// # Errors
    /// As [`PopulationRisk::value`]; [`Error::Parameter`] if no law has these moments.
    pub fn decompose(&self, w: ArrayView1<f64>) -> Result<Decomposition> {
        self.value(w)?;
        let best = self.optimum()?;
        let bias = self.value(best.view())? - self.noise;
        let requirement = "the least loss of linear functions must not be below that of all functions";
        if bias < -1e-9 * self.square.max(self.noise) {
            return Err(Error::Parameter { name: "bias".to_owned(), value: bias, requirement });
        }
        let away = &w - &best;
        // A square, and not a difference of losses: it cannot be negative.
        let estimation = away.dot(&self.second.dot(&away)).max(0.0);
        Ok(Decomposition { minimum: self.noise, bias: bias.max(0.0), estimation })
    }
}
