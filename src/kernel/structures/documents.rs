//! Documents by the words they share.

use std::collections::{BTreeMap, BTreeSet};

use super::objects::ObjectKernel;
use crate::Result;
use crate::check::require;

/// The cosine of two documents, whose entries are `count of the word * (ln((1 + n) / (1 + n_word)) + 1)`: words that are in few of
/// the n documents of a corpus count most. A word that is in none of them counts as one that no document has.
///
/// Words are runs of letters and digits, in lower case. A document without words has length zero, and cosine 0 with all.
///
/// ```
/// use mercer::kernel::structures::{ObjectKernel, TfIdf};
/// let kernel = TfIdf::new(&["the cat sat", "the dog sat", "a bird sang"])?;
/// assert!((kernel.value("the cat sat", "the cat sat")? - 1.0).abs() < 1e-15);
/// assert!(kernel.value("The cat", "a cat!")? > kernel.value("the cat", "the dog")?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TfIdf {
    weights: BTreeMap<String, f64>,
    /// Of a word that no document has.
    unknown: f64,
}

impl TfIdf {
    /// Weighs words by the documents of this corpus.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there is no document.
    pub fn new<D: AsRef<str>>(corpus: &[D]) -> Result<Self> {
        require("TfIdf::new", !corpus.is_empty(), || "there are no documents".to_owned())?;
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        for document in corpus {
            let different: BTreeSet<String> = words(document.as_ref()).collect();
            for word in different {
                *counts.entry(word).or_default() += 1.0;
            }
        }
        let weight = |of: f64| ((1.0 + corpus.len() as f64) / (1.0 + of)).ln() + 1.0;
        let weights = counts.into_iter().map(|(word, of)| (word, weight(of))).collect();
        Ok(TfIdf { weights, unknown: weight(0.0) })
    }

    /// The words of the corpus, in their order, and the weight of each.
    pub fn words(&self) -> impl Iterator<Item = (&str, f64)> {
        self.weights.iter().map(|(word, weight)| (word.as_str(), *weight))
    }

    fn vector(&self, document: &str) -> BTreeMap<String, f64> {
        let mut vector = BTreeMap::new();
        for word in words(document) {
            let weight = self.weights.get(&word).copied().unwrap_or(self.unknown);
            *vector.entry(word).or_default() += weight;
        }
        vector
    }
}

impl ObjectKernel<str> for TfIdf {
    fn value(&self, a: &str, b: &str) -> Result<f64> {
        let (a, b) = (self.vector(a), self.vector(b));
        let length = |v: &BTreeMap<String, f64>| v.values().map(|x| x * x).sum::<f64>().sqrt();
        let dot: f64 = a.iter().filter_map(|(word, x)| b.get(word).map(|y| x * y)).sum();
        let size = length(&a) * length(&b);
        Ok(if size > 0.0 { dot / size } else { 0.0 })
    }
}

fn words(document: &str) -> impl Iterator<Item = String> + '_ {
    document.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}
