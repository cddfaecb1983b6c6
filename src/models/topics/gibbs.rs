//! Gibbs sampling of topics: collapsed, `p(z = k | rest) ∝ (n_dk + α)(n_kw + η)/(n_k + Vη)`, or with θ and β drawn. Checked in
//! `tests/topics/gibbs.rs`.

use ndarray::Array2;

use super::corpus::log_beta;
use super::model::{OP, TopicModel};
use super::variational::Documents;
use crate::Result;
use crate::check::{parameter, room};
use crate::learn::Report;
use crate::random::Philox;

/// Counts of topics by document and by word.
struct State {
    /// (document, word, topic) of every token.
    tokens: Vec<(usize, usize, usize)>,
    documents: Array2<f64>,
    words: Array2<f64>,
    topics: Vec<f64>,
}

impl State {
    fn new(model: &TopicModel, documents: &Documents, rng: &mut Philox) -> Result<Self> {
        let total = documents.total();
        parameter("words of all documents", total, total <= 4e9, "are too many to draw one by one")?;
        room("words of all documents", total as usize, 24)?;
        let k = model.topics;
        let mut state = State {
            tokens: Vec::new(),
            documents: Array2::zeros((documents.rows.len(), k)),
            words: Array2::zeros((k, documents.words)),
            topics: vec![0.0; k],
        };
        for (d, row) in documents.rows.iter().enumerate() {
            for &(w, n) in row {
                parameter(
                    &format!("x[{d}, {w}]"),
                    n,
                    n.fract() == 0.0,
                    "must be a whole number for Gibbs sampling",
                )?;
                for _ in 0..n as usize {
                    let t = (rng.word() as usize) % k;
                    state.tokens.push((d, w, t));
                    state.count(d, w, t, 1.0);
                }
            }
        }
        Ok(state)
    }

    fn count(&mut self, d: usize, w: usize, t: usize, by: f64) {
        self.documents[[d, t]] += by;
        self.words[[t, w]] += by;
        self.topics[t] += by;
    }

    fn collapsed(&mut self, model: &TopicModel, rng: &mut Philox) {
        let (k, v) = (model.topics, self.words.ncols() as f64);
        let mut p = vec![0.0; k];
        for i in 0..self.tokens.len() {
            let (d, w, t) = self.tokens[i];
            self.count(d, w, t, -1.0);
            for (t, p) in p.iter_mut().enumerate() {
                *p = (self.documents[[d, t]] + model.alpha) * (self.words[[t, w]] + model.eta)
                    / (self.topics[t] + v * model.eta);
            }
            let t = rng.categorical(&p);
            self.tokens[i].2 = t;
            self.count(d, w, t, 1.0);
        }
    }

    fn blocked(&mut self, model: &TopicModel, rng: &mut Philox) {
        let k = model.topics;
        let draw = |counts: &Array2<f64>, a: f64, rng: &mut Philox| -> Vec<Vec<f64>> {
            counts
                .rows()
                .into_iter()
                .map(|r| rng.dirichlet(&r.iter().map(|n| n + a).collect::<Vec<_>>()))
                .collect()
        };
        let theta = draw(&self.documents, model.alpha, rng);
        let beta = draw(&self.words, model.eta, rng);
        for i in 0..self.tokens.len() {
            let (d, w, old) = self.tokens[i];
            let p: Vec<f64> = (0..k).map(|t| theta[d][t] * beta[t][w]).collect();
            let t = rng.categorical(&p);
            self.count(d, w, old, -1.0);
            self.count(d, w, t, 1.0);
            self.tokens[i].2 = t;
        }
    }

    /// `log p(w, z)`.
    fn log_joint(&self, model: &TopicModel) -> f64 {
        let part = |a: f64, counts: &Array2<f64>| {
            let flat = log_beta(a, std::iter::repeat_n(0.0, counts.ncols()));
            counts.rows().into_iter().map(|r| log_beta(a, r.iter().copied()) - flat).sum::<f64>()
        };
        part(model.alpha, &self.documents) + part(model.eta, &self.words)
    }
}

pub(super) fn run(model: &TopicModel, documents: &Documents, blocked: bool) -> Result<(Array2<f64>, Report)> {
    let mut rng = Philox::new(model.seed, 0);
    let mut state = State::new(model, documents, &mut rng)?;
    let (mut mean, mut counted) = (Array2::<f64>::zeros(state.words.dim()), 0.0);
    let mut trace = vec![state.log_joint(model)];
    for sweep in 0..model.max_iterations {
        if blocked {
            state.blocked(model, &mut rng);
        } else {
            state.collapsed(model, &mut rng);
        }
        if 2 * sweep >= model.max_iterations {
            mean += &state.words;
            counted += 1.0;
        }
        let value = state.log_joint(model);
        trace.push(value);
        model.progress.report(OP, sweep + 1, model.max_iterations, value)?;
    }
    let counts = if counted > 0.0 { mean / counted } else { state.words };
    let end = trace[trace.len() - 1];
    Ok((counts + model.eta, Report::new(trace, model.max_iterations, false, vec![end])))
}
