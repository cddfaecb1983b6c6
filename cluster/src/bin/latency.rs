//! Seconds an iteration of k-means, a mixture and kernel ridge, for `scripts/latency_mpi.sh`.

use std::time::Instant;

use mercer::learn::ranks::{Counted, Ranks, meet};
use mercer::prelude::*;
use mercer::random::Philox;
use mercer_mpi::Mpi;
use ndarray::{Array2, s};

/// Iterations of a short and of a long fit: their difference is free of what a fit does once.
const ITERATIONS: [usize; 2] = [20, 120];

fn main() -> mercer::Result<()> {
    let world = Mpi::start()?;
    let counted = Counted::new(&world);
    // Numbers without structure, in which nothing converges soon.
    let (n, d) = (20_000, 8);
    let mut numbers = Philox::new(1, 0);
    let x = Array2::from_shape_simple_fn((n, d), || numbers.uniform());
    let share = |n: usize| world.rank() * n / world.size()..(world.rank() + 1) * n / world.size();
    let (part, cpu) = (x.slice(s![share(n), ..]), Device::cpu());
    let each = |what: &str, run: &dyn Fn(usize) -> mercer::Result<usize>| -> mercer::Result<()> {
        let mut seen = Vec::new();
        for iterations in ITERATIONS {
            let (began, sent) = (Instant::now(), counted.sent());
            let done = run(iterations)?;
            let now = counted.sent();
            seen.push((began.elapsed().as_secs_f64(), done, now.messages - sent.messages));
        }
        let (count, messages) = (seen[1].1 - seen[0].1, seen[1].2 - seen[0].2);
        if world.rank() == 0 {
            let (time, messages) =
                (1e3 * (seen[1].0 - seen[0].0) / count as f64, messages as f64 / count as f64);
            println!(
                "{what}: {time:.3} ms and {messages:.2} messages each, by {} and {}",
                seen[0].1, seen[1].1
            );
        }
        Ok(())
    };
    each("an exchange", &|count| {
        meet(&counted, |all| (0..count).try_fold(0.0, |_, i| all.total("latency", i as f64)))?;
        Ok(count)
    })?;
    let centres = x.slice(s![..5, ..]).to_owned();
    each("kmeans", &|count| {
        let model = KMeans::new(5).start(KMeansStart::Given(centres.clone())).tolerance(0.0);
        Ok(model.max_iterations(count).fit_across(&counted, &cpu, part)?.report().iterations)
    })?;
    each("mixture", &|count| {
        let start = GaussianParams {
            weights: ndarray::Array1::from_elem(5, 0.2),
            means: centres.clone(),
            covariance: mercer::models::mixture::Covariance::Diagonal(Array2::ones((5, d))),
        };
        let model = GaussianMixture::new(5).start(MixtureStart::Given(start)).tolerance(0.0);
        Ok(model.max_iterations(count).fit_across(&counted, &cpu, part)?.report().iterations)
    })?;
    let own = share(2000);
    let y = x.column(0).mapv(f64::cos);
    each("kernel ridge", &|count| {
        // A tolerance that so many iterations reach about.
        let tolerance = if count == ITERATIONS[0] { 1e-2 } else { 1e-12 };
        let model = KernelRidge::new(Kernel::matern32(1.0), 1e-8)
            .solver(KernelSolver::MatrixFree)
            .tolerance(tolerance);
        let fit = model.fit_across(&counted, &cpu, x.slice(s![own.clone(), ..]), y.slice(s![own.clone()]))?;
        Ok(match fit.report() {
            mercer::linalg::SolveReport::Iterative(info) => info.iterations,
            _ => 0,
        })
    })
}
