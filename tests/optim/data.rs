//! A small least-squares problem that several tests share.

use ndarray::{Array1, Array2, Axis, aview1};

/// Forty rows of three features, one of them a constant, and targets with noise.
pub fn design() -> (Array2<f64>, Array1<f64>) {
    let x = Array2::from_shape_fn(
        (40, 3),
        |(i, j)| if j == 0 { 1.0 } else { ((7 * i + 3) as f64 * j as f64).sin() },
    );
    let y = Array1::from_shape_fn(40, |i| 0.5 + x[[i, 1]] - 2.0 * x[[i, 2]] + 0.2 * (11.0 * i as f64).cos());
    (x, y)
}

/// `½ (wᵀx - y)²` on the mean over these rows, and its gradient.
pub fn loss_of_rows(x: &Array2<f64>, y: &Array1<f64>, w: &[f64], rows: &[usize]) -> (f64, Vec<f64>) {
    let (mut value, mut gradient) = (0.0, Array1::<f64>::zeros(w.len()));
    for &i in rows {
        let left = x.row(i).dot(&aview1(w)) - y[i];
        value += 0.5 * left * left / rows.len() as f64;
        gradient.scaled_add(left / rows.len() as f64, &x.row(i));
    }
    (value, gradient.to_vec())
}

/// The minimum over all rows.
pub fn least_squares(x: &Array2<f64>, y: &Array1<f64>) -> Array1<f64> {
    let params = mercer::linalg::SpdParams::default();
    let b = x.t().dot(y).insert_axis(Axis(1));
    mercer::linalg::solve_spd(&mercer::Device::cpu(), x.t().dot(x).view(), b.view(), &params)
        .unwrap()
        .x
        .column(0)
        .to_owned()
}
