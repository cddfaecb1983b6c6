//! Bayesian networks: joint, queries, draws, interventions.

use mercer::models::graphical::{BayesNet, Node};

use crate::near;

/// The network of the notes with its learned tables: x3 given x1 and x2.
fn notes() -> BayesNet {
    let up = [1.0 / 7.0, 7.0 / 8.0, 10.0 / 11.0, 1.0 / 9.0];
    let table: Vec<f64> = up.iter().flat_map(|p| [1.0 - p, *p]).collect();
    BayesNet::new(&[
        Node::new("x3", 2).given(&["x1", "x2"], &table),
        Node::new("x1", 2).table(&[0.6, 0.4]),
        Node::new("x2", 2).table(&[0.5, 0.5]),
    ])
    .unwrap()
}

#[test]
fn explaining_away_in_the_numbers_of_the_notes() {
    let net = notes();
    near(net.query("x3", &[]).unwrap()[1], 0.5093975, 1e-7);
    near(net.query("x1", &[("x3", 1)]).unwrap()[1], 0.4005524, 1e-7);
    near(net.query("x1", &[("x3", 1), ("x2", 1)]).unwrap()[1], 0.0780488, 1e-7);
    near(net.query("x1", &[("x3", 1), ("x2", 0)]).unwrap()[1], 0.8092486, 1e-7);
    // The joint sums to one.
    let all: f64 = (0..8).map(|s| net.log_joint(&[s & 1, s >> 1 & 1, s >> 2]).unwrap().exp()).sum();
    near(all, 1.0, 1e-12);
    near(net.log_evidence(&[("x3", 1)]).unwrap().exp(), 0.5093975, 1e-7);
}

#[test]
fn ancestral_draws_have_the_exact_probabilities() {
    let net = notes();
    let x = net.sample(40_000, 3).unwrap();
    assert_eq!(x, net.sample(40_000, 3).unwrap());
    for s in 0..8usize {
        let values = [s & 1, s >> 1 & 1, s >> 2];
        let share =
            x.rows().into_iter().filter(|r| (0..3).all(|j| r[j] as usize == values[j])).count() as f64 / 4e4;
        let p = net.log_joint(&values).unwrap().exp();
        near(share, p, 4.0 * (p * (1.0 - p) / 4e4).sqrt() + 1e-9);
    }
    assert!(net.sample(usize::MAX, 1).is_err());
}

/// Severity sends patients to treatment and kills them: treatment helps, and looks as if it harmed.
fn confounded() -> BayesNet {
    BayesNet::new(&[
        Node::new("severe", 2).table(&[0.5, 0.5]),
        Node::new("treated", 2).given(&["severe"], &[0.9, 0.1, 0.1, 0.9]),
        Node::new("dies", 2).given(&["severe", "treated"], &[0.9, 0.1, 0.95, 0.05, 0.4, 0.6, 0.5, 0.5]),
    ])
    .unwrap()
}

#[test]
fn doing_is_not_seeing() {
    let net = confounded();
    let seen = |t| net.query("dies", &[("treated", t)]).unwrap()[1];
    let done = |t| net.intervene("dies", "treated", t).unwrap()[1];
    assert!(seen(1) > seen(0) && done(1) < done(0));
    near(done(1), 0.5 * 0.05 + 0.5 * 0.5, 1e-12);
    for t in 0..2 {
        // The back-door formula from observations alone.
        near(net.adjust("dies", "treated", t, &["severe"]).unwrap()[1], done(t), 1e-12);
    }
    let e = net.adjust("dies", "treated", 1, &[]).unwrap_err();
    assert!(e.to_string().contains("back door"), "{e}");
    // Through an effect of the cause it is no adjustment.
    let chain = BayesNet::new(&[
        Node::new("a", 2),
        Node::new("b", 2).given(&["a"], &[0.8, 0.2, 0.3, 0.7]),
        Node::new("c", 2).given(&["b"], &[0.8, 0.2, 0.3, 0.7]),
    ])
    .unwrap();
    assert!(chain.adjust("c", "a", 1, &["b"]).is_err());
    near(chain.adjust("c", "a", 1, &[]).unwrap()[1], chain.query("c", &[("a", 1)]).unwrap()[1], 1e-12);
}

#[test]
fn bad_networks_are_refused() {
    assert!(BayesNet::new(&[Node::new("a", 2).table(&[0.5, 0.6])]).is_err());
    assert!(BayesNet::new(&[Node::new("a", 2).table(&[1.0])]).is_err());
    assert!(BayesNet::new(&[Node::new("a", 2), Node::new("a", 2)]).is_err());
    assert!(BayesNet::new(&[Node::new("a", 0)]).is_err());
    let e = BayesNet::new(&[Node::new("a", 2).given(&["nobody"], &[0.5; 4])]).unwrap_err();
    assert!(e.to_string().contains("nobody"), "{e}");
    let net = notes();
    assert!(net.query("x9", &[]).is_err() && net.query("x1", &[("x3", 2)]).is_err());
    assert!(net.query("x1", &[("x3", 0), ("x3", 1)]).is_err());
}
