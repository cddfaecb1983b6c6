//! Sparse processes: theorems, explicit formulas, derivatives.

use mercer::linalg::{SpdFactor, SpdParams, eigh};
use mercer::models::gp::{
    FittedSparseGp, Inducing, Predictive, SparseEvidence, SparseGpRegressor, SparseMethod,
};
use mercer::ops::gram;
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, s};

use crate::support::{on, random};

pub const METHODS: [SparseMethod; 3] = [SparseMethod::Variational, SparseMethod::Dtc, SparseMethod::Fitc];

/// Wavy data with a little noise.
pub fn data(n: usize, d: usize, p: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let x = random(n, d, seed) * 2.0;
    let noise = random(n, p, seed + 1000);
    let y = Array2::from_shape_fn((n, p), |(i, o)| {
        x.row(i).iter().enumerate().map(|(f, v)| ((1.3 + f as f64 + o as f64) * v).sin()).sum::<f64>()
            + 0.2 * noise[[i, o]]
    });
    (x, y)
}

pub fn sparse(kernel: &Kernel, noise: f64, z: &Array2<f64>, method: SparseMethod) -> SparseGpRegressor {
    SparseGpRegressor::new(kernel.clone(), Inducing::Given(z.clone()))
        .noise(noise)
        .method(method)
        .jitter(1e-10)
}

fn exact(kernel: &Kernel, x: &Array2<f64>, y: &Array2<f64>, noise: f64) -> f64 {
    let f = SpdFactor::of_kernel(&Device::cpu(), kernel, x.view(), noise, &SpdParams::default()).unwrap();
    let alpha = f.solve(y.view()).unwrap().x;
    let each = f.log_det().unwrap() + x.nrows() as f64 * std::f64::consts::TAU.ln();
    -0.5 * ((&alpha * y).sum() + y.ncols() as f64 * each)
}

fn value(model: &SparseGpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> SparseEvidence {
    model.evidence(&Device::cpu(), x.view(), y.view()).unwrap()
}

#[test]
fn the_bound_is_below_the_likelihood_and_meets_it_at_the_data() {
    for (kernel, d) in [
        (1.5 * Kernel::rbf([0.8, 1.1]), 2),
        (Kernel::matern32(0.9) + 0.5 * Kernel::linear(), 3),
        (Kernel::matern12(0.7) * Kernel::constant(2.0), 1),
    ] {
        for p in [1, 2] {
            let (x, y) = data(45, d, p, 7);
            let want = exact(&kernel, &x, &y, 0.1);
            let mut last = f64::NEG_INFINITY;
            // Nested sets: more points never loosen the bound.
            for m in [1, 4, 12, 30, 45] {
                let z = x.slice(s![..m, ..]).to_owned();
                let bound = value(&sparse(&kernel, 0.1, &z, SparseMethod::Variational), &x, &y).value;
                assert!(bound <= want + 1e-6, "{kernel}, m = {m}: {bound} above {want}");
                assert!(bound >= last - 1e-6, "{kernel}, m = {m}: {bound} after {last}");
                last = bound;
            }
            assert!((last - want).abs() < 1e-5 * want.abs(), "{kernel}: {last} instead of {want}");
            let away = random(10, d, 77) * 2.0;
            let bound = value(&sparse(&kernel, 0.1, &away, SparseMethod::Variational), &x, &y).value;
            assert!(bound < want);
        }
    }
}

#[test]
fn with_all_points_inducing_predictions_are_exact() {
    let (x, y) = data(40, 2, 1, 8);
    let kernel = 1.3 * Kernel::matern52([0.9, 1.4]);
    let new = random(25, 2, 9) * 2.5;
    let cpu = Device::cpu();
    let f = SpdFactor::of_kernel(&cpu, &kernel, x.view(), 0.05, &SpdParams::default()).unwrap();
    let cross = gram(&kernel, &on(&cpu, &new), Some(&on(&cpu, &x))).unwrap().to_array().unwrap();
    let mean = cross.dot(&f.solve(y.view()).unwrap().x);
    let solved = f.solve(cross.t()).unwrap().x;
    for method in METHODS {
        let gp = sparse(&kernel, 0.05, &x, method).fit(&cpu, x.view(), y.view()).unwrap();
        assert!(gp.unexplained() < 1e-6 && gp.search().is_none());
        let found = gp.predict_with(new.view(), Predictive::Latent).unwrap();
        let noisy = gp.predict_with(new.view(), Predictive::Observed).unwrap();
        for i in 0..25 {
            let variance = 1.3 - cross.row(i).dot(&solved.column(i));
            assert!((found.mean[[i, 0]] - mean[[i, 0]]).abs() < 1e-6, "{method:?} {i}");
            assert!((found.variance[i] - variance).abs() < 1e-6, "{method:?} {i}");
            assert!((noisy.variance[i] - found.variance[i] - 0.05).abs() < 1e-15);
        }
        assert_eq!(found.mean, noisy.mean);
        assert_eq!(found.mean, gp.predict(new.view()).unwrap());
    }
}

fn inverse(a: &Array2<f64>) -> (Array2<f64>, f64) {
    let e = eigh(a.view()).unwrap();
    ((&e.vectors / &e.values).dot(&e.vectors.t()), e.values.iter().map(|v| v.ln()).sum())
}

/// The textbook, n x n and inverses and all.
#[test]
fn the_three_methods_are_their_explicit_formulas() {
    let (x, y) = data(35, 2, 2, 10);
    let (z, new) = (random(8, 2, 11) * 1.8, random(9, 2, 12) * 2.0);
    let (kernel, noise, cpu) = (0.8 * Kernel::rbf(0.9) + Kernel::linear().pow(2), 0.07, Device::cpu());
    let k = |a: &Array2<f64>, b: &Array2<f64>| {
        gram(&kernel, &on(&cpu, a), Some(&on(&cpu, b))).unwrap().to_array().unwrap()
    };
    let (zz, zx, xx, zn, nn) = (k(&z, &z), k(&z, &x), k(&x, &x), k(&z, &new), k(&new, &new));
    let (zz_inverse, _) =
        inverse(&((&zz + &zz.t()) / 2.0 + Array2::<f64>::eye(8) * 1e-10 * zz.diag().mean().unwrap()));
    let q = zx.t().dot(&zz_inverse).dot(&zx);
    let rest = (&xx - &q).diag().to_owned();
    for method in METHODS {
        let mut lambda = Array1::from_elem(35, noise);
        if method == SparseMethod::Fitc {
            lambda += &rest;
        }
        let c = &q + &Array2::from_diag(&lambda);
        let (c_inverse, log_det) = inverse(&((&c + &c.t()) / 2.0));
        let fit = (&y * &c_inverse.dot(&y)).sum();
        let mut want = -0.5 * (fit + 2.0 * (log_det + 35.0 * std::f64::consts::TAU.ln()));
        if method == SparseMethod::Variational {
            want -= 2.0 * rest.sum() / (2.0 * noise);
        }
        let model = sparse(&kernel, noise, &z, method);
        let got = value(&model, &x, &y).value;
        assert!((got - want).abs() < 1e-7 * want.abs(), "{method:?}: {got} instead of {want}");
        let weighted = &zx / &lambda;
        let (sigma, _) = inverse(&(&zz + &weighted.dot(&zx.t())));
        let mean = zn.t().dot(&sigma).dot(&weighted).dot(&y);
        let spread = &nn - &zn.t().dot(&zz_inverse).dot(&zn) + zn.t().dot(&sigma).dot(&zn);
        let gp = model.fit(&cpu, x.view(), y.view()).unwrap();
        let found = gp.predict_with(new.view(), Predictive::Latent).unwrap();
        assert!((&found.mean - &mean).iter().all(|v| v.abs() < 1e-6), "{method:?}");
        assert!((&found.variance - &spread.diag()).iter().all(|v| v.abs() < 1e-6), "{method:?}");
    }
}

#[test]
fn chunks_do_not_matter() {
    let (x, y) = data(150, 2, 2, 13);
    let kernel = 1.2 * Kernel::matern52(0.8);
    let z = random(11, 2, 14) * 1.5;
    for method in METHODS {
        let whole = value(&sparse(&kernel, 0.1, &z, method), &x, &y);
        for rows in [1, 7, 64, 149] {
            let parts = value(&sparse(&kernel, 0.1, &z, method).chunk(rows), &x, &y);
            assert!((parts.value - whole.value).abs() < 1e-9 * whole.value.abs(), "{method:?} {rows}");
            assert!((parts.by_noise - whole.by_noise).abs() < 1e-8 * whole.by_noise.abs());
            let scale = whole.by_inducing.iter().fold(1f64, |s, v| s.max(v.abs()));
            assert!((&parts.by_inducing - &whole.by_inducing).iter().all(|v| v.abs() < 1e-8 * scale));
            for (a, b) in parts.by_params.iter().zip(&whole.by_params) {
                assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{method:?} {rows}: {a} {b}");
            }
        }
    }
}

/// Every derivative against central differences, the jitter's own share included.
#[test]
fn the_gradient_is_the_gradient() {
    let kernels = [
        1.4 * Kernel::rbf([0.9, 1.2]),
        0.7 * Kernel::matern52(0.8) + 0.3 * Kernel::linear_weighted([0.5, 0.8]),
        Kernel::periodic(1.1, 2.3) * Kernel::rational_quadratic(1.5, 0.8) + Kernel::polynomial(2, 0.4),
        Kernel::arcsine(1.2, 0.5) + Kernel::constant(0.3),
    ];
    let (x, y) = data(50, 2, 2, 15);
    let z = random(7, 2, 16) * 1.7;
    for kernel in kernels {
        for method in METHODS {
            for jitter in [1e-8, 1e-2] {
                let at = |kernel: &Kernel, noise: f64, z: &Array2<f64>| {
                    value(&sparse(kernel, noise, z, method).jitter(jitter).chunk(20), &x, &y)
                };
                let noise = 0.15;
                let got = at(&kernel, noise, &z);
                let close = |got: f64, up: f64, down: f64, h: f64, what: &str| {
                    let want = (up - down) / (2.0 * h);
                    let off = (got - want).abs() / (1.0 + want.abs());
                    assert!(off < 2e-5, "{kernel} {method:?} by {what}: {got} instead of {want}");
                };
                let values: Vec<f64> = kernel.params().iter().map(|p| p.value).collect();
                for (i, p) in kernel.params().iter().enumerate() {
                    let moved = |by: f64| {
                        let mut v = values.clone();
                        v[i] += by;
                        at(&kernel.with_values(&v).unwrap(), noise, &z).value
                    };
                    close(got.by_params[i], moved(1e-5), moved(-1e-5), 1e-5, &p.name);
                }
                let h = 1e-6;
                close(
                    got.by_noise,
                    at(&kernel, noise + h, &z).value,
                    at(&kernel, noise - h, &z).value,
                    h,
                    "noise",
                );
                for i in [0, 3, 6] {
                    for f in 0..2 {
                        let moved = |by: f64| {
                            let mut z = z.clone();
                            z[[i, f]] += by;
                            at(&kernel, noise, &z).value
                        };
                        close(got.by_inducing[[i, f]], moved(1e-5), moved(-1e-5), 1e-5, "z");
                    }
                }
            }
        }
    }
}

#[test]
fn the_bound_is_dtc_less_its_penalty() {
    let (x, y) = data(60, 1, 1, 17);
    let (kernel, z, noise) = (Kernel::rbf(0.5), random(6, 1, 18), 0.1);
    let fitted = |m| sparse(&kernel, noise, &z, m).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let (bound, dtc) = (fitted(SparseMethod::Variational), fitted(SparseMethod::Dtc));
    let penalty = bound.unexplained() / (2.0 * noise);
    let gap = dtc.log_evidence() - bound.log_evidence();
    assert!((gap - penalty).abs() < 1e-8 * penalty && penalty > 1.0);
    let new = random(5, 1, 19);
    let at = |gp: &FittedSparseGp| gp.predict_with(new.view(), Predictive::Latent).unwrap();
    assert_eq!(at(&bound), at(&dtc), "they differ in the likelihood, not in the posterior");
}
