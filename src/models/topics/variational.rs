//! Coordinate ascent for topics: `φ ∝ exp(E log θ + E log β)`, `γ = α + Σ φ`, `λ = η + Σ φ`. Checked in
//! `tests/topics/variational.rs`.

use ndarray::{Array2, ArrayView2, ArrayViewMut1};
use rayon::prelude::*;

use super::corpus::log_beta;
use super::local::{Expected, fast};
use super::model::{OP, TopicModel};
use super::resident::sweeps;
use crate::check::{parameter, require};
use crate::inference::logs::{digamma, ln_gamma};
use crate::learn::Report;
use crate::random::Philox;
use crate::{Device, Result};

/// The change of γ, a topic, that ends the passes over a document.
const TOLERANCE: f64 = 1e-12;

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
    let row = |t: usize| -> Vec<f64> {
        let own = lambda.row(t);
        let all = digamma(own.sum());
        own.iter().map(|v| digamma(*v) - all).collect()
    };
    let rows: Vec<Vec<f64>> = (0..lambda.nrows()).into_par_iter().map(row).collect();
    Array2::from_shape_fn(lambda.dim(), |(t, w)| rows[t][w])
}

/// What a document adds: `n φ` of each of its words (words x topics), and `-Σ n φ log φ`.
pub(super) struct Local {
    pub shares: Vec<f64>,
    pub entropy: f64,
}

/// Passes over one document: φ from γ, γ from φ, so many times or until γ moves by no more than `tolerance`. In logarithms:
/// the definition, for documents where [`fast`] underflows.
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

/// What some documents make: γ of each, the gathered shares, those of documents that were done in logarithms, and the
/// entropy.
struct Part {
    gamma: Vec<Vec<f64>>,
    gathered: Vec<f64>,
    apart: Vec<(usize, Vec<f64>)>,
    entropy: f64,
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
    let expected = Expected::new(&logs);
    // So many parts that none is larger than what its documents hold: the same ones on any number of cores.
    let entries: usize = rows.iter().map(|d| documents.rows[*d].len()).sum();
    let parts = (entries / documents.words.max(1)).clamp(1, 16);
    let one = |rows: &[usize]| {
        let gathered = vec![0.0; documents.words * expected.width];
        let mut part = Part { gamma: Vec::with_capacity(rows.len()), gathered, apart: vec![], entropy: 0.0 };
        for d in rows {
            let (own, passes) = (&documents.rows[*d], model.local_passes);
            let mut g = gamma.row(*d).to_vec();
            let done = fast(own, &expected, model.alpha, &mut g, passes, TOLERANCE, &mut part.gathered);
            part.entropy += done.unwrap_or_else(|| {
                let found = local(own, &logs, model.alpha, ArrayViewMut1::from(&mut g), passes, TOLERANCE);
                part.apart.push((*d, found.shares));
                found.entropy
            });
            part.gamma.push(g);
        }
        part
    };
    let size = rows.len().div_ceil(parts).max(1);
    let found: Vec<Part> = rows.par_chunks(size).map(one).collect();
    let (mut sums, mut entropy) = (Array2::<f64>::zeros(lambda.dim()), 0.0);
    let mut gathered = vec![0.0; documents.words * expected.width];
    for (part, rows) in found.iter().zip(rows.chunks(size)) {
        entropy += part.entropy;
        gathered.iter_mut().zip(&part.gathered).for_each(|(a, b)| *a += b);
        for (d, g) in rows.iter().zip(&part.gamma) {
            gamma.row_mut(*d).iter_mut().zip(g).for_each(|(a, b)| *a = *b);
        }
        for (d, shares) in &part.apart {
            for (i, (w, _)) in documents.rows[*d].iter().enumerate() {
                (0..k).for_each(|t| sums[[t, *w]] += shares[i * k + t]);
            }
        }
    }
    expected.add_shares(&gathered, &mut sums);
    (sums, entropy)
}

/// The bound where `γ = α + Σφ` and `λ = η + Σφ`: what is linear in φ cancels.
pub(super) fn bound(model: &TopicModel, lambda: &Array2<f64>, gamma: &Array2<f64>, entropy: f64) -> f64 {
    let part = |a: f64, rows: &Array2<f64>| {
        let flat = log_beta(a, std::iter::repeat_n(0.0, rows.ncols()));
        let each: Vec<f64> = (0..rows.nrows())
            .into_par_iter()
            .map(|i| {
                rows.row(i).iter().map(|v| ln_gamma(*v)).sum::<f64>() - ln_gamma(rows.row(i).sum()) - flat
            })
            .collect();
        each.iter().sum::<f64>()
    };
    part(model.alpha, gamma) + part(model.eta, lambda) + entropy
}

/// λ, γ and the bound after each iteration.
pub(super) struct Ascent {
    pub lambda: Array2<f64>,
    pub gamma: Array2<f64>,
    pub trace: Vec<f64>,
}

pub(super) fn batch(
    model: &TopicModel,
    device: &Device,
    documents: &Documents,
) -> Result<(Array2<f64>, Report)> {
    let (lambda, gamma) = (model.first(documents.words)?, equal(model, documents));
    let mut at = Ascent { lambda, gamma, trace: Vec::new() };
    sweeps(model, device, documents, &mut at)?;
    let Ascent { mut lambda, mut gamma, mut trace } = at;
    let all: Vec<usize> = (0..documents.rows.len()).collect();
    let mut converged = false;
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
