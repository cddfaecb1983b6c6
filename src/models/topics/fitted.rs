//! What a topic model has learned, and what can be asked of it.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::model::OP;
use super::variational::{Documents, expected_logs, local};
use crate::Result;
use crate::check::{inputs, parameter, positive, require};
use crate::configure::getters;
use crate::inference::logs::{digamma, ln_gamma};
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Report, Score, Transform};
use crate::saved::Format;

/// Passes over a new document, and the change that ends them.
const PASSES: usize = 1000;
const TOLERANCE: f64 = 1e-10;

/// Topics as Dirichlet distributions over words, `β_k ~ Dir(λ_k)`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedTopicModel {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    lambda: Array2<f64>,
    alpha: f64,
    eta: f64,
    report: Report,
}

getters!(FittedTopicModel {
    /// λ, topics x words: pseudo-counts of each word in each topic.
    lambda: &Array2<f64>,
    /// α, the concentration of a document's topics.
    alpha: f64,
    /// η, the concentration of a topic's words.
    eta: f64,
    /// How the fit went: the evidence lower bound, or the log joint of Gibbs sampling.
    report: &Report,
});

inherent!(FittedTopicModel: Transform, Score);

impl FittedTopicModel {
    pub(super) fn new(lambda: Array2<f64>, alpha: f64, eta: f64, report: Report) -> Result<Self> {
        let fitted = FittedTopicModel { format: Format, lambda, alpha, eta, report };
        fitted.sound()?;
        Ok(fitted)
    }

    fn sound(&self) -> Result<()> {
        positive("alpha", self.alpha)?;
        positive("eta", self.eta)?;
        require(OP, !self.lambda.is_empty(), || "there are no topics".to_owned())?;
        self.lambda.iter().try_for_each(|v| positive("lambda", *v))
    }

    /// The probability of each word in each topic, topics x words: `λ_kw / Σ_w λ_kw`.
    pub fn topics(&self) -> Array2<f64> {
        let sums = self.lambda.sum_axis(Axis(1)).insert_axis(Axis(1));
        &self.lambda / &sums
    }

    /// The most probable words of a topic, the first first.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a topic that is not there.
    pub fn top_words(&self, topic: usize, count: usize) -> Result<Vec<usize>> {
        parameter("topic", topic as f64, topic < self.lambda.nrows(), "there are fewer topics")?;
        let row = self.lambda.row(topic);
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
        order.truncate(count);
        Ok(order)
    }

    /// The coherence of each topic's `count` top words in documents x: `Σ_{i>j} log (D(w_i, w_j) + 1)/D(w_j)`, D the number of
    /// documents that hold the words (`UMass`). The closer to zero, the better.
    ///
    /// # Errors
    /// As `transform`; a top word that occurs in no document.
    pub fn coherence(&self, x: impl Inputs, count: usize) -> Result<Array1<f64>> {
        let x = x.inputs();
        inputs(OP, x.view(), self.lambda.ncols())?;
        let holds = |words: &[usize]| {
            x.rows().into_iter().filter(|r| words.iter().all(|w| r[*w] > 0.0)).count() as f64
        };
        (0..self.lambda.nrows())
            .map(|t| {
                let top = self.top_words(t, count)?;
                let mut sum = 0.0;
                for i in 1..top.len() {
                    for j in 0..i {
                        let below = holds(&[top[j]]);
                        parameter(
                            &format!("documents with word {}", top[j]),
                            below,
                            below > 0.0,
                            "must hold every top word",
                        )?;
                        sum += ((holds(&[top[i], top[j]]) + 1.0) / below).ln();
                    }
                }
                Ok(sum)
            })
            .collect()
    }

    /// γ of each document, and its bound on `log p(w | λ)`.
    fn infer(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Vec<f64>, f64)> {
        inputs(OP, x, self.lambda.ncols())?;
        let (documents, logs, k) = (Documents::new(x)?, expected_logs(&self.lambda), self.lambda.nrows());
        let mut gamma = Array2::zeros((x.nrows(), k));
        let mut bounds = Vec::with_capacity(x.nrows());
        for (d, mut row) in gamma.axis_iter_mut(Axis(0)).enumerate() {
            let words = &documents.rows[d];
            let length: f64 = words.iter().map(|(_, n)| n).sum();
            row.fill(self.alpha + length / k as f64);
            let found = local(words, &logs, self.alpha, row.view_mut(), PASSES, TOLERANCE * length);
            let kf = k as f64;
            let mut value = found.entropy + ln_gamma(kf * self.alpha) - kf * ln_gamma(self.alpha);
            value += row.iter().map(|g| ln_gamma(*g)).sum::<f64>() - ln_gamma(row.sum());
            // γ moved a last time after φ: what no longer cancels is tiny, and counted.
            let all = digamma(row.sum());
            for (t, g) in row.iter().enumerate() {
                let shared: f64 = (0..words.len()).map(|i| found.shares[i * k + t]).sum();
                value += (shared + self.alpha - g) * (digamma(*g) - all);
            }
            for (i, (w, _)) in words.iter().enumerate() {
                value += (0..k).map(|t| found.shares[i * k + t] * logs[[t, *w]]).sum::<f64>();
            }
            bounds.push(value);
        }
        Ok((gamma, bounds, documents.total()))
    }

    /// `exp(-Σ_d bound_d / words)` of documents: how many words a reader of the topics would hesitate between. The bound is
    /// on `E_q[log p(w_d | β)]` given the fitted topics.
    ///
    /// # Errors
    /// As `transform`.
    pub fn perplexity(&self, x: impl Inputs) -> Result<f64> {
        Ok((-self.score(x)?).exp())
    }
}

impl Transform for FittedTopicModel {
    /// The expected topics of each document, which sum to one: `γ_d / Σ γ_d`.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let gamma = self.infer(x)?.0;
        let sums = gamma.sum_axis(Axis(1)).insert_axis(Axis(1));
        Ok(gamma / sums)
    }
}

impl Score for FittedTopicModel {
    /// The mean bound of a word: minus the logarithm of the perplexity.
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        let (_, bounds, words) = self.infer(x)?;
        Ok(bounds.iter().sum::<f64>() / words)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedTopicModel);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedTopicModel {
    fn check(&self) -> Result<()> {
        self.sound()
    }
}
