//! One temperature for all classes.

use ndarray::Array2;

use crate::check::{finite, require};
use crate::learn::classify::{log_sum_exp, softmax_rows};
use crate::learn::configure::getters;
use crate::learn::data::Inputs;
use crate::{Error, Result};

/// `p(k | s) = softmax(s / T)_k` with the temperature T > 0 of the largest likelihood: predictions stay, confidence changes.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// // Right three times of four, but sure of itself: e^8 to one.
/// let scores = array![[8.0, 0.0], [0.0, 8.0], [8.0, 0.0], [8.0, 0.0]];
/// let map = Temperature::of(&scores, &[0, 1, 0, 1])?;
/// assert!((map.map(&scores)?[[0, 0]] - 0.75).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Temperature {
    temperature: f64,
}

getters!(Temperature {
    /// T.
    temperature: f64,
});

impl Temperature {
    /// Learned from scores (logits or log-probabilities), `n x K`, and the index of the true class of each row.
    ///
    /// # Errors
    /// [`Error::Shape`] for scores and classes that do not fit, [`Error::NotFinite`]; [`Error::Separable`] if every row is
    /// right, so that the likeliest temperature is zero.
    pub fn of(scores: impl Inputs, classes: &[usize]) -> Result<Self> {
        let (op, s) = ("Temperature", scores.inputs());
        finite(op, "the scores", s.view())?;
        let fits = s.nrows() == classes.len() && s.ncols() > 1 && classes.iter().all(|k| *k < s.ncols());
        require(op, fits, || format!("{:?} scores, {} classes", s.dim(), classes.len()))?;
        let right = s.rows().into_iter().zip(classes).all(|(row, k)| row.iter().all(|v| *v <= row[*k]));
        if right {
            return Err(Error::Separable { op });
        }
        // Convex in the inverse temperature: the slope at b is Σ E_p[s] - s_k.
        let slope = |b: f64| -> f64 {
            let each = |(row, k): (ndarray::ArrayView1<f64>, &usize)| {
                let level = log_sum_exp((&row * b).view());
                row.iter().map(|v| (b * v - level).exp() * v).sum::<f64>() - row[*k]
            };
            s.rows().into_iter().zip(classes).map(each).sum()
        };
        let unit = s.fold(0f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
        let (mut low, mut high) = (1e-12 / unit, 1.0 / unit);
        for _ in 0..200 {
            if slope(high) >= 0.0 {
                break;
            }
            high *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { high = middle } else { low = middle }
        }
        Ok(Temperature { temperature: 2.0 / (low + high) })
    }

    /// Probabilities, one row for each row of scores.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are none, [`Error::NotFinite`].
    pub fn map(&self, scores: impl Inputs) -> Result<Array2<f64>> {
        let s = scores.inputs();
        finite("Temperature::map", "the scores", s.view())?;
        Ok(softmax_rows(&s / self.temperature))
    }
}
