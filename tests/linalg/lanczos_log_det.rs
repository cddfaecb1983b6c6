use std::ops::ControlFlow;

use mercer::linalg::{
    Covariance, Identity, Jacobi, Jitter, KernelOperator, LogDetParams, LowRank, LowRankPlusDiagonal,
    Preconditioner, SpdFactor, SpdParams, Stored, lanczos_log_det, nystrom, pivoted_cholesky,
};
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array1, Array2, Axis};

use crate::support::{on, random};
use crate::{conditioned, everywhere, with_spectrum};

fn dense(kernel: &Kernel, x: &Array2<f64>, noise: f64) -> f64 {
    let params = SpdParams::default();
    SpdFactor::of_kernel(&Device::cpu(), kernel, x.view(), noise, &params).unwrap().log_det().unwrap()
}

fn seeded(seed: u64) -> LogDetParams {
    LogDetParams::new().seed(seed)
}

#[test]
fn a_diagonal_matrix_is_exact_whatever_the_signs() {
    let values = Array1::from_shape_fn(70, |i| 0.05 * 1.1f64.powf(i as f64));
    let want: f64 = values.iter().map(|v| v.ln()).sum();
    for device in everywhere() {
        let tolerance = if device.is_gpu() { 2e-5 } else { 1e-9 };
        let a = Stored::new(&on(&device, &Array2::from_diag(&values))).unwrap();
        let found = lanczos_log_det(&a, &Identity, &seeded(3)).unwrap();
        println!("diagonal: {} for {want}, {} steps, {device}", found.value, found.steps);
        assert!((found.value - want).abs() < tolerance * want.abs(), "{found:?} for {want} on {device}");
        assert!(found.standard_error < tolerance * want.abs() && found.converged);
        let jacobi = lanczos_log_det(&a, &Jacobi::new(&a).unwrap(), &seeded(3)).unwrap();
        assert!((jacobi.value - want).abs() < tolerance * want.abs(), "{jacobi:?} on {device}");
        assert!(jacobi.steps <= 16 / 4, "M = A: nothing is left to do");
        let a = Stored::new(&on(&device, &(Array2::eye(50) * 2.5))).unwrap();
        let found = lanczos_log_det(&a, &Identity, &seeded(3)).unwrap();
        assert_eq!(found.steps, 1, "one eigenvalue, one step");
        let tolerance = if device.is_gpu() { 1e-5 } else { 1e-12 };
        assert!((found.value - 50.0 * 2.5f64.ln()).abs() < tolerance, "{found:?} on {device}");
    }
}

/// The standard error is what it says: over seeds, the error in units of it is about a standard normal variable.
#[test]
fn the_error_is_as_large_as_reported() {
    let (x, kernel) = (random(120, 2, 61), Kernel::matern52(0.6));
    let noise = 0.1;
    let want = dense(&kernel, &x, noise);
    let a = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), noise).unwrap();
    let low_rank = pivoted_cholesky(&a.without_noise(), 30, 0.0).unwrap();
    let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
    let all: [(&str, &dyn Covariance); 2] = [("plain", &Identity), ("preconditioned", &m)];
    let mut spread = Vec::new();
    for (what, m) in all {
        let seeds = 40;
        let found: Vec<_> = (0..seeds).map(|s| lanczos_log_det(&a, m, &seeded(s)).unwrap()).collect();
        let scores: Vec<f64> = found.iter().map(|f| (f.value - want) / f.standard_error).collect();
        let mean_square = scores.iter().map(|z| z * z).sum::<f64>() / seeds as f64;
        let worst = scores.iter().fold(0f64, |w, z| w.max(z.abs()));
        let bias = scores.iter().sum::<f64>() / seeds as f64;
        println!("{what}: mean square {mean_square:.2}, worst {worst:.2}, mean {bias:.2} standard errors");
        assert!((0.5..2.0).contains(&mean_square), "{what}: {mean_square}");
        assert!(worst < 4.0 && bias.abs() < 4.0 / (seeds as f64).sqrt(), "{what}: {worst}, {bias}");
        spread.push(found.iter().map(|f| f.standard_error).sum::<f64>() / seeds as f64);
    }
    println!("standard errors {spread:?} of {want}");
    assert!(spread[1] < 0.5 * spread[0], "a preconditioner takes the variance away: {spread:?}");
}

#[test]
fn every_adapter_within_the_standard_error() {
    let (x, kernel) = (random(150, 3, 62), 1.4 * Kernel::matern32(0.8));
    let want = dense(&kernel, &x, 0.2);
    for device in everywhere() {
        let a = KernelOperator::new(&kernel, &on(&device, &x), 0.2).unwrap();
        let low_rank = pivoted_cholesky(&a.without_noise(), 10, 0.0).unwrap();
        let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
        for seed in 0..4 {
            for found in [
                lanczos_log_det(&a, &Identity, &seeded(seed)).unwrap(),
                lanczos_log_det(&a, &m, &seeded(seed)).unwrap(),
            ] {
                let score = (found.value - want).abs() / found.standard_error;
                assert!(score < 4.0, "{found:?} for {want} on {device}");
                assert!(found.standard_error < 0.1 * want.abs());
            }
        }
        // The same signs on every device.
        let here = lanczos_log_det(&a, &m, &seeded(7)).unwrap();
        let cpu = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), 0.2).unwrap();
        let there = lanczos_log_det(&cpu, &m, &seeded(7)).unwrap();
        assert!((here.value - there.value).abs() < 1e-3, "{here:?} {there:?} on {device}");
    }
}

#[test]
fn a_perfect_preconditioner_leaves_nothing_to_chance() {
    let (x, kernel) = (random(40, 2, 63), Kernel::matern12(0.5));
    let want = dense(&kernel, &x, 0.3);
    let a = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), 0.3).unwrap();
    let all: Vec<usize> = (0..40).collect();
    let whole: LowRank = nystrom(&a.without_noise(), &all, Jitter::Never).unwrap();
    let m = LowRankPlusDiagonal::new(&whole, a.noise().view()).unwrap();
    assert!((m.log_det().unwrap() - want).abs() < 1e-10);
    let found = lanczos_log_det(&a, &m, &seeded(1)).unwrap();
    assert!((found.value - want).abs() < 1e-10 && found.standard_error < 1e-10, "{found:?} for {want}");
}

/// The logarithm of a scale is all that it adds, where squares vanish and where they overflow. Even powers of two, as
/// their roots are exact: every number is then the same, times one of them.
#[test]
fn entries_whose_squares_are_beyond_f64() {
    let cpu = Device::cpu();
    let base = conditioned(40, 1e3, 67);
    let (x, kernel) = (random(60, 2, 68), Kernel::rbf(0.5));
    let of = |scale: f64| -> Vec<(usize, mercer::linalg::LogDet)> {
        let a = Stored::new(&on(&cpu, &(&base * scale))).unwrap();
        let k = KernelOperator::new(&kernel.clone().scaled(scale), &on(&cpu, &x), 1e-2 * scale).unwrap();
        let low_rank = pivoted_cholesky(&k.without_noise(), 10, 0.0).unwrap();
        let m = LowRankPlusDiagonal::new(&low_rank, k.noise().view()).unwrap();
        let all = [
            (40, lanczos_log_det(&a, &Identity, &seeded(1))),
            (40, lanczos_log_det(&a, &Jacobi::new(&a).unwrap(), &seeded(1))),
            (60, lanczos_log_det(&k, &Identity, &seeded(1))),
            (60, lanczos_log_det(&k, &m, &seeded(1))),
        ];
        all.into_iter().map(|(n, found)| (n, found.unwrap())).collect()
    };
    let plain = of(1.0);
    for power in [-960, -664, -532, 532, 664, 960] {
        let scale = 2f64.powi(power);
        for ((n, got), (_, want)) in of(scale).into_iter().zip(&plain) {
            let value = want.value + n as f64 * scale.ln();
            assert!((got.value - value).abs() < 1e-12 * value.abs(), "{scale:e}: {got:?} for {value}");
            let same = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
            assert!(same(got.standard_error, want.standard_error), "{scale:e}: {got:?} for {want:?}");
            assert!(got.converged && got.steps == want.steps, "{scale:e}: {got:?} for {want:?}");
        }
    }
}

/// More probes than memory has room for, before any of them is drawn.
#[test]
fn too_many_probes_are_refused() {
    let a = Stored::new(&on(&Device::cpu(), &conditioned(10, 10.0, 69))).unwrap();
    for probes in [usize::MAX, usize::MAX / 80] {
        let many = seeded(0).probes(probes);
        let e = lanczos_log_det(&a, &Identity, &many);
        assert!(matches!(&e, Err(Error::Parameter { name, .. }) if name == "probes"), "{e:?}");
    }
}

/// Draws have the covariance M.
#[test]
fn draws_are_what_the_preconditioner_says() {
    let (x, kernel) = (random(12, 2, 64), Kernel::rbf(0.7));
    let noise: Vec<f64> = (0..12).map(|i| 0.1 + 0.05 * f64::from(i)).collect();
    let a = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), noise).unwrap();
    let low_rank = pivoted_cholesky(&a.without_noise(), 3, 0.0).unwrap();
    let m = LowRankPlusDiagonal::new(&low_rank, a.noise().view()).unwrap();
    let count = 40_000;
    for m in [&m as &dyn Covariance, &Jacobi::new(&a).unwrap(), &Identity] {
        let z = m.draw(12, count, 5).unwrap();
        let seen = z.dot(&z.t()) / count as f64;
        // M⁻¹ times its own covariance is the identity.
        let unit = (m as &dyn Preconditioner).solve(seen.view()).unwrap();
        for ((i, j), v) in unit.indexed_iter() {
            let want = f64::from(u8::from(i == j));
            assert!((v - want).abs() < 0.1, "[{i}, {j}] is {v}");
        }
        assert!(z.mean_axis(Axis(1)).unwrap().iter().all(|v| v.abs() < 0.03));
        assert_eq!(z, m.draw(12, count, 5).unwrap());
        assert_ne!(z, m.draw(12, count, 6).unwrap());
    }
}

#[test]
fn what_cannot_be_estimated_is_said() {
    let cpu = Device::cpu();
    let a = Stored::new(&on(&cpu, &conditioned(60, 1e8, 65))).unwrap();
    let few = seeded(0).probes(1);
    assert!(matches!(lanczos_log_det(&a, &Identity, &few), Err(Error::Parameter { .. })));
    let none = seeded(0).max_steps(0);
    assert!(matches!(lanczos_log_det(&a, &Identity, &none), Err(Error::Parameter { .. })));
    let loose = seeded(0).tolerance(f64::NAN);
    assert!(matches!(lanczos_log_det(&a, &Identity, &loose), Err(Error::Parameter { .. })));
    let short = seeded(0).max_steps(4);
    let e = lanczos_log_det(&a, &Identity, &short);
    assert!(matches!(e, Err(Error::NoConvergence { iterations: 4, .. })), "{e:?}");
    let lenient = short.accept_unconverged(true);
    assert!(!lanczos_log_det(&a, &Identity, &lenient).unwrap().converged);
    let stop = seeded(0).progress(Progress::new(|step| {
        if step.made == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    let e = lanczos_log_det(&a, &Identity, &stop).unwrap_err();
    assert_eq!(e, Error::Cancelled { op: "lanczos_log_det", iterations: 2 });
    let mut values = Array1::linspace(0.1, 1.0, 60);
    values[7] = -0.4;
    let indefinite = with_spectrum(&values, 66);
    for device in everywhere() {
        let a = Stored::new(&on(&device, &indefinite)).unwrap();
        let e = lanczos_log_det(&a, &Identity, &seeded(0));
        assert!(matches!(e, Err(Error::NotPositiveDefinite { .. })), "{e:?} on {device}");
    }
    let wrong = Jacobi::new(&Stored::new(&on(&cpu, &Array2::eye(5))).unwrap()).unwrap();
    assert!(matches!(lanczos_log_det(&a, &wrong, &seeded(0)), Err(Error::Shape { .. })));
}
