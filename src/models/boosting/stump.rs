//! The best threshold of one feature, in one pass over each sorted column.

use ndarray::{Array1, ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::learn::configure::getters;

/// One value where a feature is at most a threshold, another where it is above.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stump {
    feature: usize,
    threshold: f64,
    below: f64,
    above: f64,
}

getters!(Stump {
    /// The feature that it looks at.
    feature: usize,
    /// The threshold: half way between two values of the feature.
    threshold: f64,
    /// Its value where the feature is at most the threshold.
    below: f64,
    /// Its value where the feature is above the threshold.
    above: f64,
});

impl Stump {
    /// The value of the stump at a row.
    pub fn at(&self, row: ArrayView1<f64>) -> f64 {
        if row[self.feature] <= self.threshold { self.below } else { self.above }
    }

    /// With other values on both sides.
    pub(super) fn with(&self, value: impl Fn(bool) -> f64) -> Stump {
        Stump { below: value(false), above: value(true), ..*self }
    }

    #[cfg(feature = "serde")]
    pub(super) fn fits(&self, features: usize) -> bool {
        self.feature < features && [self.threshold, self.below, self.above].iter().all(|v| v.is_finite())
    }
}

/// Rows in ascending order of each feature: sorted once for all stumps.
pub(super) struct Sorted<'a> {
    x: ArrayView2<'a, f64>,
    /// The rows, and their values, which are then read one after the other.
    orders: Vec<(Vec<u32>, Vec<f64>)>,
}

impl<'a> Sorted<'a> {
    pub fn new(x: ArrayView2<'a, f64>) -> Self {
        let order = |j: usize| {
            let mut all: Vec<(f64, u32)> = x.column(j).iter().copied().zip(0..).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            (all.iter().map(|v| v.1).collect(), all.iter().map(|v| v.0).collect())
        };
        Sorted { x, orders: (0..x.ncols()).into_par_iter().map(order).collect() }
    }

    /// The stump of the least `Σ w_i (t_i - f(x_i))²`: its two values are the weighted means of t on either side. The first
    /// feature and the lowest threshold of equals; none if no feature has two values.
    pub fn best(&self, t: &Array1<f64>, w: &Array1<f64>) -> Option<Stump> {
        let (total, mass) = ((t * w).sum(), w.sum());
        let found: Vec<Option<(f64, Stump)>> = self
            .orders
            .par_iter()
            .enumerate()
            .map(|(j, (order, values))| {
                let (mut sum, mut below, mut best) = (0.0, 0.0, None::<(f64, Stump)>);
                for (pair, &here) in values.windows(2).zip(order) {
                    let here = here as usize;
                    sum += w[here] * t[here];
                    below += w[here];
                    let (a, b) = (pair[0], pair[1]);
                    let above = mass - below;
                    if a == b || below <= 0.0 || above <= 0.0 {
                        continue;
                    }
                    // What the split explains: the sum of squares of both means, weighted.
                    let gain = sum * sum / below + (total - sum) * (total - sum) / above;
                    if best.as_ref().is_none_or(|(most, _)| gain > *most * (1.0 + 1e-14)) {
                        let middle = 0.5 * a + 0.5 * b;
                        let threshold = if middle < b { middle } else { a };
                        let stump =
                            Stump { feature: j, threshold, below: sum / below, above: (total - sum) / above };
                        best = Some((gain, stump));
                    }
                }
                best
            })
            .collect();
        let mut best = None::<(f64, Stump)>;
        for (gain, stump) in found.into_iter().flatten() {
            if best.as_ref().is_none_or(|(most, _)| gain > *most * (1.0 + 1e-14)) {
                best = Some((gain, stump));
            }
        }
        best.map(|(_, stump)| stump)
    }

    /// The stump of values ±1 of the least weighted error against targets of ±1, and that error.
    pub fn best_sign(&self, t: &Array1<f64>, w: &Array1<f64>) -> Option<(Stump, f64)> {
        let signed = t * w;
        let (total, mass) = (signed.sum(), w.sum());
        // With -1 below and +1 above the agreement Σ w t f is total - 2 sum; a flip of both changes its sign.
        let found: Vec<Option<(f64, Stump)>> = self
            .orders
            .par_iter()
            .enumerate()
            .map(|(j, (order, values))| {
                let (mut sum, mut best) = (0.0, None::<(f64, Stump)>);
                for (pair, &here) in values.windows(2).zip(order) {
                    sum += signed[here as usize];
                    let (a, b) = (pair[0], pair[1]);
                    let agreement = total - 2.0 * sum;
                    if a != b && best.as_ref().is_none_or(|(most, _)| agreement.abs() > *most + 1e-14 * mass)
                    {
                        let above = if agreement >= 0.0 { 1.0 } else { -1.0 };
                        let middle = 0.5 * a + 0.5 * b;
                        let threshold = if middle < b { middle } else { a };
                        best = Some((agreement.abs(), Stump { feature: j, threshold, below: -above, above }));
                    }
                }
                best
            })
            .collect();
        let mut best = None::<(f64, Stump)>;
        for (agreement, stump) in found.into_iter().flatten() {
            if best.as_ref().is_none_or(|(most, _)| agreement > *most + 1e-14 * mass) {
                best = Some((agreement, stump));
            }
        }
        best.map(|(agreement, stump)| (stump, 0.5 * (1.0 - agreement / mass)))
    }

    /// The value of a stump at each row.
    pub fn apply(&self, stump: &Stump) -> Array1<f64> {
        self.x.rows().into_iter().map(|row| stump.at(row)).collect()
    }
}
