//! Where the locations come from, and what a search for them may do.

use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::optim::{Minimiser, Minimum};
use crate::stats::resample::{permuted, stream};
use crate::{Error, Result};

/// Sets of locations that are tried before the search sets out from the best of them.
const TRIES: usize = 10;
/// Widths that are tried with each, as factors of the usual one.
const WIDTHS: [f64; 3] = [0.5, 1.0, 2.0];
/// The width stays within this factor of the usual one.
const RANGE: f64 = 10.0;

/// Where a finite-set test looks.
#[derive(Debug, Clone, PartialEq)]
pub enum Placement {
    /// At places and with widths that were found on a part of the data, which the test itself does not see.
    Optimised {
        /// The share of the observations that is spent on the search.
        share: f64,
        /// Most iterations of the search.
        max_iterations: usize,
    },
    /// At random observations (or, for frequencies, at normal ones), with the usual width. All of the data is tested.
    Random,
    /// Here: one location a row, with these widths. All of the data is tested.
    Given {
        /// `J x d`, for independence `J x (p + q)`.
        locations: Array2<f64>,
        /// One, for independence two.
        widths: Vec<f64>,
    },
}

impl Default for Placement {
    /// Half of the observations for at most 100 iterations.
    fn default() -> Self {
        Placement::Optimised { share: 0.5, max_iterations: 100 }
    }
}

/// The rows that the search sees and those that the test sees, both in random order.
pub(in crate::stats) fn split(n: usize, share: f64, seed: u64, index: usize) -> (Vec<usize>, Vec<usize>) {
    let mut order = permuted(n, n, seed, index);
    let test = order.split_off((share * n as f64).round() as usize);
    (order, test)
}

/// `count` rows of `x`, different ones while there are, drawn from `seed`.
pub(in crate::stats) fn random_rows(
    x: ArrayView2<f64>,
    count: usize,
    seed: u64,
    index: usize,
) -> Array2<f64> {
    let rows = permuted(x.nrows(), x.nrows(), seed, index);
    let wanted: Vec<usize> = rows.iter().copied().cycle().take(count).collect();
    x.select(Axis(0), &wanted)
}

/// `count` standard normal frequencies, drawn from `seed`.
pub(in crate::stats) fn random_normal(count: usize, d: usize, seed: u64, index: usize) -> Array2<f64> {
    let mut rng = stream(seed, index);
    Array2::from_shape_fn((count, d), |_| rng.sample(StandardNormal))
}

/// What the search over locations and widths needs to know.
pub(in crate::stats) struct Search<'a> {
    /// Locations of try t.
    pub draw: &'a dyn Fn(usize) -> Array2<f64>,
    /// Bounds of one location's coordinates.
    pub bounds: Vec<(f64, f64)>,
    /// The usual widths.
    pub widths: &'a [f64],
    pub max_iterations: usize,
}

impl Search<'_> {
    /// The parameters that maximise `objective`, which gives a statistic and its derivatives.
    pub fn run(&self, mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>) -> Result<Minimum> {
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut refusal = None;
        for (t, factor) in (0..TRIES).flat_map(|t| WIDTHS.map(|f| (t, f))) {
            let theta = flat(&(self.draw)(t), &self.widths.iter().map(|w| w * factor).collect::<Vec<_>>());
            match objective(&theta) {
                Ok((value, _)) if best.as_ref().is_none_or(|(b, _)| value > *b) => {
                    best = Some((value, theta));
                }
                Ok(_) => {}
                Err(
                    e @ (Error::NotPositiveDefinite { .. }
                    | Error::NoConvergence { .. }
                    | Error::Overflow { .. }),
                ) => {
                    refusal = Some(e);
                }
                Err(e) => return Err(e),
            }
        }
        let Some((_, start)) = best else {
            return Err(refusal.unwrap_or(Error::Shape { op: "finite set", what: "no locations".to_owned() }));
        };
        let count = (start.len() - self.widths.len()) / self.bounds.len();
        let mut bounds: Vec<(f64, f64)> =
            self.bounds.iter().copied().cycle().take(count * self.bounds.len()).collect();
        bounds.extend(self.widths.iter().map(|w| ((w / RANGE).ln(), (w * RANGE).ln())));
        let minimiser = Minimiser::new().max_iterations(self.max_iterations).tolerance(1e-4);
        minimiser.run(&start, &bounds, |theta| {
            let (value, gradient) = objective(theta)?;
            Ok((-value, gradient.into_iter().map(|g| -g).collect()))
        })
    }
}

/// Locations row by row, then the logarithms of the widths.
pub(in crate::stats) fn flat(locations: &Array2<f64>, widths: &[f64]) -> Vec<f64> {
    locations.iter().copied().chain(widths.iter().map(|w| w.ln())).collect()
}

/// Each feature's range with half of it added on both sides.
pub(in crate::stats) fn around(x: ArrayView2<f64>) -> Vec<(f64, f64)> {
    let columns = x.columns().into_iter();
    columns
        .map(|c| {
            let (low, high) =
                c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
            (low - 0.5 * (high - low), high + 0.5 * (high - low))
        })
        .collect()
}
