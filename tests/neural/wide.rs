//! Random networks become Gaussian processes as they widen.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::near;

fn kurtosis(a: &Array2<f64>, column: usize) -> f64 {
    let c = a.column(column);
    let second = c.mapv(|v| v * v).mean().unwrap();
    c.mapv(|v| v.powi(4)).mean().unwrap() / (second * second)
}

/// At every width the covariance is that of the arcsine kernel; what tends to a Gaussian is the law.
#[test]
fn the_covariance_is_the_arcsine_kernel_and_the_law_becomes_normal() {
    let x = array![[0.5], [-0.3]];
    let points = Matrix::from_array(&Device::cpu(), x.view()).unwrap();
    let k = mercer::ops::gram(&Kernel::arcsine(4.0, 1.0), &points, None).unwrap().to_array().unwrap();
    near(k[[0, 1]], 0.118778, 1e-6);
    near(k[[0, 0]], 0.590334, 1e-6);
    let law = |width: usize| {
        RandomNetwork::new(width, Activation::Erf).weight_variance(4.0).functions(&x, 6000, 3).unwrap()
    };
    let (narrow, wide) = (law(1), law(40));
    for f in [&narrow, &wide] {
        let covariance = f.t().dot(f) / 6000.0;
        covariance.iter().zip(&k).for_each(|(c, k)| near(*c, *k, 0.05));
    }
    let (one, forty) = (kurtosis(&narrow, 0), kurtosis(&wide, 0));
    assert!(one > 3.7, "{one}");
    near(forty, 3.0, 0.25);
    // Jointly normal: so is a sum of the two values.
    let sum = Array2::from_shape_fn((6000, 1), |(n, _)| wide[[n, 0]] - 0.7 * wide[[n, 1]]);
    near(kurtosis(&sum, 0), 3.0, 0.25);
}

/// An output bias adds its variance to every covariance, and the weights from hidden units scale the rest.
#[test]
fn the_output_has_its_own_variances() {
    let x = array![[0.5], [-0.3]];
    let law = RandomNetwork::new(30, Activation::Erf)
        .weight_variance(4.0)
        .output_variance(9.0)
        .output_bias_variance(2.0)
        .functions(&x, 20_000, 5)
        .unwrap();
    let covariance = law.t().dot(&law) / 20_000.0;
    near(covariance[[0, 1]], 2.0 + 9.0 * 0.118778, 0.15);
    near(covariance[[0, 0]], 2.0 + 9.0 * 0.590334, 0.25);
    let law = RandomNetwork::new(3, Activation::Erf).output_variance(0.0).output_bias_variance(1.0);
    let f = law.functions(&x, 50, 1).unwrap();
    assert!(f.rows().into_iter().all(|f| f[0] == f[1]), "only the bias is left");
    assert!(law.output_bias_variance(-1.0).functions(&x, 2, 1).is_err());
}

#[test]
fn bad_settings_are_errors() {
    assert!(RandomNetwork::new(0, Activation::Erf).functions(array![[0.0]], 2, 1).is_err());
    assert!(
        RandomNetwork::new(2, Activation::Erf).weight_variance(-1.0).functions(array![[0.0]], 2, 1).is_err()
    );
    assert!(RandomNetwork::new(2, Activation::Erf).functions(array![[f64::NAN]], 2, 1).is_err());
}
