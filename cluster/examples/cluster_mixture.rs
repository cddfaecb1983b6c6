//! A mixture of Gaussians over parts that lie in files of their own, one for each process.
//!
//! `cargo run -p mercer-mpi --example cluster_mixture` fits it alone, `mpirun -n 3 target/debug/examples/cluster_mixture` with three
//! processes: the same figures. Every process writes its part of 30,000 rows first, and reads it back in batches.

use std::fmt::Write;

use mercer::inference::em::CsvBatches;
use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use mercer_mpi::Mpi;
use ndarray::{Array3, array};

const ROWS: usize = 30_000;

/// Row i of the data, whoever has it: one of three clouds.
fn row(i: usize) -> [f64; 2] {
    let mut rng = mercer::random::Philox::new(7, i as u64);
    let (u, a, b) = (rng.uniform(), rng.normal(), rng.normal());
    match u {
        u if u < 0.5 => [a, b],
        u if u < 0.8 => [5.0 + 0.5 * a, 1.0 + 0.5 * a + 0.4 * b],
        _ => [2.0 + 1.5 * a, 7.0 + 0.3 * b],
    }
}

/// Three round clouds, roughly where the data are.
fn start() -> GaussianParams {
    GaussianParams {
        weights: array![1.0, 1.0, 1.0] / 3.0,
        means: array![[0.0, -1.0], [4.0, 2.0], [1.0, 6.0]],
        covariance: Covariance::Full(Array3::from_shape_fn((3, 2, 2), |(_, i, j)| {
            f64::from(u8::from(i == j))
        })),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world = Mpi::start()?;
    let (rank, size) = (world.rank(), world.size());
    let own = rank * ROWS / size..(rank + 1) * ROWS / size;
    let path = std::env::temp_dir().join(format!("cluster_mixture_{rank}_of_{size}.csv"));
    let mut text = String::from("x,y\n");
    for [x, y] in own.map(row) {
        writeln!(text, "{x:e},{y:e}")?;
    }
    std::fs::write(&path, text)?;

    let part = CsvBatches::open(&path, true, 4096)?;
    // Nobody holds its part: it is read again at every iteration, 4096 rows at a time. One start for any number of
    // processes, as the first rows of a part are others with each.
    let model = GaussianMixture::new(3).tolerance(1e-9).start(MixtureStart::Given(start()));
    let fit = model.fit_batches_across(&world, &Device::cpu(), &part)?;
    std::fs::remove_file(path)?;
    if rank == 0 {
        println!("{} iterations, log-likelihood {:.8}", fit.report().iterations, fit.report().objective());
        for k in 0..3 {
            let (mean, share) = (fit.means().row(k), fit.weights()[k]);
            println!("component {k}: weight {share:.8}, mean ({:.8}, {:.8})", mean[0], mean[1]);
        }
    }
    Ok(())
}
