//! What a kernel method loses, and how much time it gains, when it is made to scale: 20,000 diamonds.
//!
//! `cargo run --release --example kernel_scale` ends in a table and `target/kernel_scale.png`.
//!
//! The price of a diamond follows from its weight, cut, colour and clarity, but not linearly: a linear model of the
//! logarithms leaves a third more error than a kernel. Exact kernel ridge regression on 16,000 diamonds is a system of
//! 16,000 equations; the library does not store it, because it would not fit its budget of 2 GiB. The other ways look at
//! a few landmarks, or at a few random frequencies, and solve a small system instead.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::time::Instant;

use mercer::learn::Transform;
use mercer::models::kernel_methods::features::{Landmarks, Nystrom, RandomFourier};
use mercer::models::kernel_methods::{Falkon, KernelRidge};
use mercer::models::linear::Ridge;
use mercer::{Device, Kernel, Matrix, ops};
use ndarray::{Array2, ArrayView2, Axis, s};
use plotters::prelude::*;

const TRAIN: usize = 16_000;
const PENALTY: f64 = 0.3;
const SIZES: [usize; 6] = [25, 50, 100, 200, 400, 800];

/// One point of the picture: seconds of a fit and a prediction, and the error on diamonds that were not seen.
#[derive(Clone, Copy)]
struct Run {
    features: usize,
    seconds: f64,
    error: f64,
}

struct Data {
    x: Array2<f64>,
    y: Array2<f64>,
    new: Array2<f64>,
    truth: Array2<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let data = diamonds()?;
    // Matérn 3/2: smooth, but not as stiff as the Gaussian kernel. One length scale for each feature.
    let kernel = Kernel::matern32([2.0, 4.0, 4.0, 4.0, 6.0, 6.0]);
    let plan = KernelRidge::new(kernel.clone(), PENALTY).plan(&device, TRAIN, data.x.ncols(), 1);
    println!("on {device}\nexact kernel ridge: {plan}\n");

    let clock = Instant::now();
    let linear = Ridge::new(PENALTY).fit(&device, &data.x, &data.y)?;
    let linear = data.run(data.x.ncols(), clock, &linear.predict(&data.new)?);
    let clock = Instant::now();
    let exact = KernelRidge::new(kernel.clone(), PENALTY).tolerance(1e-6).fit(
        &device,
        data.x.view(),
        data.y.view(),
    )?;
    let exact_run = data.run(TRAIN, clock, &exact.predict(&data.new)?);
    println!("{:<34}{:>9}{:>10}{:>22}", "", "features", "seconds", "error (log price)");
    let show =
        |name: &str, r: &Run| println!("{name:<34}{:>9}{:>10.2}{:>22.4}", r.features, r.seconds, r.error);
    show("linear", &linear);
    show(
        &format!("exact ({})", exact.method()).replace("matrix-free conjugate gradients, ", "CG, "),
        &exact_run,
    );

    // A feature map in front of a linear model.
    let mapped = |map: &dyn Transform, clock: Instant| -> mercer::Result<Run> {
        let phi = map.transform(data.x.view())?;
        let fit = Ridge::new(PENALTY).fit(&device, phi.view(), data.y.view())?;
        Ok(data.run(phi.ncols(), clock, &fit.predict(map.transform(data.new.view())?.view())?))
    };
    let mut series: Vec<(&str, RGBColor, Vec<Run>)> = Vec::new();
    for (name, colour, how) in [
        ("Nyström, uniform", RGBColor(120, 170, 215), Landmarks::Uniform),
        ("Nyström, k-means++", RGBColor(40, 110, 180), Landmarks::KMeansPlusPlus),
        ("Nyström, pivoted Cholesky", RGBColor(10, 45, 100), Landmarks::PivotedCholesky),
    ] {
        let one = |m: usize| {
            let clock = Instant::now();
            mapped(&Nystrom::new(kernel.clone(), m).landmarks(how).fit(&device, &data.x)?, clock)
        };
        series.push((name, colour, SIZES.into_iter().map(one).collect::<mercer::Result<_>>()?));
    }
    for (name, colour, orthogonal) in [
        ("random Fourier", RGBColor(240, 170, 90), false),
        ("random Fourier, orthogonal", RGBColor(200, 90, 20), true),
    ] {
        let one = |m: usize| {
            let clock = Instant::now();
            mapped(
                &RandomFourier::new(kernel.clone(), m / 2).orthogonal(orthogonal).fit(&device, &data.x)?,
                clock,
            )
        };
        series.push((name, colour, SIZES.into_iter().map(one).collect::<mercer::Result<_>>()?));
    }
    // The landmarks again, but neither the features nor their products are stored.
    let one = |m: usize| -> mercer::Result<Run> {
        let clock = Instant::now();
        let model =
            Falkon::new(kernel.clone(), PENALTY, m).landmarks(Landmarks::KMeansPlusPlus).tolerance(1e-6);
        let fit = model.fit(&device, &data.x, &data.y)?;
        Ok(data.run(m, clock, &fit.predict(&data.new)?))
    };
    series.push((
        "Falkon, k-means++",
        RGBColor(40, 140, 70),
        SIZES.into_iter().map(one).collect::<mercer::Result<_>>()?,
    ));
    for (name, _, runs) in &series {
        for run in runs {
            show(name, run);
        }
    }

    let path = draw(&series, &linear, &exact_run, &approximation(&kernel, data.x.view())?)?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

impl Data {
    fn run(&self, features: usize, clock: Instant, predicted: &Array2<f64>) -> Run {
        let error = (predicted - &self.truth).mapv(|e| e * e).mean().unwrap_or(f64::NAN).sqrt();
        Run { features, seconds: clock.elapsed().as_secs_f64(), error }
    }
}

/// Logarithms of weight and price, standardised features, and 4,000 diamonds set aside.
fn diamonds() -> Result<Data, Box<dyn Error>> {
    let table = support::table("diamonds.csv")?;
    let mut x = table.slice(s![.., ..6]).to_owned();
    x.column_mut(0).mapv_inplace(f64::ln);
    let mean = x.mean_axis(Axis(0)).ok_or("no diamonds")?;
    let deviation = x.std_axis(Axis(0), 0.0);
    x = (x - mean) / deviation;
    let y = table.slice(s![.., 6..7]).mapv(f64::ln);
    // The prior mean of a kernel method is zero.
    let y = &y - y.slice(s![..TRAIN, ..]).mean().ok_or("no diamonds")?;
    let part = |a: &Array2<f64>, from: usize, to: usize| a.slice(s![from..to, ..]).to_owned();
    let n = x.nrows();
    Ok(Data {
        new: part(&x, TRAIN, n),
        truth: part(&y, TRAIN, n),
        x: part(&x, 0, TRAIN),
        y: part(&y, 0, TRAIN),
    })
}

/// Root mean square of `φᵀφ' - k` over pairs of 1,000 diamonds, for each map and number of features.
fn approximation(kernel: &Kernel, x: ArrayView2<f64>) -> mercer::Result<Vec<(usize, [f64; 3])>> {
    let some = x.slice(s![..1000, ..]);
    let points = Matrix::from_array(&Device::cpu(), some)?;
    let k = ops::gram(kernel, &points, None)?.to_array()?;
    let error = |map: &dyn Transform| -> mercer::Result<f64> {
        let phi = map.transform(some)?;
        Ok((phi.dot(&phi.t()) - &k).mapv(|e| e * e).mean().unwrap_or(f64::NAN).sqrt())
    };
    let fourier = |m: usize, orthogonal| {
        RandomFourier::new(kernel.clone(), m / 2).orthogonal(orthogonal).fit(&Device::cpu(), x)
    };
    let nystrom =
        |m| Nystrom::new(kernel.clone(), m).landmarks(Landmarks::KMeansPlusPlus).fit(&Device::cpu(), x);
    SIZES
        .iter()
        .map(|&m| Ok((m, [error(&nystrom(m)?)?, error(&fourier(m, false)?)?, error(&fourier(m, true)?)?])))
        .collect()
}

type Series = [(&'static str, RGBColor, Vec<Run>)];

fn draw(
    series: &Series,
    linear: &Run,
    exact: &Run,
    errors: &[(usize, [f64; 3])],
) -> Result<std::path::PathBuf, Box<dyn Error>> {
    let (path, area) = support::picture("kernel_scale", (1500, 640))?;
    let (left, right) = area.split_horizontally(880);
    let times = || series.iter().flat_map(|(_, _, runs)| runs).map(|r| r.seconds).chain([exact.seconds]);
    let (from, to) = (times().fold(f64::INFINITY, f64::min) / 1.5, times().fold(0.0, f64::max) * 2.0);
    let all =
        || series.iter().flat_map(|(_, _, runs)| runs).map(|r| r.error).chain([exact.error, linear.error]);
    let (low, high) =
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max).min(2.0 * linear.error));
    let mut chart = ChartBuilder::on(&left)
        .caption("price of 4,000 unseen diamonds: error against time", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(52)
        .y_label_area_size(72)
        .build_cartesian_2d((from..to).log_scale(), 0.95 * low..1.03 * high)?;
    chart
        .configure_mesh()
        .x_desc("seconds to fit 16,000 and predict 4,000")
        .y_desc("root mean square error of log price")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 16))
        .x_label_formatter(&|v| format!("{v}"))
        .y_label_formatter(&|v| format!("{v:.2}"))
        .light_line_style(WHITE)
        .draw()?;
    for (what, run) in [("linear", linear), ("exact", exact)] {
        chart.draw_series(LineSeries::new([(from, run.error), (to, run.error)], BLACK.mix(0.35)))?;
        let above = (from * 1.06, run.error + 0.04 * (high - low));
        chart.draw_series([Text::new(what, above, ("sans-serif", 18).into_font().color(&BLACK.mix(0.7)))])?;
    }
    chart.draw_series([Circle::new((exact.seconds, exact.error), 7, BLACK.filled())])?;
    for (name, colour, runs) in series {
        let points: Vec<(f64, f64)> = runs.iter().map(|r| (r.seconds, r.error)).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
        chart.draw_series(points.iter().map(|p| Circle::new(*p, 4, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.2))
        .label_font(("sans-serif", 16))
        .draw()?;

    let worst = errors.iter().flat_map(|(_, e)| e).copied().fold(0.0, f64::max);
    let best = errors.iter().flat_map(|(_, e)| e).copied().fold(f64::INFINITY, f64::min);
    let mut chart = ChartBuilder::on(&right)
        .caption("error of the kernel", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(52)
        .y_label_area_size(80)
        .build_cartesian_2d((20.0..1000.0).log_scale(), (best / 2.0..worst * 2.0).log_scale())?;
    chart
        .configure_mesh()
        .x_labels(4)
        .x_desc("features")
        .y_desc("root mean square of approximation - kernel")
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 16))
        .x_label_formatter(&|v| format!("{v}"))
        .y_label_formatter(&|v| format!("{v}"))
        .light_line_style(WHITE)
        .draw()?;
    let names = ["Nyström, k-means++", "random Fourier", "random Fourier, orthogonal"];
    let colours = [RGBColor(40, 110, 180), RGBColor(240, 170, 90), RGBColor(200, 90, 20)];
    for (i, (name, colour)) in names.into_iter().zip(colours).enumerate() {
        let points: Vec<(f64, f64)> = errors.iter().map(|(m, e)| (*m as f64, e[i])).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
        chart.draw_series(points.iter().map(|p| Circle::new(*p, 4, colour.filled())))?;
    }
    let start = errors[0].1[1] * 1.3;
    let guide = |m: f64| (m, start * (25.0 / m).sqrt());
    chart
        .draw_series(LineSeries::new([guide(25.0), guide(800.0)], BLACK.mix(0.35)))?
        .label("slope -1/2")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLACK.mix(0.35)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.2))
        .label_font(("sans-serif", 16))
        .draw()?;
    area.present()?;
    Ok(path)
}
