//! Weights for a test set of another distribution.

use mercer::learn::loss::{effective_sample_size, importance_weights};
use mercer::models::linear::density_ratio;
use ndarray::{Array1, array};

use crate::near;
use crate::support::random;

/// AA.5: weights of one where the distributions agree, and an unbiased risk where they do not.
#[test]
fn importance_weights_move_the_risk() {
    let same = importance_weights(array![-1.0, -2.0, -3.0].view(), array![-1.5, -2.5, -3.5].view()).unwrap();
    near(&same, &array![1.0, 1.0, 1.0], 1e-15, "equal densities");
    assert_eq!(effective_sample_size(same.view()).unwrap(), 3.0);
    assert!((effective_sample_size(array![1.0, 0.0, 0.0].view()).unwrap() - 1.0).abs() < 1e-15);
    // Train uniform on [-1, 1], test with density (1 + x)/2: the weighted mean of x² is 1/3, of x also.
    let x = Array1::from_shape_fn(2000, |i| (i as f64 + 0.5) / 1000.0 - 1.0);
    let w = importance_weights(
        x.mapv(|x| (0.5 * (1.0 + x)).ln()).view(),
        Array1::from_elem(2000, 0.5f64.ln()).view(),
    )
    .unwrap();
    assert!(((&w * &x).sum() / 2000.0 - 1.0 / 3.0).abs() < 1e-3);
    assert!(((&w * &x * &x).sum() / 2000.0 - 1.0 / 3.0).abs() < 1e-3);
    // Unknown densities: samples that agree have equal weights, a shifted one weighs what lies towards it.
    let train = random(300, 1, 9);
    let near_one = density_ratio(&train, &train, 0.01).unwrap();
    near(&near_one, &Array1::ones(300), 1e-6, "the same sample");
    let shifted = density_ratio(&train, &(&random(300, 1, 10) * 0.5 + 0.5), 0.001).unwrap();
    let mean = (&shifted * &train.column(0)).sum() / 300.0;
    assert!(mean > 0.3 && effective_sample_size(shifted.view()).unwrap() < 250.0);
}
