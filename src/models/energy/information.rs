//! Codes that keep information: `InfoMax` through a noisy channel, and the information bottleneck. Checked in
//! `tests/energy/information.rs`.

use ndarray::{Array1, Array2, Axis};

use crate::Result;
use crate::check::{finite, parameter, positive, probabilities, require};
use crate::inference::logs::{normalise, xlogx};
use crate::random::Philox;

/// `I(a; b)` of a joint table, in nats.
fn mutual(joint: &Array2<f64>) -> f64 {
    let entropy = |p: &Array1<f64>| -p.iter().map(|v| xlogx(*v)).sum::<f64>();
    let all: f64 = joint.iter().map(|v| xlogx(*v)).sum();
    (entropy(&joint.sum_axis(Axis(0))) + entropy(&joint.sum_axis(Axis(1))) + all).max(0.0)
}

fn distributions(name: &str, rows: &Array2<f64>) -> Result<()> {
    rows.rows()
        .into_iter()
        .enumerate()
        .try_for_each(|(i, r)| probabilities(&format!("{name}[{i}]"), &r.to_vec()))
}

/// A code of most information through a noisy channel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InfoMax {
    /// The symbol that each x is sent as.
    pub code: Vec<usize>,
    /// The decoder `q(x | z) = p(x | z)`, received symbols x values of x.
    pub decoder: Array2<f64>,
    /// `I(x; z)`, in nats.
    pub information: f64,
    /// The bound `H(x) + E[log q(x | z)]` after each half of an iteration; it never falls.
    pub trace: Vec<f64>,
}

/// `InfoMax`: `max I(x; z)` where x is sent as one symbol and received as z through a channel, by the variational bound
/// `I ≥ H(x) + E[log q(x | z)]`: q becomes the posterior (the bound is tight), then every x the symbol that q decodes best.
///
/// `channel` has a row of received probabilities for each symbol that can be sent. Without a noisy channel any code that tells
/// all x apart would do.
///
/// # Errors
/// Probabilities that do not sum to one, no symbols.
pub fn info_max(p_x: &[f64], channel: &Array2<f64>, seed: u64) -> Result<InfoMax> {
    const OP: &str = "info_max";
    const MOST: usize = 1000;
    probabilities("p_x", p_x)?;
    finite(OP, "channel", channel.view())?;
    distributions("channel", channel)?;
    let (n, (sent, received)) = (p_x.len(), channel.dim());
    let mut rng = Philox::new(seed, 0);
    let mut code: Vec<usize> = (0..n).map(|_| rng.word() as usize % sent).collect();
    let entropy: f64 = -p_x.iter().map(|p| xlogx(*p)).sum::<f64>();
    let joint =
        |code: &[usize]| Array2::from_shape_fn((n, received), |(x, z)| p_x[x] * channel[[code[x], z]]);
    let decode = |joint: &Array2<f64>| {
        let all = joint.sum_axis(Axis(0));
        Array2::from_shape_fn((received, n), |(z, x)| {
            if all[z] > 0.0 { joint[[x, z]] / all[z] } else { 1.0 / n as f64 }
        })
    };
    // E[log q(x | z)] when x is sent as s; what cannot be received does not count.
    let value = |q: &Array2<f64>, x: usize, s: usize| {
        (0..received)
            .filter(|z| channel[[s, *z]] > 0.0)
            .map(|z| channel[[s, z]] * q[[z, x]].ln())
            .sum::<f64>()
    };
    let bound = |q: &Array2<f64>, code: &[usize]| {
        entropy + (0..n).filter(|x| p_x[*x] > 0.0).map(|x| p_x[x] * value(q, x, code[x])).sum::<f64>()
    };
    let mut trace = Vec::new();
    let mut q = decode(&joint(&code));
    trace.push(bound(&q, &code));
    for _ in 0..MOST {
        let next: Vec<usize> = (0..n)
            .map(|x| {
                (0..sent).fold(code[x], |a, s| if value(&q, x, s) > value(&q, x, a) + 1e-12 { s } else { a })
            })
            .collect();
        trace.push(bound(&q, &next));
        let same = next == code;
        code = next;
        q = decode(&joint(&code));
        trace.push(bound(&q, &code));
        if same {
            break;
        }
    }
    Ok(InfoMax { information: mutual(&joint(&code)), code, decoder: q, trace })
}

/// A code that keeps what matters for y.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Bottleneck {
    /// `p(z | x)`.
    pub encoder: Array2<f64>,
    /// `I(y; z)`, in nats: what was kept.
    pub relevant: f64,
    /// `I(x; z)`, in nats: what it cost.
    pub cost: f64,
    /// `I(y; z) - β I(x; z)` after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Whether the encoder stopped changing.
    pub converged: bool,
}

/// The information bottleneck `max I(y; z) - β I(x; z)` over `p(z | x)`: `p(z|x) ∝ p(z) exp(-(1/β) KL(p(y|x) || p(y|z)))`, with
/// `p(z)` and `p(y|z)` its consequences, in turn.
///
/// `joint` is `p(x, y)`, `codes` the number of values of z.
///
/// # Errors
/// A joint that does not sum to one, an x of probability zero, no codes, a β that is not positive.
pub fn bottleneck(joint: &Array2<f64>, codes: usize, beta: f64, seed: u64) -> Result<Bottleneck> {
    const OP: &str = "bottleneck";
    const MOST: usize = 5000;
    finite(OP, "joint", joint.view())?;
    probabilities("joint", &joint.iter().copied().collect::<Vec<_>>())?;
    parameter("codes", codes as f64, codes > 0, "must be at least 1")?;
    positive("beta", beta)?;
    let (n, m) = joint.dim();
    let p_x = joint.sum_axis(Axis(1));
    require(OP, p_x.iter().all(|p| *p > 0.0), || {
        "a row of the joint has no weight: leave it out".to_owned()
    })?;
    let y_given_x = joint / &p_x.view().insert_axis(Axis(1));
    let mut rng = Philox::new(seed, 0);
    let mut encoder = crate::check::zeros("codes", n, codes)?;
    encoder
        .rows_mut()
        .into_iter()
        .for_each(|mut r| r.assign(&Array1::from(rng.dirichlet(&vec![1.0; codes]))));
    let measure = |e: &Array2<f64>| {
        let xz = e * &p_x.view().insert_axis(Axis(1));
        let yz = joint.t().dot(e);
        (mutual(&yz), mutual(&xz))
    };
    let (first, cost) = measure(&encoder);
    let (mut trace, mut converged) = (vec![first - beta * cost], false);
    for _ in 0..MOST {
        let p_z = p_x.dot(&encoder);
        let yz = joint.t().dot(&encoder);
        let mut next = encoder.clone();
        for x in 0..n {
            let mut logs: Vec<f64> = (0..codes)
                .map(|z| {
                    if p_z[z] <= 0.0 {
                        return f64::NEG_INFINITY;
                    }
                    let kl: f64 = (0..m)
                        .filter(|y| y_given_x[[x, *y]] > 0.0)
                        .map(|y| y_given_x[[x, y]] * (y_given_x[[x, y]].ln() - (yz[[y, z]] / p_z[z]).ln()))
                        .sum();
                    p_z[z].ln() - kl / beta
                })
                .collect();
            normalise(&mut logs);
            next.row_mut(x).assign(&Array1::from(logs));
        }
        let moved = (&next - &encoder).iter().fold(0f64, |m, v| m.max(v.abs()));
        encoder = next;
        let (relevant, cost) = measure(&encoder);
        trace.push(relevant - beta * cost);
        if moved < 1e-12 {
            converged = true;
            break;
        }
    }
    let (relevant, cost) = measure(&encoder);
    finite(OP, "the encoder", encoder.view())?;
    Ok(Bottleneck { encoder, relevant, cost, trace, converged })
}
