//! The nearest function that never falls.

use ndarray::{Array1, ArrayRef, Ix1};

use super::outcomes;
use crate::Result;
use crate::learn::data::Targets;

/// `min Σ (y_i - f(s_i))²` over all functions f that never fall, by pooling neighbours that are out of order.
///
/// f is linear between scores and constant beyond them.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let map = Isotonic::of(&array![0.1, 0.2, 0.3, 0.4], &[false, true, false, true])?;
/// assert_eq!(map.map(&array![0.0, 0.2, 0.3, 0.9]), array![0.0, 0.5, 0.5, 1.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Isotonic {
    /// Ascending.
    scores: Vec<f64>,
    /// Never falling.
    values: Vec<f64>,
}

impl Isotonic {
    /// Learned from scores and the labels, of two classes, that came of them.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers of both, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for other than two classes.
    pub fn of<L: Ord + Clone>(
        scores: &(impl Targets<Of = ArrayRef<f64, Ix1>> + ?Sized),
        y: &(impl Targets<Of = [L]> + ?Sized),
    ) -> Result<Self> {
        let (scores, up) = outcomes("Isotonic", scores, y)?;
        Ok(Self::learned(&scores, &up))
    }

    pub(super) fn learned(scores: &Array1<f64>, up: &[bool]) -> Self {
        let mut pairs: Vec<(f64, f64)> =
            scores.iter().zip(up).map(|(s, u)| (*s, f64::from(u8::from(*u)))).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Equal scores are one point, of their mean and number.
        let points: Vec<(f64, f64, f64)> = pairs
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.iter().map(|p| p.1).sum::<f64>(), run.len() as f64))
            .collect();
        // Blocks of points: their sum, their number, how many points.
        let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
        for (_, sum, count) in &points {
            let mut block = (*sum, *count, 1);
            while let Some(last) = blocks.last().filter(|last| last.0 * block.1 >= block.0 * last.1).copied()
            {
                block = (block.0 + last.0, block.1 + last.1, block.2 + last.2);
                blocks.pop();
            }
            blocks.push(block);
        }
        let values = blocks.iter().flat_map(|(sum, count, points)| vec![sum / count; *points]).collect();
        Isotonic { scores: points.iter().map(|p| p.0).collect(), values }
    }

    /// The probability of the second class for each score.
    pub fn map(&self, scores: &Array1<f64>) -> Array1<f64> {
        let at = |s: f64| {
            let above = self.scores.partition_point(|own| *own < s);
            match above {
                0 => self.values[0],
                n if n == self.scores.len() => self.values[n - 1],
                n if self.scores[n] == s => self.values[n],
                n => {
                    let share = (s - self.scores[n - 1]) / (self.scores[n] - self.scores[n - 1]);
                    self.values[n - 1] + share * (self.values[n] - self.values[n - 1])
                }
            }
        };
        scores.mapv(at)
    }
}

#[cfg(feature = "serde")]
impl Isotonic {
    /// Whether a saved one is a function: as many values as scores, neither falling.
    pub(super) fn sound(&self) -> bool {
        let rising = |v: &[f64]| v.iter().all(|v| v.is_finite()) && v.is_sorted();
        !self.scores.is_empty()
            && self.scores.len() == self.values.len()
            && rising(&self.scores)
            && rising(&self.values)
    }
}
