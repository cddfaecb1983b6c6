//! Where do two distributions differ? Two densities, their kernel mean embeddings, and the witness function between them.
//!
//! The left column is the picture every introduction to the MMD draws: a normal and a Laplace density of the same mean
//! and the same variance. No mean and no variance tells them apart, and yet the witness does: it is the difference of
//! the two embeddings, positive where the first has more mass and negative where the second has.
//!
//! The right column asks the same of real data: the daily returns of the S&P 500 in the year around the crash of October
//! 1987 and in a calm year before it. On an average day of either year nothing was earned to speak of; the witness has the shape of the
//! one on the left, upside down.

use std::error::Error;

use mercer::stats::{KernelMeanEmbedding, Null, TwoSampleTest, energy_distance};
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use plotters::coord::Shift;
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[path = "support/mod.rs"]
mod support;
use support::{INK, axes};

const FIRST: RGBColor = RGBColor(31, 96, 166);
const SECOND: RGBColor = RGBColor(196, 78, 36);

type Area = DrawingArea<BitMapBackend<'static>, Shift>;

/// One column of the picture.
struct Story {
    title: &'static str,
    names: [&'static str; 2],
    /// The two densities on the grid.
    densities: [Array1<f64>; 2],
    embeddings: [KernelMeanEmbedding; 2],
    grid: Array2<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let stories = [textbook(&device)?, market(&device)?];
    let (path, area) = support::picture("witness", (1500, 1080))?;
    for (story, column) in stories.iter().zip(area.split_evenly((1, 2))) {
        draw(story, &column)?;
    }
    area.present()?;
    println!("\nthe picture is in {}", path.display());
    Ok(())
}

/// A normal and a Laplace density, known exactly: their embeddings are those of a fine grid with the densities as weights.
fn textbook(device: &Device) -> Result<Story, Box<dyn Error>> {
    let grid = points(-5.0, 5.0, 1001);
    let step = 10.0 / 1000.0;
    let t = grid.column(0);
    let normal = t.mapv(|t| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt());
    let scale = 0.5f64.sqrt(); // a Laplace density of this scale has variance one
    let laplace = t.mapv(|t| (-t.abs() / scale).exp() / (2.0 * scale));
    let kernel = Kernel::rbf(0.5);
    let of = |density: &Array1<f64>| {
        let weights: Vec<f64> = density.iter().map(|d| d * step).collect();
        KernelMeanEmbedding::weighted(device, &kernel, grid.view(), &weights)
    };
    let embeddings = [of(&normal)?, of(&laplace)?];

    // Samples of both, to see from how many observations a test can tell.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    println!(
        "normal against Laplace, both of mean 0 and variance 1: MMD {:.4}",
        embeddings[0].distance(&embeddings[1])?
    );
    heading();
    for n in [100, 300, 1000] {
        let x = Array2::from_shape_fn((n, 1), |_| rng.sample::<f64, _>(rand_distr::StandardNormal));
        let y = Array2::from_shape_fn((n, 1), |_| {
            let u: f64 = rng.random::<f64>() - 0.5;
            -scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
        });
        report(device, &n.to_string(), x.view(), y.view())?;
    }
    let names = ["normal", "Laplace"];
    Ok(Story {
        title: "two densities of one mean and one variance",
        names,
        densities: [normal, laplace],
        embeddings,
        grid,
    })
}

/// Daily returns of two years, in percent.
fn market(device: &Device) -> Result<Story, Box<dyn Error>> {
    let returns = support::table("sp500.csv")? * 100.0;
    // 253 days of trading make a year: one with the crash in its middle, and one that ends two years before it begins.
    let fall = |i: &usize, j: &usize| returns[[*i, 0]].total_cmp(&returns[[*j, 0]]);
    let crash = (0..returns.nrows()).min_by(fall).ok_or("no returns")?;
    let year = |middle: usize| returns.slice(s![middle - 126..middle + 127, ..]);
    let (calm, wild) = (year(crash - 3 * 253), year(crash));
    println!(
        "\nS&P 500 three years before the crash of 1987 and around it: on average {:+.2} % and {:+.2} % a day",
        calm.mean().unwrap_or(0.0),
        wild.mean().unwrap_or(0.0)
    );
    heading();
    report(device, "253", calm, wild)?;
    let grid = points(-4.0, 4.0, 401);
    let kernel = Kernel::rbf(0.5);
    let of = |x: ArrayView2<f64>| KernelMeanEmbedding::new(device, &kernel, x);
    // A kernel density estimate is itself an embedding, with a kernel that integrates to one.
    let narrow = 0.2;
    let smooth = Kernel::rbf(narrow).scaled(1.0 / (narrow * (2.0 * std::f64::consts::PI).sqrt()));
    let density = |x: ArrayView2<f64>| KernelMeanEmbedding::new(device, &smooth, x)?.evaluate(grid.view());
    Ok(Story {
        title: "S&P 500: daily returns of two years, in percent",
        names: ["three years before", "around the crash"],
        densities: [density(calm)?, density(wild)?],
        embeddings: [of(calm)?, of(wild)?],
        grid,
    })
}

fn heading() {
    println!("{:>8} {:>10} {:>10} {:>12}", "n = m", "MMD-FUSE p", "energy p", "energy dist.");
}

fn report(device: &Device, what: &str, x: ArrayView2<f64>, y: ArrayView2<f64>) -> mercer::Result<()> {
    let null = Null::Permutations(500);
    let fuse = TwoSampleTest::new().null(null).run(device, x, y)?;
    let energy = TwoSampleTest::energy(1.0)?.null(null).run(device, x, y)?;
    let distance = energy_distance(device, x, y, 1.0)?;
    println!("{what:>8} {:>10.3} {:>10.3} {distance:>12.4}", fuse.p_value, energy.p_value);
    Ok(())
}

fn points(low: f64, high: f64, count: usize) -> Array2<f64> {
    Array1::linspace(low, high, count).insert_axis(Axis(1))
}

fn draw(story: &Story, area: &Area) -> Result<(), Box<dyn Error>> {
    let area = area.margin(12, 0, 0, 0).titled(story.title, ("sans-serif", 27).into_font().color(&INK))?;
    let rows = area.split_evenly((3, 1));
    let [p, q] = &story.embeddings;
    let [mu, nu] = [p.evaluate(story.grid.view())?, q.evaluate(story.grid.view())?];
    let top = |curves: [&Array1<f64>; 2]| curves.iter().flat_map(|c| c.iter()).fold(0f64, |m, v| m.max(*v));
    let [d, e] = &story.densities;
    curves(&rows[0], "densities", story, [d, e], 0.0..1.12 * top([d, e]))?;
    curves(&rows[1], "mean embeddings", story, [&mu, &nu], 0.0..1.12 * top([&mu, &nu]))?;

    // The unit ball's best function: the difference of the embeddings, divided by its norm.
    let difference = p.combined(1.0, q, -1.0)?;
    let witness = difference.evaluate(story.grid.view())? / difference.norm()?;
    let most = witness.iter().fold(0f64, |m, v| m.max(v.abs())) * 1.25;
    let grid = story.grid.column(0);
    let (low, high) = (grid[0], grid[grid.len() - 1]);
    let mut chart = axes(&rows[2], "", (low..high, ""), (-most..most, "witness, of unit norm"))?;
    for (sign, colour) in [(1.0, FIRST), (-1.0, SECOND)] {
        let part = grid.iter().zip(&witness).map(|(&t, &f)| (t, if sign * f > 0.0 { f } else { 0.0 }));
        chart.draw_series(AreaSeries::new(part, 0.0, colour.mix(0.25)))?;
    }
    chart.draw_series(LineSeries::new([(low, 0.0), (high, 0.0)], &INK.mix(0.5)))?;
    chart.draw_series(LineSeries::new(
        grid.iter().copied().zip(witness.iter().copied()),
        INK.stroke_width(3),
    ))?;
    // Herding: twelve points each that stand for the two distributions.
    let sides = [(p, FIRST, 0.93, 0.84), (q, SECOND, -0.93, -0.73)];
    for ((embedding, colour, height, letters), name) in sides.into_iter().zip(story.names) {
        let few = embedding.herd(12, Some(story.grid.view()))?;
        let dots = few.points.column(0).to_vec();
        chart.draw_series(dots.into_iter().map(|t| Circle::new((t, height * most), 5, colour.filled())))?;
        let at = (low + 0.02 * (high - low), letters * most);
        let label = ("sans-serif", 18).into_font().color(&INK);
        chart.draw_series([Text::new(format!("12 points herded: {name}"), at, label)])?;
    }
    Ok(())
}

fn curves(
    area: &Area,
    name: &str,
    story: &Story,
    values: [&Array1<f64>; 2],
    height: std::ops::Range<f64>,
) -> Result<(), Box<dyn Error>> {
    let grid = story.grid.column(0);
    let mut chart = axes(area, "", (grid[0]..grid[grid.len() - 1], ""), (height, name))?;
    for ((values, colour), name) in values.into_iter().zip([FIRST, SECOND]).zip(story.names) {
        let line = grid.iter().copied().zip(values.iter().copied());
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 18).into_font().color(&INK))
        .legend_area_size(34)
        .border_style(TRANSPARENT)
        .draw()?;
    Ok(())
}
