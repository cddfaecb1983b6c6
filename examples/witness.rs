//! Where do two distributions differ? Two densities, their kernel mean embeddings, and the witness function between them.
//!
//! The left column is the picture every introduction to the MMD draws: a normal and a Laplace density of the same mean
//! and the same variance. No mean and no variance tells them apart, and yet the witness does: it is the difference of
//! the two embeddings, positive where the first has more mass and negative where the second has.
//!
//! The right column asks the same of real data. The S&P 500 does not foretell tomorrow's direction: returns after a
//! calm day and returns after a wild day have the same mean. Their witness has the shape of the one on the left.

use std::error::Error;

use mercer::stats::{KernelMeanEmbedding, Null, TwoSampleTest, energy_distance};
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, ArrayView2, Axis};
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
    println!("{:>8} {:>10} {:>10} {:>12}", "n = m", "MMD-FUSE p", "energy p", "energy dist.");
    for n in [100, 300, 1000, 3000] {
        let x = Array2::from_shape_fn((n, 1), |_| rng.sample::<f64, _>(rand_distr::StandardNormal));
        let y = Array2::from_shape_fn((n, 1), |_| {
            let u: f64 = rng.random::<f64>() - 0.5;
            -scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
        });
        report(device, &format!("{n}"), &x, &y)?;
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

/// Returns on days after a calm day and after a wild one, in percent.
fn market(device: &Device) -> Result<Story, Box<dyn Error>> {
    let returns = support::table("sp500.csv")? * 100.0;
    let r = returns.column(0);
    let mut sizes: Vec<f64> = r.iter().map(|v| v.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let (calm_below, wild_above) = (sizes[sizes.len() / 4], sizes[3 * sizes.len() / 4]);
    // Every second day only: a day belongs to one pair.
    let pick = |keep: &dyn Fn(f64) -> bool| {
        let days: Vec<f64> =
            (0..r.len() / 2).filter(|t| keep(r[2 * t].abs())).map(|t| r[2 * t + 1]).collect();
        Array2::from_shape_vec((days.len(), 1), days).expect("one column")
    };
    let (calm, wild) = (pick(&|size| size <= calm_below), pick(&|size| size >= wild_above));
    println!(
        "\nS&P 500 the day after a calm day ({} days) and after a wild day ({} days): means {:+.2} % and {:+.2} %",
        calm.nrows(),
        wild.nrows(),
        calm.mean().unwrap_or(0.0),
        wild.mean().unwrap_or(0.0)
    );
    report(device, "", &calm, &wild)?;
    let grid = points(-4.0, 4.0, 401);
    let kernel = Kernel::rbf(0.5);
    let of = |x: ArrayView2<f64>| KernelMeanEmbedding::new(device, &kernel, x);
    // A kernel density estimate is itself an embedding, with a kernel that integrates to one.
    let narrow = 0.2;
    let smooth = Kernel::rbf(narrow).scaled(1.0 / (narrow * (2.0 * std::f64::consts::PI).sqrt()));
    let density = |x: ArrayView2<f64>| KernelMeanEmbedding::new(device, &smooth, x)?.evaluate(grid.view());
    Ok(Story {
        title: "S&P 500: the return on the next day, in percent",
        names: ["after a calm day", "after a wild day"],
        densities: [density(calm.view())?, density(wild.view())?],
        embeddings: [of(calm.view())?, of(wild.view())?],
        grid,
    })
}

fn report(device: &Device, what: &str, x: &Array2<f64>, y: &Array2<f64>) -> mercer::Result<()> {
    let null = Null::Permutations(500);
    let fuse = TwoSampleTest { null, ..TwoSampleTest::default() }.run(device, x.view(), y.view())?;
    let energy = TwoSampleTest { null, ..TwoSampleTest::energy(1.0)? }.run(device, x.view(), y.view())?;
    let distance = energy_distance(device, x.view(), y.view(), 1.0)?;
    println!("{what:>8} {:>10.3} {:>10.3} {distance:>12.4}", fuse.p_value, energy.p_value);
    Ok(())
}

fn points(low: f64, high: f64, count: usize) -> Array2<f64> {
    Array1::linspace(low, high, count).insert_axis(Axis(1))
}

fn draw(story: &Story, area: &Area) -> Result<(), Box<dyn Error>> {
    let area = area.titled(story.title, ("sans-serif", 27).into_font().color(&INK))?;
    let rows = area.split_evenly((3, 1));
    let [p, q] = &story.embeddings;
    let [mu, nu] = [p.evaluate(story.grid.view())?, q.evaluate(story.grid.view())?];
    let top = |curves: [&Array1<f64>; 2]| curves.iter().flat_map(|c| c.iter()).fold(0f64, |m, v| m.max(*v));
    let [d, e] = &story.densities;
    let names = story.names.map(str::to_owned);
    curves(&rows[0], "densities", story, [d, e], 0.0..1.12 * top([d, e]), &names)?;
    let names = story.names.map(|n| format!("embedding of {n}"));
    curves(&rows[1], "mean embeddings", story, [&mu, &nu], 0.0..1.12 * top([&mu, &nu]), &names)?;

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
    for (embedding, colour, height) in [(p, FIRST, 0.93), (q, SECOND, -0.93)] {
        let few = embedding.herd(12, Some(story.grid.view()))?;
        let dots = few.points.column(0).to_vec();
        chart.draw_series(dots.into_iter().map(|t| Circle::new((t, height * most), 5, colour.filled())))?;
    }
    let label = ("sans-serif", 18).into_font().color(&INK);
    let at = low + 0.02 * (high - low);
    chart.draw_series([Text::new(
        format!("12 points herded from {}", story.names[0]),
        (at, 0.84 * most),
        label.clone(),
    )])?;
    chart.draw_series([Text::new(format!("and from {}", story.names[1]), (at, -0.73 * most), label)])?;
    Ok(())
}

fn curves(
    area: &Area,
    name: &str,
    story: &Story,
    values: [&Array1<f64>; 2],
    height: std::ops::Range<f64>,
    names: &[String; 2],
) -> Result<(), Box<dyn Error>> {
    let grid = story.grid.column(0);
    let mut chart = axes(area, "", (grid[0]..grid[grid.len() - 1], ""), (height, name))?;
    for ((values, colour), name) in values.into_iter().zip([FIRST, SECOND]).zip(names) {
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
