//! Seconds an iteration of k-means, a mixture and kernel ridge, for `scripts/latency_mpi.sh`.

use std::time::Instant;

use mercer::learn::ranks::{Counted, Ranks, meet};
use mercer::prelude::*;
use mercer_mpi::Mpi;
use ndarray::{Array2, s};

fn main() -> mercer::Result<()> {
    let world = Mpi::start()?;
    let counted = Counted::new(&world);
    let (n, d) = (20_000, 8);
    let x =
        Array2::from_shape_fn((n, d), |(i, j)| ((i * 7 + j * 13) as f64).sin() + (i % 5 * (j + 1)) as f64);
    let share = |n: usize| world.rank() * n / world.size()..(world.rank() + 1) * n / world.size();
    let (part, cpu) = (x.slice(s![share(n), ..]), Device::cpu());
    let report = |what: &str, began: Instant, iterations: usize| {
        if world.rank() == 0 {
            let each = 1e3 * began.elapsed().as_secs_f64() / iterations.max(1) as f64;
            println!("{what}: {each:.3} ms an iteration, {iterations} iterations, {:?}", counted.sent());
        }
    };
    // Two messages that follow each other, of a number.
    let (count, began) = (200u16, Instant::now());
    meet(&counted, |all| (0..count).try_fold(0.0, |_, i| all.total("latency", f64::from(i))))?;
    report("an exchange", began, 200);
    // Started from parameters, so that nothing but iterations is timed.
    let centres = x.slice(s![..5, ..]).to_owned();
    let began = Instant::now();
    let fit = KMeans::new(5)
        .start(KMeansStart::Given(centres.clone()))
        .tolerance(0.0)
        .max_iterations(40)
        .fit_across(&counted, &cpu, part)?;
    report("kmeans", began, fit.report().iterations);
    let start = GaussianParams {
        weights: ndarray::Array1::from_elem(5, 0.2),
        means: centres,
        covariance: mercer::models::mixture::Covariance::Diagonal(Array2::ones((5, d))),
    };
    let began = Instant::now();
    let fit = GaussianMixture::new(5)
        .start(MixtureStart::Given(start))
        .tolerance(0.0)
        .max_iterations(40)
        .fit_across(&counted, &cpu, part)?;
    report("mixture", began, fit.report().iterations);
    let m = 2000;
    let (few, y) = (x.slice(s![..m, ..]), x.column(0).mapv(f64::cos));
    let own = share(m);
    let model = KernelRidge::new(Kernel::rbf(1.0), 1e-3).solver(KernelSolver::MatrixFree);
    let began = Instant::now();
    let fit = model.fit_across(&counted, &cpu, few.slice(s![own.clone(), ..]), y.slice(s![own]))?;
    let iterations = match fit.report() {
        mercer::linalg::SolveReport::Iterative(info) => info.iterations,
        _ => 0,
    };
    report("kernel ridge", began, iterations);
    Ok(())
}
