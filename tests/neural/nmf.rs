//! Non-negative factorisation.

use mercer::prelude::*;
use ndarray::array;

use crate::dictionary::{matrix, numbers};
use crate::near;

#[test]
fn the_error_is_that_of_scikit_learn() {
    let all = numbers();
    let x = matrix(&all["parts"]);
    let fits: Vec<_> = (0..4)
        .map(|seed| {
            Nmf::new(3).seed(seed).tolerance(1e-12).max_iterations(5000).fit(&Device::cpu(), &x).unwrap()
        })
        .collect();
    for f in &fits {
        assert!(f.report().trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-9)), "never rises");
        assert!(f.components().iter().all(|v| *v >= 0.0));
    }
    let best = fits.iter().map(|f| f.report().objective()).fold(f64::INFINITY, f64::min);
    assert!(best <= all["nmf"].as_f64().unwrap() * 1.02, "{best} {}", all["nmf"]);
}

/// From the same factors sweep after sweep is scikit-learn's coordinate descent: H, and the objective that W has with it.
#[test]
fn sweeps_from_given_factors_are_those_of_scikit_learn() {
    let all = numbers();
    let x = matrix(&all["parts"]);
    let start = (matrix(&all["nmf_start"]["w"]), matrix(&all["nmf_start"]["h"]));
    for want in all["nmf_sweeps"].as_array().unwrap() {
        let sweeps = want["sweeps"].as_u64().unwrap() as usize;
        let model = Nmf::new(3).start(start.clone()).tolerance(0.0).max_iterations(sweeps);
        let fitted = model.fit(&Device::cpu(), &x).unwrap();
        fitted.components().iter().zip(&matrix(&want["h"])).for_each(|(a, b)| near(*a, *b, 1e-10));
        near(fitted.report().objective(), want["objective"].as_f64().unwrap(), 1e-10);
        assert_eq!(fitted.report().iterations, sweeps);
    }
    let first = 0.5 * (&x - &start.0.dot(&start.1)).mapv(|v| v * v).sum();
    let none = Nmf::new(3).start(start.clone()).max_iterations(0).fit(&Device::cpu(), &x).unwrap();
    near(none.report().objective(), first, 1e-10);
    assert_eq!(none.components(), start.1);
    let (w, h) = &start;
    let refused = |w: ndarray::Array2<f64>, h: ndarray::Array2<f64>| {
        Nmf::new(3).start((w, h)).fit(&Device::cpu(), &x).is_err()
    };
    assert!(refused(h.clone(), w.clone()) && refused(-w, h.clone()) && refused(w * f64::NAN, h.clone()));
}

#[test]
fn a_product_of_parts_is_found_again() {
    let (w, h) =
        (array![[1.0, 0.0], [0.5, 2.0], [0.0, 1.0], [3.0, 1.0]], array![[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]);
    let x = w.dot(&h);
    let fitted = Nmf::new(2).tolerance(1e-14).max_iterations(20_000).fit(&Device::cpu(), &x).unwrap();
    let codes = fitted.transform(&x).unwrap();
    assert!(codes.iter().all(|v| *v >= 0.0));
    let back = fitted.inverse_transform(&codes).unwrap();
    back.iter().zip(&x).for_each(|(a, b)| near(*a, *b, 1e-3));
}

#[test]
fn negative_entries_are_errors() {
    assert!(Nmf::new(1).fit(&Device::cpu(), array![[1.0, -1.0]]).is_err());
    assert!(Nmf::new(0).fit(&Device::cpu(), array![[1.0, 1.0]]).is_err());
    let fitted = Nmf::new(1).fit(&Device::cpu(), array![[1.0, 1.0], [2.0, 2.0]]).unwrap();
    assert!(fitted.transform(array![[-1.0, 0.0]]).is_err());
    assert!(Nmf::new(1).fit(&Device::cpu(), array![[0.0, 0.0]]).is_ok(), "nothing to explain");
}
