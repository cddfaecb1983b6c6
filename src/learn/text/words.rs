//! Words of texts, counted.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::Array2;

use crate::check::{parameter, zeros};
use crate::learn::configure::setters;
use crate::{Error, Result};

/// How a text becomes words: runs of letters and digits, in lower case, without stop words, then runs of such words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tokens {
    stop_words: BTreeSet<String>,
    shortest: usize,
    runs: (usize, usize),
    lower_case: bool,
}

impl Tokens {
    /// Words of two letters and more, in lower case, none left out.
    pub fn new() -> Self {
        Tokens { stop_words: BTreeSet::new(), shortest: 2, runs: (1, 1), lower_case: true }
    }

    /// Words that are left out, whatever the size of their letters.
    #[must_use]
    pub fn stop_words<S: AsRef<str>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.stop_words = words.into_iter().map(|w| w.as_ref().to_lowercase()).collect();
        self
    }

    /// The words of a text in their order, runs of several joined by a space: all single words first.
    ///
    /// # Errors
    /// [`Error::Parameter`] for runs of no words.
    pub fn of(&self, text: &str) -> Result<Vec<String>> {
        let (least, most) = self.runs;
        parameter(
            "runs",
            least as f64,
            least > 0 && least <= most,
            "must be from at least 1 to as many or more",
        )?;
        let text = if self.lower_case { text.to_lowercase() } else { text.to_owned() };
        let words: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| {
                w.chars().count() >= self.shortest.max(1) && !self.stop_words.contains(&w.to_lowercase())
            })
            .collect();
        let runs = (least..=most.min(words.len())).flat_map(|n| words.windows(n).map(|run| run.join(" ")));
        Ok(runs.collect())
    }
}

impl Default for Tokens {
    fn default() -> Self {
        Self::new()
    }
}

setters!(Tokens {
    /// Letters of the shortest word that counts; 2 by default.
    shortest: usize,
    /// The shortest and the longest run of words that is counted; (1, 1) are single words, (1, 2) pairs as well.
    runs: (usize, usize),
    /// Whether letters become small ones.
    lower_case: bool,
});

/// `x_ij`: how often word j is in text i.
///
/// [`BagOfWords::read`] finds the vocabulary, [`Vocabulary::count`] counts; words that were not in the texts it was read
/// from are not counted.
///
/// ```
/// use mercer::prelude::*;
/// let texts = ["The cat sat on the cat", "the dog"];
/// let words = BagOfWords::new(Tokens::new().stop_words(["the", "on"])).read(&texts)?;
/// assert_eq!(words.words(), ["cat", "dog", "sat"]);
/// assert_eq!(words.count(&texts)?, ndarray::array![[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BagOfWords {
    tokens: Tokens,
    least_texts: usize,
    largest_share: f64,
    most_words: Option<usize>,
    presence: bool,
}

impl BagOfWords {
    /// All words that these tokens have.
    pub fn new(tokens: Tokens) -> Self {
        BagOfWords { tokens, least_texts: 1, largest_share: 1.0, most_words: None, presence: false }
    }

    /// The vocabulary of these texts, in alphabetical order.
    ///
    /// # Errors
    /// [`Error::Shape`] if no word is left, [`Error::Parameter`] for bad settings.
    pub fn read<S: AsRef<str>>(&self, texts: &[S]) -> Result<Vocabulary> {
        let share = self.largest_share;
        parameter("largest_share", share, share > 0.0 && share <= 1.0, "must be positive and at most 1")?;
        // How many texts have each word, and how often it is there.
        let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for text in texts {
            let mut here: BTreeMap<String, usize> = BTreeMap::new();
            self.tokens.of(text.as_ref())?.into_iter().for_each(|w| *here.entry(w).or_default() += 1);
            for (word, count) in here {
                let entry = found.entry(word).or_default();
                (entry.0, entry.1) = (entry.0 + 1, entry.1 + count);
            }
        }
        let most = share * texts.len() as f64;
        found.retain(|_, (texts, _)| *texts >= self.least_texts && *texts as f64 <= most);
        let mut words: Vec<(String, usize)> =
            found.into_iter().map(|(word, (_, count))| (word, count)).collect();
        if let Some(limit) = self.most_words {
            words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            words.truncate(limit);
            words.sort();
        }
        if words.is_empty() {
            let what = "no word of these texts is left: fewer stop words, or other limits".to_owned();
            return Err(Error::Shape { op: "BagOfWords::read", what });
        }
        let words = words.into_iter().map(|(word, _)| word).collect();
        Ok(Vocabulary { tokens: self.tokens.clone(), presence: self.presence, words })
    }
}

setters!(BagOfWords {
    /// How many texts must have a word for it to count; 1 by default.
    least_texts: usize,
    /// The largest share of texts that may have a word for it to count; 1 by default.
    largest_share: f64,
    /// How many words are kept at most, the most frequent; all by default.
    most_words: into Option<usize>,
    /// Whether presence (1 or 0) is recorded instead of counts.
    presence: bool,
});

/// The words of a [`BagOfWords`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vocabulary {
    tokens: Tokens,
    presence: bool,
    words: Vec<String>,
}

impl Vocabulary {
    /// The words, in alphabetical order: the columns of counts.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// How often each word is in each text, one row a text.
    ///
    /// # Errors
    /// [`Error::Shape`] for no texts, [`Error::Parameter`] for more than memory has room for.
    pub fn count<S: AsRef<str>>(&self, texts: &[S]) -> Result<Array2<f64>> {
        counted("Vocabulary::count", texts, self.words.len(), &self.tokens, |word| {
            self.words.binary_search(word).ok().map(|j| (j, 1.0))
        })
        .map(|x| if self.presence { x.mapv(|v| v.min(1.0)) } else { x })
    }
}

/// Words are sorted into columns by a hash of their letters: no vocabulary to keep, and two words may share a column.
///
/// The sign of the hash decides the sign of a count, so that words which collide cancel on average.
///
/// ```
/// use mercer::prelude::*;
/// let x = HashedWords::new(Tokens::new(), 16).count(&["one two two", "three"])?;
/// assert_eq!(x.dim(), (2, 16));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HashedWords {
    tokens: Tokens,
    columns: usize,
    signed: bool,
}

impl HashedWords {
    /// With so many columns.
    pub fn new(tokens: Tokens, columns: usize) -> Self {
        HashedWords { tokens, columns, signed: true }
    }

    /// The counts of each text, one row a text.
    ///
    /// # Errors
    /// [`Error::Shape`] for no texts, [`Error::Parameter`] for no columns or more than memory has room for.
    pub fn count<S: AsRef<str>>(&self, texts: &[S]) -> Result<Array2<f64>> {
        parameter("columns", self.columns as f64, self.columns > 0, "must be at least 1")?;
        counted("HashedWords::count", texts, self.columns, &self.tokens, |word| {
            let hash = fnv(word);
            let sign = if self.signed && hash >> 63 == 1 { -1.0 } else { 1.0 };
            Some(((hash % self.columns as u64) as usize, sign))
        })
    }
}

setters!(HashedWords {
    /// Whether half of the words count negatively; true by default.
    signed: bool,
});

/// Fowler, Noll and Vo's hash of the bytes, stirred once more: the same on every machine.
fn fnv(word: &str) -> u64 {
    let hash =
        word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

fn counted<S: AsRef<str>>(
    op: &'static str,
    texts: &[S],
    columns: usize,
    tokens: &Tokens,
    place: impl Fn(&String) -> Option<(usize, f64)>,
) -> Result<Array2<f64>> {
    if texts.is_empty() {
        return Err(Error::Shape { op, what: "there are no texts".to_owned() });
    }
    let mut out = zeros("texts", texts.len(), columns)?;
    for (mut row, text) in out.rows_mut().into_iter().zip(texts) {
        for (j, count) in tokens.of(text.as_ref())?.iter().filter_map(&place) {
            row[j] += count;
        }
    }
    Ok(out)
}
