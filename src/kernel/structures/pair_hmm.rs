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
/// τ. What is summed is scaled cell by cell, so that long sequences do not underflow before the end:
/// [`PairHmm::log_value`] and [`ObjectKernel::cosine`] hold for any length. Many pairs at once, also on a GPU:
/// `ops::pair_hmm`.
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

/// Two beginnings of the sequences: match, insertion in x, insertion in y, all times a power of two of their own. One scale for
/// a row would not do: what is likely at its start and what is likely at its end may be 1e-400 apart.
#[derive(Debug, Clone, Copy)]
struct Cell {
    states: [f64; 3],
    exponent: i32,
}

impl Cell {
    const NOWHERE: Cell = Cell { states: [0.0; 3], exponent: i32::MIN / 2 };

    fn new(states: [f64; 3], exponent: i32) -> Self {
        let largest = states.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return Cell::NOWHERE;
        }
        let by = ((largest.to_bits() >> 52) as i32) - 1023;
        Cell { states: states.map(|s| s * power(-by)), exponent: exponent + by }
    }
}

/// `2^e`, for e below 1024; zero where that is no normal number.
fn power(e: i32) -> f64 {
    if e > -1023 { f64::from_bits(((e + 1023) as u64) << 52) } else { 0.0 }
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
        Ok(self.log_probability(&self.letters(a)?, &self.letters(b)?))
    }

    /// `ln P(x, y)` of sequences of places in the alphabet.
    pub(crate) fn log_probability(&self, x: &[usize], y: &[usize]) -> f64 {
        let ([open, extend], [mm, mu, mv], [vm, vu]) = self.transitions();
        let next = |[m, u, v]: [f64; 3]| mm * m + mu * u + mv * v;
        let mut row = vec![Cell::NOWHERE; y.len() + 1];
        let mut above = row.clone();
        for i in 0..=x.len() {
            std::mem::swap(&mut row, &mut above);
            for j in 0..row.len() {
                if i == 0 && j == 0 {
                    row[0] = Cell { states: [1.0, 0.0, 0.0], exponent: 0 };
                    continue;
                }
                let up = if i > 0 { above[j] } else { Cell::NOWHERE };
                let left = if j > 0 { row[j - 1] } else { Cell::NOWHERE };
                let across = if i > 0 && j > 0 { above[j - 1] } else { Cell::NOWHERE };
                let most = up.exponent.max(left.exponent).max(across.exponent);
                let mut states = [0.0; 3];
                if i > 0 && j > 0 {
                    let emitted = self.matched[[x[i - 1], y[j - 1]]] * (1.0 - self.end);
                    states[0] = emitted * next(across.states) * power(across.exponent - most);
                }
                if i > 0 {
                    let from = open * up.states[0] + extend * up.states[1];
                    states[1] = self.inserted[x[i - 1]] * from * power(up.exponent - most);
                }
                if j > 0 {
                    let [m, u, v] = left.states;
                    let from = vm * m + vu * u + extend * v;
                    states[2] = self.inserted[y[j - 1]] * from * power(left.exponent - most);
                }
                row[j] = Cell::new(states, most);
            }
        }
        let Cell { states, exponent } = row[y.len()];
        let last = self.end * next(states);
        if last > 0.0 { last.ln() + f64::from(exponent) * std::f64::consts::LN_2 } else { f64::NEG_INFINITY }
    }

    /// To an insertion in x from a match and from itself, to a match from each state, to an insertion in y from the two others;
    /// to itself as in x.
    pub(crate) fn transitions(&self) -> ([f64; 2], [f64; 3], [f64; 2]) {
        let (stay, leave) = (1.0 - self.open, 1.0 - self.extend);
        ([self.open, self.extend], [stay * stay, leave * stay, leave], [stay * self.open, leave * self.open])
    }

    /// The emissions of matches, times the probability that there is another, row by row; then those of insertions.
    pub(crate) fn emissions(&self) -> Vec<f64> {
        self.matched.iter().map(|p| p * (1.0 - self.end)).chain(self.inserted.iter().copied()).collect()
    }

    /// The least positive product of an emission and a transition.
    pub(crate) fn least(&self) -> f64 {
        let least = |all: &mut dyn Iterator<Item = f64>| all.filter(|v| *v > 0.0).fold(1.0, f64::min);
        let (insert, matches, other) = self.transitions();
        least(&mut self.emissions().into_iter()) * least(&mut insert.into_iter().chain(matches).chain(other))
    }

    pub(crate) fn log_end(&self) -> f64 {
        self.end.ln()
    }

    pub(crate) fn letter_count(&self) -> usize {
        self.alphabet.len()
    }

    /// The place of each character in the alphabet.
    pub(crate) fn letters(&self, text: &str) -> Result<Vec<usize>> {
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
