//! Dependence where correlation sees none, and how much two descriptions of one thing have in common.
//!
//! Ten properties of the cell nuclei of 569 tumours were measured, and each recorded three times over an image: its mean,
//! its standard error, its worst value.
//!
//! 1. The worst perimeter and the standard error of the fractal dimension are not correlated at all. They are not
//!    independent either: HSIC, distance covariance and a test at a few places all find it, whatever they are asked to
//!    believe about its shape. (The pair was picked for the purpose, among many without correlation: its p-values show
//!    what the tests can see, and are no discovery.)
//! 2. Centred kernel alignment (CKA) says how far two records tell the same story, however many columns they have and
//!    whatever their units.

use std::error::Error;

use mercer::stats::{
    Among, DistanceCovariance, Estimator, FiniteSetIndependence, Hsic, IndependenceTest, Metric, Null,
    TestOutcome, median_distance, permutation,
};
use mercer::{Device, Kernel};
use ndarray::{Array2, ArrayView2, Axis, s};
use plotters::coord::Shift;
use plotters::prelude::*;

#[path = "support/mod.rs"]
mod support;
use support::{INK, axes};

const BLUE: RGBColor = RGBColor(31, 96, 166);
const RED: RGBColor = RGBColor(196, 78, 36);

type Area = DrawingArea<BitMapBackend<'static>, Shift>;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let (path, area) = support::picture("independence", (1650, 620))?;
    let (left, right) = area.split_horizontally(1000);
    let table = support::table("wdbc.csv")?;
    without_correlation(&device, &table, &left)?;
    alignment(&device, &table, &right)?;
    area.present()?;
    println!("\nthe picture is in {}", path.display());
    Ok(())
}

fn without_correlation(device: &Device, table: &Array2<f64>, area: &Area) -> Result<(), Box<dyn Error>> {
    let (perimeter, roughness) = (table.slice(s![.., 22..23]), table.slice(s![.., 19..20]));
    let (x, y) = (standardised(perimeter), standardised(roughness));

    println!(
        "{} tumours: does the worst perimeter say anything about the error of the fractal dimension?\n",
        x.nrows()
    );
    let (correlation, p) = correlation_test(&x, &y, 1000)?;
    println!("{:34} {correlation:>10.4}   p = {p:.3}", "correlation");
    let say = |what: &str, found: &TestOutcome| {
        println!("{what:34} {:>10.3e}   p = {:.3}", found.statistic, found.p_value);
    };
    let hsic = IndependenceTest::median().keep_null(true);
    let found = hsic.run(device, x.view(), y.view())?;
    say("HSIC, 1000 permutations", &found);
    let gamma = IndependenceTest::median().null(Null::Gamma);
    say("HSIC, gamma law", &gamma.run(device, x.view(), y.view())?);
    let distance = IndependenceTest::distance_covariance(1.0)?;
    say("distance covariance", &distance.run(device, x.view(), y.view())?);
    let dcor = DistanceCovariance::new(1.0).estimator(Estimator::Unbiased).run(device, &x, &y)?;
    println!("{:34} {:>10.4}", "distance correlation, without bias", dcor.correlation());
    let places = FiniteSetIndependence::new().locations(2);
    let found_at = places.run(device, x.view(), y.view())?;
    say("finite set (half of the tumours)", &found_at.outcome);
    for place in found_at.locations.rows() {
        println!("{:34} {:+.2} and {:+.2} standard deviations", "    looked at", place[0], place[1]);
    }

    let (scatter, null) = area.split_horizontally(520);
    draw_pairs(&scatter, &perimeter.to_owned(), &(&roughness * 1000.0), correlation)?;
    draw_null(&null, &found)
}

/// Pearson's correlation and its two-sided permutation p-value.
fn correlation_test(x: &Array2<f64>, y: &Array2<f64>, count: usize) -> mercer::Result<(f64, f64)> {
    let unit = |a: &Array2<f64>| {
        let centred = a - a.mean().unwrap_or(0.0);
        let length = centred.iter().map(|v| v * v).sum::<f64>().sqrt();
        centred / length
    };
    let (x, y) = (unit(x), unit(y));
    let n = x.nrows();
    let own = (&x * &y).sum();
    let mut larger = 0;
    for b in 0..count {
        let order = permutation(n, n, 0, b)?;
        larger += usize::from((&x * &y.select(Axis(0), &order)).sum().abs() >= own.abs());
    }
    Ok((own, (larger + 1) as f64 / (count + 1) as f64))
}

fn draw_pairs(area: &Area, x: &Array2<f64>, y: &Array2<f64>, correlation: f64) -> Result<(), Box<dyn Error>> {
    let title = format!("no correlation: {correlation:+.3}");
    let (right, top) = (260.0, 13.0);
    let across = (40.0..right, "worst perimeter, pixels");
    let mut chart = axes(area, &title, across, (0.0..top, "error of the fractal dimension, x 1000"))?;
    // What lies outside of the frame is drawn at its edge.
    let dots = x.iter().zip(y).map(|(&a, &b)| (a.min(0.995 * right), b.min(0.99 * top)));
    chart.draw_series(dots.map(|at| Circle::new(at, 3, BLUE.mix(0.4).filled())))?;
    // Three quantiles of the one for each tenth of the other.
    let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    for q in [0.1, 0.5, 0.9] {
        let line = pairs.chunks(pairs.len().div_ceil(10)).map(|tenth| {
            let mut own: Vec<f64> = tenth.iter().map(|p| p.1).collect();
            own.sort_unstable_by(f64::total_cmp);
            (tenth[tenth.len() / 2].0, own[(q * (own.len() - 1) as f64) as usize])
        });
        chart.draw_series(LineSeries::new(line.collect::<Vec<_>>(), RED.stroke_width(3)))?;
    }
    let label = ("sans-serif", 18).into_font().color(&RED);
    chart.draw_series([Text::new("10 %, 50 % and 90 %, by tenths of the perimeter", (58.0, 0.55), label)])?;
    Ok(())
}

fn draw_null(area: &Area, found: &TestOutcome) -> Result<(), Box<dyn Error>> {
    let null = found.null.as_deref().unwrap_or_default();
    let most = null.iter().copied().fold(found.statistic, f64::max) * 1.08 * 1e4;
    let bins = 48;
    let mut counts = vec![0usize; bins];
    for v in null {
        counts[((v * 1e4 / most * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let high = counts.iter().copied().max().unwrap_or(1) as f64 * 1.15;
    let title = format!("HSIC: p = {:.3}", found.p_value);
    let mut chart = axes(area, &title, (0.0..most, "HSIC x 10^4"), (0.0..high, "permutations"))?;
    let width = most / bins as f64;
    chart.draw_series(counts.iter().enumerate().map(|(b, &c)| {
        Rectangle::new([(b as f64 * width, 0.0), ((b + 1) as f64 * width, c as f64)], BLUE.mix(0.55).filled())
    }))?;
    let label = |colour: &RGBColor| ("sans-serif", 18).into_font().color(colour);
    for (at, colour, name, height) in
        [(found.threshold * 1e4, INK, "needed at 0.05", 0.72), (found.statistic * 1e4, RED, "the data", 0.92)]
    {
        chart.draw_series(LineSeries::new([(at, 0.0), (at, high)], colour.stroke_width(3)))?;
        // Left of its line if there is more room.
        let x = if at > 0.7 * most { at - 0.21 * most } else { at + 0.015 * most };
        chart.draw_series([Text::new(name, (x, height * high), label(&colour))])?;
    }
    Ok(())
}

fn alignment(device: &Device, table: &Array2<f64>, area: &Area) -> Result<(), Box<dyn Error>> {
    let n = table.nrows();
    let columns = |which: &[usize]| standardised(table.select(Axis(1), which).view());
    let block = |b: usize| columns(&(10 * b..10 * b + 10).collect::<Vec<_>>());
    let order = permutation(n, n, 1, 0)?;
    let records: [(&str, Array2<f64>); 7] = [
        ("mean", block(0)),
        ("worst", block(2)),
        ("error", block(1)),
        ("size", columns(&[0, 2, 3])),
        ("outline", columns(&[4, 5, 6, 7, 8, 9])),
        ("diagnosis", table.slice(s![.., 30..31]).to_owned()),
        ("shuffled", block(0).select(Axis(0), &order)),
    ];
    // A Gaussian kernel of the median distance for each; the U-statistics, so that unrelated records come out at 0.
    let kernel = |x: ArrayView2<f64>| median_distance(x, Metric::L2, Among::All).map(Kernel::rbf);
    let count = records.len();
    let mut cka = Array2::<f64>::eye(count);
    for i in 0..count {
        for j in 0..i {
            let (x, y) = (records[i].1.view(), records[j].1.view());
            cka[[i, j]] = Hsic::new(kernel(x)?, kernel(y)?).cka_unbiased(device, x, y)?;
            cka[[j, i]] = cka[[i, j]];
        }
    }
    println!("\ncentred kernel alignment of what was recorded of their nuclei\n");
    let names: Vec<&str> = records.iter().map(|(name, _)| *name).collect();
    print!("{:>10}", "");
    for name in &names {
        print!("{name:>10}");
    }
    for (name, row) in names.iter().zip(cka.rows()) {
        print!("\n{name:>10}");
        for v in row {
            print!("{v:>10.3}");
        }
    }
    println!();
    draw_alignment(area, &names, &cka)
}

/// Mean zero and variance one for each column.
fn standardised(x: ArrayView2<f64>) -> Array2<f64> {
    let centred = &x - &x.mean_axis(Axis(0)).expect("there are rows");
    let spread = centred.std_axis(Axis(0), 0.0);
    centred / spread
}

fn draw_alignment(area: &Area, names: &[&str], cka: &Array2<f64>) -> Result<(), Box<dyn Error>> {
    let area = area
        .margin(12, 0, 0, 0)
        .titled("CKA between records of cell nuclei", ("sans-serif", 24).into_font().color(&INK))?;
    let (left, top, cell) = (112, 16, 68);
    let label = ("sans-serif", 19).into_font().color(&INK);
    let mut y = top;
    for (name, row) in names.iter().zip(cka.rows()) {
        area.draw(&Text::new(*name, (8, y + cell / 2 - 8), label.clone()))?;
        for (x, &v) in (left..).step_by(cell as usize).zip(row) {
            let shade = v.clamp(0.0, 1.0);
            let mix =
                |light: u8, dark: u8| (f64::from(light) + shade * (f64::from(dark) - f64::from(light))) as u8;
            let colour = RGBColor(mix(244, 20), mix(247, 70), mix(251, 140));
            area.draw(&Rectangle::new([(x, y), (x + cell - 3, y + cell - 3)], colour.filled()))?;
            let ink = if shade > 0.55 { WHITE } else { INK };
            let number = ("sans-serif", 19).into_font().color(&ink);
            area.draw(&Text::new(format!("{:.2}", v.max(0.0)), (x + 15, y + cell / 2 - 10), number))?;
        }
        y += cell;
    }
    // Every second name a line lower: they are wider than the cells.
    for (j, (x, name)) in (left..).step_by(cell as usize).zip(names).enumerate() {
        let lower = if j % 2 == 0 { 6 } else { 28 };
        area.draw(&Text::new(*name, (x, y + lower), label.clone()))?;
    }
    Ok(())
}
