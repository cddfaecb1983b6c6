//! The no-U-turn transition (Hoffman and Gelman 2014, algorithm 3 with the acceptance of algorithm 6): the path is doubled,
//! forwards or backwards, until its ends approach each other, and a point of the slice is drawn from it.

use std::cmp::Ordering;

use super::hamiltonian::{State, leapfrog};
use crate::Result;
use crate::random::Philox;

/// An energy error beyond which a path has diverged.
pub(super) const DIVERGED: f64 = 1000.0;

struct Tree {
    left: State,
    right: State,
    drawn: State,
    /// Points of the slice.
    count: f64,
    goes_on: bool,
    /// Whether a point has lost more energy than rounding explains.
    diverged: bool,
    acceptance: f64,
    steps: f64,
}

/// Whether both ends still move apart.
fn apart(left: &State, right: &State) -> bool {
    let along =
        |p: &[f64]| -> f64 { left.x.iter().zip(&right.x).zip(p).map(|((a, b), p)| (b - a) * p).sum() };
    along(&left.p) >= 0.0 && along(&right.p) >= 0.0
}

fn grow<F>(
    from: &State,
    level: f64,
    step: f64,
    depth: usize,
    start: f64,
    rng: &mut Philox,
    target: &F,
) -> Result<Tree>
where
    F: Fn(&[f64]) -> Result<(f64, Vec<f64>)>,
{
    if depth == 0 {
        let next = leapfrog(from, step, target)?;
        let joint = next.joint();
        let gain = joint - start;
        let acceptance = if gain.is_nan() { 0.0 } else { gain.min(0.0).exp() };
        return Ok(Tree {
            left: next.clone(),
            right: next.clone(),
            drawn: next,
            count: f64::from(u8::from(level <= joint)),
            goes_on: level < joint + DIVERGED,
            diverged: level.partial_cmp(&(joint + DIVERGED)) != Some(Ordering::Less),
            acceptance,
            steps: 1.0,
        });
    }
    let mut tree = grow(from, level, step, depth - 1, start, rng, target)?;
    if tree.goes_on {
        let edge = if step < 0.0 { &tree.left } else { &tree.right };
        let more = grow(&edge.clone(), level, step, depth - 1, start, rng, target)?;
        merge(&mut tree, more, step, rng, |own, other| other / (own + other).max(1.0));
    }
    Ok(tree)
}

fn merge(tree: &mut Tree, more: Tree, step: f64, rng: &mut Philox, share: impl Fn(f64, f64) -> f64) {
    if step < 0.0 {
        tree.left = more.left;
    } else {
        tree.right = more.right;
    }
    if rng.uniform() < share(tree.count, more.count) {
        tree.drawn = more.drawn;
    }
    tree.count += more.count;
    tree.acceptance += more.acceptance;
    tree.steps += more.steps;
    tree.diverged |= more.diverged;
    tree.goes_on = more.goes_on && apart(&tree.left, &tree.right);
}

/// The next state, the mean acceptance along the path, and whether it diverged.
pub(super) fn transition<F>(
    here: &State,
    step: f64,
    most: usize,
    rng: &mut Philox,
    target: &F,
) -> Result<(State, f64, bool)>
where
    F: Fn(&[f64]) -> Result<(f64, Vec<f64>)>,
{
    let start = here.joint();
    let level = start + (1.0 - rng.uniform()).ln();
    let mut tree = Tree {
        left: here.clone(),
        right: here.clone(),
        drawn: here.clone(),
        count: 1.0,
        goes_on: true,
        diverged: false,
        acceptance: 0.0,
        steps: 0.0,
    };
    for depth in 0..most {
        let direction = if rng.bernoulli(0.5) { step } else { -step };
        let edge = if direction < 0.0 { tree.left.clone() } else { tree.right.clone() };
        let more = grow(&edge, level, direction, depth, start, rng, target)?;
        if more.goes_on {
            merge(&mut tree, more, direction, rng, |own, other| (other / own).min(1.0));
        } else {
            tree.acceptance += more.acceptance;
            tree.steps += more.steps;
            tree.diverged |= more.diverged;
            tree.goes_on = false;
        }
        if !tree.goes_on {
            break;
        }
    }
    Ok((tree.drawn, tree.acceptance / tree.steps.max(1.0), tree.diverged))
}
