//! Kernel ridge regression: its dual is ridge, its mean a Gaussian process's, its solvers agree.

use mercer::learn::plan::Method;
use mercer::linalg::SolveReport;
use mercer::linalg::{SpdFactor, SpdParams};
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::models::linear::Ridge;
use mercer::{Device, Error, Kernel, Matrix, Progress, ops};
use ndarray::{Array1, Axis, array};
use std::ops::ControlFlow;

use crate::support::random;
use crate::{close, problem};

#[test]
fn a_linear_kernel_is_ridge_without_an_intercept() {
    let cpu = Device::cpu();
    for (n, d) in [(30, 4), (8, 20)] {
        let (x, y) = problem(n, d, 21);
        let w = random(n, 1, 22).column(0).mapv(|v| v + 1.1);
        let new = random(7, d, 23);
        let linear =
            Ridge::new(0.4).intercept(false).fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        let kernel = KernelRidge::new(Kernel::linear(), 0.4);
        let kernel = kernel.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        let (a, b) = (kernel.predict(new.view()).unwrap(), linear.predict(new.view()).unwrap());
        close(a.view(), b.view(), 1e-10, "dual and primal");
    }
}

/// `m(x') = K(x', x) (K + σ²I)⁻¹ y`, and the reference numbers of Oxford GP-05.
#[test]
fn the_fit_is_the_mean_of_a_gaussian_process() {
    let cpu = Device::cpu();
    let kernel = 1.7 * Kernel::matern52([0.8, 1.5, 1.1]) + Kernel::linear();
    let (x, y) = problem(40, 3, 24);
    let new = random(9, 3, 25);
    let fit = KernelRidge::new(kernel.clone(), 0.05).fit(&cpu, x.view(), y.view()).unwrap();
    let on = |a: &ndarray::Array2<f64>| Matrix::from_array(&cpu, a.view()).unwrap();
    let noisy = SpdFactor::of_kernel(&cpu, &kernel, x.view(), 0.05, &SpdParams::default()).unwrap();
    let inverse = noisy.inverse().unwrap().x;
    let cross = ops::gram(&kernel, &on(&new), Some(&on(&x))).unwrap().to_array().unwrap();
    close(fit.predict(new.view()).unwrap().view(), cross.dot(&inverse).dot(&y).view(), 1e-9, "mean");

    let x = array![[-2.0], [-1.0], [0.5], [2.0]];
    let y = array![[0.5], [1.0], [-0.3], [-1.0]];
    let fit = KernelRidge::new(Kernel::rbf(1.0), 0.1).fit(&cpu, x.view(), y.view()).unwrap();
    let alpha = array![[-0.1349446487], [1.094853463], [-0.3493417587], [-0.8170025368]];
    close(fit.dual_coefficients().view(), alpha.view(), 1e-9, "alpha");
    let mean = array![[0.7980511035], [-0.6571569038], [-0.1113293736]];
    close(fit.predict(array![[-1.5], [1.0], [4.0]].view()).unwrap().view(), mean.view(), 1e-9, "mean");
}

#[test]
fn weights_are_repetitions_and_none_is_absence() {
    let cpu = Device::cpu();
    let (x, y) = problem(10, 2, 26);
    let w = Array1::from_shape_fn(10, |i| (i % 3) as f64);
    let rows: Vec<usize> = (0..10).flat_map(|i| vec![i; i % 3]).collect();
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.3);
    let weighted = model.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
    let repeated = model.fit(&cpu, x.select(Axis(0), &rows).view(), y.select(Axis(0), &rows).view()).unwrap();
    let new = random(6, 2, 27);
    close(
        weighted.predict(new.view()).unwrap().view(),
        repeated.predict(new.view()).unwrap().view(),
        1e-10,
        "fit",
    );
    assert!((0..10).step_by(3).all(|i| weighted.dual_coefficients().row(i).iter().all(|a| *a == 0.0)));
}

#[test]
fn a_small_penalty_interpolates_and_a_large_one_gives_nothing() {
    let cpu = Device::cpu();
    let (x, y) = problem(30, 2, 28);
    let fit = |p| KernelRidge::new(Kernel::matern32(0.5), p).fit(&cpu, x.view(), y.view()).unwrap();
    close(fit(1e-10).predict(x.view()).unwrap().view(), y.view(), 1e-7, "interpolation");
    assert!(fit(1e9).predict(x.view()).unwrap().iter().all(|v| v.abs() < 1e-6));
}

/// Twins that disagree are met halfway, by any penalty that K can feel; one that it cannot is refused, not answered with
/// whatever rounding left.
#[test]
fn duplicates_with_hardly_a_penalty() {
    let cpu = Device::cpu();
    let x = array![[0.0], [0.0], [1.0], [2.5], [2.5], [2.5]];
    let y = array![[1.0], [3.0], [-1.0], [0.0], [6.0], [3.0]];
    let fit = |p| KernelRidge::new(Kernel::rbf(1.0), p).fit(&cpu, x.view(), y.view());
    let at = fit(1e-9).unwrap().predict(array![[0.0], [1.0], [2.5]].view()).unwrap();
    close(at.view(), array![[2.0], [-1.0], [3.0]].view(), 1e-6, "means");
    for nothing in [1e-18, 1e-30, f64::MIN_POSITIVE] {
        let e = fit(nothing).unwrap_err();
        assert!(matches!(e, Error::NotPositiveDefinite { .. }), "{nothing:e}: {e}");
    }
}

/// A matrix that was asked for by name and does not fit is refused before anything is allocated: 3.2 TB here.
#[test]
fn a_matrix_beyond_the_budget_is_refused_if_it_must_be_stored() {
    let cpu = Device::cpu();
    let (x, y) = problem(60, 2, 35);
    let model = KernelRidge::new(Kernel::rbf(0.5), 0.1).solver(KernelSolver::Dense);
    let bytes = model.plan(&cpu, 60, 2, 2).host_bytes;
    let with = |budget| model.clone().memory_budget(budget).fit(&cpu, x.view(), y.view());
    assert_eq!(with(bytes).unwrap().method(), Method::Dense);
    let e = with(bytes - 1).unwrap_err();
    let named = matches!(e, Error::OverBudget { need, budget, .. } if need == bytes && budget == bytes - 1);
    assert!(named && e.to_string().contains("KernelSolver::Auto"), "{e}");
    let x = ndarray::Array2::from_shape_fn((450_000, 1), |(i, _)| i as f64);
    let e = model.fit(&cpu, x.view(), x.view());
    assert!(matches!(e, Err(Error::OverBudget { .. })), "{e:?}");
}

#[test]
fn what_was_given_can_be_read() {
    let (x, y) = problem(30, 2, 36);
    let cpu = Device::cpu();
    let kernel = KernelRidge::new(Kernel::rbf(0.5), 0.1).fit(&cpu, x.view(), y.view()).unwrap();
    assert_eq!((kernel.points(), kernel.penalty()), (&x, 0.1));
    let falkon = Falkon::new(Kernel::rbf(0.5), 0.2, 10).fit(&cpu, x.view(), y.view()).unwrap();
    assert_eq!((falkon.kernel().to_string(), falkon.penalty()), (kernel.kernel().to_string(), 0.2));
}

#[test]
fn conjugate_gradients_find_the_dense_solution() {
    let cpu = Device::cpu();
    let (x, y) = problem(400, 3, 29);
    let w = random(400, 1, 30).column(0).mapv(|v| v + 1.3);
    for kernel in [Kernel::rbf(0.7), Kernel::matern12(1.0) + Kernel::white(0.05)] {
        let model = KernelRidge::new(kernel, 0.02);
        let dense = model.clone().solver(KernelSolver::Dense);
        let free = model.clone().solver(KernelSolver::MatrixFree).tolerance(1e-12);
        let dense = dense.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        let free = free.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        assert_eq!(dense.method(), Method::Dense);
        assert!(matches!(free.method(), Method::MatrixFree { rank } if rank <= 400));
        close(free.dual_coefficients().view(), dense.dual_coefficients().view(), 1e-9, "a");
        let SolveReport::Iterative(info) = free.report() else { panic!("{:?}", free.report()) };
        assert!(info.converged && info.iterations < 60, "{} iterations", info.iterations);
    }
}

/// From 1,000 observations on the factor is f32 and the answer f64; where f32 is not enough, so is the factor.
#[test]
fn a_large_matrix_is_factored_in_f32_and_solved_in_f64() {
    let cpu = Device::cpu();
    let (x, y) = problem(1100, 3, 33);
    let w = random(1100, 1, 34).column(0).mapv(|v| v + 1.3);
    for (kernel, penalty, single) in
        [(Kernel::rbf(0.7) + Kernel::white(0.01), 0.05, true), (1e12 * Kernel::rbf(1.5), 1e3, false)]
    {
        let model = KernelRidge::new(kernel.clone(), penalty).solver(KernelSolver::Dense);
        let fit = model.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        let noise: Vec<f64> = w.iter().map(|w| penalty / w).collect();
        let factor = SpdFactor::of_kernel(&cpu, &kernel, x.view(), noise, &SpdParams::default()).unwrap();
        let want = factor.solve(y.view()).unwrap();
        close(fit.dual_coefficients().view(), want.x.view(), 1e-10, "a");
        assert_eq!(matches!(fit.report(), SolveReport::Iterative(_)), single, "{:?}", fit.report());
        assert!(!single || fit.report().relative_residual() <= 1e-13);
    }
}

/// The same method is chosen by a budget that the matrix does not fit.
#[test]
fn a_matrix_beyond_the_budget_is_not_stored() {
    let cpu = Device::cpu();
    let (x, y) = problem(300, 2, 31);
    let model = KernelRidge::new(Kernel::rbf(0.5), 0.1);
    let dense = model.fit(&cpu, x.view(), y.view()).unwrap();
    assert_eq!(dense.method(), Method::Dense);
    // 300² doubles, twice, are 1.44 MB.
    let free = model.clone().memory_budget(1_000_000).fit(&cpu, x.view(), y.view()).unwrap();
    assert!(matches!(free.method(), Method::MatrixFree { .. }));
    assert!(free.plan().host_bytes <= 1_000_000, "{}", free.plan());
    close(free.dual_coefficients().view(), dense.dual_coefficients().view(), 1e-7, "a");
}

#[test]
fn a_fit_can_be_cancelled() {
    let (x, y) = problem(200, 2, 32);
    let stop =
        Progress::new(|step| if step.made >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let model =
        KernelRidge::new(Kernel::matern12(0.1), 1e-4).solver(KernelSolver::MatrixFree).memory_budget(50_000);
    let e = model.progress(stop).fit(&Device::cpu(), x.view(), y.view()).unwrap_err();
    assert!(matches!(e, Error::Cancelled { iterations: 2, .. }), "{e}");
}
