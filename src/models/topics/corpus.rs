//! The generative process of latent Dirichlet allocation, and the probability of what it makes.

use ndarray::Array2;

use super::model::{OP, TopicModel};
use crate::Result;
use crate::check::{parameter, require, room, zeros};
use crate::inference::logs::{ln_gamma, normalise};
use crate::random::Philox;

/// Documents with everything that made them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Corpus {
    /// The words of each document, by their numbers.
    pub documents: Vec<Vec<usize>>,
    /// The topic of each word.
    pub assignments: Vec<Vec<usize>>,
    /// θ, documents x topics.
    pub proportions: Array2<f64>,
    /// β, topics x words.
    pub topics: Array2<f64>,
}

/// How often each word occurs in each document: the matrix that a [`TopicModel`] is fitted to. The order of words is lost,
/// and does not matter.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a word beyond the vocabulary, or more than memory has room for.
pub fn word_counts(documents: &[Vec<usize>], vocabulary: usize) -> Result<Array2<f64>> {
    let mut x = zeros("documents", documents.len(), vocabulary)?;
    for (d, words) in documents.iter().enumerate() {
        for &w in words {
            parameter("word", w as f64, w < vocabulary, "must be a number of the vocabulary")?;
            x[[d, w]] += 1.0;
        }
    }
    Ok(x)
}

/// `log B(α)` of counts added to one parameter: `Σ lnΓ(a + n_k) - lnΓ(Σ (a + n_k))`.
pub(super) fn log_beta(a: f64, counts: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for n in counts {
        sum += ln_gamma(a + n);
        all += a + n;
    }
    sum - ln_gamma(all)
}

impl TopicModel {
    /// Draws a corpus: `β_k ~ Dir(η)`, `θ_d ~ Dir(α)`, `z_dn ~ θ_d`, `w_dn ~ β_{z_dn}`, with so many words in each document.
    ///
    /// # Errors
    /// Settings out of their domain, an empty vocabulary, more than memory has room for.
    pub fn generate(&self, vocabulary: usize, lengths: &[usize], seed: u64) -> Result<Corpus> {
        self.check()?;
        parameter("vocabulary", vocabulary as f64, vocabulary > 0, "must be at least 1")?;
        let (k, mut rng) = (self.topics, Philox::new(seed, 0));
        let mut topics = zeros("topics", k, vocabulary)?;
        let mut proportions = zeros("lengths", lengths.len(), k)?;
        for mut row in topics.rows_mut() {
            row.assign(&ndarray::Array1::from(rng.dirichlet(&vec![self.eta; vocabulary])));
        }
        let (mut documents, mut assignments) = (Vec::new(), Vec::new());
        for (d, &length) in lengths.iter().enumerate() {
            room("lengths", length, 16)?;
            let theta = rng.dirichlet(&vec![self.alpha; k]);
            let z: Vec<usize> = (0..length).map(|_| rng.categorical(&theta)).collect();
            documents.push(z.iter().map(|t| rng.categorical(&topics.row(*t).to_vec())).collect());
            assignments.push(z);
            proportions.row_mut(d).assign(&ndarray::Array1::from(theta));
        }
        Ok(Corpus { documents, assignments, proportions, topics })
    }

    /// `log p(w, z, θ, β)` of a corpus with everything that made it.
    ///
    /// # Errors
    /// Shapes that do not fit, settings out of their domain.
    pub fn log_joint(&self, corpus: &Corpus) -> Result<f64> {
        self.check()?;
        let (k, v) = corpus.topics.dim();
        let fits = corpus.documents.len() == corpus.assignments.len()
            && corpus.proportions.dim() == (corpus.documents.len(), k);
        require(OP, fits && k == self.topics, || {
            "documents, assignments and proportions do not fit".to_owned()
        })?;
        let dirichlet = |a: f64, p: ndarray::ArrayView1<f64>| {
            (a - 1.0) * p.iter().map(|v| v.ln()).sum::<f64>() - log_beta(a, std::iter::repeat_n(0.0, p.len()))
        };
        let mut sum: f64 = corpus.topics.rows().into_iter().map(|b| dirichlet(self.eta, b)).sum();
        for (d, (words, z)) in corpus.documents.iter().zip(&corpus.assignments).enumerate() {
            require(OP, words.len() == z.len(), || {
                format!("document {d} has {} words, {} topics", words.len(), z.len())
            })?;
            sum += dirichlet(self.alpha, corpus.proportions.row(d));
            for (&w, &t) in words.iter().zip(z) {
                require(OP, w < v && t < k, || format!("word {w} or topic {t} is not there"))?;
                sum += corpus.proportions[[d, t]].ln() + corpus.topics[[t, w]].ln();
            }
        }
        Ok(sum)
    }

    /// `log p(w, z)` with θ and β integrated out.
    ///
    /// # Errors
    /// Words or topics that are not there.
    pub fn collapsed_log_joint(
        &self,
        documents: &[Vec<usize>],
        z: &[Vec<usize>],
        vocabulary: usize,
    ) -> Result<f64> {
        self.check()?;
        let (mut words, k) = (zeros("topics", self.topics, vocabulary)?, self.topics);
        let mut sum = 0.0;
        require(OP, documents.len() == z.len(), || "topics must be one for each word".to_owned())?;
        for (words_d, z_d) in documents.iter().zip(z) {
            let mut own = vec![0.0; k];
            require(OP, words_d.len() == z_d.len(), || "topics must be one for each word".to_owned())?;
            for (&w, &t) in words_d.iter().zip(z_d) {
                require(OP, w < vocabulary && t < k, || format!("word {w} or topic {t} is not there"))?;
                own[t] += 1.0;
                words[[t, w]] += 1.0;
            }
            sum += log_beta(self.alpha, own.into_iter()) - log_beta(self.alpha, std::iter::repeat_n(0.0, k));
        }
        let flat = log_beta(self.eta, std::iter::repeat_n(0.0, vocabulary));
        Ok(sum + words.rows().into_iter().map(|r| log_beta(self.eta, r.iter().copied()) - flat).sum::<f64>())
    }

    /// The complete conditional `p(z = k | θ, β, w) ∝ θ_k β_kw` of the topic of a word.
    ///
    /// # Errors
    /// Another number of topics, a word that is not there.
    pub fn conditional(&self, theta: &[f64], topics: &Array2<f64>, word: usize) -> Result<Vec<f64>> {
        let fits = theta.len() == topics.nrows() && word < topics.ncols();
        require(OP, fits, || {
            format!("{} proportions, topics of {:?}, word {word}", theta.len(), topics.dim())
        })?;
        let mut p: Vec<f64> = theta.iter().zip(topics.column(word)).map(|(t, b)| t.ln() + b.ln()).collect();
        normalise(&mut p);
        Ok(p)
    }
}
