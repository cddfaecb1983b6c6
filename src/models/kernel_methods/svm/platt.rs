//! Probabilities from decisions: Platt's sigmoid, and the coupling of pairs.

use ndarray::{Array1, Array2};

/// Most steps of Newton's method.
const STEPS: usize = 100;
/// Shortest step that is tried.
const SHORTEST: f64 = 1e-10;
/// What is added to the Hessian's diagonal.
const RIDGE: f64 = 1e-12;
/// Probabilities of pairs are kept this far from zero and one.
const EDGE: f64 = 1e-7;

/// `p(second | f) = 1 / (1 + exp(A f + B))`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sigmoid {
    /// A: negative if the decision is any good.
    pub slope: f64,
    /// B.
    pub intercept: f64,
}

impl Sigmoid {
    /// The sigmoid of the largest likelihood, by Newton's method (Lin, Lin and Weng, 2007). Targets are those of a uniform
    /// prior on the number of each class, `(n₊ + 1)/(n₊ + 2)` and `1/(n₋ + 2)`, which keeps A finite.
    pub(super) fn fit(scores: &[f64], y: &[f64], weights: &[f64]) -> Self {
        let sum = |side: f64| y.iter().zip(weights).filter(|(y, _)| **y == side).map(|(_, w)| w).sum::<f64>();
        let (more, less) = (sum(1.0), sum(-1.0));
        let (high, low) = ((more + 1.0) / (more + 2.0), 1.0 / (less + 2.0));
        let each = || {
            let target = y.iter().map(|y| if *y > 0.0 { high } else { low });
            scores.iter().zip(target).zip(weights).map(|((f, t), w)| (*f, t, *w))
        };
        let cost = |a: f64, b: f64| -> f64 {
            let term = |(f, t, w): (f64, f64, f64)| {
                let z = a * f + b;
                w * (if z >= 0.0 { t * z } else { (t - 1.0) * z } + (-z.abs()).exp().ln_1p())
            };
            each().map(term).sum()
        };
        let (mut a, mut b) = (0.0, ((less + 1.0) / (more + 1.0)).ln());
        let mut now = cost(a, b);
        for _ in 0..STEPS {
            let (mut haa, mut hbb, mut hab, mut ga, mut gb) = (RIDGE, RIDGE, 0.0, 0.0, 0.0);
            for (f, t, w) in each() {
                let p = at(a * f + b);
                let (d2, d1) = (w * p * (1.0 - p), w * (t - p));
                haa += f * f * d2;
                hbb += d2;
                hab += f * d2;
                ga += f * d1;
                gb += d1;
            }
            if ga.abs() < 1e-10 && gb.abs() < 1e-10 {
                break;
            }
            let det = haa * hbb - hab * hab;
            let (da, db) = (-(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det);
            let slope = ga * da + gb * db;
            let mut step = 1.0;
            while step >= SHORTEST {
                let next = cost(a + step * da, b + step * db);
                if next < now + 1e-4 * step * slope {
                    (a, b, now) = (a + step * da, b + step * db, next);
                    break;
                }
                step *= 0.5;
            }
            if step < SHORTEST {
                break;
            }
        }
        Sigmoid { slope: a, intercept: b }
    }

    /// The probability of the second class.
    pub fn probability(&self, f: f64) -> f64 {
        at(self.slope * f + self.intercept)
    }
}

/// `1 / (1 + exp(z))`, without overflow.
fn at(z: f64) -> f64 {
    if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
}

/// The probabilities p of k classes that agree best with those of pairs: `min Σ_{i≠j} (r_ji p_i - r_ij p_j)²` over the
/// simplex (Wu, Lin and Weng, 2004). `r[i, j]` is the probability of i where it is i or j.
pub(super) fn coupled(r: &Array2<f64>) -> Array1<f64> {
    let k = r.nrows();
    let r = r.mapv(|v| v.clamp(EDGE, 1.0 - EDGE));
    let mut q = Array2::zeros((k, k));
    for i in 0..k {
        for j in (0..k).filter(|&j| j != i) {
            q[[i, i]] += r[[j, i]] * r[[j, i]];
            q[[i, j]] = -r[[j, i]] * r[[i, j]];
        }
    }
    let mut p = Array1::from_elem(k, 1.0 / k as f64);
    for _ in 0..STEPS.max(10 * k) {
        let mut qp = q.dot(&p);
        let pqp = p.dot(&qp);
        if qp.iter().all(|v| (v - pqp).abs() < 1e-12 / k as f64) {
            break;
        }
        let mut pqp = pqp;
        for t in 0..k {
            let change = (pqp - qp[t]) / q[[t, t]];
            let scale = 1.0 + change;
            pqp = (pqp + change * (change * q[[t, t]] + 2.0 * qp[t])) / (scale * scale);
            qp = (&qp + &(change * &q.row(t))) / scale;
            p[t] += change;
            p /= scale;
        }
    }
    p
}
