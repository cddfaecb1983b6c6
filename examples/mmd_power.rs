//! How often does a two-sample test see a difference that is there? The power of MMD-FUSE, `MMDAgg` and the median
//! heuristic on the three problems of Biggs, Schrab and Gretton (2023), beside the figures they published, and on one without a
//! difference, where the share of rejections is the level.
//!
//! `cargo run --release --example mmd_power` runs a short version; `-- --full` the whole table (a night on two cores),
//! `-- --sizes 500,1000 --repetitions 100 --problems 1,2` anything between.
//!
//! The generators are those of the paper and its public code:
//! - mixture: four Gaussians in the plane at (±20, ±20), of standard deviation one, except that in Y the last has 1.3;
//! - perturbed uniform on [0, 1]^d: X has density `1 + a Σ_j θ_j Π_r G(2 x_r - j_r)` over the 2^d cells j, with signs θ drawn
//!   anew in each repetition, G two bumps of opposite sign, and a such that the density dips to 1 - scale; Y is uniform.
//!   scale = 0.2 for d = 1 and 0.4 for d = 2.
//!
//! Both samples have n points, the level is 0.05, and there are 2000 permutations, as published. The published `MMDAgg` drew
//! its resamples by the wild bootstrap, over bandwidths in equal factors; ours permutes, over equal factors between the
//! quantiles of FUSE.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::time::Instant;

use mercer::Device;
use mercer::stats::{Collection, Combine, KernelChoice, Null, Spacing, TwoSampleTest};
use ndarray::Array2;
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

const SIZES: [usize; 6] = [500, 1000, 1500, 2000, 2500, 3000];

/// n points of X and n of Y.
type Draw = fn(usize, &mut ChaCha8Rng) -> (Array2<f64>, Array2<f64>);

/// A problem, its published powers by size (200 repetitions each) and how to draw from it.
struct Problem {
    name: &'static str,
    fuse: [f64; 6],
    agg: [f64; 6],
    median: [f64; 6],
    draw: Draw,
}

fn problems() -> [Problem; 4] {
    [
        Problem {
            name: "mixture, no difference",
            fuse: [0.05; 6],
            agg: [0.05; 6],
            median: [0.05; 6],
            draw: |n, rng| (mixture(n, 1.0, rng), mixture(n, 1.0, rng)),
        },
        Problem {
            name: "mixture, d = 2",
            fuse: [0.18, 0.38, 0.635, 0.765, 0.88, 0.97],
            agg: [0.19, 0.385, 0.665, 0.785, 0.89, 0.99],
            median: [0.055, 0.065, 0.05, 0.035, 0.05, 0.04],
            draw: |n, rng| (mixture(n, 1.0, rng), mixture(n, 1.3, rng)),
        },
        Problem {
            name: "perturbed uniform, d = 1",
            fuse: [0.215, 0.43, 0.725, 0.79, 0.925, 0.985],
            agg: [0.24, 0.47, 0.785, 0.875, 0.965, 0.99],
            median: [0.16, 0.22, 0.415, 0.455, 0.59, 0.7],
            draw: |n, rng| (perturbed(n, 1, 0.2, rng), uniform(n, 1, rng)),
        },
        Problem {
            name: "perturbed uniform, d = 2",
            fuse: [0.165, 0.43, 0.69, 0.805, 0.975, 0.99],
            agg: [0.155, 0.335, 0.595, 0.765, 0.95, 0.975],
            median: [0.065, 0.045, 0.055, 0.045, 0.075, 0.03],
            draw: |n, rng| (perturbed(n, 2, 0.4, rng), uniform(n, 2, rng)),
        },
    ]
}

fn mixture(n: usize, last: f64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut z = Array2::zeros((n, 2));
    for mut row in z.rows_mut() {
        let corner: u32 = rng.random_range(0..4);
        let spread = if corner == 3 { last } else { 1.0 };
        for (axis, v) in row.iter_mut().enumerate() {
            let sign = if corner >> axis & 1 == 0 { 20.0 } else { -20.0 };
            let noise: f64 = StandardNormal.sample(rng);
            *v = sign + spread * noise;
        }
    }
    z
}

fn uniform(n: usize, d: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |_| rng.random())
}

/// Two bumps on (0, 1), the first up and the second down, of height 1/e.
fn bumps(x: f64) -> f64 {
    let bump = |u: f64| if u.abs() < 1.0 { (-1.0 / (1.0 - u * u)).exp() } else { 0.0 };
    bump(4.0 * x - 1.0) - bump(4.0 * x - 3.0)
}

/// By rejection from the uniform distribution.
fn perturbed(n: usize, d: usize, scale: f64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let signs: Vec<f64> = (0..1 << d).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
    let mut values = Vec::with_capacity(n * d);
    while values.len() < n * d {
        let x: Vec<f64> = (0..d).map(|_| rng.random()).collect();
        let cell: usize = x.iter().enumerate().map(|(r, v)| ((2.0 * v) as usize).min(1) << r).sum();
        let shape: f64 = x.iter().map(|v| bumps((2.0 * v).fract())).product();
        let density = 1.0 + scale * (d as f64).exp() * signs[cell] * shape;
        if rng.random::<f64>() * (1.0 + scale) <= density {
            values.extend(x);
        }
    }
    Array2::from_shape_vec((n, d), values).expect("n points of d coordinates")
}

/// FUSE over bandwidths in equal steps as published, `MMDAgg` over equal factors, and the median heuristic alone.
fn tests() -> [(&'static str, KernelChoice); 3] {
    let geometric = Collection { spacing: Spacing::Geometric, ..Collection::default() };
    [
        ("FUSE", KernelChoice::Aggregate { collection: Collection::default(), combine: Combine::FUSE }),
        ("MMDAgg", KernelChoice::Aggregate { collection: geometric, combine: Combine::MinP }),
        ("median", KernelChoice::Median),
    ]
}

/// How often each test rejects. Repetitions share the cores, so that none waits for what one of them does alone.
fn rejections(device: &Device, draw: Draw, n: usize, repetitions: usize) -> mercer::Result<[usize; 3]> {
    let one = |repetition: usize| {
        let seed = (n * 1_000_000 + repetition) as u64;
        let (x, y) = draw(n, &mut ChaCha8Rng::seed_from_u64(seed));
        let mut rejected = [0; 3];
        for (rejected, (_, kernel)) in rejected.iter_mut().zip(tests()) {
            let null = Null::Permutations(2000);
            let test = TwoSampleTest::new().kernel(kernel).null(null).seed(seed);
            *rejected = usize::from(test.run(device, x.view(), y.view())?.rejects());
        }
        Ok(rejected)
    };
    let sum = |a: [usize; 3], b: [usize; 3]| Ok([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    (0..repetitions).into_par_iter().map(one).try_reduce(|| [0; 3], sum)
}

fn option<T: std::str::FromStr>(name: &str) -> Option<Vec<T>> {
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|a| a == name)?;
    arguments.get(at + 1)?.split(',').map(|v| v.parse().ok()).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let full = std::env::args().any(|a| a == "--full");
    let sizes: Vec<usize> =
        option("--sizes").unwrap_or_else(|| if full { SIZES.to_vec() } else { vec![500] });
    let repetitions = option("--repetitions").map_or(if full { 200 } else { 40 }, |v| v[0]);
    println!("{device}; {repetitions} repetitions, level 0.05, 2000 permutations");
    println!("published figures in brackets; ± is the binomial standard error of ours\n");
    let mut found = Vec::new();
    let chosen: Option<Vec<usize>> = option("--problems");
    let problems = problems().into_iter().enumerate();
    for (_, problem) in problems.filter(|(at, _)| chosen.as_ref().is_none_or(|c| c.contains(at))) {
        for &n in &sizes {
            let start = Instant::now();
            let rejections = rejections(&device, problem.draw, n, repetitions)?;
            let published = SIZES.iter().position(|&s| s == n);
            let expected = |row: [f64; 6]| published.map_or(f64::NAN, |at| row[at]);
            let expected = [problem.fuse, problem.agg, problem.median].map(expected);
            print!("{:<26}n = {n:<5}", problem.name);
            for ((count, (name, _)), expected) in rejections.iter().zip(tests()).zip(expected) {
                let power = *count as f64 / repetitions as f64;
                let error = (power * (1.0 - power) / repetitions as f64).sqrt();
                print!("  {name} {power:.3} ± {error:.3} [{expected:.3}]");
            }
            println!("  {:.0} s", start.elapsed().as_secs_f64());
            let powers = rejections.map(|c| c as f64 / repetitions as f64);
            found.push((problem.name, n, powers));
        }
    }
    draw(&found)
}

/// Published curves as lines, ours as points.
fn draw(found: &[(&'static str, usize, [f64; 3])]) -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("mmd_power", (1760, 480))?;
    let colours = [RGBColor(31, 119, 180), RGBColor(255, 127, 14), RGBColor(127, 127, 127)];
    for (part, problem) in area.split_evenly((1, 4)).iter().zip(problems()) {
        let mut chart = ChartBuilder::on(part)
            .caption(problem.name, ("sans-serif", 24))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(48)
            .build_cartesian_2d(300.0..3200.0, 0.0..1.02)?;
        chart
            .configure_mesh()
            .x_desc("n in each sample")
            .y_desc("share of rejections")
            .label_style(("sans-serif", 16))
            .axis_desc_style(("sans-serif", 18))
            .light_line_style(WHITE)
            .draw()?;
        for (row, colour) in [problem.fuse, problem.agg, problem.median].into_iter().zip(colours) {
            let line = SIZES.iter().zip(row).map(|(&n, p)| (n as f64, p));
            chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        }
        for (k, (name, _)) in tests().iter().enumerate() {
            let own = found.iter().filter(|f| f.0 == problem.name);
            let points = own.map(|f| Circle::new((f.1 as f64, f.2[k]), 6, colours[k].filled()));
            chart
                .draw_series(points)?
                .label(format!("{name} (line: published)"))
                .legend(move |(x, y)| Circle::new((x + 10, y), 6, colours[k].filled()));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .label_font(("sans-serif", 15))
            .draw()?;
    }
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
