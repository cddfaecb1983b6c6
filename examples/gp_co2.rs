//! Ten years of carbon dioxide, forecast from the thirty-three before.
//!
//! The air over Mauna Loa has been sampled since 1958. The concentration of CO2 rises, faster and faster, and breathes with
//! the seasons of the northern hemisphere. A Gaussian process can be told all of that in one line, as a sum of kernels:
//! a long smooth trend, a yearly wave that may slowly change its shape, irregularities of a few years, and noise. What it
//! is not told, the dozen numbers in those kernels, it finds by maximising the marginal likelihood.
//!
//! The last ten years are kept from it, so that the forecast can be held against what happened. What happened is that
//! Pinatubo erupted in June 1991 and the growth paused for two years: nothing in the record before says that this is possible,
//! and the months outside the band are those.
//!
//! `cargo run --release --example gp_co2` writes `target/gp_co2.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::gp::{GpRegressor, Mean, Prediction};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis};
use plotters::prelude::*;

/// The first year that the model does not see.
const CUT: f64 = 1992.0;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let all = support::table("co2.csv")?;
    let (seen, hidden): (Vec<usize>, Vec<usize>) = (0..all.nrows()).partition(|&i| all[[i, 0]] < CUT);
    let part = |rows: &[usize], column: usize| all.select(Axis(0), rows).select(Axis(1), &[column]);
    let (x, y) = (part(&seen, 0), part(&seen, 1));

    // One year is one year: the period is known, everything else is a guess to start from.
    let trend = 2000.0 * Kernel::rbf(50.0);
    let seasons = 5.0 * (Kernel::rbf(100.0) * Kernel::periodic(1.3, 1.0));
    let irregularities = 0.5 * Kernel::rational_quadratic(1.0, 1.0);
    let kernel = (trend + seasons + irregularities).fixed("sum.1.product.1.periodic.period")?;
    let model = GpRegressor::new(kernel).mean(Mean::Constant).noise(0.1);
    let search = Minimiser::new().max_iterations(100);
    let fitted = model.optimise(search).fit(&device, &x, &y)?;

    println!("on {device}, {} months from {:.1} to {:.1}", x.nrows(), x[[0, 0]], x[[x.nrows() - 1, 0]]);
    println!("learned: {}", fitted.kernel());
    println!("noise: {:?}, mean: {:.1} ppm", fitted.noise(), fitted.coefficients()[[0, 0]]);
    if let Some(search) = &fitted.report().search {
        println!(
            "log evidence {:.2} after {} iterations, {} evaluations, {} failed: {:?}",
            fitted.log_evidence(),
            search.iterations,
            search.evaluations,
            search.failures,
            search.stop
        );
    }
    let certificate = fitted.report().certificate;
    println!("backward error {:.1e}, jitter {}", certificate.backward_error, certificate.jitter);

    let truth = part(&hidden, 1);
    let forecast = fitted.predict_distribution(part(&hidden, 0))?;
    report(&part(&hidden, 0), &truth, &forecast);

    let grid = Array2::from_shape_fn((900, 1), |(i, _)| 1958.0 + 45.0 * i as f64 / 899.0);
    let curve = fitted.predict_distribution(&grid)?;
    draw(&all, &grid, &curve)
}

/// Every second year, and how the whole decade went.
fn report(x: &Array2<f64>, truth: &Array2<f64>, forecast: &Prediction) {
    println!("\n    year   forecast    ± 2 sd   observed   error/sd");
    let std = forecast.std();
    let off = |i: usize| truth[[i, 0]] - forecast.mean[[i, 0]];
    for i in (5..truth.nrows()).step_by(12) {
        let (year, mean, sd, seen) = (x[[i, 0]], forecast.mean[[i, 0]], std[i], truth[[i, 0]]);
        println!("{year:8.2} {mean:10.2} {:9.2} {seen:10.2} {:10.2}", 2.0 * sd, off(i) / sd);
    }
    let n = truth.nrows();
    let rmse = ((0..n).map(|i| off(i) * off(i)).sum::<f64>() / n as f64).sqrt();
    let inside = (0..n).filter(|&i| off(i).abs() <= 1.96 * std[i]).count();
    println!("\nroot mean square error {rmse:.2} ppm; {inside} of {n} months inside the 95 % band");
}

/// The whole record above, the forecast below.
fn draw(all: &Array2<f64>, grid: &Array2<f64>, curve: &Prediction) -> Result<(), Box<dyn Error>> {
    let (path, root) = support::picture("gp_co2", (1200, 1000))?;
    let (above, below) = root.split_vertically(500);
    let panels = [
        (above, 1958.0..2003.0, 310.0..380.0, "CO2 at Mauna Loa: 33 years seen, 10 years forecast"),
        (below, 1988.0..2003.0, 345.0..380.0, "The forecast, its 95 % band, and what happened (red)"),
    ];
    let (grey, blue, red) = (RGBColor(60, 60, 60), RGBColor(30, 90, 180), RGBColor(200, 40, 30));
    for (area, years, ppm, title) in panels {
        let inside = |x: f64| years.contains(&x);
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 26))
            .margin(16)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(years.clone(), ppm)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .y_desc("ppm")
            .x_label_formatter(&|v| format!("{v:.0}"))
            .draw()?;
        let std = curve.std();
        let at = |i: usize, k: f64| (grid[[i, 0]], curve.mean[[i, 0]] + k * 1.96 * std[i]);
        let visible: Vec<usize> = (0..grid.nrows()).filter(|&i| inside(grid[[i, 0]])).collect();
        let upper = visible.iter().map(|&i| at(i, 1.0));
        let lower = visible.iter().rev().map(|&i| at(i, -1.0));
        chart.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), blue.mix(0.2))])?;
        chart.draw_series(LineSeries::new(visible.iter().map(|&i| at(i, 0.0)), blue.stroke_width(2)))?;
        let dots = all.rows().into_iter().filter(|r| inside(r[0])).map(|r| {
            let colour = if r[0] < CUT { grey } else { red };
            Circle::new((r[0], r[1]), 2, colour.filled())
        });
        chart.draw_series(dots)?;
    }
    root.present()?;
    println!("{}", path.display());
    Ok(())
}
