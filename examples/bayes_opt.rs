//! Bayesian optimisation against random search: Branin's function, Hartmann's in six dimensions, and one under noise.
//!
//! `cargo run --release --example bayes_opt` runs each from 20 seeds and writes `target/bayes_opt.png`: how far above the
//! minimum the best point is after each evaluation. A number after `--` is another number of seeds.

#[path = "support/landscapes.rs"]
mod landscapes;
#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use landscapes::{Problem, median, problems};
use mercer::Device;
use mercer::models::bayes_opt::BayesOptimiser;
use plotters::prelude::*;
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(20), |s| s.parse())?;
    // Problems of this size are for the CPU, whatever else there is; the seeds run side by side.
    let device = Device::cpu();
    let (path, area) = support::picture("bayes_opt", (1800, 600))?;
    println!(
        "{seeds} seeds; how far above the minimum at the end: median, worst, and how many within the goal"
    );
    println!("better: seeds with which it ends below random search\n");
    println!(
        "{:<30} {:>5} {:>6}   {:<26} {:<26} {:>6}",
        "", "evals", "goal", "Bayesian optimisation", "random search", "better"
    );
    for (problem, panel) in problems().iter().zip(area.split_evenly((1, 3))) {
        let ours = (0..seeds)
            .into_par_iter()
            .map(|s| problem.regrets(BayesOptimiser::new(&device, &problem.bounds)?, s))
            .collect::<mercer::Result<Vec<_>>>()?;
        let chance: Vec<Vec<f64>> = (0..seeds).map(|s| problem.by_chance(s)).collect();
        let say = |runs: &[Vec<f64>]| {
            let last = runs.iter().map(|r| r[problem.evaluations - 1]);
            let median = median(last.clone());
            let within = last.clone().filter(|r| *r <= problem.goal).count();
            format!("{median:8.4} {:8.4} {within:3}/{seeds}", last.fold(0f64, f64::max))
        };
        let better = ours.iter().zip(&chance).filter(|(a, b)| a.last() < b.last()).count();
        println!(
            "{:<30} {:>5} {:>6}   {:<26} {:<26} {better:>3}/{seeds}",
            problem.name,
            problem.evaluations,
            problem.goal,
            say(&ours),
            say(&chance)
        );
        traces(&panel, problem, &ours, &chance)?;
    }
    area.present()?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

/// Lower quartile, median and upper quartile over the seeds, after evaluation `at`.
fn quartiles(runs: &[Vec<f64>], at: usize) -> [f64; 3] {
    let mut values: Vec<f64> = runs.iter().map(|r| r[at]).collect();
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|q| values[(q * values.len() / 4).min(values.len() - 1)])
}

/// Medians as lines, what lies between the quartiles as bands.
fn traces(
    panel: &DrawingArea<BitMapBackend, plotters::coord::Shift>,
    problem: &Problem,
    ours: &[Vec<f64>],
    chance: &[Vec<f64>],
) -> Result<(), Box<dyn Error>> {
    let bottom = 1e-5;
    let all = ours.iter().chain(chance).flatten();
    let (low, high) = all.fold((f64::INFINITY, 0f64), |(l, h), v| (l.min(*v), h.max(*v)));
    let mut chart = ChartBuilder::on(panel)
        .caption(problem.name, ("sans-serif", 26))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d(1..problem.evaluations, (low.max(bottom)..high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("evaluations")
        .y_desc("above the minimum")
        .y_label_formatter(&|v| format!("{v:e}"))
        .label_style(("sans-serif", 16))
        .draw()?;
    let sets = [
        (chance, "random search", RGBColor(120, 120, 120)),
        (ours, "Bayesian optimisation", RGBColor(190, 58, 45)),
    ];
    for (runs, name, colour) in sets {
        let at: Vec<(usize, [f64; 3])> =
            (0..problem.evaluations).map(|i| (i + 1, quartiles(runs, i).map(|v| v.max(bottom)))).collect();
        let up = at.iter().map(|(i, q)| (*i, q[2]));
        let down = at.iter().rev().map(|(i, q)| (*i, q[0]));
        chart.draw_series([Polygon::new(up.chain(down).collect::<Vec<_>>(), colour.mix(0.18))])?;
        chart
            .draw_series(LineSeries::new(at.iter().map(|(i, q)| (*i, q[1])), colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 17))
        .draw()?;
    Ok(())
}
