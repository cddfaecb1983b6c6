//! The best candidate: many looked at, a few climbed from.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, Ix1};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::acquisition::Acquisition;
use super::surrogate::Surrogate;
use crate::models::gp::Path;
use crate::optim::Minimiser;
use crate::{Error, Result};

/// Candidates for each dimension, half of them anywhere and half of them near the best known point.
const CANDIDATES: usize = 200;
/// Standard deviations of those near it, on the unit cube.
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
    let costs = |x: ArrayView2<f64>| surrogate.costs(acquisition, x);
    lowest(surrogate.incumbent(), costs, |x| Ok(acquisition.cost_gradient(&surrogate.belief(x)?)), rng)
}

/// The point of the unit cube where a function that was drawn is lowest; `near` is where the mean of all of them is low.
pub(super) fn propose_by(path: &Path<Ix1>, near: ArrayView1<f64>, rng: &mut impl Rng) -> Result<Vec<f64>> {
    let values = |x: ArrayView2<f64>| Ok(path.at(x)?.to_vec());
    let climbed = |x: &[f64]| {
        let at = Array2::from_shape_fn((1, x.len()), |(_, f)| x[f]);
        Ok((path.at(&at)?[0], path.slope(x)?.row(0).to_vec()))
    };
    lowest(near, values, climbed, rng)
}

/// The point of the unit cube with the lowest cost: `costs` at many candidates, half of them about `near`, then climbs
/// by `cost_gradient` from a few.
fn lowest(
    near: ArrayView1<f64>,
    costs: impl FnOnce(ArrayView2<f64>) -> Result<Vec<f64>>,
    mut cost_gradient: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    rng: &mut impl Rng,
) -> Result<Vec<f64>> {
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
    let costs = costs(candidates.view())?;
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
    let minimiser = Minimiser::new().max_iterations(50);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in &starts {
        match minimiser.run(start, &vec![(0.0, 1.0); d], &mut cost_gradient) {
            Ok(found) if best.as_ref().is_none_or(|(cost, _)| found.value < *cost) => {
                best = Some((found.value, found.point));
            }
            // A score that is no number at one start is no reason to give up the others.
            Ok(_) | Err(Error::NotFinite { .. } | Error::Overflow { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    // No climb ends below its start; and if none could begin, the best that was seen.
    let seen = || starts.into_iter().next().unwrap_or_else(|| near.to_vec());
    Ok(best.map_or_else(seen, |(_, x)| x))
}
