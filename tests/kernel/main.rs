//! Kernels through the public door: reference values, construction rules, parameters, bad input.

mod algebra;
mod extremes;
mod input;
mod params;
mod properties;
mod reference;
#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array2, ArrayView2};

use mercer::Kernel;

/// The Gram matrix by the definition.
fn gram(k: &Kernel, x: ArrayView2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let (a, b) = (x.row(i).to_vec(), x.row(j).to_vec());
        if i == j { k.variance(&a).unwrap() } else { k.value(&a, &b).unwrap() }
    })
}

/// Eigenvalues of a symmetric matrix, smallest first.
fn eigenvalues(a: &Array2<f64>) -> Vec<f64> {
    let m = faer::Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)]);
    m.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} instead of {want}");
}

/// Scattered points, the same in every run.
fn points(n: usize, d: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, f)| ((i as f64 + 0.7) * (1.9 + 0.83 * f as f64)).sin() * 1.5)
}
