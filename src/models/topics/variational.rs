//! Coordinate ascent for topics: `φ ∝ exp(E log θ + E log β)`, `γ = α + Σ φ`, `λ = η + Σ φ`. Checked in
//! `tests/topics/variational.rs`.

use ndarray::{Array2, ArrayView2, ArrayViewMut1, Axis};
use rayon::prelude::*;

use super::corpus::log_beta;
use super::model::{OP, TopicModel};
use crate::Result;
use crate::check::{parameter, require};
use crate::inference::logs::{digamma, ln_gamma};
use crate::learn::Report;
use crate::random::Philox;

/// Words and their counts, document by document, zeros left out.
pub(super) struct Documents {
    pub rows: Vec<Vec<(usize, f64)>>,
    pub words: usize,
}

impl Documents {
    pub fn new(x: ArrayView2<f64>) -> Result<Self> {
        let mut rows = Vec::with_capacity(x.nrows());
        for (d, row) in x.rows().into_iter().enumerate() {
            let own: Vec<(usize, f64)> = row.iter().copied().enumerate().filter(|(_, v)| *v != 0.0).collect();
            if let Some((w, v)) = own.iter().find(|(_, v)| !(*v > 0.0 && *v <= 1e15)) {
                parameter(
                    &format!("x[{d}, {w}]"),
                    *v,
                    false,
                    "a count must not be negative, nor beyond 1e15",
                )?;
            }
            require(OP, !own.is_empty(), || format!("document {d} has no words; leave it out"))?;
            rows.push(own);
        }
        Ok(Documents { rows, words: x.ncols() })
    }

    pub fn total(&self) -> f64 {
        self.rows.iter().flatten().map(|(_, n)| n).sum()
    }
}

/// `E log β`, topics x words, of `β_k ~ Dir(λ_k)`.
pub(super) fn expected_logs(lambda: &Array2<f64>) -> Array2<f64> {
    let mut out = lambda.mapv(digamma);
    for (mut row, own) in out.axis_iter_mut(Axis(0)).zip(lambda.rows()) {
        row -= digamma(own.sum());
    }
    out
}

/// What a document adds: `n φ` of each of its words (words x topics), and `-Σ n φ log φ`.
pub(super) struct Local {
    pub shares: Vec<f64>,
    pub entropy: f64,
}

/// Passes over one document: φ from γ, γ from φ, so many times or until γ moves by no more than `tolerance`.
pub(super) fn local(
    document: &[(usize, f64)],
    logs: &Array2<f64>,
    alpha: f64,
    mut gamma: ArrayViewMut1<f64>,
    passes: usize,
    tolerance: f64,
) -> Local {
    let k = gamma.len();
    let mut shares = vec![0.0; document.len() * k];
    let mut entropy = 0.0;
    for _ in 0..passes {
        // The normaliser of E log θ cancels in φ.
        let theta: Vec<f64> = gamma.iter().map(|g| digamma(*g)).collect();
        let mut next = vec![alpha; k];
        entropy = 0.0;
        for (i, (w, n)) in document.iter().enumerate() {
            let own = &mut shares[i * k..(i + 1) * k];
            let mut top = f64::NEG_INFINITY;
            for (t, s) in own.iter_mut().enumerate() {
                *s = theta[t] + logs[[t, *w]];
                top = top.max(*s);
            }
            let mut sum = 0.0;
            for s in own.iter_mut() {
                *s = (*s - top).exp();
                sum += *s;
            }
            for (t, s) in own.iter_mut().enumerate() {
                let p = *s / sum;
                entropy -= n * crate::inference::logs::xlogx(p);
                *s = n * p;
                next[t] += *s;
            }
        }
        let moved = gamma.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum::<f64>() / k as f64;
        gamma.iter_mut().zip(next).for_each(|(g, n)| *g = n);
        if moved <= tolerance {
            break;
        }
    }
    Local { shares, entropy }
}

/// γ to begin with: every document's words shared out equally.
fn equal(model: &TopicModel, documents: &Documents) -> Array2<f64> {
    let k = model.topics;
    let length = |d: usize| documents.rows[d].iter().map(|(_, n)| n).sum::<f64>();
    Array2::from_shape_fn((documents.rows.len(), k), |(d, _)| model.alpha + length(d) / k as f64)
}

/// Local steps of these documents in parallel, and their sums in the documents' order.
fn step(
    model: &TopicModel,
    documents: &Documents,
    rows: &[usize],
    lambda: &Array2<f64>,
    gamma: &mut Array2<f64>,
) -> (Array2<f64>, f64) {
    let (logs, k) = (expected_logs(lambda), model.topics);
    let mut own: Vec<(usize, ndarray::Array1<f64>)> =
        rows.iter().map(|d| (*d, gamma.row(*d).to_owned())).collect();
    let found: Vec<Local> = own
        .par_iter_mut()
        .map(|(d, g)| local(&documents.rows[*d], &logs, model.alpha, g.view_mut(), model.local_passes, 1e-12))
        .collect();
    let (mut sums, mut entropy) = (Array2::<f64>::zeros(lambda.dim()), 0.0);
    for ((d, g), part) in own.iter().zip(&found) {
        gamma.row_mut(*d).assign(g);
        entropy += part.entropy;
        for (i, (w, _)) in documents.rows[*d].iter().enumerate() {
            for t in 0..k {
                sums[[t, *w]] += part.shares[i * k + t];
            }
        }
    }
    (sums, entropy)
}

/// The bound where `γ = α + Σφ` and `λ = η + Σφ`: what is linear in φ cancels.
fn bound(model: &TopicModel, lambda: &Array2<f64>, gamma: &Array2<f64>, entropy: f64) -> f64 {
    let part = |a: f64, rows: &Array2<f64>| {
        let flat = log_beta(a, std::iter::repeat_n(0.0, rows.ncols()));
        rows.rows()
            .into_iter()
            .map(|r| r.iter().map(|v| ln_gamma(*v)).sum::<f64>() - ln_gamma(r.sum()) - flat)
            .sum::<f64>()
    };
    part(model.alpha, gamma) + part(model.eta, lambda) + entropy
}

pub(super) fn batch(model: &TopicModel, documents: &Documents) -> Result<(Array2<f64>, Report)> {
    let mut lambda = model.first(documents.words)?;
    let mut gamma = equal(model, documents);
    let all: Vec<usize> = (0..documents.rows.len()).collect();
    let (mut trace, mut converged) = (Vec::new(), false);
    while trace.len() < model.max_iterations && !converged {
        let (sums, entropy) = step(model, documents, &all, &lambda, &mut gamma);
        lambda = sums + model.eta;
        let value = bound(model, &lambda, &gamma, entropy);
        parameter("bound", value, value.is_finite(), "must be finite: scale the counts")?;
        converged = trace.last().is_some_and(|before| value - before <= model.tolerance * value.abs());
        trace.push(value);
        model.progress.report(OP, trace.len(), model.max_iterations, value)?;
    }
    let end = trace.last().copied().unwrap_or(f64::NAN);
    let iterations = trace.len();
    Ok((lambda, Report::new(trace, iterations, converged, vec![end])))
}

pub(super) fn online(
    model: &TopicModel,
    documents: &Documents,
    batch: usize,
    delay: f64,
    decay: f64,
) -> Result<(Array2<f64>, Report)> {
    let mut lambda = model.first(documents.words)?;
    let mut gamma = equal(model, documents);
    let (n, mut made, mut trace) = (documents.rows.len(), 0.0f64, Vec::new());
    for pass in 0..model.max_iterations {
        let (mut entropy, order) = (0.0, Philox::new(model.seed, 1 + pass as u64).permutation(n));
        let mut shares = Array2::<f64>::zeros(lambda.dim());
        for rows in order.chunks(batch) {
            made += 1.0;
            let rho = (made + delay).powf(-decay).min(1.0);
            let (sums, part) = step(model, documents, rows, &lambda, &mut gamma);
            shares += &sums;
            let target = sums * (n as f64 / rows.len() as f64) + model.eta;
            lambda = lambda * (1.0 - rho) + target * rho;
            entropy += part;
        }
        // λ is a running average and not η + Σφ: what is linear in E log β remains.
        let rest = ((shares + model.eta - &lambda) * expected_logs(&lambda)).sum();
        let value = bound(model, &lambda, &gamma, entropy) + rest;
        parameter("bound", value, value.is_finite(), "must be finite: scale the counts")?;
        trace.push(value);
        model.progress.report(OP, pass + 1, model.max_iterations, value)?;
    }
    let end = trace.last().copied().unwrap_or(f64::NAN);
    let iterations = trace.len();
    Ok((lambda, Report::new(trace, iterations, false, vec![end])))
}
