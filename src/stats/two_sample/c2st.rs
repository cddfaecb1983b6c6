//! The classifier two-sample test: samples of one distribution cannot be told apart. Checked in `tests/neural/c2st.rs`.

use ndarray::{ArrayView2, Axis};
use statrs::distribution::{DiscreteCDF, Hypergeometric};

use crate::check::{pooled, two_samples};
use crate::learn::{Fit, Inputs, Predict};
use crate::random::shuffle;
use crate::{Device, Error, Result};

const OP: &str = "c2st";

/// How well a classifier tells two samples apart.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct C2st {
    /// The share of rows held out whose sample it names: a half if it knows nothing.
    pub accuracy: f64,
    /// The probability of at least this accuracy if both samples were of one distribution.
    pub p_value: f64,
    /// Rows held out, as many of either sample.
    pub held_out: usize,
}

/// Trains a classifier to tell `x` (false) from `y` (true) on a half of each, and counts how often it is right on the other.
///
/// Of the larger sample only as many rows are used as the smaller one has; the seed decides which, and which are held out. If
/// both samples are of one distribution, the labels of the rows held out are in random order whatever the classifier
/// has learned: the number of trues among those it calls true is hypergeometric, and the p-value is exact.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 60.0);
/// let judge = NeuralClassifier::new(&[]);
/// let shifted = c2st(&Device::cpu(), &judge, &x, &(&x + 1.0), 1)?;
/// assert!(shifted.accuracy > 0.8 && shifted.p_value < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for samples of other features or fewer than four rows, [`Error::NotFinite`], and those of the
/// classifier.
pub fn c2st<M>(device: &Device, classifier: &M, x: impl Inputs, y: impl Inputs, seed: u64) -> Result<C2st>
where
    M: Fit<[bool]>,
    M::Fitted: Predict<Output = Vec<bool>>,
{
    let (x, y) = (x.inputs(), y.inputs());
    two_samples(OP, x.view(), y.view(), 4)?;
    let least = x.nrows().min(y.nrows());
    let half = least / 2;
    let order = |rows: usize, stream: u64| {
        let mut all: Vec<usize> = (0..rows).collect();
        shuffle(&mut all, seed, stream);
        all
    };
    let (mine, theirs) = (order(x.nrows(), 0), order(y.nrows(), 1));
    let rows = |from: usize, to: usize| {
        let part = |a: ArrayView2<f64>, order: &[usize]| a.select(Axis(0), &order[from..to]);
        let (a, b) = (part(x.view(), &mine), part(y.view(), &theirs));
        let labels: Vec<bool> = (0..2 * (to - from)).map(|i| i >= to - from).collect();
        (pooled(a.view(), b.view()), labels)
    };
    let (seen, labels) = rows(half, least);
    let fitted = classifier.fit(device, seen.view(), &labels)?;
    let (held, truth) = rows(0, half);
    let said = fitted.predict(held.view())?;
    let (called, hit) = said.iter().zip(&truth).fold((0, 0), |(called, hit), (said, truth)| {
        (called + u64::from(*said), hit + u64::from(*said && *truth))
    });
    let right = said.iter().zip(&truth).filter(|(s, t)| s == t).count();
    let law = Hypergeometric::new(2 * half as u64, half as u64, called)
        .map_err(|e| Error::Shape { op: OP, what: e.to_string() })?;
    let p_value = if hit == 0 { 1.0 } else { law.sf(hit - 1) };
    Ok(C2st { accuracy: right as f64 / (2 * half) as f64, p_value, held_out: 2 * half })
}
