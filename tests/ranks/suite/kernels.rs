//! What is made of kernels: conjugate gradients with the rows of K shared out, and sums over pairs.

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use ndarray::{Array2, s};

use super::{CPU, grouped, near, noise, rows, shares, targets};

pub fn kernel_ridge_and_falkon(ranks: &dyn Ranks) {
    let x = grouped(70).mapv(|v| 0.2 * v);
    let y = targets(&x);
    let kernel = Kernel::rbf(1.3) + Kernel::constant(0.5);
    let ridge = KernelRidge::new(kernel.clone(), 0.1).solver(KernelSolver::MatrixFree).tolerance(1e-13);
    let falkon = Falkon::new(kernel, 0.1, 20).seed(5).tolerance(1e-13);
    let (whole, few) = (ridge.fit(&CPU(), &x, &y).unwrap(), falkon.fit(&CPU(), &x, &y).unwrap());
    for own in shares(ranks, 70) {
        let fit = ridge.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own.clone()])).unwrap();
        near("kernel ridge", &fit.predict(&x).unwrap(), &whole.predict(&x).unwrap());
        let fit = falkon.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
        assert_eq!(fit.landmarks(), few.landmarks());
        near("falkon", &fit.predict(&x).unwrap(), &few.predict(&x).unwrap());
    }
}

pub fn sums_over_pairs(ranks: &dyn Ranks) {
    let x = grouped(60).mapv(|v| 0.1 * v);
    let y = Array2::from_shape_fn((45, 3), |(i, j)| 0.1 * grouped(45)[[i, j]] + 0.2 * noise(i, j + 40));
    let paired = Array2::from_shape_fn((60, 2), |(i, j)| x[[i, j]] * x[[i, 2]] + 0.1 * noise(i, j + 50));
    let (mmd, hsic) = (Mmd::new(Kernel::rbf(0.7)), Hsic::new(Kernel::rbf(0.7), Kernel::rbf(2.0)));
    let (biased, unbiased) = (mmd.biased(&CPU(), &x, &y).unwrap(), mmd.unbiased(&CPU(), &x, &y).unwrap());
    let terms = hsic.terms(&CPU(), &x, &paired).unwrap();
    for (own, other) in shares(ranks, 60).into_iter().zip(shares(ranks, 45)) {
        let found = mmd.across(ranks, rows(&x, &own), rows(&y, &other)).unwrap();
        near("biased", [&found.0], [&biased]);
        near("unbiased", [&found.1], [&unbiased]);
        let found = hsic.across(ranks, rows(&x, &own), rows(&paired, &own)).unwrap();
        near(
            "hsic",
            [&found.joint, &found.product, &found.cross],
            [&terms.joint, &terms.product, &terms.cross],
        );
    }
}

/// Conjugate gradients, Lanczos quadrature and the gradient of the evidence, each with the rows of K shared out.
pub fn gaussian_processes(ranks: &dyn Ranks) {
    let x = grouped(70).mapv(|v| 0.2 * v);
    let y = targets(&x);
    let kernel = Kernel::rbf(1.3).scaled(1.5) + Kernel::constant(0.5);
    // Memory for the points and a preconditioner of rank 5: nothing n x n.
    let free = GpRegressor::new(kernel.clone())
        .noise(0.05)
        .memory_budget(32 * 70 * 5)
        .matrix_free(MatrixFreeParams::new().tolerance(1e-13).variance_tolerance(1e-13));
    let whole = free.fit(&CPU(), &x, &y).unwrap();
    assert!(matches!(whole.method(), mercer::learn::plan::Method::MatrixFree { .. }));
    let at = grouped(5).mapv(|v| 0.2 * v + 0.1);
    let stored = GpRegressor::new(kernel).noise(0.05).optimise(Minimiser::default().max_iterations(5));
    let dense = stored.fit(&CPU(), &x, &y).unwrap();
    let learned = free.clone().optimise(Minimiser::default().max_iterations(3));
    let best = learned.fit(&CPU(), &x, &y).unwrap();
    for own in shares(ranks, 70) {
        let (part, some) = (rows(&x, &own), y.slice(s![own.clone()]));
        let fit = free.fit_across(ranks, &CPU(), part, some).unwrap();
        near("mean", &fit.predict(&at).unwrap(), &whole.predict(&at).unwrap());
        near("log-evidence", [&fit.log_evidence()], [&whole.log_evidence()]);
        near("error", [&fit.report().standard_error], [&whole.report().standard_error]);
        let (found, wanted) = (fit.predict_latent(&at).unwrap(), whole.predict_latent(&at).unwrap());
        near("variance", &found.variance, &wanted.variance);
        // A search takes the gradient, and multiplies what differs.
        let fit = learned.fit_across(ranks, &CPU(), part, some).unwrap();
        near("evidence found", [&fit.log_evidence()], [&best.log_evidence()]);
        near("searched", &fit.predict(&at).unwrap(), &best.predict(&at).unwrap());
        let fit = stored.fit_across(ranks, &CPU(), part, some).unwrap();
        near("stored", &fit.predict(&at).unwrap(), &dense.predict(&at).unwrap());
    }
    // Noise that is part of the kernel would be lost between the shares.
    let noisy = GpRegressor::new(Kernel::rbf(1.0) + Kernel::white(0.1)).memory_budget(32 * 70 * 5);
    let own = shares(ranks, 70).remove(0);
    let end = noisy.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own]));
    assert!(ranks.size() == 1 || matches!(end, Err(Error::Shape { .. })), "{end:?}");
}
