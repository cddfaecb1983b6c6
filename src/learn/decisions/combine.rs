//! The probabilities of several models as one.

use ndarray::{Array1, Array2};

use super::probabilities;
use crate::check::{parameter, require};
use crate::learn::classify::softmax_rows;
use crate::{Error, Result};

fn alike(op: &'static str, all: &[Array2<f64>]) -> Result<(usize, usize)> {
    let Some(first) = all.first() else {
        return Err(Error::Shape { op, what: "there are no models".to_owned() });
    };
    for p in all {
        require(op, p.dim() == first.dim(), || format!("{:?} and {:?} do not fit", p.dim(), first.dim()))?;
        probabilities(op, p.view())?;
    }
    Ok(first.dim())
}

/// `p(k | a, b, ...) ∝ p(k | a) p(k | b) ⋯ / p(k)^{m-1}`: the posterior from m kinds of data that are independent once the
/// class is known, each seen by a model of its own.
///
/// # Errors
/// [`Error::Shape`] for no models or other shapes, [`Error::Parameter`] for what are no probabilities, or a row that
/// every class is excluded from by one model or another.
pub fn combine_independent(posteriors: &[Array2<f64>], prior: &[f64]) -> Result<Array2<f64>> {
    let op = "combine_independent";
    let (n, k) = alike(op, posteriors)?;
    require(op, prior.len() == k, || format!("{k} classes, {} priors", prior.len()))?;
    let least = prior.iter().copied().fold(f64::INFINITY, f64::min);
    parameter("prior", least, least > 0.0 && least.is_finite(), "must be positive and finite")?;
    let again = posteriors.len() as f64 - 1.0;
    let log = |(i, c): (usize, usize)| {
        posteriors.iter().map(|p| p[[i, c]].ln()).sum::<f64>() - again * prior[c].ln()
    };
    let joint = Array2::from_shape_fn((n, k), log);
    let lost = joint.rows().into_iter().position(|row| row.iter().all(|v| *v == f64::NEG_INFINITY));
    let requirement = "has every class excluded by one of the models";
    lost.map_or(Ok(()), |i| parameter(&format!("row {i}"), i as f64, false, requirement))?;
    Ok(softmax_rows(joint))
}

/// `Σ_m w_m p_m(k | x)`: a mixture of experts with these weights, which are divided by their sum.
///
/// # Errors
/// [`Error::Shape`] for no models, other shapes or other numbers of weights, [`Error::Parameter`] for what are no
/// probabilities or weights.
pub fn average_probabilities(all: &[Array2<f64>], weights: &[f64]) -> Result<Array2<f64>> {
    let op = "average_probabilities";
    let shape = alike(op, all)?;
    crate::check::weights(op, Array1::from(weights.to_vec()).view(), all.len())?;
    let total: f64 = weights.iter().sum();
    let mut out = Array2::zeros(shape);
    all.iter().zip(weights).for_each(|(p, w)| out.scaled_add(w / total, p));
    Ok(out)
}

/// The index that most models predict of each row, the lowest of equals.
///
/// # Errors
/// [`Error::Shape`] for no models or predictions of other lengths.
pub fn majority(predictions: &[Vec<usize>]) -> Result<Vec<usize>> {
    let op = "majority";
    let Some(first) = predictions.first() else {
        return Err(Error::Shape { op, what: "there are no models".to_owned() });
    };
    require(op, predictions.iter().all(|p| p.len() == first.len()), || {
        "predictions of other lengths".to_owned()
    })?;
    let winner = |i: usize| {
        let mut votes: Vec<usize> = predictions.iter().map(|p| p[i]).collect();
        votes.sort_unstable();
        let mut best = (0, 0);
        for run in votes.chunk_by(|a, b| a == b) {
            if run.len() > best.1 {
                best = (run[0], run.len());
            }
        }
        best.0
    };
    Ok((0..first.len()).map(winner).collect())
}
