//! Hidden Markov models against hmmlearn (`tests/oracle/hidden_markov.py`).

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array2, Array3, array, s};
use serde_json::Value;

use crate::near;
use crate::support::oracle::{matrix, vector};

#[test]
fn likelihood_posteriors_viterbi_and_baum_welch_are_hmmlearns() {
    let all: Value = serde_json::from_str(include_str!("../oracle/hidden_markov.json")).unwrap();
    let move_ = array![[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]];
    let discrete =
        Emission::Discrete(array![[0.7, 0.1, 0.1, 0.1], [0.1, 0.5, 0.3, 0.1], [0.1, 0.1, 0.2, 0.6]]);
    let covariances =
        Array3::from_shape_vec((3, 2, 2), vec![1.0, 0.2, 0.2, 0.5, 0.6, 0.0, 0.0, 0.9, 0.8, -0.3, -0.3, 1.2])
            .unwrap();
    let gaussian = Emission::Gaussian { means: array![[0.0, 0.0], [2.0, 1.0], [-1.0, 3.0]], covariances };
    let cases = [
        ("discrete", discrete, Emissions::Discrete { symbols: 4 }),
        ("gaussian", gaussian, Emissions::Gaussian),
    ];
    for (name, emission, kind) in cases {
        let want = &all[name];
        let x = matrix(&want["x"]);
        let parts = [x.slice(s![..30, ..]).to_owned(), x.slice(s![30.., ..]).to_owned()];
        let h = FittedHiddenMarkov::new(array![0.5, 0.3, 0.2], move_.clone(), emission).unwrap();
        let sum = |f: &dyn Fn(&Array2<f64>) -> f64| parts.iter().map(f).sum::<f64>();
        near(sum(&|x| h.log_likelihood(x).unwrap()), want["log"].as_f64().unwrap(), 1e-9);
        near(sum(&|x| h.viterbi(x).unwrap().log_joint), want["joint"].as_f64().unwrap(), 1e-9);
        // Of several paths that are equally probable any will do.
        let path: Vec<usize> = vector(&want["path"]).iter().map(|s| *s as usize).collect();
        let theirs =
            h.log_joint(&path[..30], &parts[0]).unwrap() + h.log_joint(&path[30..], &parts[1]).unwrap();
        near(theirs, sum(&|x| h.viterbi(x).unwrap().log_joint), 1e-9);
        let posterior = matrix(&want["posterior"]);
        let states = h.smooth(&parts[0]).unwrap().states;
        assert!((&states - &posterior.slice(s![..30, ..])).iter().all(|v| v.abs() < 1e-9));
        // Baum-Welch, one step and ten.
        let steps = |n| {
            let model =
                HiddenMarkov::new(3, kind).floor(0.0).start(h.clone()).max_iterations(n).tolerance(0.0);
            model.learn(&parts).unwrap()
        };
        let one = steps(1);
        assert!((one.initial() - &vector(&want["start"])).iter().all(|v| v.abs() < 1e-9), "{name}");
        assert!((one.transition() - &matrix(&want["move"])).iter().all(|v| v.abs() < 1e-9), "{name}");
        let learned = match one.emission() {
            Emission::Discrete(p) => p.clone(),
            Emission::Gaussian { means, .. } => means.clone(),
            _ => panic!("{name}"),
        };
        assert!((learned - &matrix(&want["emission"])).iter().all(|v| v.abs() < 1e-9), "{name}");
        near(
            parts.iter().map(|x| one.log_likelihood(x).unwrap()).sum(),
            want["after"].as_f64().unwrap(),
            1e-7,
        );
        let ten = steps(10);
        near(parts.iter().map(|x| ten.log_likelihood(x).unwrap()).sum(), want["ten"].as_f64().unwrap(), 1e-5);
    }
}
