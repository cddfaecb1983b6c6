//! Bayesian optimisation against random search: Branin's function, Hartmann's in six dimensions, and one under noise.
//!
//! `cargo run --release --example bayes_opt` runs each from 20 seeds and writes `target/bayes_opt.png`: how far above the
//! minimum the best point is after each evaluation. A number after `--` is another number of seeds.

#[path = "support/landscapes.rs"]
mod landscapes;
#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use landscapes::{branin, hartmann};
use mercer::Device;
use mercer::models::bayes_opt::BayesOptimiser;
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

struct Problem {
    name: &'static str,
    bounds: Vec<(f64, f64)>,
    f: fn(&[f64]) -> f64,
    minimum: f64,
    noise: f64,
    evaluations: usize,
    /// What counts as found.
    goal: f64,
}

impl Problem {
    /// f at the point thought best after each evaluation, less the minimum.
    fn regrets(&self, device: &Device, seed: u64) -> mercer::Result<Vec<f64>> {
        let mut noise = ChaCha8Rng::seed_from_u64(1000 + seed);
        let mut search = BayesOptimiser::new(device, &self.bounds)?.seed(seed);
        let mut regrets = Vec::new();
        for _ in 0..self.evaluations {
            let x = search.ask()?;
            let e: f64 = StandardNormal.sample(&mut noise);
            search.tell(&x, (self.f)(&x) + self.noise * e)?;
            // The lowest of noisy observations is mostly luck; the posterior knows.
            let best =
                if self.noise > 0.0 { search.recommend()?.x } else { search.best().map_or(x, |(x, _)| x) };
            regrets.push((self.f)(&best) - self.minimum);
        }
        Ok(regrets)
    }

    /// The same for uniform points, of which the lowest observation is thought best.
    fn by_chance(&self, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(2000 + seed);
        let mut best = (f64::INFINITY, f64::INFINITY);
        let mut next = || {
            let x: Vec<f64> = self.bounds.iter().map(|(l, h)| l + (h - l) * rng.random::<f64>()).collect();
            let e: f64 = StandardNormal.sample(&mut rng);
            let truth = (self.f)(&x);
            if truth + self.noise * e < best.0 {
                best = (truth + self.noise * e, truth);
            }
            best.1 - self.minimum
        };
        (0..self.evaluations).map(|_| next()).collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(20), |s| s.parse())?;
    // Problems of this size are for the CPU, whatever else there is; the seeds run side by side.
    let device = Device::cpu();
    let square = vec![(-5.0, 10.0), (0.0, 15.0)];
    let problems = [
        Problem {
            name: "Branin",
            bounds: square.clone(),
            f: branin,
            minimum: 0.397_887_357_7,
            noise: 0.0,
            evaluations: 30,
            goal: 0.01,
        },
        Problem {
            name: "Hartmann 6",
            bounds: vec![(0.0, 1.0); 6],
            f: hartmann,
            minimum: -3.322_368_011_4,
            noise: 0.0,
            evaluations: 60,
            goal: 0.15,
        },
        Problem {
            name: "Branin, noise of deviation 5",
            bounds: square,
            f: branin,
            minimum: 0.397_887_357_7,
            noise: 5.0,
            evaluations: 40,
            goal: 2.0,
        },
    ];
    let (path, area) = support::picture("bayes_opt", (1800, 600))?;
    println!(
        "{seeds} seeds; how far above the minimum at the end: median, worst, and how many within the goal\n"
    );
    println!(
        "{:<30} {:>5} {:>6}   {:<26} {:<26}",
        "", "evals", "goal", "Bayesian optimisation", "random search"
    );
    for (problem, panel) in problems.iter().zip(area.split_evenly((1, 3))) {
        let ours = (0..seeds)
            .into_par_iter()
            .map(|s| problem.regrets(&device, s))
            .collect::<mercer::Result<Vec<_>>>()?;
        let chance: Vec<Vec<f64>> = (0..seeds).map(|s| problem.by_chance(s)).collect();
        let say = |runs: &[Vec<f64>]| {
            let [_, median, _] = quartiles(runs, problem.evaluations - 1);
            let last = runs.iter().map(|r| r[problem.evaluations - 1]);
            let within = last.clone().filter(|r| *r < problem.goal).count();
            format!("{median:8.4} {:8.4} {within:3}/{seeds}", last.fold(0f64, f64::max))
        };
        println!(
            "{:<30} {:>5} {:>6}   {:<26} {:<26}",
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
