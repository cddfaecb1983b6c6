//! The best prediction of a number whose distribution is known.

use crate::Result;
use crate::check::{parameter, require};

/// What a prediction costs that is off: the best one is a mean, a median, a quantile or a mode of the distribution.
///
/// One distribution serves every loss: learn it once, and decide afterwards.
///
/// ```
/// use mercer::prelude::*;
/// // t is x with probability 0.8, else -x, at x = 1.
/// let (values, p) = ([1.0, -1.0], [0.8, 0.2]);
/// assert!((PredictionLoss::Squared.best(&values, &p)? - 0.6).abs() < 1e-15);
/// assert_eq!(PredictionLoss::ZeroOne.best(&values, &p)?, 1.0);
/// assert!((PredictionLoss::Squared.risk(0.6, &values, &p)? - 0.64).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PredictionLoss {
    /// `(t - t̂)²`: the mean.
    Squared,
    /// `|t - t̂|`: a median.
    Absolute,
    /// 1 if t and t̂ differ: a mode.
    ZeroOne,
    /// `q (t - t̂)` above, `(1 - q)(t̂ - t)` below: the q-quantile.
    Pinball(f64),
}

impl PredictionLoss {
    fn check(self, values: &[f64], p: &[f64]) -> Result<f64> {
        let op = "PredictionLoss";
        require(op, !values.is_empty() && values.len() == p.len(), || {
            format!("{} values, {} probabilities", values.len(), p.len())
        })?;
        if let PredictionLoss::Pinball(q) = self {
            parameter("q", q, q > 0.0 && q < 1.0, "a quantile must lie between 0 and 1")?;
        }
        let bad = values.iter().find(|v| !v.is_finite());
        bad.map_or(Ok(()), |v| parameter("value", *v, false, "must be finite"))?;
        let total: f64 = p.iter().sum();
        let fine = p.iter().all(|p| *p >= 0.0) && total > 0.0 && total.is_finite();
        parameter(
            "sum of the probabilities",
            total,
            fine,
            "must be positive and finite, none of them negative",
        )?;
        Ok(total)
    }

    fn of(self, t: f64, prediction: f64) -> f64 {
        let e = t - prediction;
        match self {
            PredictionLoss::Squared => e * e,
            PredictionLoss::Absolute => e.abs(),
            PredictionLoss::ZeroOne => f64::from(u8::from(e != 0.0)),
            PredictionLoss::Pinball(q) => {
                if e > 0.0 {
                    q * e
                } else {
                    (q - 1.0) * e
                }
            }
        }
    }

    /// The expected loss of a prediction, for values with these probabilities (or weights).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers of both, [`Error::Parameter`](crate::Error::Parameter) for
    /// what are no probabilities.
    pub fn risk(self, prediction: f64, values: &[f64], p: &[f64]) -> Result<f64> {
        let total = self.check(values, p)?;
        Ok(values.iter().zip(p).map(|(t, p)| p * self.of(*t, prediction)).sum::<f64>() / total)
    }

    /// The prediction of least expected loss, for values with these probabilities (or weights): of several the lowest.
    ///
    /// # Errors
    /// As [`PredictionLoss::risk`].
    pub fn best(self, values: &[f64], p: &[f64]) -> Result<f64> {
        let total = self.check(values, p)?;
        let mut pairs: Vec<(f64, f64)> = values.iter().copied().zip(p.iter().copied()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = |q: f64| {
            let mut below = 0.0;
            let found = pairs.iter().find(|(_, p)| {
                below += p;
                below >= q * total * (1.0 - 1e-14)
            });
            found.or(pairs.last()).map_or(f64::NAN, |(t, _)| *t)
        };
        Ok(match self {
            PredictionLoss::Squared => pairs.iter().map(|(t, p)| p * t).sum::<f64>() / total,
            PredictionLoss::Absolute => quantile(0.5),
            PredictionLoss::Pinball(q) => quantile(q),
            PredictionLoss::ZeroOne => {
                pairs.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    kept.1 += if same { next.1 } else { 0.0 };
                    same
                });
                pairs.iter().fold((f64::NAN, -1.0), |best, pair| if pair.1 > best.1 { *pair } else { best }).0
            }
        })
    }

    /// The best answer for draws, all of the same weight.
    ///
    /// # Errors
    /// As [`PredictionLoss::risk`].
    pub fn best_of_draws(self, draws: &[f64]) -> Result<f64> {
        self.best(draws, &vec![1.0; draws.len()])
    }
}
