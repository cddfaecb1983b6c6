//! Dictionary learning and sparse codes, against scikit-learn where it says the same.

use mercer::prelude::*;
use ndarray::{Array2, Axis};
use serde_json::Value;

use crate::near;
pub use crate::support::oracle::matrix;
use crate::support::random;

pub fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/dictionary_sklearn.json")).unwrap()
}

#[test]
fn codes_are_those_of_scikit_learn() {
    let all = numbers();
    let (x, atoms, want) = (matrix(&all["x"]), matrix(&all["atoms"]), matrix(&all["codes"]));
    for coder in [SparseCoder::Ista, SparseCoder::Fista] {
        let got = sparse_code(&atoms, &x, 0.1, coder).unwrap();
        got.iter().zip(&want).for_each(|(g, w)| near(*g, *w, 1e-4));
        // The conditions of the lasso, which decide.
        let residual = &x - &got.dot(&atoms);
        let slope = residual.dot(&atoms.t());
        for (z, s) in got.iter().zip(&slope) {
            if *z == 0.0 { assert!(s.abs() <= 0.1 + 1e-7) } else { near(*s, 0.1 * z.signum(), 1e-7) }
        }
    }
}

#[test]
fn learning_is_as_good_as_scikit_learn_and_recovers_planted_atoms() {
    let all = numbers();
    let (x, planted) = (matrix(&all["x"]), matrix(&all["atoms"]));
    let fits: Vec<_> = (0..4)
        .map(|seed| DictionaryLearning::new(4, Sparsity::L1(0.1)).seed(seed).fit(&Device::cpu(), &x).unwrap())
        .collect();
    for f in &fits {
        assert!(f.report().trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-9)), "never rises");
        f.atoms().rows().into_iter().for_each(|a| assert!(a.dot(&a) <= 1.0 + 1e-12));
    }
    let best = fits.iter().min_by(|a, b| a.report().objective().total_cmp(&b.report().objective())).unwrap();
    assert!(best.report().objective() <= all["objective"].as_f64().unwrap() * 1.01, "{}", best.report());
    // Up to order and sign.
    for atom in planted.rows() {
        let nearest = best.atoms().rows().into_iter().map(|a| a.dot(&atom).abs()).fold(0.0, f64::max);
        assert!(nearest > 0.97, "{nearest}");
    }
}

#[test]
fn without_a_penalty_it_spans_the_principal_components() {
    let x = random(40, 2, 1).dot(&random(2, 5, 2)) + random(40, 5, 3) * 0.2;
    let x = &x - &x.mean_axis(Axis(0)).unwrap();
    let fitted = DictionaryLearning::new(2, Sparsity::L1(0.0))
        .max_iterations(500)
        .tolerance(1e-12)
        .fit(&Device::cpu(), &x)
        .unwrap();
    near(2.0 * fitted.report().objective(), full_factors(&x, 2).unwrap().error, 1e-3);
}

#[test]
fn one_hot_codes_are_k_means() {
    let centres = ndarray::array![[0.0, 0.0], [6.0, 1.0], [1.0, 7.0]];
    let noise = random(45, 2, 4);
    let x = Array2::from_shape_fn((45, 2), |(n, j)| centres[[n % 3, j]] + noise[[n, j]]);
    let fitted =
        DictionaryLearning::new(3, Sparsity::OneHot).start(centres.clone()).fit(&Device::cpu(), &x).unwrap();
    let z = fitted.transform(&x).unwrap();
    assert!(z.rows().into_iter().all(|r| r.sum() == 1.0 && r.iter().all(|v| *v == 0.0 || *v == 1.0)));
    let means = KMeans::new(3).seed(1).fit(&Device::cpu(), &x).unwrap();
    let clusters = means.predict(&x).unwrap();
    near(2.0 * fitted.report().objective(), inertia(&x, &clusters, means.centres()).unwrap(), 1e-9);
}

#[test]
fn bad_settings_are_errors() {
    let x = random(6, 3, 5);
    assert!(DictionaryLearning::new(0, Sparsity::OneHot).fit(&Device::cpu(), &x).is_err());
    assert!(DictionaryLearning::new(2, Sparsity::L1(-1.0)).fit(&Device::cpu(), &x).is_err());
    assert!(
        DictionaryLearning::new(2, Sparsity::L1(1.0)).start(random(2, 2, 1)).fit(&Device::cpu(), &x).is_err()
    );
    assert!(sparse_code(&random(2, 4, 1), &x, 0.1, SparseCoder::Ista).is_err());
}

/// Products beyond f64 are said, not returned as codes that are no numbers.
#[test]
fn codes_that_are_no_numbers_are_errors() {
    let huge = ndarray::array![[1e200, 1e200], [1e200, -1e200]];
    for coder in [SparseCoder::Ista, SparseCoder::Fista] {
        assert!(matches!(sparse_code(&huge, &huge, 0.1, coder), Err(Error::NotFinite { .. })));
        assert!(sparse_code(&random(2, 2, 1), &(&huge * 1e108), 0.1, coder).is_err());
    }
}
