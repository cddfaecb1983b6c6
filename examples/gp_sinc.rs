//! A Gaussian process learns sin(x)/x from eleven noisy points: the classic figure, in four panels.
//!
//! Before data a process is a distribution over functions (first panel). Conditioned on data it is another one: narrow at
//! the points, wide between and beyond them (second). How noisy the points are is known here, how wavy the functions nobody
//! said: the marginal likelihood weighs fit against complexity along the length scale (third), and L-BFGS finds the best.
//! Over length scale and noise together (fourth) it is a ridge: eleven points cannot tell little noise from none.
//!
//! `cargo run --release --example gp_sinc` writes `target/gp_sinc.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::ops::Range;

use mercer::models::gp::{FittedGp, GpRegressor, Predictive};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis};
use plotters::coord::Shift;
use plotters::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

type Panel<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

const BLUE: RGBColor = RGBColor(30, 90, 180);
const RED: RGBColor = RGBColor(200, 40, 30);

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Eleven points, with noise of variance 0.01.
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let noise = Normal::new(0.0, 0.1)?;
    let x = Array2::from_shape_fn((11, 1), |(i, _)| 2.0 * i as f64 - 10.0);
    let y = x.mapv(|x| sinc(x) + noise.sample(&mut rng));
    let grid = Array2::from_shape_fn((201, 1), |(i, _)| -10.0 + 0.1 * i as f64);

    let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01);
    let search = Minimiser::new().restarts(4).seed(1);
    let fitted = model.clone().fixed_noise().optimise(search).fit(&Device::cpu(), x.view(), y.view())?;
    let best = fitted.model().theta();
    println!("          x      sinc      mean        sd");
    let p = fitted.predict_latent(&grid)?;
    for i in (0..201).step_by(20) {
        let at = grid[[i, 0]];
        println!("{at:11.1} {:9.4} {:9.4} {:9.4}", sinc(at), p.mean[[i, 0]], p.variance[i].sqrt());
    }
    println!("\nlength scale {:.3}, learned with the noise known to be 0.01", best[0].exp());
    let loo = fitted.leave_one_out()?;
    println!(
        "log evidence {:.3}, leave-one-out log predictive density {:.3}",
        fitted.log_evidence(),
        loo.log_predictive_density()
    );
    let within = p
        .std()
        .iter()
        .enumerate()
        .filter(|(i, s)| (p.mean[[*i, 0]] - sinc(grid[[*i, 0]])).abs() <= 2.0 * **s)
        .count();
    println!("sin(x)/x lies within two standard deviations at {within} of 201 places");

    let (path, root) = support::picture("gp_sinc", (1200, 900))?;
    let panels = root.split_evenly((2, 2));
    let prior = fitted.model().sample_prior(grid.view(), 5, 3)?;
    functions(
        &panels[0],
        "The prior: five functions",
        &grid,
        &prior.values.index_axis(Axis(2), 0).to_owned(),
        None,
    )?;
    let drawn = fitted.sample(grid.view(), Predictive::Latent, 5, 4)?;
    let drawn = drawn.values.index_axis(Axis(2), 0).to_owned();
    functions(
        &panels[1],
        "The posterior: mean, two standard deviations, five functions",
        &grid,
        &drawn,
        Some((&fitted, &x, &y)),
    )?;
    evidence(&panels[2], &model, &x, &y)?;
    surface(&panels[3], &model, &x, &y, &best)?;
    root.present()?;
    println!("{}", path.display());
    Ok(())
}

/// Sampled functions, and what they were conditioned on.
fn functions(
    area: &Panel,
    title: &str,
    grid: &Array2<f64>,
    drawn: &Array2<f64>,
    posterior: Option<(&FittedGp, &Array2<f64>, &Array2<f64>)>,
) -> Result<(), Box<dyn Error>> {
    let height = if posterior.is_some() { -1.0..1.5 } else { -3.0..3.0 };
    let mut chart = frame(area, title, -10.0..10.0, height, "x", "f(x)")?;
    let line = |values: Vec<f64>| grid.iter().copied().zip(values).collect::<Vec<_>>();
    if let Some((fitted, ..)) = posterior {
        let p = fitted.predict_latent(grid)?;
        let bound = |k: f64| {
            line((0..grid.nrows()).map(|i| p.mean[[i, 0]] + k * 2.0 * p.variance[i].sqrt()).collect())
        };
        let band = bound(1.0).into_iter().chain(bound(-1.0).into_iter().rev()).collect::<Vec<_>>();
        chart.draw_series([Polygon::new(band, BLUE.mix(0.15))])?;
        chart.draw_series(LineSeries::new(line(grid.iter().map(|x| sinc(*x)).collect()), BLACK.mix(0.4)))?;
        chart.draw_series(LineSeries::new(bound(0.0), BLUE.stroke_width(3)))?;
    }
    for one in drawn.rows() {
        chart.draw_series(LineSeries::new(line(one.to_vec()), BLUE.mix(0.55)))?;
    }
    if let Some((_, x, y)) = posterior {
        chart.draw_series(x.iter().zip(y).map(|(x, y)| Circle::new((*x, *y), 5, RED.filled())))?;
    }
    Ok(())
}

/// `log p(y)` along the length scale, for noise 0.01, and its two parts.
fn evidence(
    area: &Panel,
    model: &GpRegressor,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> Result<(), Box<dyn Error>> {
    let title = "Evidence (bold) = fit (red) + complexity (grey), noise 0.01";
    let mut chart = frame(area, title, -1.0..1.5, -60.0..30.0, "log10 of the length scale", "log p(y)")?;
    let (mut whole, mut fit, mut complexity) = (Vec::new(), Vec::new(), Vec::new());
    for e in (0..=100).map(|i| -1.0 + 0.025 * f64::from(i)) {
        let fitted =
            model.with_theta(&[e * 10f64.ln(), 0.01f64.ln()])?.fit(&Device::cpu(), x.view(), y.view())?;
        let quadratic = -0.5 * (fitted.alpha() * y).sum();
        whole.push((e, fitted.log_evidence()));
        fit.push((e, quadratic));
        complexity.push((e, fitted.log_evidence() - quadratic));
    }
    chart.draw_series(LineSeries::new(fit, RED.stroke_width(2)))?;
    chart.draw_series(LineSeries::new(complexity, RGBColor(130, 130, 130).stroke_width(2)))?;
    chart.draw_series(LineSeries::new(whole, BLUE.stroke_width(4)))?;
    Ok(())
}

/// `log p(y)` over both hyper-parameters, with the length scale that was found.
fn surface(
    area: &Panel,
    model: &GpRegressor,
    x: &Array2<f64>,
    y: &Array2<f64>,
    best: &[f64],
) -> Result<(), Box<dyn Error>> {
    let title = "Evidence over length scale and noise; what was found";
    let mut chart =
        frame(area, title, -0.5..1.25, -4.0..0.5, "log10 of the length scale", "log10 of the noise")?;
    let (columns, rows) = (70, 60);
    let (dx, dy) = (1.75 / f64::from(columns), 4.5 / f64::from(rows));
    let mut cells = Vec::new();
    for i in 0..columns {
        for j in 0..rows {
            let (l, v) = (-0.5 + dx * f64::from(i), -4.0 + dy * f64::from(j));
            let theta = [(l + 0.5 * dx) * 10f64.ln(), (v + 0.5 * dy) * 10f64.ln()];
            let e = model.with_theta(&theta)?.fit(&Device::cpu(), x.view(), y.view())?.log_evidence();
            cells.push((l, v, e));
        }
    }
    let top = cells.iter().fold(f64::NEG_INFINITY, |m, c| m.max(c.2));
    let tiles = cells.iter().map(|(l, v, e)| {
        // From white to blue over the best twelve units, in steps that read as contours.
        let depth = (((e - top) / 12.0 + 1.0).max(0.0) * 12.0).floor() / 12.0;
        let mix = |from: f64, to: f64| (from + (to - from) * depth) as u8;
        let colour = RGBColor(mix(255.0, 30.0), mix(255.0, 90.0), mix(255.0, 180.0));
        Rectangle::new([(*l, *v), (l + dx, v + dy)], colour.filled())
    });
    chart.draw_series(tiles)?;
    let at = (best[0] / 10f64.ln(), 0.01f64.log10());
    chart.draw_series([Circle::new(at, 7, RED.filled())])?;
    Ok(())
}

type Chart<'a, 'b> = ChartContext<
    'a,
    BitMapBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

fn frame<'a, 'b>(
    area: &'a Panel<'b>,
    title: &str,
    x: Range<f64>,
    y: Range<f64>,
    across: &str,
    up: &str,
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(x, y)?;
    chart.configure_mesh().light_line_style(WHITE).x_desc(across).y_desc(up).draw()?;
    Ok(chart)
}
