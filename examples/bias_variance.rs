//! Noise, bias and variance: a hundred data sets of one sine, ridge regression on 24 Gaussian features, many penalties.
//!
//! A large penalty makes all hundred fits alike, and alike wrong; a small one makes each follow its own noise. The expected
//! loss is the sum of the three parts, and has its minimum in between. What a hundred fits say of it is compared with the
//! mean loss on fresh data, which knows nothing of the parts.
//!
//! `cargo run --release --example bias_variance` writes `target/bias_variance.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::f64::consts::TAU;

use mercer::learn::loss::{BiasVariance, bias_variance};
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const BLUE: RGBColor = RGBColor(30, 90, 180);
const RED: RGBColor = RGBColor(200, 40, 30);
const GREEN: RGBColor = RGBColor(30, 130, 70);

/// One of the parts of a loss.
type Part = fn(&(f64, BiasVariance, f64)) -> f64;

const SETS: usize = 100;
const ROWS: usize = 50;
const NOISE: f64 = 0.3;

fn features(x: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.len(), 24), |(i, j)| (-0.5 * ((x[i] - j as f64 / 23.0) / 0.1).powi(2)).exp())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut normals = |n: usize, m: usize| -> Array2<f64> {
        Array2::from_shape_fn((n, m), |_| {
            let draw: f64 = StandardNormal.sample(&mut rng);
            NOISE * draw
        })
    };
    let x = Array1::from_shape_fn(ROWS, |i| i as f64 / (ROWS - 1) as f64);
    let (phi, truth) = (features(&x), x.mapv(|x| (TAU * x).sin()));
    // One column a data set: all hundred are fitted by one factorisation.
    let y = normals(ROWS, SETS) + truth.view().insert_axis(Axis(1));
    let fresh: Vec<Array2<f64>> = (0..20).map(|_| normals(SETS, ROWS) + &truth).collect();
    let logs: Vec<f64> = (0..=26).map(|k| -6.0 + 0.4 * f64::from(k)).collect();
    let fits = |log: f64| -> mercer::Result<Array2<f64>> {
        Ok(Ridge::new(log.exp()).fit(&Device::cpu(), &phi, &y)?.predict(&phi)?.reversed_axes())
    };
    println!(" ln λ    noise    bias²  variance     sum   fresh data");
    let mut parts: Vec<(f64, BiasVariance, f64)> = Vec::new();
    for &log in &logs {
        let said = fits(log)?;
        let own = bias_variance(said.view(), truth.view(), NOISE * NOISE)?;
        let square = |t: &Array2<f64>| (&said - t).mapv(|v| v * v).mean().unwrap_or(f64::NAN);
        let loss = fresh.iter().map(square).sum::<f64>() / fresh.len() as f64;
        let (noise, bias, variance) = (own.noise, own.bias_squared, own.variance);
        println!("{log:5.1} {noise:8.4} {bias:8.4} {variance:9.4} {:7.4} {loss:12.4}", own.total());
        parts.push((log, own, loss));
    }

    let (path, root) = support::picture("bias_variance", (1500, 900))?;
    let rows = root.split_evenly((2, 1));
    for (panel, log) in rows[0].split_evenly((1, 3)).iter().zip([2.6, -0.31, -2.4]) {
        let said = fits(log)?;
        let own = bias_variance(said.view(), truth.view(), NOISE * NOISE)?;
        let mut chart = support::axes(panel, &format!("ln λ = {log}"), (0.0..1.0, ""), (-1.5..1.5, ""))?;
        let line = |v: ndarray::ArrayView1<f64>| x.iter().copied().zip(v.to_vec()).collect::<Vec<_>>();
        for fit in said.rows().into_iter().take(20) {
            chart.draw_series(LineSeries::new(line(fit), RED.mix(0.25)))?;
        }
        chart
            .draw_series(LineSeries::new(line(truth.view()), GREEN.stroke_width(3)))?
            .label("the truth")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], GREEN.stroke_width(3)));
        chart
            .draw_series(LineSeries::new(line(own.mean.view()), BLUE.stroke_width(3)))?
            .label("mean of 100 fits")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 20, y)], BLUE.stroke_width(3)));
        legend(&mut chart, SeriesLabelPosition::UpperRight)?;
    }
    let title = "Expected loss and its parts";
    let mut chart = support::axes(&rows[1], title, (-6.0..4.4, "ln λ"), (0.0..0.3, "squared error"))?;
    let lines: [(&str, RGBColor, Part); 4] = [
        ("bias²", BLUE, |p| p.1.bias_squared),
        ("variance", RED, |p| p.1.variance),
        ("bias² + variance + noise", support::INK, |p| p.1.total()),
        ("noise", GREEN, |p| p.1.noise),
    ];
    for (name, colour, part) in lines {
        chart
            .draw_series(LineSeries::new(parts.iter().map(|p| (p.0, part(p))), colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(3)));
    }
    let dots = parts.iter().map(|p| Circle::new((p.0, p.2), 4, support::INK.filled()));
    chart
        .draw_series(dots)?
        .label("mean loss on fresh data")
        .legend(|(x, y)| Circle::new((x + 10, y), 4, support::INK.filled()));
    legend(&mut chart, SeriesLabelPosition::UpperLeft)?;
    root.present()?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

fn legend(chart: &mut support::Chart, place: SeriesLabelPosition) -> Result<(), Box<dyn Error>> {
    chart
        .configure_series_labels()
        .position(place)
        .background_style(WHITE.mix(0.8))
        .label_font(("sans-serif", 18))
        .draw()?;
    Ok(())
}
