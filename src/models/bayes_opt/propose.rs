//! The best candidate: many looked at, a few climbed from.

use ndarray::{Array2, Axis};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::acquisition::Acquisition;
use super::surrogate::Surrogate;
use crate::optim::Minimiser;
use crate::{Error, Result};

/// Candidates for each dimension, half of them anywhere and half of them near x̃.
const CANDIDATES: usize = 200;
/// Standard deviations of those near x̃, on the unit cube.
const NEAR: [f64; 3] = [0.1, 0.02, 0.004];
/// Candidates that a search is started from.
const STARTS: usize = 5;
/// Starts are at least this far apart, in the largest coordinate.
const APART: f64 = 0.02;

/// The point of the unit cube with the best score.
pub(super) fn propose(
    surrogate: &Surrogate,
    acquisition: Acquisition,
    rng: &mut impl Rng,
) -> Result<Vec<f64>> {
    let near = surrogate.incumbent();
    let d = near.len();
    let count = CANDIDATES * d;
    let mut candidates = Array2::zeros((count, d));
    for (i, mut row) in candidates.axis_iter_mut(Axis(0)).enumerate() {
        for (f, v) in row.iter_mut().enumerate() {
            *v = if i % 2 == 0 {
                rng.random::<f64>()
            } else {
                let step: f64 = StandardNormal.sample(rng);
                (near[f] + NEAR[(i / 2) % NEAR.len()] * step).clamp(0.0, 1.0)
            };
        }
    }
    let costs = surrogate.costs(acquisition, candidates.view())?;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    let mut starts: Vec<Vec<f64>> = Vec::new();
    for i in order {
        let x = candidates.row(i).to_vec();
        let apart = |s: &Vec<f64>| s.iter().zip(&x).any(|(a, b)| (a - b).abs() >= APART);
        if starts.iter().all(apart) {
            starts.push(x);
        }
        if starts.len() == STARTS {
            break;
        }
    }
    let minimiser = Minimiser { max_iterations: 50, ..Minimiser::default() };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in &starts {
        let climb = minimiser
            .run(start, &vec![(0.0, 1.0); d], |x| Ok(acquisition.cost_gradient(&surrogate.belief(x)?)));
        match climb {
            Ok(found) if best.as_ref().is_none_or(|(cost, _)| found.value < *cost) => {
                best = Some((found.value, found.point));
            }
            // A score that is no number at one start is no reason to give up the others.
            Ok(_) | Err(Error::NotFinite { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    // No climb ends below its start; and if none could begin, the best that was seen.
    let seen = || starts.into_iter().next().unwrap_or_else(|| near.to_vec());
    Ok(best.map_or_else(seen, |(_, x)| x))
}
