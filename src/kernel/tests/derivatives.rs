//! Derivatives by every parameter, against central differences of the definition.

use super::zoo;
use crate::kernel::{Kernel, Packed, Scratch};
use proptest::prelude::*;

/// Weights with both signs and some zeros.
fn weights(n: usize, m: usize) -> Vec<f64> {
    (0..n * m).map(|e| if e % 7 == 3 { 0.0 } else { (e as f64 * 0.77).cos() }).collect()
}

/// Σ wᵢⱼ ∂kᵢⱼ/∂p by the reverse sweep.
fn reverse(k: &Kernel, n: usize, w: &[f64]) -> Vec<f64> {
    let x = zoo::points(n, 0.2);
    let program = k.program_for("test", 3).unwrap();
    let points = k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap();
    let packed = Packed::new(&points);
    let mut grad = vec![0.0; k.params().len()];
    let mut scratch = Scratch::default();
    program.tile_sum(&points, 0..n, &packed, 0..n, true, w, Some(&mut grad), &mut scratch);
    grad
}

/// The same sum, of the definition.
fn weighted_sum(k: &Kernel, n: usize, w: &[f64]) -> f64 {
    let x = zoo::points(n, 0.2);
    (0..n * n)
        .map(|e| {
            let (i, j) = (e / n, e % n);
            let (a, b) = (x.row(i).to_vec(), x.row(j).to_vec());
            w[e] * if i == j { k.variance(&a).unwrap() } else { k.value(&a, &b).unwrap() }
        })
        .sum()
}

fn difference(k: &Kernel, n: usize, w: &[f64], p: usize) -> f64 {
    let values: Vec<f64> = k.params().iter().map(|p| p.value).collect();
    let h = 1e-5 * values[p].abs().max(1e-2);
    let at = |v: f64| {
        let mut moved = values.clone();
        moved[p] = v;
        weighted_sum(&k.with_values(&moved).unwrap(), n, w)
    };
    if values[p] >= h || k.params()[p].scale == crate::kernel::Scale::Linear && k.params()[p].bounds.0 < 0.0 {
        (at(values[p] + h) - at(values[p] - h)) / (2.0 * h)
    } else {
        // At the edge of the domain: a one-sided formula of second order.
        (-3.0 * at(values[p]) + 4.0 * at(values[p] + h) - at(values[p] + 2.0 * h)) / (2.0 * h)
    }
}

#[test]
fn the_reverse_sweep_is_the_derivative() {
    let n = 11;
    let w = weights(n, n);
    for k in zoo::everything() {
        let grad = reverse(&k, n, &w);
        let size = 1.0 + weighted_sum(&k, n, &w).abs();
        for (p, param) in k.params().iter().enumerate() {
            let want = difference(&k, n, &w, p);
            assert!(
                (grad[p] - want).abs() < 2e-6 * (size + want.abs()),
                "{k}, {}: {} instead of {want}",
                param.name,
                grad[p]
            );
        }
    }
}

#[test]
fn closed_forms_of_single_pairs() {
    // r² = 0.36 + 0.64 = 1 between the two points in the first two features.
    let x = ndarray::array![[0.0, 0.0, 0.5], [0.6, 0.8, 0.5]];
    let slope = |k: &Kernel| {
        let program = k.program_for("test", 3).unwrap();
        let points = k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap();
        let mut grad = vec![0.0; k.params().len()];
        let w = [0.0, 1.0, 0.0, 0.0];
        program.tile_sum(
            &points,
            0..2,
            &Packed::new(&points),
            0..2,
            true,
            &w,
            Some(&mut grad),
            &mut Scratch::default(),
        );
        grad
    };
    let l: f64 = 0.8;
    let (s3, s5) = (3.0_f64.sqrt() / l, 5.0_f64.sqrt() / l);
    let gauss = (-0.5 / (l * l)).exp();
    let cases = [
        (Kernel::rbf(l), vec![gauss / l.powi(3)]),
        (Kernel::rbf([l, l, l]), vec![0.36 * gauss / l.powi(3), 0.64 * gauss / l.powi(3), 0.0]),
        (Kernel::matern12(l), vec![(-1.0 / l).exp() / (l * l)]),
        (Kernel::matern32(l), vec![3.0 / l.powi(3) * (-s3).exp()]),
        (Kernel::matern52(l), vec![5.0 / 3.0 / l.powi(3) * (1.0 + s5) * (-s5).exp()]),
        (Kernel::laplacian(l), vec![1.4 / (l * l) * (-1.4 / l).exp()]),
        (3.0 * Kernel::rbf(l), vec![gauss, 3.0 * gauss / l.powi(3)]),
        (Kernel::polynomial(3, 0.5), vec![3.0 * 0.75 * 0.75]),
        (Kernel::rational_quadratic_beta(2.0, 3.0), {
            let b: f64 = 4.0 / 3.0;
            vec![-b.ln() * b.powi(-2), 2.0 * b.powi(-3) / 9.0]
        }),
    ];
    for (k, want) in cases {
        for (g, w) in slope(&k).iter().zip(&want) {
            assert!((g - w).abs() < 1e-13, "{k}: {g} instead of {w}");
        }
    }
}

#[test]
fn equal_points_have_finite_slopes() {
    let x = ndarray::array![[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]];
    for k in zoo::everything() {
        let program = k.program_for("test", 3).unwrap();
        let points = k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap();
        let mut grad = vec![0.0; k.params().len()];
        program.tile_sum(
            &points,
            0..2,
            &Packed::new(&points),
            0..2,
            true,
            &[1.0; 4],
            Some(&mut grad),
            &mut Scratch::default(),
        );
        assert!(grad.iter().all(|g| g.is_finite()), "{k}: {grad:?}");
        if k.is_stationary() && k.params().iter().all(|p| p.name.contains("lengthscale")) {
            assert!(
                grad.iter().all(|g| *g == 0.0),
                "a length scale does not matter at distance 0: {k}: {grad:?}"
            );
        }
    }
}

#[test]
fn gradients_add_up_over_tiles() {
    let n = 23;
    let w = weights(n, n);
    for k in zoo::composites() {
        let x = zoo::points(n, 0.2);
        let program = k.program_for("test", 3).unwrap();
        let points = k.program_for("test", x.ncols()).unwrap().points("test", x.view()).unwrap();
        let packed = Packed::new(&points);
        let mut grad = vec![0.0; k.params().len()];
        let mut scratch = Scratch::default();
        for r in (0..n).step_by(5) {
            for c in (0..n).step_by(9) {
                let (rows, cols) = (r..(r + 5).min(n), c..(c + 9).min(n));
                let part: Vec<f64> = rows
                    .clone()
                    .flat_map(|i| cols.clone().map(move |j| (i, j)))
                    .map(|(i, j)| w[i * n + j])
                    .collect();
                program.tile_sum(&points, rows, &packed, cols, true, &part, Some(&mut grad), &mut scratch);
            }
        }
        for (a, b) in grad.iter().zip(reverse(&k, n, &w)) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{k}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn random_expressions_have_the_right_derivatives(k in zoo::expression()) {
        let n = 5;
        let w = weights(n, n);
        let grad = reverse(&k, n, &w);
        let x = zoo::points(n, 0.2);
        // Differences of huge values are too coarse to judge by.
        let size: f64 = (0..n).map(|i| k.variance(&x.row(i).to_vec()).unwrap().abs()).sum();
        prop_assume!(size < 1e6);
        for (p, g) in grad.iter().enumerate() {
            let want = difference(&k, n, &w, p);
            prop_assert!((g - want).abs() < 1e-4 * (1.0 + want.abs()) + 1e-5 * size, "{}: {} instead of {}", k, g, want);
        }
    }
}
