//! Sequences by all their alignments: the probability that a pair hidden Markov model makes both.

use ndarray::{Array1, Array2};

use super::objects::ObjectKernel;
use crate::check::{parameter, positive, require, symmetric};
use crate::{Error, Result};

/// Rounding that an emission's eigenvalues may fall below zero by, relative to its trace.
const ROUNDING: f64 = 1e-12;

/// `k(x, y) = P(x, y)`, summed over all alignments of x and y: matches, insertions in x, insertions in y.
///
/// Insertions in the two are independent of each other, which together with a match emission that is positive semi-definite
/// makes the kernel so (Watkins); the usual pair HMM, in which an insertion in y cannot follow one in x, is not. From a match: an
/// insertion in x with δ, else one in y with δ, else the next match or the end; an insertion goes on with ε; the end comes with
/// τ. Rows are scaled as they are made, so that long sequences do not underflow before the end:
/// [`PairHmm::log_value`] and [`ObjectKernel::cosine`] hold for any length.
///
/// ```
/// use mercer::kernel::structures::{ObjectKernel, PairHmm};
/// use ndarray::array;
/// let hmm = PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.2, 0.4, 0.1)?;
/// assert!((hmm.value("a", "ab")? - 0.0014544).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairHmm {
    alphabet: Vec<char>,
    matched: Array2<f64>,
    inserted: Array1<f64>,
    open: f64,
    extend: f64,
    end: f64,
}

impl PairHmm {
    /// With the characters of `alphabet`, the probabilities `p_ab` that a match is of a and b, `q_a` that an insertion is of a, and
    /// the probabilities to open (δ) and to extend (ε) an insertion and to end (τ).
    ///
    /// # Errors
    /// [`Error::Shape`] if the probabilities are not those of the alphabet or a character is twice in it;
    /// [`Error::Parameter`] if p is not symmetric and positive semi-definite, p or q has a negative entry or does not sum to one, or
    /// δ, ε or τ is not between 0 and 1.
    pub fn new(
        alphabet: &str,
        matched: Array2<f64>,
        inserted: Array1<f64>,
        open: f64,
        extend: f64,
        end: f64,
    ) -> Result<Self> {
        const OP: &str = "PairHmm::new";
        let letters: Vec<char> = alphabet.chars().collect();
        let n = letters.len();
        let fits = n > 0 && matched.dim() == (n, n) && inserted.len() == n;
        require(OP, fits, || {
            format!("{n} characters, matches are {:?}, insertions {}", matched.dim(), inserted.len())
        })?;
        let mut once = letters.clone();
        once.sort_unstable();
        once.dedup();
        require(OP, once.len() == n, || "a character is twice in the alphabet".to_owned())?;
        let matched = symmetric(OP, matched.view())?;
        for v in matched.iter().chain(&inserted) {
            parameter("probability", *v, (0.0..=1.0).contains(v), "must be between 0 and 1")?;
        }
        for (name, sum) in [("sum of matches", matched.sum()), ("sum of insertions", inserted.sum())] {
            parameter(name, sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
        }
        for (name, v) in [("open", open), ("extend", extend)] {
            parameter(name, v, (0.0..1.0).contains(&v), "must be at least 0 and below 1")?;
        }
        positive("end", end)?;
        parameter("end", end, end <= 1.0, "must be at most 1")?;
        semi_definite(&matched)?;
        Ok(PairHmm { alphabet: letters, matched, inserted, open, extend, end })
    }

    /// `ln P(x, y)`; minus infinity if the model cannot make them.
    ///
    /// # Errors
    /// [`Error::UnknownName`] for a character that is not in the alphabet.
    pub fn log_value(&self, a: &str, b: &str) -> Result<f64> {
        let (x, y) = (self.letters(a)?, self.letters(b)?);
        let (open, extend, end) = (self.open, self.extend, self.end);
        let stay = (1.0 - open).powi(2);
        let next = |m: f64, u: f64, v: f64| stay * m + (1.0 - extend) * (1.0 - open) * u + (1.0 - extend) * v;
        let width = y.len() + 1;
        // Matches, insertions in x, insertions in y, of the row before and of this one.
        let (mut above, mut log_scale) = ([vec![0.0; width], vec![0.0; width], vec![0.0; width]], 0.0);
        for i in 0..=x.len() {
            let [mut m, mut u, mut v] = [vec![0.0; width], vec![0.0; width], vec![0.0; width]];
            if i == 0 {
                m[0] = 1.0;
            }
            for j in 0..width {
                if i > 0 {
                    let [fm, fu, fv] = &above;
                    u[j] = self.inserted[x[i - 1]] * (open * fm[j] + extend * fu[j]);
                    if j > 0 {
                        let from = next(fm[j - 1], fu[j - 1], fv[j - 1]);
                        m[j] = self.matched[[x[i - 1], y[j - 1]]] * (1.0 - end) * from;
                    }
                }
                if j > 0 {
                    let from =
                        (1.0 - open) * open * m[j - 1] + (1.0 - extend) * open * u[j - 1] + extend * v[j - 1];
                    v[j] = self.inserted[y[j - 1]] * from;
                }
            }
            let largest = m.iter().chain(&u).chain(&v).copied().fold(0.0, f64::max);
            if largest <= 0.0 {
                return Ok(f64::NEG_INFINITY);
            }
            [&mut m, &mut u, &mut v].into_iter().flatten().for_each(|f| *f /= largest);
            log_scale += largest.ln();
            above = [m, u, v];
        }
        let [m, u, v] = &above;
        let last = end * next(m[width - 1], u[width - 1], v[width - 1]);
        Ok(if last > 0.0 { last.ln() + log_scale } else { f64::NEG_INFINITY })
    }

    fn letters(&self, text: &str) -> Result<Vec<usize>> {
        let place = |c: char| {
            self.alphabet.iter().position(|a| *a == c).ok_or_else(|| Error::UnknownName {
                kind: "character of the alphabet",
                name: c.to_string(),
                known: self.alphabet.iter().collect(),
            })
        };
        text.chars().map(place).collect()
    }
}

impl ObjectKernel<str> for PairHmm {
    fn value(&self, a: &str, b: &str) -> Result<f64> {
        self.log_value(a, b).map(f64::exp)
    }

    fn cosine(&self, a: &str, b: &str) -> Result<f64> {
        let (ab, aa, bb) = (self.log_value(a, b)?, self.log_value(a, a)?, self.log_value(b, b)?);
        Ok(if aa.is_finite() && bb.is_finite() { (ab - 0.5 * (aa + bb)).exp() } else { 0.0 })
    }
}

/// An error unless elimination with the largest pivots meets no negative one.
fn semi_definite(p: &Array2<f64>) -> Result<()> {
    let mut rest = p.clone();
    let n = p.nrows();
    let slack = ROUNDING * p.diag().sum().max(f64::MIN_POSITIVE);
    for _ in 0..n {
        let pivot = (0..n).fold(0, |best, i| if rest[[i, i]] > rest[[best, best]] { i } else { best });
        let top = rest[[pivot, pivot]];
        if top <= slack {
            break;
        }
        let column = rest.column(pivot).to_owned();
        for i in 0..n {
            for j in 0..n {
                rest[[i, j]] -= column[i] * column[j] / top;
            }
        }
    }
    // What is left has no positive pivot: it must be nothing.
    let left = rest.iter().copied().fold(0f64, |m, v| m.max(v.abs()));
    parameter("match emission", -left, left <= 1e-9, "must be positive semi-definite")
}
