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
