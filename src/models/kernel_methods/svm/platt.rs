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

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The numbers of scikit-learn's `_sigmoid_calibration` of these scores.
    #[test]
    fn the_sigmoid_is_that_of_scikit_learn() {
        let scores = [-2.1, -1.3, -0.9, -0.4, 0.1, 0.3, 0.8, 1.1, 1.9, 2.5];
        let y = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0];
        let found = Sigmoid::fit(&scores, &y, &[1.0; 10]);
        assert!((found.slope + 0.690_396_405_8).abs() < 1e-6, "{found:?}");
        assert!((found.intercept - 0.135_724_393_6).abs() < 1e-6, "{found:?}");
        assert!((found.probability(0.0) - 1.0 / (1.0 + found.intercept.exp())).abs() < 1e-15);
    }

    /// Pairs that agree with probabilities give these; others the least squares on the simplex, where `Qp` is the same in all
    /// coordinates.
    #[test]
    fn pairs_are_coupled() {
        let p = [0.5, 0.2, 0.3];
        let r = Array2::from_shape_fn((3, 3), |(i, j)| if i == j { 0.0 } else { p[i] / (p[i] + p[j]) });
        coupled(&r).iter().zip(p).for_each(|(g, w)| assert!((g - w).abs() < 1e-9, "{g} {w}"));
        // 0 beats 1, 1 beats 2, 2 beats 0, all alike.
        let ring = array![[0.0, 0.9, 0.1], [0.1, 0.0, 0.9], [0.9, 0.1, 0.0]];
        coupled(&ring).iter().for_each(|p| assert!((p - 1.0 / 3.0).abs() < 1e-9));
        let r = array![[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]];
        let found = coupled(&r);
        let cost = |p: &[f64]| -> f64 {
            let term = |i: usize, j: usize| (r[[j, i]] * p[i] - r[[i, j]] * p[j]).powi(2);
            (0..3).flat_map(|i| (0..3).filter(move |j| *j != i).map(move |j| term(i, j))).sum()
        };
        let best = cost(found.as_slice().expect("one row"));
        for (a, b) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3), (1e-3, -1e-3), (-1e-3, 1e-3)] {
            assert!(cost(&[found[0] + a, found[1] + b, found[2] - a - b]) > best);
        }
        assert!((found.sum() - 1.0).abs() < 1e-12);
    }
}
