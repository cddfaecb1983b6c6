//! Tables from data: the counts of the notes, priors, ties, gaps.

use mercer::models::graphical::{BayesNet, Estimate, NetLearner, Node};
use ndarray::Array2;

use crate::near;

fn shape() -> BayesNet {
    let table = [0.6, 0.4, 0.3, 0.7, 0.2, 0.8, 0.5, 0.5];
    BayesNet::new(&[Node::new("x1", 2), Node::new("x2", 2), Node::new("x3", 2).given(&["x1", "x2"], &table)])
        .unwrap()
}

/// The fifty rows of the notes.
fn rows() -> Array2<f64> {
    let counts = [(101, 10), (11, 14), (110, 8), (0, 12), (100, 1), (10, 2), (111, 1), (1, 2)];
    let all: Vec<[f64; 3]> = counts
        .iter()
        .flat_map(|&(code, n)| {
            vec![[f64::from(code / 100), f64::from(code / 10 % 10), f64::from(code % 10)]; n]
        })
        .collect();
    Array2::from_shape_fn((50, 3), |(i, j)| all[i][j])
}

fn probability(net: &BayesNet, k: usize, place: usize) -> f64 {
    net.tables()[k].log_values()[place].exp()
}

#[test]
fn counts_are_those_of_the_notes() {
    let net = NetLearner::new().learn(&shape(), &rows()).unwrap();
    near(probability(&net, 0, 1), 2.0 / 5.0, 1e-12);
    near(probability(&net, 1, 1), 1.0 / 2.0, 1e-12);
    for (place, want) in [(1, 1.0 / 7.0), (7, 1.0 / 9.0), (3, 7.0 / 8.0), (5, 10.0 / 11.0)] {
        near(probability(&net, 2, place), want, 1e-12);
    }
    let log: f64 = rows()
        .rows()
        .into_iter()
        .map(|r| net.log_joint(&r.iter().map(|v| *v as usize).collect::<Vec<_>>()).unwrap())
        .sum();
    near(log, -86.5683793480, 1e-9);
}

#[test]
fn priors_fill_what_was_never_seen() {
    let few = Array2::from_shape_vec((2, 3), vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    assert!(NetLearner::new().learn(&shape(), &few).is_err());
    let mean = NetLearner::new().estimate(Estimate::Mean { alpha: 1.0 }).learn(&shape(), &few).unwrap();
    near(probability(&mean, 2, 1), 3.0 / 4.0, 1e-12);
    near(probability(&mean, 2, 7), 0.5, 1e-12);
    let mode = NetLearner::new().estimate(Estimate::Mode { alpha: 2.0 }).learn(&shape(), &few).unwrap();
    near(probability(&mode, 2, 1), 3.0 / 4.0, 1e-12);
    // A weak prior is maximum likelihood.
    let weak = NetLearner::new().estimate(Estimate::Mean { alpha: 1e-9 }).learn(&shape(), &rows()).unwrap();
    near(probability(&weak, 2, 3), 7.0 / 8.0, 1e-8);
    assert!(NetLearner::new().estimate(Estimate::Mode { alpha: 0.5 }).learn(&shape(), &rows()).is_err());
}

#[test]
fn tied_tables_pool_their_counts() {
    // A chain of four with one transition.
    let link = |name: &str, from: &str| Node::new(name, 2).given(&[from], &[0.5; 4]);
    let chain = BayesNet::new(&[Node::new("a", 2), link("b", "a"), link("c", "b"), link("d", "c")]).unwrap();
    let x = Array2::from_shape_vec((2, 4), vec![0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]).unwrap();
    let net = NetLearner::new().ties(vec![vec![1, 2, 3]]).learn(&chain, &x).unwrap();
    // From 0: to 0 once, to 1 twice; from 1: to 0 once, to 1 twice.
    for k in 1..4 {
        near(probability(&net, k, 1), 2.0 / 3.0, 1e-12);
        near(probability(&net, k, 3), 2.0 / 3.0, 1e-12);
    }
    // Tying a table to itself changes nothing.
    let [alone, tied] =
        [vec![], vec![vec![2]]].map(|t| NetLearner::new().ties(t).learn(&shape(), &rows()).unwrap());
    assert_eq!(alone.tables(), tied.tables());
    assert!(NetLearner::new().ties(vec![vec![0, 2]]).learn(&shape(), &rows()).is_err());
}

#[test]
fn gaps_are_filled_by_em() {
    let mut x = rows();
    for i in (0..50).step_by(4) {
        x[[i, i % 3]] = f64::NAN;
    }
    assert!(NetLearner::new().learn(&shape(), &x).is_err());
    let learner = NetLearner::new().allow_missing(true).tolerance(1e-12).max_iterations(2000);
    let net = learner.learn(&shape(), &x).unwrap();
    // A stationary point of the likelihood of what is there.
    let log = |net: &BayesNet| {
        x.rows()
            .into_iter()
            .map(|r| {
                let names = ["x1", "x2", "x3"];
                let seen: Vec<(&str, usize)> =
                    (0..3).filter(|j| !r[*j].is_nan()).map(|j| (names[j], r[j] as usize)).collect();
                net.log_evidence(&seen).unwrap()
            })
            .sum::<f64>()
    };
    let best = log(&net);
    assert!(best > log(&shape()) && best > log(&NetLearner::new().learn(&shape(), &rows()).unwrap()));
    let p = probability(&net, 0, 1);
    for by in [-0.01, 0.01] {
        let moved = BayesNet::new(&[
            Node::new("x1", 2).table(&[1.0 - p - by, p + by]),
            Node::new("x2", 2).table(&[probability(&net, 1, 0), probability(&net, 1, 1)]),
            Node::new("x3", 2)
                .given(&["x1", "x2"], &(0..8).map(|i| probability(&net, 2, i)).collect::<Vec<_>>()),
        ]);
        assert!(log(&moved.unwrap()) < best);
    }
    // Nothing missing is the closed form.
    let whole = learner.learn(&shape(), &rows()).unwrap();
    near(probability(&whole, 2, 3), 7.0 / 8.0, 1e-12);
    assert!(learner.learn(&shape(), &Array2::from_elem((1, 3), 2.0)).is_err());
}

/// EM with a prior ends in one place, wherever it starts: where its own step leads back to.
#[track_caller]
fn one_end(learner: &NetLearner, starts: [&BayesNet; 2], x: &Array2<f64>) {
    let [a, b] = starts.map(|s| learner.learn(s, x).unwrap());
    for (k, table) in a.tables().iter().enumerate() {
        for place in 0..table.log_values().len() {
            near(probability(&a, k, place), probability(&b, k, place), 1e-5);
        }
    }
}

#[test]
fn gaps_with_a_posterior_mean_are_learned() {
    let mut x = rows();
    for i in (0..50).step_by(4) {
        x[[i, i % 3]] = f64::NAN;
    }
    let learner = NetLearner::new().allow_missing(true).tolerance(0.0).max_iterations(300);
    let likely = learner.learn(&shape(), &x).unwrap();
    let mean = learner.estimate(Estimate::Mean { alpha: 2.0 });
    // The likelihood falls from where it is largest: that is no reason to stay.
    one_end(&mean, [&shape(), &likely], &x);
    let learned = mean.learn(&likely, &x).unwrap();
    assert!((probability(&learned, 2, 3) - probability(&likely, 2, 3)).abs() > 0.01);
}

#[test]
fn gaps_in_tied_tables_are_learned_with_a_prior() {
    let link = |name: &str, from: &str, t: &[f64]| Node::new(name, 2).given(&[from], t);
    let chain = |t: [&[f64]; 3]| {
        BayesNet::new(&[Node::new("a", 2), link("b", "a", t[0]), link("c", "b", t[1]), link("d", "c", t[2])])
            .unwrap()
    };
    let x = Array2::from_shape_fn((24, 4), |(i, j)| {
        if (i + j) % 5 == 4 { f64::NAN } else { f64::from(u8::from((i + j / 3) % 3 == 0)) }
    });
    let learner = NetLearner::new().allow_missing(true).tolerance(0.0).max_iterations(300);
    let tied = learner.ties(vec![vec![1, 2, 3]]).estimate(Estimate::Mode { alpha: 6.0 });
    let flat = chain([&[0.5; 4]; 3]);
    let other = chain([&[0.9, 0.1, 0.2, 0.8], &[0.6, 0.4, 0.1, 0.9], &[0.9, 0.1, 0.3, 0.7]]);
    one_end(&tied, [&flat, &other], &x);
    let learned = tied.learn(&flat, &x).unwrap();
    assert!((probability(&learned, 1, 0) - 0.5).abs() > 0.05);
    near(probability(&learned, 1, 0), probability(&learned, 3, 0), 1e-12);
}

#[test]
fn ties_of_nothing_and_two_ties_of_one_variable_are_refused() {
    assert!(NetLearner::new().ties(vec![vec![]]).learn(&shape(), &rows()).is_err());
    assert!(NetLearner::new().ties(vec![vec![0, 1], vec![1]]).learn(&shape(), &rows()).is_err());
}
