//! Are two piles of handwriting the same, and if not, where do they differ?
//!
//! `cargo run --release --example two_sample` compares images of threes with images of fives, 8 x 8 pixels each, from
//! five of each on, and threes with other threes. One test answers whether there is a difference; the witness
//! function says which images show it, and the same discrepancy pixel by pixel says where. It ends in
//! `target/two_sample.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::stats::{Among, Metric, Mmd, TwoSampleTest, median_distance, permutation};
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate, s};
use plotters::coord::Shift;
use plotters::prelude::*;

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let digits = support::table("digits.csv")?;
    let of = |digit: f64| -> mercer::Result<Array2<f64>> {
        let rows: Vec<usize> = (0..digits.nrows()).filter(|&i| digits[[i, 0]] == digit).collect();
        // In the file one writer follows another; a sample must be in no order.
        let order: Vec<usize> = permutation(rows.len(), rows.len(), 1, 0)?.iter().map(|&i| rows[i]).collect();
        Ok(digits.slice(s![.., 1..]).select(Axis(0), &order))
    };
    let (threes, fives) = (of(3.0)?, of(5.0)?);
    println!("{} threes and {} fives on {device}", threes.nrows(), fives.nrows());

    // The default test: twenty kernels, no bandwidth chosen by hand, exact whatever the sample size.
    let test = TwoSampleTest::new();
    println!("\nsample size   threes / fives      threes / other threes");
    for n in [5, 10, 20, 40, 80] {
        let different = test.run(&device, threes.slice(s![..n, ..]), fives.slice(s![..n, ..]))?;
        let same = test.run(&device, threes.slice(s![..n, ..]), threes.slice(s![n..2 * n, ..]))?;
        println!("{n:>11}   p = {:<16.4}p = {:.4}", different.p_value, same.p_value);
    }
    let outcome = test.run(&device, threes.view(), fives.view())?;
    println!("\nall of them: {outcome}");

    // Which images show the difference: the witness at every image.
    let all = concatenate(Axis(0), &[threes.view(), fives.view()])?;
    let width = median_distance(all.view(), Metric::L2, Among::All)?;
    let mmd = Mmd::new(Kernel::rbf(width));
    let witness = mmd.witness(&device, threes.view(), fives.view(), all.view())?;
    let mut order: Vec<usize> = (0..all.nrows()).collect();
    order.sort_by(|&a, &b| witness[b].total_cmp(&witness[a]));
    let mut unsure = order.clone();
    unsure.sort_by(|&a, &b| witness[a].abs().total_cmp(&witness[b].abs()));

    // Where they differ: each pixel alone, its discrepancy in standard deviations.
    let pixel = |p: usize| -> Result<f64, mercer::Error> {
        let column = |a: &Array2<f64>| a.slice(s![.., p..p + 1]).to_owned();
        match median_distance(column(&all).view(), Metric::L2, Among::All) {
            Ok(width) => {
                let (x, y) = (column(&threes), column(&fives));
                Mmd::new(Kernel::rbf(width)).power_ratio(&device, x.view(), y.view())
            }
            Err(mercer::Error::Parameter { .. }) => Ok(0.0), // the same in every image
            Err(e) => Err(e),
        }
    };
    let ratios: Vec<f64> = (0..64).map(pixel).collect::<Result<_, _>>()?;
    let mut strongest: Vec<usize> = (0..64).collect();
    strongest.sort_by(|&a, &b| ratios[b].total_cmp(&ratios[a]));
    println!("\npixels that differ most (row, column): MMD² in standard deviations");
    for p in &strongest[..6] {
        println!("  ({}, {})  {:.1}", p / 8, p % 8, ratios[*p]);
    }
    draw(&threes, &fives, &all, &ratios, &order, &unsure)
}

fn draw(
    threes: &Array2<f64>,
    fives: &Array2<f64>,
    all: &Array2<f64>,
    ratios: &[f64],
    order: &[usize],
    unsure: &[usize],
) -> Result<(), Box<dyn Error>> {
    let (path, area) = support::picture("two_sample", (1240, 760))?;
    let grey = |v: f64| {
        let ink = 255 - (v / 16.0 * 255.0).clamp(0.0, 255.0) as u8;
        RGBColor(ink, ink, ink)
    };
    let most = ratios.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let heat = |v: f64| {
        let t = (v / most).clamp(0.0, 1.0);
        RGBColor(255 - (35.0 * t) as u8, 255 - (215.0 * t) as u8, 255 - (215.0 * t) as u8)
    };
    let label = |text: &str, at: (i32, i32), size: i32| {
        area.draw(&Text::new(text.to_owned(), at, ("sans-serif", size).into_font()))
    };
    let mean = |a: &Array2<f64>| a.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(64));
    let titles = ["mean of the threes", "mean of the fives", "where they differ (MMD² of each pixel)"];
    for (k, title) in (0..).zip(titles) {
        let left = 40 + 400 * k;
        label(title, (left, 24), 24)?;
        match k {
            0 => image(&area, (left, 60), 36, mean(threes).view(), grey)?,
            1 => image(&area, (left, 60), 36, mean(fives).view(), grey)?,
            _ => image(&area, (left, 60), 36, ArrayView1::from(ratios), heat)?,
        }
    }
    let worst: Vec<usize> = order.iter().rev().copied().collect();
    let rows = [
        ("most like a three, by the witness function", order),
        ("most like a five", &worst),
        ("undecided: the witness is near zero", unsure),
    ];
    for (r, (title, list)) in (0..).zip(rows) {
        let top = 372 + 130 * r;
        label(title, (40, top), 22)?;
        for (c, &i) in (0..13).zip(list) {
            image(&area, (40 + 92 * c, top + 32), 10, all.row(i), grey)?;
        }
    }
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}

/// 64 values as 8 x 8 squares with a frame.
fn image(
    area: &Area,
    (left, top): (i32, i32),
    side: i32,
    values: ArrayView1<f64>,
    colour: impl Fn(f64) -> RGBColor,
) -> Result<(), Box<dyn Error>> {
    for (p, &v) in (0..).zip(values) {
        let (x, y) = (left + side * (p % 8), top + side * (p / 8));
        area.draw(&Rectangle::new([(x, y), (x + side, y + side)], colour(v).filled()))?;
    }
    let frame = [(left, top), (left + 8 * side, top + 8 * side)];
    area.draw(&Rectangle::new(frame, RGBColor(120, 120, 120).stroke_width(1)))?;
    Ok(())
}
