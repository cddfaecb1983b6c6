//! Strings by the substrings they share.

use crate::Result;
use crate::check::{not_negative, number, parameter, positive, room};

use super::objects::ObjectKernel;

/// `k(x, x') = Σ_s w_s φ_s(x) φ_s(x')`, where `φ_s` is how often the string s, not empty, is in x.
///
/// Weights depend on the length of s. A table of `|x| |x'|` common suffixes is walked, a row at a time; strings with gaps need as
/// many tables as characters are compared. Characters are those of Unicode.
///
/// ```
/// use mercer::kernel::structures::{ObjectKernel, StringKernel};
/// assert_eq!(StringKernel::all_substrings().value("abab", "aba")?, 10.0);
/// assert_eq!(StringKernel::bag_of_characters().value("abab", "aba")?, 6.0);
/// assert_eq!(StringKernel::spectrum(2).value("abab", "aba")?, 3.0); // ab twice and once, ba once each
/// assert!((StringKernel::gappy(2, 0.5).value("cat", "car")? - 0.0625).abs() < 1e-15); // c-a in both
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StringKernel(Rule);

#[derive(Debug, Clone, PartialEq)]
enum Rule {
    /// `w_s = decay^|s|`.
    Decaying(f64),
    /// `w_s` of lengths 1, 2, ...; 0 beyond.
    Lengths(Vec<f64>),
    Spectrum(usize),
    Gappy {
        length: usize,
        decay: f64,
    },
}

impl StringKernel {
    /// All substrings, each with weight 1.
    pub fn all_substrings() -> Self {
        Self::decaying(1.0)
    }

    /// All substrings s, with weight `decay^|s|`.
    pub fn decaying(decay: f64) -> Self {
        StringKernel(Rule::Decaying(decay))
    }

    /// Substrings of lengths 1, 2, ... with these weights, none negative; longer ones do not count.
    pub fn by_length(weights: impl Into<Vec<f64>>) -> Self {
        StringKernel(Rule::Lengths(weights.into()))
    }

    /// Substrings of this length alone.
    pub fn spectrum(length: usize) -> Self {
        StringKernel(Rule::Spectrum(length))
    }

    /// `Σ_a count_a(x) count_a(x')`: characters, in any order.
    pub fn bag_of_characters() -> Self {
        Self::spectrum(1)
    }

    /// Subsequences of this length, gaps allowed: `φ_s(x) = Σ decay^span` over all places of s in x, where the span is the distance
    /// from its first character to its last, both included.
    pub fn gappy(length: usize, decay: f64) -> Self {
        StringKernel(Rule::Gappy { length, decay })
    }

    fn check(&self) -> Result<()> {
        let length = |l: usize| parameter("length", l as f64, l >= 1, "must be at least 1");
        match &self.0 {
            Rule::Decaying(decay) => positive("decay", *decay),
            Rule::Lengths(weights) => weights.iter().try_for_each(|w| not_negative("weight", *w)),
            Rule::Spectrum(l) => length(*l),
            Rule::Gappy { length: l, decay } => {
                length(*l)?;
                parameter("decay", *decay, *decay > 0.0 && *decay <= 1.0, "must be above 0 and at most 1")
            }
        }
    }
}

impl ObjectKernel<str> for StringKernel {
    fn value(&self, a: &str, b: &str) -> Result<f64> {
        self.check()?;
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let most = a.len().min(b.len());
        // What a common suffix of each length adds: the weights of all its own suffixes.
        let added: Vec<f64> = match &self.0 {
            Rule::Gappy { length, decay } => return gappy(&a, &b, *length, *decay),
            Rule::Decaying(decay) => summed(most, |l| decay.powf(l as f64)),
            Rule::Lengths(weights) => summed(most, |l| weights.get(l - 1).copied().unwrap_or(0.0)),
            Rule::Spectrum(k) => summed(most, |l| f64::from(u8::from(l == *k))),
        };
        let mut suffix = vec![0usize; b.len() + 1];
        let mut sum = 0.0;
        for x in &a {
            // From the right, so that the row above is still there.
            for j in (1..=b.len()).rev() {
                suffix[j] = if *x == b[j - 1] { suffix[j - 1] + 1 } else { 0 };
                sum += added[suffix[j]];
            }
        }
        number("StringKernel::value", "the kernel", sum)
    }
}

/// `Σ_{l' <= l} w(l')` for l = 0, ..., most.
fn summed(most: usize, weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; most + 1];
    (1..=most).for_each(|l| sums[l] = sums[l - 1] + weight(l));
    sums
}

/// By the recursion of Lodhi and others: `K'_l(i, j)` counts spans up to the ends of both prefixes.
fn gappy(a: &[char], b: &[char], length: usize, decay: f64) -> Result<f64> {
    if length > a.len().min(b.len()) {
        return Ok(0.0);
    }
    let (n, m) = (a.len(), b.len());
    room("characters", n + 1, (m + 1).saturating_mul(16))?;
    let width = m + 1;
    let mut before = vec![1.0; (n + 1) * width];
    for l in 1..length {
        let mut now = vec![0.0; (n + 1) * width];
        for i in l..=n {
            let mut along = 0.0;
            for j in l..=m {
                let met = if a[i - 1] == b[j - 1] { decay * before[(i - 1) * width + j - 1] } else { 0.0 };
                along = decay * (along + met);
                now[i * width + j] = decay * now[(i - 1) * width + j] + along;
            }
        }
        before = now;
    }
    let mut sum = 0.0;
    for i in length..=n {
        for j in (length..=m).filter(|&j| a[i - 1] == b[j - 1]) {
            sum += decay * decay * before[(i - 1) * width + j - 1];
        }
    }
    Ok(sum)
}
