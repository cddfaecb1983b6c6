//! Platt's sigmoid.

use ndarray::{Array1, ArrayRef, Ix1};

use super::outcomes;
use crate::Result;
use crate::learn::classify::{sigmoid, softplus};
use crate::learn::configure::getters;
use crate::learn::data::Targets;

/// `p(second class | s) = σ(a s + b)`, a and b of the largest likelihood, by Newton's method.
///
/// Outcomes are drawn in a little, to `(N₊ + 1)/(N₊ + 2)` and `1/(N₋ + 2)`, so that scores which separate the classes
/// do not end in certainty. Monotone: it changes no order of scores, unless scores speak against the class (a < 0).
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let map = Platt::of(&array![-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], &[0, 0, 0, 1, 1, 1])?;
/// let p = map.map(&array![-3.0, 0.0, 3.0]);
/// assert!(p[0] < p[1] && p[1] < p[2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Platt {
    slope: f64,
    offset: f64,
}

getters!(Platt {
    /// a.
    slope: f64,
    /// b.
    offset: f64,
});

impl Platt {
    /// Learned from scores and the labels, of two classes, that came of them.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers of both, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for other than two classes.
    pub fn of<L: Ord + Clone>(
        scores: &(impl Targets<Of = ArrayRef<f64, Ix1>> + ?Sized),
        y: &(impl Targets<Of = [L]> + ?Sized),
    ) -> Result<Self> {
        let (scores, up) = outcomes("Platt", scores, y)?;
        Ok(Self::learned(&scores, &up))
    }

    pub(super) fn learned(scores: &Array1<f64>, up: &[bool]) -> Self {
        let positives = up.iter().filter(|u| **u).count() as f64;
        let negatives = up.len() as f64 - positives;
        let targets: Vec<f64> = up
            .iter()
            .map(|u| if *u { (positives + 1.0) / (positives + 2.0) } else { 1.0 / (negatives + 2.0) })
            .collect();
        // In units of the largest score, whatever they are.
        let unit = scores.fold(0f64, |m, s| m.max(s.abs())).max(f64::MIN_POSITIVE);
        let z: Vec<f64> = scores.iter().map(|s| s / unit).collect();
        let loss = |a: f64, b: f64| {
            z.iter().zip(&targets).map(|(z, t)| softplus(a * z + b) - t * (a * z + b)).sum::<f64>()
        };
        let (mut a, mut b) = (0.0, ((positives + 1.0) / (negatives + 1.0)).ln());
        for _ in 0..100 {
            let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
            for (z, t) in z.iter().zip(&targets) {
                let p = sigmoid(a * z + b);
                let (e, r) = (p - t, p * (1.0 - p));
                g = [g[0] + e * z, g[1] + e];
                h = [h[0] + r * z * z, h[1] + r * z, h[2] + r];
            }
            // A little ridge: scores that are all the same leave the slope open.
            let (haa, hbb) = (h[0] + 1e-12, h[2] + 1e-12);
            let det = haa * hbb - h[1] * h[1];
            let (da, db) = ((hbb * g[0] - h[1] * g[1]) / det, (haa * g[1] - h[1] * g[0]) / det);
            let (gain, now, mut size) = (g[0] * da + g[1] * db, loss(a, b), 1.0);
            while loss(a - size * da, b - size * db) > now - 1e-4 * size * gain && size > 1e-10 {
                size *= 0.5;
            }
            if size <= 1e-10 {
                break;
            }
            (a, b) = (a - size * da, b - size * db);
            if gain < 1e-16 * (1.0 + now) {
                break;
            }
        }
        Platt { slope: a / unit, offset: b }
    }

    /// The probability of the second class for each score.
    pub fn map(&self, scores: &Array1<f64>) -> Array1<f64> {
        scores.mapv(|s| sigmoid(self.slope * s + self.offset))
    }
}
