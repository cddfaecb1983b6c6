//! The restricted Boltzmann machine against scikit-learn's (`tests/oracle/rbm.py`).

use crate::support::oracle::{matrix, vector};
use mercer::Device;
use mercer::models::energy::{FittedRbm, Rbm, Visible};
use serde_json::Value;

#[test]
fn the_machine_of_scikit_learn_answers_the_same_here() {
    let o: Value = serde_json::from_str(include_str!("../oracle/rbm.json")).unwrap();
    let x = matrix(&o["x"]);
    let rbm = FittedRbm::new(
        Visible::Bernoulli,
        matrix(&o["weights"]),
        vector(&o["hidden"]),
        vector(&o["visible"]),
    )
    .unwrap();
    assert!((rbm.transform(&x).unwrap() - &matrix(&o["transform"])).iter().all(|v| v.abs() < 1e-12));
    assert!((rbm.free_energy(&x).unwrap() - &vector(&o["free_energy"])).iter().all(|v| v.abs() < 1e-10));
    // As long a training here ends no worse, by the exact likelihood.
    let own = Rbm::new(3).passes(20).seed(2).fit(&Device::cpu(), &x).unwrap();
    let log = |m: &FittedRbm| m.score_samples(&x).unwrap().mean().unwrap();
    assert!(log(&own) > log(&rbm) - 0.1, "{} {}", log(&own), log(&rbm));
}
