//! Chains that mix and chains that do not: four chains on a curved ridge, their traces and what R-hat says of them.
//!
//! The density is Rosenbrock's, a narrow valley bent like a banana. Random-walk Metropolis creeps along it; Hamiltonian
//! chains with the no-U-turn rule run through it in a few steps. Split R-hat and the effective size tell the two apart
//! without knowing the truth: the mean of the second variable is 2 here, exactly.
//!
//! `cargo run --release --example mcmc` prints the diagnostics and draws `target/mcmc.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::inference::monte_carlo::{Chains, HmcParams, McmcParams, hamiltonian, metropolis};
use ndarray::array;
use plotters::prelude::*;

const COLOURS: [RGBColor; 4] =
    [RGBColor(31, 95, 160), RGBColor(196, 64, 48), RGBColor(60, 140, 80), RGBColor(190, 140, 30)];
/// How much narrower the valley is than it is long.
const NARROW: f64 = 2.0;

/// `x ~ N(1, 1)`, `y | x ~ N(x², 1 / (2 NARROW))`: the mean of y is 2.
fn log_density(v: &[f64]) -> (f64, Vec<f64>) {
    let (along, across) = (v[0] - 1.0, v[1] - v[0] * v[0]);
    let log = -0.5 * along * along - NARROW * across * across;
    (log, vec![-along + 4.0 * NARROW * across * v[0], -2.0 * NARROW * across])
}

fn report(name: &str, chains: &Chains) {
    let (r, size, mean, error) =
        (chains.r_hat(), chains.effective_size(), chains.mean(), chains.standard_error());
    println!("{name:<12} {:8.3} {:10.0} {:9.2} ± {:.2}", r[1], size[1], mean[1], error[1]);
}

fn main() -> Result<(), Box<dyn Error>> {
    let starts = array![[-2.0, 4.0], [0.0, 0.0], [2.0, 4.0], [4.0, 16.0]];
    let length = McmcParams::new().samples(2000).burn_in(500).seed(3);
    let walk = metropolis(&starts, 0.1, &length, |v| Ok(log_density(v).0))?;
    // Steps so short that nearly all are accepted: longer ones miss the far ends, where the valley is steep.
    let run = hamiltonian(&starts, &HmcParams::new().target(0.95).mcmc(length), |v| Ok(log_density(v)))?;
    println!("              R-hat  effective  mean of y (2), of 4 x 2000 draws");
    report("Metropolis", &walk);
    report("Hamiltonian", &run);

    let (path, area) = support::picture("mcmc", (1300, 860))?;
    for (panel, (name, chains)) in area
        .split_evenly((2, 1))
        .iter()
        .zip([("random-walk Metropolis", &walk), ("Hamiltonian, no U-turn", &run)])
    {
        let (left, right) = panel.split_horizontally(800);
        let title = format!(
            "{name}: R-hat {:.2}, {:.0} draws' worth of 8000",
            chains.r_hat()[1],
            chains.effective_size()[1]
        );
        let mut trace = support::axes(&left, &title, (0.0..2000.0, "draw"), (-3.0..5.0, "x"))?;
        let mut plane = support::axes(&right, "every fourth draw", (-3.0..5.0, "x"), (-3.0..20.0, "y"))?;
        for (draws, colour) in chains.draws().iter().zip(COLOURS) {
            let line = draws.column(0).iter().enumerate().map(|(t, x)| (t as f64, *x)).collect::<Vec<_>>();
            trace.draw_series(LineSeries::new(line, colour.mix(0.7)))?;
            plane.draw_series(
                draws
                    .rows()
                    .into_iter()
                    .step_by(4)
                    .filter(|v| v[1] < 20.0)
                    .map(|v| Circle::new((v[0], v[1]), 2, colour.mix(0.5).filled())),
            )?;
        }
    }
    area.present()?;
    println!("\n{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
