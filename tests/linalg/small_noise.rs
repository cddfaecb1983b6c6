//! Log-determinants under little noise, against the same in twice the digits.

use mercer::linalg::{
    Covariance, KernelOperator, LogDetParams, LowRankPlusDiagonal, Preconditioner, lanczos_log_det,
    pivoted_cholesky,
};
use mercer::{Device, Kernel};
use ndarray::{ArrayView1, Axis};

use crate::double_double::Double;
use crate::support::{on, random};

type Function = fn(ArrayView1<f64>, ArrayView1<f64>) -> Double;

fn squared(a: ArrayView1<f64>, b: ArrayView1<f64>) -> Double {
    a.iter().zip(b).fold(Double::from(0.0), |sum, (x, y)| {
        let off = Double::from(*x) - Double::from(*y);
        sum + off * off
    })
}

fn rbf(a: ArrayView1<f64>, b: ArrayView1<f64>) -> Double {
    (-squared(a, b) * Double::from(0.5)).exp()
}

fn matern52(a: ArrayView1<f64>, b: ArrayView1<f64>) -> Double {
    let s = (squared(a, b) * Double::from(5.0)).sqrt();
    (Double::from(1.0) + s + s * s / Double::from(3.0)) * (-s).exp()
}

fn matern12(a: ArrayView1<f64>, b: ArrayView1<f64>) -> Double {
    (-squared(a, b).sqrt()).exp()
}

/// `log det A` from `A = L D Lᵀ`; of A only the lower triangle.
fn log_det(mut a: Vec<Vec<Double>>) -> f64 {
    let mut sum = 0.0;
    for j in 0..a.len() {
        let pivot = a[j][j];
        assert!(pivot.0 > 0.0, "not positive definite in twice the digits: pivot {j}");
        sum += pivot.0.ln() + pivot.1 / pivot.0;
        let column: Vec<Double> = a[j + 1..].iter().map(|row| row[j]).collect();
        for (i, row) in a[j + 1..].iter_mut().enumerate() {
            let factor = column[i] / pivot;
            for (k, v) in row[j + 1..=j + 1 + i].iter_mut().enumerate() {
                *v = *v - factor * column[k];
            }
        }
    }
    sum
}

fn with_noise(k: &[Vec<Double>], noise: impl Fn(usize) -> f64) -> Vec<Vec<Double>> {
    let mut c = k.to_vec();
    (0..c.len()).for_each(|i| c[i][i] = c[i][i] + Double::from(noise(i)));
    c
}

/// From noise that is plain to see to noise that f64 hardly tells from zero beside K: an estimate is off by a few of its
/// standard errors. Where the preconditioner is all of C nothing is left to chance, and next to nothing to rounding as
/// long as K itself has no eigenvalue near it.
#[test]
fn the_standard_error_counts_what_rounding_does() {
    let cases: [(&str, Kernel, Function, usize, usize); 4] = [
        ("rbf", Kernel::rbf(1.0), rbf, 1, 100),
        ("rbf", Kernel::rbf(1.0), rbf, 2, 100),
        ("matern52", Kernel::matern52(1.0), matern52, 2, 130),
        ("matern12", Kernel::matern12(1.0), matern12, 2, 100),
    ];
    for (name, kernel, function, d, n) in cases {
        let x = random(n, d, 5) * 3.0;
        let k: Vec<Vec<Double>> =
            x.rows().into_iter().map(|a| x.rows().into_iter().map(|b| function(a, b)).collect()).collect();
        for noise in [1e-4, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14] {
            let want = log_det(with_noise(&k, |_| noise));
            let a = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), noise).unwrap();
            let low_rank = pivoted_cholesky(&a.without_noise(), n, 1e-10).unwrap();
            let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
            for seed in 0..3 {
                let what = format!("{name}, {d} features, noise {noise:e}, seed {seed}");
                let params = LogDetParams::new().seed(seed);
                let found = lanczos_log_det(&a, &m, &params).unwrap_or_else(|e| panic!("{what}: {e}"));
                let off = (found.value - want).abs();
                // Beside the rounding of the sum itself, which is of the size of the answer.
                let allowed = 5.0 * found.standard_error + 1e-11 * want.abs();
                assert!(off <= allowed, "{what}: off by {off:e}, {found:?} for {want}");
                if low_rank.rank() == n {
                    assert!(off < 1e-7, "{what}: off by {off:e}, {found:?}");
                }
                assert!(found.rounding <= found.standard_error, "{what}: {found:?}");
            }
        }
    }
}

/// `M⁻¹` undoes M, in the norm that it defines, where Woodbury's identity by itself has nothing left.
#[test]
fn the_inverse_of_a_preconditioner_under_little_noise() {
    let n = 100;
    let x = random(n, 2, 5) * 3.0;
    for noise in [1e-6, 1e-10, 1e-13] {
        let a = KernelOperator::new(&Kernel::rbf(1.0), &on(&Device::cpu(), &x), noise).unwrap();
        let low_rank = pivoted_cholesky(&a.without_noise(), n, 0.0).unwrap();
        let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
        let f = &low_rank.factor;
        let dense: Vec<Vec<Double>> = (0..n)
            .map(|i| {
                let entry = |j: usize| {
                    f.row(i)
                        .iter()
                        .zip(f.row(j))
                        .fold(Double::from(0.0), |sum, (a, b)| sum + Double::from(*a) * Double::from(*b))
                };
                (0..n).map(entry).collect()
            })
            .collect();
        let want = log_det(with_noise(&dense, |_| noise));
        assert!((m.log_det().unwrap() - want).abs() < 1e-9, "noise {noise:e}");
        // `zᵀM⁻¹z = n` for a z that is a root of M times signs.
        let z = m.draw(n, 20, 3).unwrap();
        let s = m.solve(z.view()).unwrap();
        for size in (&z * &s).sum_axis(Axis(0)) {
            assert!((size / n as f64 - 1.0).abs() < 1e-7, "noise {noise:e}: {size} for {n}");
        }
    }
}

/// A few observations of hardly any noise among noisy ones tower above them in `F'ᵀF'`, whose rounding is theirs: the
/// standard error says so.
#[test]
fn uneven_noise_is_counted_too() {
    let n = 40;
    let x = random(n, 2, 7) * 3.0;
    let k: Vec<Vec<Double>> =
        x.rows().into_iter().map(|a| x.rows().into_iter().map(|b| rbf(a, b)).collect()).collect();
    for (quiet, noise) in [(1, 1e-12), (5, 1e-12), (5, 1e-10), (20, 1e-8)] {
        let each = |i: usize| if i < quiet { noise } else { 1.0 };
        let want = log_det(with_noise(&k, each));
        let noises: Vec<f64> = (0..n).map(each).collect();
        let a = KernelOperator::new(&Kernel::rbf(1.0), &on(&Device::cpu(), &x), noises).unwrap();
        let low_rank = pivoted_cholesky(&a.without_noise(), n, 0.0).unwrap();
        let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
        let found = lanczos_log_det(&a, &m, &LogDetParams::default()).unwrap();
        let off = (found.value - want).abs();
        let what = format!("{quiet} of {noise:e}: off by {off:e}, {found:?} for {want}");
        assert!(off <= 5.0 * found.standard_error + 1e-11 * want.abs(), "{what}");
        // And not out of all proportion.
        assert!(found.rounding < 1e-2, "{what}");
    }
}
