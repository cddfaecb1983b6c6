//! A fit that takes its time, to be killed and started again: `resume em|cg STATE OUT [slowly]`. `resume panic STATE OUT` is a
//! fit in which the second rank panics instead.
//!
//! It writes a checkpoint at every iteration and, at the end, what it found, bit for bit.

use std::time::Duration;

use mercer::learn::ranks::Ranks;
use mercer::prelude::*;
use mercer::saved::{Checkpoint, Wire};
use mercer_mpi::Mpi;
use ndarray::{Array2, s};

fn main() -> mercer::Result<()> {
    let world = Mpi::start()?;
    let arguments: Vec<String> = std::env::args().collect();
    let [_, what, state, out, rest @ ..] = &arguments[..] else { panic!("resume em|cg STATE OUT [slowly]") };
    let pause = Duration::from_millis(if rest.is_empty() { 0 } else { 50 });
    let slowly = Progress::watch(move |_| std::thread::sleep(pause));
    let x = Array2::from_shape_fn((300, 2), |(i, j)| ((i * 7 + j * 5) as f64).sin() + (i % 3 * 2) as f64);
    let own = world.rank() * 300 / world.size()..(world.rank() + 1) * 300 / world.size();
    let (part, file, cpu) = (x.slice(s![own.clone(), ..]), Checkpoint::new(state).every(1), Device::cpu());
    let found = match what.as_str() {
        "em" => {
            let model =
                GaussianMixture::new(4).tolerance(0.0).max_iterations(60).checkpoint(file).progress(slowly);
            model.fit_across(&world, &cpu, part)?.params().bytes()
        }
        "cg" => {
            let y = x.column(0).mapv(|v| (3.0 * v).cos());
            let model =
                KernelRidge::new(Kernel::rbf(0.05), 1e-6).solver(KernelSolver::MatrixFree).tolerance(1e-13);
            let model = model.checkpoint(file).progress(slowly).memory_budget(192_000);
            model.fit_across(&world, &cpu, part, y.slice(s![own]))?.dual_coefficients().bytes()
        }
        "panic" if world.rank() == 1 => panic!("as was asked for"),
        "panic" => KMeans::new(2).fit_across(&world, &cpu, part)?.centres().bytes(),
        other => panic!("{other} is neither em nor cg nor panic"),
    };
    if world.rank() == 0 {
        std::fs::write(out, found).expect("the result can be written");
    }
    Ok(())
}
