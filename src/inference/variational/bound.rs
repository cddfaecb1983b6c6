//! Lower bounds on the evidence, for a q over finitely many values of z. Checked in `tests/inference/bounds.rs`.

use ndarray::{Array1, ArrayView2};

use crate::Result;
use crate::check::{finite, parameter, probabilities, require, room, table};
use crate::inference::logs::{ln_gamma, log_mean_exp, log_sum_exp, normalise, xlogx};
use crate::random::Philox;

fn check(op: &'static str, q: &[f64], log_joint: &[f64]) -> Result<()> {
    require(op, !q.is_empty() && q.len() == log_joint.len(), || {
        format!("q has {} values of z, the joint {}", q.len(), log_joint.len())
    })?;
    probabilities("q", q)?;
    log_values("log joint", log_joint)
}

/// Logarithms of probabilities: minus infinity is one, NaN and plus infinity are not.
fn log_values(name: &str, v: &[f64]) -> Result<()> {
    let bad = v.iter().enumerate().find(|(_, v)| v.is_nan() || **v == f64::INFINITY);
    bad.map_or(Ok(()), |(i, &v)| {
        parameter(&format!("{name}[{i}]"), v, false, "must be the logarithm of a number")
    })
}

/// `Σ q f`, where nothing is added at q = 0.
fn average(q: &[f64], f: impl Fn(usize) -> f64) -> f64 {
    q.iter().enumerate().filter(|(_, q)| **q > 0.0).map(|(z, q)| q * f(z)).sum()
}

/// The evidence lower bound `E_q[log p(x, z)] + H(q)` of a q over finitely many values of z.
///
/// It is minus infinity if q gives weight to what the model excludes.
///
/// ```
/// use mercer::inference::variational::elbo;
/// let log_joint = [0.1_f64.ln(), 0.3_f64.ln()];
/// assert!((elbo(&[0.25, 0.75], &log_joint)? - 0.4_f64.ln()).abs() < 1e-12); // the posterior: tight
/// assert!(elbo(&[0.5, 0.5], &log_joint)? < 0.4_f64.ln());
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// Different lengths, a q that is no distribution, NaN.
pub fn elbo(q: &[f64], log_joint: &[f64]) -> Result<f64> {
    check("elbo", q, log_joint)?;
    Ok(average(q, |z| log_joint[z]) - q.iter().map(|q| xlogx(*q)).sum::<f64>())
}

/// The variational (Gibbs) free energy `-E_q[log p(x, z)] - H(q)`: minus [`elbo`], at least `-log p(x)`.
///
/// # Errors
/// As [`elbo`].
pub fn free_energy(q: &[f64], log_joint: &[f64]) -> Result<f64> {
    Ok(-elbo(q, log_joint)?)
}

/// The evidence lower bound in its four forms, which agree:
/// `E_q[log p(x,z)] + H(q)`, `E_q[log p(x|z)] - KL(q || p(z))`, `-KL(q || p(x,z))`, `log p(x) - KL(q || p(z|x))`.
///
/// # Errors
/// As [`elbo`], for the prior and the likelihood.
pub fn elbo_forms(q: &[f64], log_prior: &[f64], log_likelihood: &[f64]) -> Result<[f64; 4]> {
    check("elbo_forms", q, log_prior)?;
    check("elbo_forms", q, log_likelihood)?;
    let joint: Vec<f64> = log_prior.iter().zip(log_likelihood).map(|(a, b)| a + b).collect();
    let evidence = log_sum_exp(&joint);
    let kl = |log_p: &dyn Fn(usize) -> f64| average(q, |z| q[z].ln() - log_p(z));
    Ok([
        average(q, |z| joint[z]) - q.iter().map(|q| xlogx(*q)).sum::<f64>(),
        average(q, |z| log_likelihood[z]) - kl(&|z| log_prior[z]),
        -kl(&|z| joint[z]),
        // A joint that vanishes everywhere has no posterior: the bound is that of nothing.
        if evidence == f64::NEG_INFINITY { evidence } else { evidence - kl(&|z| joint[z] - evidence) },
    ])
}

/// Depth first over how often each value is drawn: the log probability of the set so far, and the logarithm of its weights' sum.
fn walk(logs: &[(f64, f64)], left: usize, chance: f64, sum: f64, total: f64) -> f64 {
    let (log_q, weight) = logs[0];
    let part = |count: usize| {
        let c = count as f64;
        if count == 0 {
            (chance, sum)
        } else {
            (chance + c * log_q - ln_gamma(c + 1.0), log_sum_exp(&[sum, c.ln() + weight]))
        }
    };
    if logs.len() == 1 {
        let (chance, sum) = part(left);
        // A set that may be drawn and has no weight leaves nothing, however improbable it is.
        return match (chance, sum) {
            (f64::NEG_INFINITY, _) => 0.0,
            (_, f64::NEG_INFINITY) => sum,
            _ => chance.exp() * (sum - total.ln()),
        };
    }
    (0..=left)
        .map(|count| {
            let (chance, sum) = part(count);
            if chance == f64::NEG_INFINITY { 0.0 } else { walk(&logs[1..], left - count, chance, sum, total) }
        })
        .sum()
}

/// The multi-sample bound `E[log (1/K) Σ_k p(x, z_k)/q(z_k)]`, exactly: the sum over all multisets of K values of z.
///
/// It does not fall with K, is the ELBO at K = 1 and tends to the evidence.
///
/// # Errors
/// As [`elbo`]; K = 0; more multisets than memory has room for.
pub fn multi_sample_bound(q: &[f64], log_joint: &[f64], k: usize) -> Result<f64> {
    const OP: &str = "multi_sample_bound";
    check(OP, q, log_joint)?;
    parameter("k", k as f64, k > 0, "must be at least 1")?;
    let (n, size) = (q.len() as f64, k as f64);
    let sets = ln_gamma(size + n) - ln_gamma(size + 1.0) - ln_gamma(n);
    table(OP, sets.exp(), "estimate it by `sampled_bound`")?;
    let logs: Vec<(f64, f64)> = q.iter().zip(log_joint).map(|(q, p)| (q.ln(), p - q.ln())).collect();
    // Weights are divided by the largest, so that none overflows.
    let top = logs.iter().filter(|l| l.0 > f64::NEG_INFINITY).map(|l| l.1).fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return Ok(top);
    }
    let scaled: Vec<(f64, f64)> = logs.iter().map(|(q, w)| (*q, w - top)).collect();
    Ok(walk(&scaled, k, ln_gamma(size + 1.0), f64::NEG_INFINITY, size) + top)
}

/// [`multi_sample_bound`] by sampling, for any z: the mean over `count` draws of `log (1/K) Σ_k exp w_k`, and its standard
/// error. `draw(rng)` returns `log p(x, z) - log q(z)` of a z drawn from q.
///
/// # Errors
/// No samples, NaN weights; those of `draw`.
pub fn sampled_bound(
    k: usize,
    count: usize,
    seed: u64,
    mut draw: impl FnMut(&mut Philox) -> Result<f64>,
) -> Result<(f64, f64)> {
    parameter("k", k as f64, k > 0, "must be at least 1")?;
    parameter("count", count as f64, count > 1, "must be at least 2")?;
    room("count", count, 8)?;
    let mut rng = Philox::new(seed, 0);
    let (mut values, mut weights) = (Vec::with_capacity(count), vec![0.0; k]);
    for _ in 0..count {
        for w in &mut weights {
            *w = draw(&mut rng)?;
        }
        log_values("log weight", &weights)?;
        values.push(log_mean_exp(&weights));
    }
    let n = count as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Ok((mean, (variance / n).sqrt()))
}

/// Rényi's bound `1/(1-α) log E_q[(p(x,z)/q(z))^(1-α)]`: the evidence at α = 0 (where q covers the model), the ELBO as
/// α tends to 1, below the evidence between, and never rising with α.
///
/// # Errors
/// As [`elbo`], and for an α that is not finite.
pub fn renyi_bound(q: &[f64], log_joint: &[f64], alpha: f64) -> Result<f64> {
    check("renyi_bound", q, log_joint)?;
    parameter("alpha", alpha, alpha.is_finite(), "must be finite")?;
    if (alpha - 1.0).abs() < 1e-9 {
        return elbo(q, log_joint);
    }
    let terms: Vec<f64> = (0..q.len())
        .filter(|z| q[*z] > 0.0)
        .map(|z| q[z].ln() + (1.0 - alpha) * (log_joint[z] - q[z].ln()))
        .collect();
    Ok(log_sum_exp(&terms) / (1.0 - alpha))
}

/// `∇ log p(x | θ) = E_{p(z|x,θ)}[∇ log p(x, z | θ)]`: the gradient of the evidence from those of the complete data, one
/// row of `gradients` for each value of z.
///
/// # Errors
/// Different lengths, NaN, a joint that vanishes everywhere.
pub fn evidence_gradient(log_joint: &[f64], gradients: ArrayView2<f64>) -> Result<Array1<f64>> {
    const OP: &str = "evidence_gradient";
    finite(OP, "gradients", gradients)?;
    require(OP, gradients.nrows() == log_joint.len(), || {
        format!("{} values of z, {} gradients", log_joint.len(), gradients.nrows())
    })?;
    log_values("log joint", log_joint)?;
    let mut posterior = log_joint.to_vec();
    let evidence = normalise(&mut posterior);
    parameter("log evidence", evidence, evidence.is_finite(), "the joint must not vanish everywhere")?;
    Ok(Array1::from(posterior).dot(&gradients))
}
