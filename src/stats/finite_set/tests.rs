//! Derivatives of the statistics by every location and width, against central differences.

use ndarray::{Array2, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::features::SetFeatures;
use super::studentised::{dependence, two_samples};
use crate::{Device, Matrix};

fn uniform(rows: usize, cols: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((rows, cols), |_| rng.random::<f64>() * 2.0 - 1.0)
}

fn on_cpu(a: &Array2<f64>) -> Matrix {
    Matrix::from_array(&Device::cpu(), a.view()).unwrap()
}

/// Every entry of the gradient of `f` at `theta`, against `(f(θ + h) - f(θ - h)) / 2h`.
fn check(theta: &[f64], f: impl Fn(&[f64]) -> (f64, Vec<f64>)) {
    let (_, gradient) = f(theta);
    for (i, g) in gradient.iter().enumerate() {
        let at = |h: f64| {
            let mut moved = theta.to_vec();
            moved[i] += h;
            f(&moved).0
        };
        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!(
            (g - difference).abs() < 1e-5 * (1.0 + difference.abs()),
            "[{i}]: {g} and should be {difference}"
        );
    }
}

#[test]
fn two_sample_statistics() {
    let (x, y) = (on_cpu(&uniform(40, 3, 1)), on_cpu(&(uniform(25, 3, 2) * 0.7 + 0.2)));
    let mut theta: Vec<f64> = uniform(4, 3, 3).into_iter().collect();
    theta.push(-0.2);
    for features in [SetFeatures::Places, SetFeatures::Waves] {
        check(&theta, |theta| {
            let (fx, fy) = (features.of(&x, theta).unwrap(), features.of(&y, theta).unwrap());
            let t = two_samples(&fx, &fy).unwrap();
            let by_x = features.pull(&x, &fx, theta, &t.by_x);
            let by_y = features.pull(&y, &fy, theta, &t.by_y);
            (t.value, by_x.iter().zip(by_y).map(|(a, b)| a + b).collect())
        });
    }
}

#[test]
fn independence_statistic() {
    let x = uniform(50, 2, 4);
    let y = &x.slice(s![.., ..1]).mapv(|v| v * v) + &(uniform(50, 1, 5) * 0.3);
    let (x, y) = (on_cpu(&x), on_cpu(&y));
    let theta: Vec<f64> = uniform(3, 2, 6).into_iter().chain([-0.3]).chain([0.1, 0.5, 0.9, -0.5]).collect();
    check(&theta, |theta| {
        let (of_x, of_y) = theta.split_at(7);
        let (fx, fy) = (SetFeatures::Places.of(&x, of_x).unwrap(), SetFeatures::Places.of(&y, of_y).unwrap());
        let t = dependence(&fx, &fy).unwrap();
        let mut gradient = SetFeatures::Places.pull(&x, &fx, of_x, &t.by_x);
        gradient.extend(SetFeatures::Places.pull(&y, &fy, of_y, &t.by_y));
        (t.value, gradient)
    });
}
