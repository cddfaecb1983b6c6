//! The cases of `tests/ranks/suite` under `mpirun`. Arguments name cases; without any all are run.

#[path = "../../../tests/ranks/suite/mod.rs"]
mod suite;

use mercer::learn::ranks::Ranks;
use mercer_mpi::Mpi;

fn main() {
    let world = Mpi::start().expect("MPI starts once");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let cases = suite::CASES.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name));
    let mut count = 0;
    for (name, case) in cases {
        let began = std::time::Instant::now();
        case(&world);
        count += 1;
        if world.rank() == 0 {
            println!("{name}: {} ranks, {:.2} s", world.size(), began.elapsed().as_secs_f64());
        }
    }
    if world.rank() == 0 {
        println!("{count} cases hold with {} ranks", world.size());
    }
}
