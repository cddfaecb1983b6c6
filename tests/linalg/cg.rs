use std::ops::ControlFlow;

use mercer::linalg::{
    CgInfo, CgParams, Identity, KernelOperator, LowRankPlusDiagonal, Stored, conjugate_gradients,
    pivoted_cholesky, refined_conjugate_gradients,
};
use mercer::ops::gram;
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array1, Array2, s};

use crate::support::{on, random};
use crate::{conditioned, everywhere, relative, textbook, with_spectrum};

fn within(tolerance: f64) -> CgParams {
    CgParams::new().tolerance(Some(tolerance))
}

#[test]
fn it_is_the_direct_solution_for_a_stored_matrix_and_for_a_kernel() {
    let n = 150;
    let stored = conditioned(n, 1e2, 41);
    let x = random(n, 2, 42);
    let kernel = Kernel::matern32(0.6);
    let k = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    let noisy = k + Array2::<f64>::eye(n) * 0.5;
    let b = random(n, 3, 43);
    for device in everywhere() {
        let (tolerance, bound) = if device.is_gpu() { (3e-6, 1e-4) } else { (1e-13, 1e-10) };
        let a = Stored::new(&on(&device, &stored)).unwrap();
        let found = conjugate_gradients(&a, b.view(), &Identity, &within(tolerance)).unwrap();
        let error = relative(&found.x, &textbook(&stored, &b));
        println!("stored: error {error:.1e}, {} iterations, {device}", found.info.iterations);
        assert!(error < bound, "{error:e} on {device}");
        assert!(found.info.converged && found.info.relative_residuals.iter().all(|r| *r <= tolerance));
        assert_eq!(found.info.trace.len(), found.info.iterations);

        let a = KernelOperator::new(&kernel, &on(&device, &x), 0.5).unwrap();
        let found = conjugate_gradients(&a, b.view(), &Identity, &within(tolerance)).unwrap();
        let error = relative(&found.x, &textbook(&noisy, &b));
        println!("kernel: error {error:.1e}, {} iterations, {device}", found.info.iterations);
        assert!(error < bound, "{error:e} on {device}");
    }
}

#[test]
fn a_block_is_its_columns_one_by_one() {
    let a = conditioned(100, 1e4, 44);
    let a = Stored::new(&on(&Device::cpu(), &a)).unwrap();
    let mut b = random(100, 4, 45);
    // One column converges at once, one is nothing at all.
    b.column_mut(1).fill(0.0);
    let easy = a.matrix().to_array().unwrap().column(0).to_owned();
    b.column_mut(2).assign(&(easy * 1e-30));
    let block = conjugate_gradients(&a, b.view(), &Identity, &within(1e-12)).unwrap();
    for c in 0..4 {
        let alone = conjugate_gradients(&a, b.slice(s![.., c..=c]), &Identity, &within(1e-12)).unwrap();
        if c == 1 {
            assert!(alone.x.iter().chain(block.x.column(1)).all(|v| *v == 0.0));
        } else {
            let scale = if c == 2 { 1e30 } else { 1.0 };
            let own = block.x.slice(s![.., c..=c]).to_owned() * scale;
            assert!(relative(&own, &(alone.x * scale)) < 1e-8, "column {c}");
        }
        assert!(alone.info.iterations <= block.info.iterations);
    }
}

#[test]
fn an_f64_residual_makes_f32_products_exact() {
    let n = 150;
    let x = random(n, 2, 46);
    let kernel = Kernel::rbf(0.7);
    let b = random(n, 2, 47);
    let exact = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), 1e-2).unwrap();
    let k = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    let want = textbook(&(k + Array2::<f64>::eye(n) * 1e-2), &b);
    for device in everywhere() {
        let op = KernelOperator::new(&kernel, &on(&device, &x), 1e-2).unwrap();
        let low_rank = pivoted_cholesky(&op.without_noise(), 20, 0.0).unwrap();
        let m = LowRankPlusDiagonal::new(&low_rank, op.noise().view()).unwrap();
        let found = refined_conjugate_gradients(&op, &exact, b.view(), &m, &within(1e-12)).unwrap();
        let (error, info) = (relative(&found.x, &want), found.info);
        println!(
            "refined: {error:.1e}, {} iterations, {} restarts, {device}",
            info.iterations, info.restarts
        );
        assert!(error < 1e-9, "{error:e} on {device}");
    }
}

#[test]
fn what_f32_cannot_reach_is_said() {
    let a = conditioned(100, 1e3, 48);
    let b = random(100, 1, 49);
    for device in everywhere().filter(Device::is_gpu) {
        let op = Stored::new(&on(&device, &a)).unwrap();
        let e = conjugate_gradients(&op, b.view(), &Identity, &within(1e-12));
        let Err(Error::NoConvergence { op: "conjugate_gradients", residual, .. }) = e else {
            panic!("{e:?} on {device}")
        };
        assert!(residual > 1e-12);
        let lenient = within(1e-12).accept_unconverged(true);
        let found = conjugate_gradients(&op, b.view(), &Identity, &lenient).unwrap();
        let CgInfo { iterations, restarts, relative_residuals, .. } = &found.info;
        println!("f32 ends at {relative_residuals:?} after {iterations}, {restarts} restarts, on {device}");
        assert!(found.info.stagnated && !found.info.converged);
        assert!(found.info.relative_residuals[0] < 0.2);
    }
}

#[test]
fn it_can_be_watched_cancelled_and_cut_short() {
    let op = Stored::new(&on(&Device::cpu(), &conditioned(80, 1e6, 50))).unwrap();
    let b = random(80, 1, 51);
    let stop = CgParams::new().progress(Progress::new(|step| {
        if step.made == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    assert!(format!("{stop:?}").contains("Progress(set)"));
    let e = conjugate_gradients(&op, b.view(), &Identity, &stop).unwrap_err();
    assert_eq!(e, Error::Cancelled { op: "conjugate_gradients", iterations: 3 });
    let short = CgParams::new().max_iterations(5);
    let e = conjugate_gradients(&op, b.view(), &Identity, &short).unwrap_err();
    assert!(matches!(e, Error::NoConvergence { iterations: 5, .. }), "{e}");
    let short = short.accept_unconverged(true);
    let found = conjugate_gradients(&op, b.view(), &Identity, &short).unwrap();
    assert!(!found.info.converged && !found.info.stagnated && found.info.trace.len() == 5);
}

#[test]
fn an_indefinite_matrix_is_found_out() {
    let mut values = Array1::linspace(0.1, 1.0, 60);
    values[30] = -0.5;
    let a = with_spectrum(&values, 52);
    for device in everywhere() {
        let op = Stored::new(&on(&device, &a)).unwrap();
        let e = conjugate_gradients(&op, random(60, 1, 53).view(), &Identity, &CgParams::default());
        let Err(Error::NotPositiveDefinite { value, .. }) = e else { panic!("{e:?} on {device}") };
        assert!((-0.5..0.0).contains(&value), "a Rayleigh quotient, {value}");
    }
}
