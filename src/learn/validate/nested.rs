//! Nested cross-validation that says what was chosen in each fold. Checked in `tests/learn/search.rs`.

use super::cross::{Scores, fitted, prepared, scored};
use super::found::Found;
use super::search::Search;
use crate::learn::data::{Inputs, Targets};
use crate::learn::split::Split;
use crate::learn::traits::{Fit, Predict};
use crate::{Device, Result};

/// What a search chose in each outer fold, and how that did on rows which it has never seen.
#[derive(Debug, Clone)]
pub struct Nested<M, T> {
    scores: Scores,
    found: Vec<Found<M, T>>,
}

impl<M, T> Nested<M, T> {
    /// The score of each outer fold: those of [`cross_validate`](super::cross_validate) of the search.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// The search of each outer fold: its choice, refitted to the fold, and the table of its own scores.
    pub fn found(&self) -> &[Found<M, T>] {
        &self.found
    }

    /// The place of the chosen candidate in each outer fold: the same everywhere where the choice is stable.
    pub fn chosen(&self) -> Vec<usize> {
        self.found.iter().map(Found::index).collect()
    }
}

/// Cross-validation of a [`Search`], with the search of every fold: an estimate that choosing does not flatter, and what was
/// chosen.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.2 * i as f64);
/// let y = x.column(0).mapv(f64::sin);
/// let search = Search::over([0.01, 1.0, 100.0].map(|l| KernelRidge::new(Kernel::rbf(l), 1e-3)));
/// let search = search.by(KFold::new(4).shuffled(1)).best(r2);
/// let nested = nested_cross_validate(&search, &Device::cpu(), &x, &y, &KFold::new(5).shuffled(0), r2)?;
/// assert_eq!(nested.chosen(), [1; 5]);
/// assert!(nested.scores().mean() > 0.99);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`cross_validate`](super::cross_validate) and [`Search::fit`].
pub fn nested_cross_validate<M, S, G, Y, F>(
    search: &Search<M, S, G>,
    device: &Device,
    x: impl Inputs,
    y: Y,
    split: &impl Split,
    metric: F,
) -> Result<Nested<M, <M as Fit<Y::Of>>::Fitted>>
where
    Y: Targets,
    M: Fit<Y::Of, Fitted: Predict>,
    Search<M, S, G>: Fit<Y::Of, Fitted = Found<M, <M as Fit<Y::Of>>::Fitted>>,
    F: Fn(&Y::Of, &<<M as Fit<Y::Of>>::Fitted as Predict>::Output) -> Result<f64>,
{
    let (x, y) = (x.inputs(), y.targets());
    let folds = prepared("nested_cross_validate", x.view(), &*y, split)?;
    let (mut scores, mut found) = (Vec::new(), Vec::new());
    for (train, test) in &folds {
        let best = fitted(search, device, x.view(), &*y, train)?;
        scores.push(scored(best.fitted(), x.view(), &*y, test, &metric)?);
        found.push(best);
    }
    Ok(Nested { scores: scores.into(), found })
}
