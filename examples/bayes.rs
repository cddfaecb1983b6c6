//! Bayesian learning on one page: a coin, a normal mean, the choice of a model, the central limit theorem, a class of thresholds,
//! and a grid of evidences.
//!
//! `cargo run --example bayes` writes `target/bayes.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::inference::LaplaceApproximation;
use mercer::models::gp::GpRegressor;
use mercer::probability::bayes::{highest_density, log_bayes_factor};
use mercer::probability::conjugate::{BetaBernoulli, Conjugate, NormalMean};
use mercer::probability::distributions::{Beta, Exponential, Normal, Univariate};
use mercer::probability::tables::{kolmogorov_distance, standardised_means};
use mercer::stats::theory::{ThresholdExperiment, pac_error};
use mercer::{Device, Kernel};
use ndarray::Array2;
use plotters::coord::Shift;
use plotters::prelude::*;

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;
type Outcome = Result<(), Box<dyn Error>>;

/// Lines by name in one frame.
fn lines(
    area: &Area,
    title: &str,
    (x, y): (std::ops::Range<f64>, std::ops::Range<f64>),
    curves: &[(String, Vec<(f64, f64)>)],
) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(46)
        .build_cartesian_2d(x, y)?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    for (i, (name, points)) in curves.iter().enumerate() {
        let colour = Palette99::pick(i).mix(1.0);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    Ok(())
}

fn curve(low: f64, high: f64, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..=400).map(|i| low + (high - low) * f64::from(i) / 400.0).map(|x| (x, f(x))).collect()
}

/// Prior and posteriors of a coin, and Laplace's approximation of one of them.
fn coin(area: &Area) -> Outcome {
    let prior = BetaBernoulli::new(1.0, 1.0)?;
    let mut curves = Vec::new();
    for (yes, no) in [(0.0, 0.0), (2.0, 1.0), (7.0, 3.0), (35.0, 15.0)] {
        let belief = *prior.after(yes, no)?.belief();
        curves.push((format!("{yes} heads, {no} tails"), curve(1e-3, 0.999, |p| belief.density(p))));
    }
    let laplace = LaplaceApproximation::scalar((0.01, 0.99), 0.5, |p| {
        (
            7.0 * p.ln() + 3.0 * (1.0 - p).ln(),
            7.0 / p - 3.0 / (1.0 - p),
            -7.0 / (p * p) - 3.0 / (1.0 - p).powi(2),
        )
    })?;
    let normal = laplace.marginal(0)?;
    curves.push(("Laplace, 7 and 3".to_owned(), curve(0.0, 1.0, |p| normal.density(p))));
    let (low, high) = highest_density(&Beta::new(8.0, 4.0)?, 0.05)?;
    println!("7 heads, 3 tails: p in [{low:.3}, {high:.3}] with probability 0.95");
    println!(
        "   ln evidence {:.6}, by Laplace {:.6}",
        prior.log_evidence_of(7.0, 3.0)?,
        laplace.log_evidence()
    );
    lines(area, "a coin: what is known of p", (0.0..1.0, 0.0..7.0), &curves)
}

/// A normal mean after 0, 1, 4, 20 numbers of a standard normal distribution; the prior is N(1, 3).
fn mean(area: &Area) -> Outcome {
    let data = Normal::new(0.0, 1.0)?.sample(20, 4)?.to_vec();
    let prior = NormalMean::new(1.0, 3.0, 1.0)?;
    let mut curves = Vec::new();
    for n in [0usize, 1, 4, 20] {
        let after = prior.posterior(&data[..n])?;
        curves.push((format!("n = {n}"), curve(-4.0, 5.0, |m| after.belief().density(m))));
    }
    lines(area, "a mean of known variance", (-4.0..5.0, 0.0..2.0), &curves)
}

/// Bayes factors of a fair coin against any coin, for ten throws.
fn choice(area: &Area) -> Outcome {
    let any = BetaBernoulli::new(1.0, 1.0)?;
    println!("\nfair coin against any coin, ten throws: Bayes factor");
    let mut fair = Vec::new();
    let mut free = Vec::new();
    for heads in 0..=10 {
        let k = f64::from(heads);
        let other = any.log_evidence_of_counts(k, 10.0 - k)?;
        let half =
            any.log_evidence_of_counts(k, 10.0 - k)? - any.log_evidence_of(k, 10.0 - k)? + 10.0 * 0.5f64.ln();
        println!("   {heads:>2} heads {:>10.4}", log_bayes_factor(half, other).exp());
        fair.push((k, half.exp()));
        free.push((k, other.exp()));
    }
    let curves = [("fair: p = 1/2".to_owned(), fair), ("any: p uniform".to_owned(), free)];
    lines(
        area,
        "evidence of 0 to 10 heads: a simple model bets more on less",
        (0.0..10.0, 0.0..0.27),
        &curves,
    )
}

/// Standardised means of exponential numbers become normal.
fn limit(area: &Area) -> Outcome {
    let (of, unit) = (Exponential::new(1.0)?, Normal::new(0.0, 1.0)?);
    let mut curves = vec![("normal".to_owned(), curve(-3.0, 4.0, |z| unit.density(z)))];
    println!("\ncentral limit: distance from the normal distribution");
    for n in [1usize, 4, 32] {
        let z = standardised_means(&of, n, 40_000, 1)?;
        println!("   n = {n:>2}: {:.4}", kolmogorov_distance(&z.to_vec(), &unit)?);
        let (bins, low, width) = (35usize, -3.0, 0.2);
        let mut counts = vec![0.0; bins];
        for z in z {
            let at = (z - low) / width;
            if at >= 0.0 && at < bins as f64 {
                counts[at as usize] += 1.0 / (40_000.0 * width);
            }
        }
        let middles = counts.iter().enumerate().map(|(i, c)| (low + (i as f64 + 0.5) * width, *c)).collect();
        curves.push((format!("means of {n}"), middles));
    }
    lines(area, "central limit theorem, from exponential numbers", (-3.0..4.0, 0.0..1.0), &curves)
}

/// Risk and training loss of thresholds, and how far they are apart at most.
fn thresholds(area: &Area) -> Outcome {
    let mut curves = vec![("risk".to_owned(), curve(-0.5, 0.5, ThresholdExperiment::risk))];
    println!("\nthresholds: largest gap between training loss and risk, and the bound for 1000 of them");
    for n in [10usize, 100] {
        let seen = ThresholdExperiment::draw(n, 2)?;
        println!(
            "   N = {n:>4}: {:.3} (half of {:.3})",
            seen.largest_deviation(),
            pac_error(1000f64.ln(), n as f64, 0.05)?
        );
        curves.push((format!("training loss, N = {n}"), curve(-0.5, 0.5, |t| seen.training_loss(t))));
    }
    lines(area, "threshold classifiers", (-0.5..0.5, 0.0..0.7), &curves)
}

/// Evidence of a Gaussian process on sin(x)/x, over length scale and noise.
fn evidences(area: &Area) -> Outcome {
    let x = Array2::from_shape_fn((11, 1), |(i, _)| 2.0 * i as f64 - 10.0);
    let y = x.column(0).mapv(|v| if v == 0.0 { 1.0 } else { v.sin() / v });
    let axis = |low: f64, high: f64, n: i32| -> Vec<f64> {
        (0..n).map(|i| (low + (high - low) * f64::from(i) / f64::from(n - 1)) * 10f64.ln()).collect()
    };
    let (scales, noises) = (axis(-1.0, 1.5, 51), axis(-4.0, 0.5, 46));
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01);
    let grid = gp.evidence_grid(&Device::cpu(), &x, &y, (0, &scales), (1, &noises))?;
    let best = grid.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let mut chart = ChartBuilder::on(area)
        .caption("evidence of a Gaussian process on sin(x)/x", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(46)
        .build_cartesian_2d(-1.0..1.5, -4.0..0.5)?;
    chart.configure_mesh().disable_mesh().x_desc("log10 length scale").y_desc("log10 noise").draw()?;
    chart.draw_series(grid.indexed_iter().map(|((i, j), v)| {
        let shade = ((v - best) / 25.0).max(-1.0) + 1.0;
        let (a, b) = (-1.0 + 0.05 * i as f64, -4.0 + 0.1 * j as f64);
        Rectangle::new([(a - 0.025, b - 0.05), (a + 0.025, b + 0.05)], ViridisRGB.get_color(shade).filled())
    }))?;
    let ((i, j), _) = grid
        .indexed_iter()
        .fold(((0, 0), f64::NEG_INFINITY), |b, (at, v)| if *v > b.1 { (at, *v) } else { b });
    println!(
        "\nbest on the grid: length scale {:.3}, noise {:.1e}, ln evidence {best:.3}",
        scales[i].exp(),
        noises[j].exp()
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("bayes", (1800, 1000))?;
    let parts = area.split_evenly((2, 3));
    coin(&parts[0])?;
    mean(&parts[1])?;
    choice(&parts[2])?;
    limit(&parts[3])?;
    thresholds(&parts[4])?;
    evidences(&parts[5])?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
