//! Filling in what was not measured.
//!
//! `cargo run --release --example ppca_missing` hides part of a table of real measurements, fits probabilistic PCA to
//! what is left, and compares what the model says of the hidden entries with what they were.
//!
//! The table is thirty measurements of cell nuclei in 569 images. They are anything but independent (an area says much
//! about a radius), so a hidden entry can be read off the others of its row, if one knows how they go together. That
//! is what the model learns: x = W z + m + noise, with a few latent numbers z behind the thirty that are seen. It learns
//! it from rows with holes, since the likelihood of a row is that of the entries it has.

#[path = "support/mod.rs"]
mod support;

use mercer::Device;
use mercer::inference::em::Em;
use mercer::models::latent::{FittedPpca, Ppca};
use ndarray::{Array2, Axis};
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Each entry hidden with probability `share`.
fn hide(x: &Array2<f64>, share: f64, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    x.mapv(|v| if rng.random::<f64>() < share { f64::NAN } else { v })
}

/// The root of the mean squared error over the entries that were hidden.
fn error(filled: &Array2<f64>, truth: &Array2<f64>, holes: &Array2<f64>) -> f64 {
    let gaps =
        filled.iter().zip(truth).zip(holes).filter(|(_, h)| h.is_nan()).map(|((f, t), _)| (f - t).powi(2));
    let (sum, count) = gaps.fold((0.0, 0.0), |(s, c), g| (s + g, c + 1.0));
    (sum / f64::max(count, 1.0)).sqrt()
}

/// The mean of what was seen of each column in the place of what was not.
fn by_means(holes: &Array2<f64>) -> Array2<f64> {
    let mut out = holes.clone();
    for mut column in out.columns_mut() {
        let (sum, count) =
            column.iter().filter(|v| !v.is_nan()).fold((0.0, 0.0), |(s, c), v| (s + v, c + 1.0));
        column.mapv_inplace(|v| if v.is_nan() { sum / f64::max(count, 1.0) } else { v });
    }
    out
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best();
    let raw = support::table("cells.csv")?;
    // One unit a column: an error of 1 is then what guessing the mean costs.
    let x = (&raw - &raw.mean_axis(Axis(0)).ok_or("an empty table")?) / raw.std_axis(Axis(0), 0.0);
    let (n, d) = x.dim();
    let em = Em::new().max_iterations(300).tolerance(1e-5);
    let fit = |holes: &Array2<f64>, k: usize| -> mercer::Result<FittedPpca> {
        Ppca::new(k).missing(true).em(em.clone()).fit(&device, holes.view())
    };
    println!("{n} rows of {d} measurements, on {device}\n");

    // How many latent numbers? The information criterion asks only for the likelihood of what was seen.
    let holes = hide(&x, 0.3, 1);
    println!("30 % hidden:\n   k          BIC   error   iterations");
    let mut best: Option<(f64, usize, FittedPpca)> = None;
    for k in [1, 2, 4, 6, 8, 10, 12] {
        let model = fit(&holes, k)?;
        let off = error(&model.impute(holes.view())?, &x, &holes);
        let bic = model.bic();
        let iterations = model.report().iterations;
        println!("{k:4} {bic:12.1} {off:7.3} {iterations:12}");
        if best.as_ref().is_none_or(|(b, ..)| bic < *b) {
            best = Some((bic, k, model));
        }
    }
    let (_, k, model) = best.ok_or("no model")?;
    // It falls as far as we look: some columns are nearly functions of others, and every further latent finds such a
    // pair. What is filled in hardly changes any more.
    println!("\nthe smallest BIC of these, found without knowing an error, is that of k = {k}\n");

    // How much may be missing?
    println!("hidden   by the mean   by the model");
    let mut curve = Vec::new();
    for share in [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
        let holes = hide(&x, share, 2);
        let filled = fit(&holes, k)?.impute(holes.view())?;
        let (mean, own) = (error(&by_means(&holes), &x, &holes), error(&filled, &x, &holes));
        println!("{:5.0} % {mean:13.3} {own:14.3}", 100.0 * share);
        curve.push((share, mean, own));
    }

    let (path, area) = support::picture("ppca_missing", (1200, 560))?;
    let (left, right) = area.split_horizontally(600);
    let mut chart = ChartBuilder::on(&left)
        .caption("error of filled-in entries", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..0.75, 0.0..1.15)?;
    let mesh = |c: &f64| format!("{:.0} %", 100.0 * c);
    chart
        .configure_mesh()
        .x_desc("hidden entries")
        .y_desc("root mean squared error, in standard deviations")
        .x_label_formatter(&mesh)
        .light_line_style(WHITE)
        .label_style(("sans-serif", 16))
        .draw()?;
    let colours = [RGBColor(150, 150, 150), RGBColor(20, 90, 160)];
    let names = ["the mean of the column".to_owned(), format!("PPCA with {k} latents")];
    for (which, (colour, name)) in colours.into_iter().zip(names).enumerate() {
        let points: Vec<(f64, f64)> =
            curve.iter().map(|c| (c.0, if which == 0 { c.1 } else { c.2 })).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
        chart.draw_series(points.iter().map(|p| Circle::new(*p, 5, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .label_font(("sans-serif", 17))
        .background_style(WHITE.mix(0.8))
        .draw()?;

    let mut chart = ChartBuilder::on(&right)
        .caption("30 % hidden: said and true", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(56)
        .build_cartesian_2d(-3.0..5.0, -3.0..5.0)?;
    chart
        .configure_mesh()
        .x_desc("true value, in standard deviations")
        .y_desc("expected by the model")
        .light_line_style(WHITE)
        .label_style(("sans-serif", 16))
        .draw()?;
    let filled = model.impute(holes.view())?;
    let hidden = filled.iter().zip(&x).zip(&holes).filter(|(_, h)| h.is_nan()).map(|((f, t), _)| (*t, *f));
    let inside = hidden.filter(|(t, f)| (-3.0..5.0).contains(t) && (-3.0..5.0).contains(f));
    chart.draw_series(inside.map(|p| Circle::new(p, 2, RGBColor(20, 90, 160).mix(0.25).filled())))?;
    chart.draw_series(LineSeries::new([(-3.0, -3.0), (5.0, 5.0)], BLACK.stroke_width(1)))?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
