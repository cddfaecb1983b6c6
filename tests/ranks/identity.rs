//! What a checkpoint is known by: all settings, the shape, and the data of every rank.

use std::path::Path;

use mercer::learn::ranks::{Ranks, Threads};
use mercer::linalg::{CgParams, Identity, KernelOperator, Noise, conjugate_gradients};
use mercer::prelude::*;
use mercer::saved::Checkpoint;
use ndarray::{Array1, Array2, Axis, s};

use super::checkpoints::{after, data, path};

/// A file that something else has left is refused, in words that say so, and left as it is.
fn foreign<T: std::fmt::Debug>(what: &str, file: &Path, fit: mercer::Result<T>) {
    match fit {
        Err(Error::File { what: said, .. }) => {
            assert!(
                said.contains("other settings") || said.contains("is the checkpoint of"),
                "{what}: {said}"
            );
        }
        other => panic!("{what}: {other:?}"),
    }
    assert!(file.exists(), "{what}");
}

#[test]
fn a_mixture_with_other_settings_or_other_data_is_refused() {
    let (x, file, cpu) = (data(), path("identity-em.state"), Device::cpu());
    let model = GaussianMixture::new(2).tolerance(0.0).checkpoint(Checkpoint::new(&file).every(1));
    model.clone().progress(after(3)).fit(&cpu, &x).unwrap_err();
    let start = GaussianMixture::new(2).fit(&cpu, &x).unwrap().params().clone();
    for (what, other) in [
        ("components", model.clone().components(3)),
        ("covariance", model.clone().covariance(CovarianceKind::Diagonal)),
        ("floor", model.clone().covariance_floor(1e-3)),
        ("start", model.clone().start(MixtureStart::PlusPlus)),
        ("given start", model.clone().start(MixtureStart::Given(start))),
        ("missing", model.clone().missing(true)),
        ("tolerance", model.clone().tolerance(1e-300)),
    ] {
        foreign(what, &file, other.fit(&cpu, &x));
    }
    let mut moved = x.clone();
    moved[[59, 1]] = moved[[59, 1]].next_up();
    foreign("x", &file, model.fit(&cpu, &moved));
    let wide = ndarray::concatenate![Axis(1), x, x.slice(s![.., ..1])];
    foreign("columns", &file, model.fit(&cpu, &wide));
    foreign("rows", &file, model.fit(&cpu, x.slice(s![..59, ..])));
    foreign("weights", &file, model.fit_weighted(&cpu, &x, Array1::<f64>::ones(60)));
    foreign("parts", &file, model.fit_batches(&cpu, &vec![x.clone()]));
    // Who looks on, and how often it is written, are nobody's business.
    model.checkpoint(Checkpoint::new(&file).every(7)).progress(after(1000)).fit(&cpu, &x).unwrap();
    assert!(!file.exists());
}

#[test]
fn a_clustering_with_other_settings_is_refused() {
    let (x, file, cpu) = (data(), path("identity-kmeans.state"), Device::cpu());
    let model = KMeans::new(3).tolerance(0.0).checkpoint(Checkpoint::new(&file).every(1));
    model.clone().progress(after(2)).fit(&cpu, &x).unwrap_err();
    foreign("clusters", &file, model.clone().clusters(4).fit(&cpu, &x));
    foreign("start", &file, model.clone().start(KMeansStart::Random).fit(&cpu, &x));
    foreign("batch", &file, model.clone().batch(10).fit(&cpu, &x));
    model.fit(&cpu, &x).unwrap();
}

/// Rows that change the rank change the sums of the ranks: not the bits that an uninterrupted fit would have.
#[test]
fn ranks_that_share_rows_out_otherwise_are_refused() {
    let (x, file) = (data(), path("identity-ranks.state"));
    let model = GaussianMixture::new(2).tolerance(0.0).checkpoint(Checkpoint::new(&file).every(1));
    let fit = |model: &GaussianMixture, size: usize, ends: [usize; 3]| {
        Threads::run(size, |ranks| {
            let own = if ranks.rank() == 0 { 0 } else { ends[ranks.rank() - 1] }..ends[ranks.rank()];
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..]))
        })
    };
    fit(&model.clone().progress(after(3)), 3, [20, 40, 60]);
    for (size, ends) in [(3, [20, 41, 60]), (2, [20, 60, 60])] {
        for found in fit(&model, size, ends) {
            foreign("shares", &file, found);
        }
    }
    for found in fit(&model, 3, [20, 40, 60]) {
        found.unwrap();
    }
}

#[test]
fn conjugate_gradients_of_other_equations_are_refused() {
    let (x, file, cpu) = (data(), path("identity-cg.state"), Device::cpu());
    let y = ndarray::stack![Axis(1), x.column(0).mapv(f64::cos), x.column(1).mapv(|v| v * v)];
    let model = KernelRidge::new(Kernel::rbf(0.3), 1e-3).solver(KernelSolver::MatrixFree).tolerance(1e-12);
    let model = model.memory_budget(32 * 60 * 5).checkpoint(Checkpoint::new(&file).every(1));
    for size in [1, 2] {
        let fit = |model: &KernelRidge, x: &Array2<f64>, y: &Array2<f64>| {
            let mut fits = Threads::run(size, |ranks| {
                let own = ranks.rank() * 60 / size..(ranks.rank() + 1) * 60 / size;
                model.fit_across(ranks, &cpu, x.slice(s![own.clone(), ..]), y.slice(s![own, ..]))
            });
            fits.remove(0)
        };
        fit(&model.clone().progress(after(4)), &x, &y).unwrap_err();
        for (what, other) in [
            ("kernel", model.clone().kernel(Kernel::rbf(0.31))),
            ("another kernel", model.clone().kernel(Kernel::matern52(0.3))),
            ("penalty", model.clone().penalty(2e-3)),
            ("budget", model.clone().memory_budget(32 * 60 * 6)),
            ("tolerance", model.clone().tolerance(1e-11)),
        ] {
            foreign(what, &file, fit(&other, &x, &y));
        }
        foreign("y", &file, fit(&model, &x, &y.mapv(|v| v + 1e-9)));
        foreign("fewer columns of y", &file, fit(&model, &x, &y.slice(s![.., ..1]).to_owned()));
        foreign("more columns of y", &file, fit(&model, &x, &ndarray::concatenate![Axis(1), y, y]));
        foreign("x", &file, fit(&model, &x.mapv(|v| v + 1.0), &y));
        fit(&model, &x, &y).unwrap();
        assert!(!file.exists());
    }
}

/// Those who call the solver themselves: the equations are known by b and by entries of A.
#[test]
fn a_solver_knows_its_equations() {
    let (x, file) = (data(), path("identity-solver.state"));
    let b = x.mapv(f64::cos);
    let a = |length: f64, noise: f64| {
        let points = mercer::Matrix::from_array(&Device::cpu(), x.view()).unwrap();
        KernelOperator::new(&Kernel::rbf(length), &points, Noise::Same(noise)).unwrap()
    };
    let params = CgParams::new().checkpoint(Checkpoint::new(&file).every(1));
    let solve = |a: &KernelOperator, b: &Array2<f64>, params: &CgParams| {
        conjugate_gradients(a, b.view(), &Identity, params)
    };
    solve(&a(0.5, 1e-2), &b, &params.clone().progress(after(3))).unwrap_err();
    foreign("kernel", &file, solve(&a(0.6, 1e-2), &b, &params));
    foreign("noise", &file, solve(&a(0.5, 2e-2), &b, &params));
    foreign("b", &file, solve(&a(0.5, 1e-2), &b.mapv(f64::sin), &params));
    foreign("columns", &file, solve(&a(0.5, 1e-2), &b.slice(s![.., ..1]).to_owned(), &params));
    let named = params.clone().checkpoint(Checkpoint::new(&file).of(&"another preconditioner"));
    foreign("named", &file, solve(&a(0.5, 1e-2), &b, &named));
    let resumed = solve(&a(0.5, 1e-2), &b, &params).unwrap();
    assert_eq!(resumed, solve(&a(0.5, 1e-2), &b, &CgParams::new()).unwrap());
    std::fs::remove_file(file).unwrap();
}
