//! Coordinate ascent of models that a user writes: topics of documents (Dirichlet and categorical), and a normal variable of
//! unknown mean and precision (normal and gamma).

use mercer::Device;
use mercer::inference::variational::{Cavi, Conditionals, Family};
use mercer::models::topics::{TopicModel, word_counts};
use ndarray::{Array2, array};
use statrs::function::gamma::{digamma, ln_gamma};

use crate::near;

/// Latent Dirichlet allocation: the blocks are topics, then documents, then words.
struct Topics {
    documents: Vec<Vec<usize>>,
    alpha: f64,
    eta: f64,
}

impl Topics {
    fn words(&self) -> Vec<(usize, usize)> {
        let of = |(d, words): (usize, &Vec<usize>)| words.iter().map(|w| (d, *w)).collect::<Vec<_>>();
        self.documents.iter().enumerate().flat_map(of).collect()
    }
}

const TOPICS: usize = 2;
const WORDS: usize = 4;

impl Conditionals for Topics {
    fn families(&self) -> Vec<Family> {
        let mut all = vec![Family::Dirichlet(WORDS); TOPICS];
        all.extend(vec![Family::Dirichlet(TOPICS); self.documents.len()]);
        all.extend(vec![Family::Categorical(TOPICS); self.words().len()]);
        all
    }

    fn natural(&self, block: usize, e: &[Vec<f64>]) -> mercer::Result<Vec<f64>> {
        let (words, first) = (self.words(), TOPICS + self.documents.len());
        let z = |i: usize| &e[first + i];
        Ok(if block < TOPICS {
            let of = |w: usize| {
                (0..words.len()).map(|i| if words[i].1 == w { z(i)[block] } else { 0.0 }).sum::<f64>()
            };
            (0..WORDS).map(|w| self.eta - 1.0 + of(w)).collect()
        } else if block < first {
            let d = block - TOPICS;
            let of =
                |t: usize| (0..words.len()).map(|i| if words[i].0 == d { z(i)[t] } else { 0.0 }).sum::<f64>();
            (0..TOPICS).map(|t| self.alpha - 1.0 + of(t)).collect()
        } else {
            let (d, w) = words[block - first];
            (0..TOPICS).map(|t| e[TOPICS + d][t] + e[t][w]).collect()
        })
    }

    fn expected_log_joint(&self, e: &[Vec<f64>]) -> mercer::Result<f64> {
        let first = TOPICS + self.documents.len();
        let prior = |u: &[f64], a: f64| {
            let k = u.len() as f64;
            (a - 1.0) * u.iter().sum::<f64>() + ln_gamma(k * a) - k * ln_gamma(a)
        };
        let mut sum: f64 = e[..TOPICS].iter().map(|u| prior(u, self.eta)).sum();
        sum += e[TOPICS..first].iter().map(|u| prior(u, self.alpha)).sum::<f64>();
        for (i, (d, w)) in self.words().into_iter().enumerate() {
            sum += (0..TOPICS).map(|t| e[first + i][t] * (e[TOPICS + d][t] + e[t][w])).sum::<f64>();
        }
        Ok(sum)
    }

    /// Words, documents, topics: the order of the notes.
    fn groups(&self) -> Vec<std::ops::Range<usize>> {
        let (first, all) = (TOPICS + self.documents.len(), self.families().len());
        vec![first..all, TOPICS..first, 0..TOPICS]
    }
}

#[test]
fn the_engine_makes_the_sweeps_of_topic_models() {
    let documents = vec![vec![0, 0, 1, 0], vec![0, 1, 1], vec![2, 3, 3], vec![3, 2, 2, 3], vec![0, 3]];
    let start: Array2<f64> = array![[1.0, 0.8, 0.3, 0.2], [0.2, 0.4, 0.9, 1.1]];
    let x = word_counts(&documents, WORDS).unwrap();
    let topics = Topics { documents, alpha: 0.5, eta: 0.1 };
    // λ of the start, each document's words shared out equally; what words begin with is replaced at once.
    let mut natural: Vec<Vec<f64>> = start.rows().into_iter().map(|r| r.mapv(|v| v - 1.0).to_vec()).collect();
    natural.extend(topics.documents.iter().map(|d| vec![0.5 + d.len() as f64 / 2.0 - 1.0; 2]));
    natural.extend(topics.words().iter().map(|_| vec![0.0; 2]));
    let model = TopicModel::new(2).alpha(0.5).eta(0.1).start(start).local_passes(1).tolerance(0.0);
    for sweeps in [1, 2, 3, 40] {
        let engine = Cavi::new().max_sweeps(sweeps).tolerance(0.0).run(&topics, natural.clone()).unwrap();
        let want = model.clone().max_iterations(sweeps).fit(&Device::cpu(), &x).unwrap();
        for t in 0..TOPICS {
            (0..WORDS).for_each(|w| near(engine.natural()[t][w] + 1.0, want.lambda()[[t, w]], 1e-9));
        }
        assert!(engine.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-10));
    }
    // The numbers of the notes: λ after a sweep, the bound at the end.
    let one = Cavi::new().max_sweeps(1).run(&topics, natural.clone()).unwrap();
    for (w, want) in [5.0616535, 2.6548675, 0.30807467, 0.14443331].into_iter().enumerate() {
        near(one.natural()[0][w] + 1.0, want, 1e-7);
    }
    near(Cavi::new().tolerance(0.0).run(&topics, natural).unwrap().elbo(), -24.86607628, 1e-7);
}

/// `x_i ~ N(μ, 1/τ)`, `μ ~ N(0, 1/κ)`, `τ ~ Gamma(a, b)`.
struct Unknown {
    x: Vec<f64>,
    kappa: f64,
    shape: f64,
    rate: f64,
}

impl Unknown {
    /// `E Σ (x - μ)²`.
    fn squares(&self, mu: &[f64]) -> f64 {
        self.x.iter().map(|x| x * x - 2.0 * x * mu[0] + mu[1]).sum()
    }
}

const LOG_TAU: f64 = 1.837_877_066_409_345_3;

impl Conditionals for Unknown {
    fn families(&self) -> Vec<Family> {
        vec![Family::Normal, Family::Gamma]
    }

    fn natural(&self, block: usize, e: &[Vec<f64>]) -> mercer::Result<Vec<f64>> {
        let n = self.x.len() as f64;
        Ok(if block == 0 {
            vec![e[1][1] * self.x.iter().sum::<f64>(), -0.5 * (self.kappa + n * e[1][1])]
        } else {
            vec![self.shape + 0.5 * n - 1.0, -self.rate - 0.5 * self.squares(&e[0])]
        })
    }

    fn expected_log_joint(&self, e: &[Vec<f64>]) -> mercer::Result<f64> {
        let n = self.x.len() as f64;
        let mean = 0.5 * (self.kappa.ln() - LOG_TAU - self.kappa * e[0][1]);
        let precision = self.shape * self.rate.ln() - ln_gamma(self.shape) + (self.shape - 1.0) * e[1][0]
            - self.rate * e[1][1];
        Ok(mean + precision + 0.5 * (n * (e[1][0] - LOG_TAU) - e[1][1] * self.squares(&e[0])))
    }
}

#[test]
fn an_unknown_precision_is_a_gamma_factor() {
    let model = Unknown { x: vec![1.2, 0.7, 2.1, 1.6, 0.9, 1.4], kappa: 0.5, shape: 2.0, rate: 1.5 };
    let found = Cavi::new().tolerance(0.0).run(&model, vec![vec![0.0, -0.5], vec![1.0, -1.5]]).unwrap();
    assert!(found.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-12));
    // By hand: precision of μ and rate of τ, each from the other.
    let (sum, mut tau) = (model.x.iter().sum::<f64>(), 1.0);
    let (mut m, mut v) = (0.0, 1.0);
    for _ in 0..500 {
        v = 1.0 / (0.5 + 6.0 * tau);
        m = v * tau * sum;
        tau = 5.0 / (1.5 + 0.5 * model.x.iter().map(|x| (x - m).powi(2) + v).sum::<f64>());
    }
    near(found.expected()[0][0], m, 1e-7);
    near(found.expected()[0][1] - m * m, v, 1e-7);
    near(found.expected()[1][1], tau, 1e-6);
    near(found.expected()[1][0], digamma(5.0) - (5.0 / tau).ln(), 1e-6);
    // The evidence: μ out in closed form, τ by the trapezium of its logarithm.
    let squares: f64 = model.x.iter().map(|x| x * x).sum();
    let at = |t: f64| {
        let (tau, below) = (t.exp(), 0.5 + 6.0 * t.exp());
        let data =
            0.5 * (6.0 * (t - LOG_TAU) + (0.5 / below).ln() - tau * squares + (tau * sum).powi(2) / below);
        (data + 2.0 * 1.5f64.ln() - ln_gamma(2.0) + 2.0 * t - 1.5 * tau).exp()
    };
    let evidence = (0..4000).map(|i| at(-12.0 + f64::from(i) * 0.005) * 0.005).sum::<f64>().ln();
    assert!(found.elbo() < evidence && found.elbo() > evidence - 0.1, "{} {evidence}", found.elbo());
}
