use mercer::linalg::{EigenParams, Eigenpairs, KernelOperator, Operator, Stored, eigh, leading_eigenpairs};
use mercer::ops::gram;
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2};

use crate::support::{on, random};
use crate::{everywhere, norm, orthogonal, relative, with_spectrum};

fn random_symmetric(n: usize, seed: u64) -> Array2<f64> {
    let a = random(n, n, seed);
    (&a + &a.t()) * 0.5
}

#[test]
fn the_full_decomposition_is_one() {
    for n in [1, 2, 37, 150] {
        let a = random_symmetric(n, 81);
        let e = eigh(a.view()).unwrap();
        let v = &e.vectors;
        assert!(norm(&(v.t().dot(v) - Array2::<f64>::eye(n))) < 1e-12);
        assert!(relative(&(v * &e.values).dot(&v.t()), &a) < 1e-13, "n = {n}");
        assert!(e.values.windows(2).into_iter().all(|w| w[0] >= w[1]), "descending");
    }
}

/// The pairs are eigenpairs, orthonormal, the leading ones, and as good as they say.
#[track_caller]
fn check(a: &Array2<f64>, top: &Eigenpairs, bound: f64, what: &str) {
    let k = top.values.len();
    let want = eigh(a.view()).unwrap();
    let size = want.values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    for i in 0..k {
        let off = (top.values[i] - want.values[i]).abs() / size;
        assert!(off < bound, "{what}: eigenvalue {i} is {} and not {}", top.values[i], want.values[i]);
    }
    let v = &top.vectors;
    assert!(norm(&(v.t().dot(v) - Array2::<f64>::eye(k))) < 1e-10, "{what}: orthonormal");
    let rest = a.dot(v) - v * &top.values;
    for i in 0..k {
        let r = rest.column(i).dot(&rest.column(i)).sqrt();
        assert!(r <= top.residuals[i] + bound * size, "{what}: residual {r:e}, said {:e}", top.residuals[i]);
        assert!(r <= 30.0 * bound * size, "{what}: residual {r:e}");
    }
}

#[test]
fn leading_pairs_are_those_of_the_full_decomposition() {
    let n = 160;
    let spectrum = |f: &dyn Fn(usize) -> f64| with_spectrum(&Array1::from_shape_fn(n, f), 82);
    let x = random(n, 2, 83);
    let half = random(n, 5, 84);
    let rbf = gram(&Kernel::rbf(0.4), &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    let cases = [
        ("random", random_symmetric(n, 85)),
        ("decaying", spectrum(&|i| 0.8f64.powf(i as f64))),
        ("clustered", spectrum(&|i| if i < 8 { 1.0 - 1e-4 * i as f64 } else { 0.5 / i as f64 })),
        ("repeated", spectrum(&|i| if i < 6 { 2.0 } else { 1.0 / (i as f64) })),
        ("negative", spectrum(&|i| -1.0 - i as f64)),
        ("large and negative", spectrum(&|i| if i < 10 { -50.0 } else { 1.0 / (1.0 + i as f64) })),
        ("of rank 5", half.dot(&half.t())),
        ("minus rank 5", -half.dot(&half.t())),
        ("RBF", rbf),
        ("identity", Array2::eye(n)),
        ("zero", Array2::zeros((n, n))),
    ];
    for (what, a) in &cases {
        for device in everywhere() {
            let (tolerance, bound) = if device.is_gpu() { (1e-5, 1e-5) } else { (1e-11, 1e-11) };
            let op = Stored::new(&on(&device, a)).unwrap();
            let params = EigenParams::new().tolerance(Some(tolerance));
            let top =
                leading_eigenpairs(&op, 6, &params).unwrap_or_else(|e| panic!("{what} on {device}: {e}"));
            println!("{what}: {} blocks on {device}", top.iterations);
            check(a, &top, bound, &format!("{what} on {device}"));
        }
    }
}

#[test]
fn a_kernel_operator_is_decomposed_without_being_stored() {
    let n = 200;
    let x = random(n, 2, 86);
    let kernel = Kernel::rbf(0.5) + Kernel::white(0.1);
    let a = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    for device in everywhere() {
        let op = KernelOperator::new(&kernel, &on(&device, &x), 0.0).unwrap();
        let top = leading_eigenpairs(&op, 10, &EigenParams::default()).unwrap();
        println!("kernel: {} blocks on {device}", top.iterations);
        check(&a, &top, if device.is_gpu() { 1e-5 } else { 1e-10 }, &format!("{device}"));
    }
}

#[test]
fn any_number_of_pairs_up_to_all_of_them() {
    for n in [1, 3, 70] {
        let a = random_symmetric(n, 87);
        let op = Stored::new(&on(&Device::cpu(), &a)).unwrap();
        for k in [1, n / 3 + 1, n] {
            let top = leading_eigenpairs(&op, k.min(n), &EigenParams::default()).unwrap();
            check(&a, &top, 1e-10, &format!("{k} of {n}"));
        }
    }
}

#[test]
fn the_seed_decides_and_the_limits_hold() {
    let a = random_symmetric(150, 88);
    let op = Stored::new(&on(&Device::cpu(), &a)).unwrap();
    let params = EigenParams::default();
    assert_eq!(leading_eigenpairs(&op, 3, &params), leading_eigenpairs(&op, 3, &params), "the same bits");
    let short = params.max_iterations(2);
    let e = leading_eigenpairs(&op, 3, &short);
    assert!(matches!(e, Err(Error::NoConvergence { op: "leading_eigenpairs", iterations: 2, .. })), "{e:?}");
    for k in [0, 151] {
        assert!(matches!(leading_eigenpairs(&op, k, &params), Err(Error::Parameter { .. })));
    }
    let bad = params.tolerance(Some(0.0));
    assert!(matches!(leading_eigenpairs(&op, 3, &bad), Err(Error::Parameter { .. })));
    assert_eq!(op.dim(), 150);
    assert!(relative(&orthogonal(150, 1).t().dot(&orthogonal(150, 1)), &Array2::eye(150)) < 1e-13);
}
