//! Handwritten digits in the plane, by t-SNE.
//!
//! `cargo run --release --example tsne_digits [count]` writes `target/tsne_digits.png`. Each digit is 64 numbers; t-SNE places it
//! near those it resembles. The same call draws the same picture, to the last bit, on every run.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array2, s};
use plotters::prelude::*;

/// One for each digit, all dark enough for letters.
const COLOURS: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 140, 44),
    RGBColor(148, 103, 189),
    RGBColor(220, 110, 0),
    RGBColor(120, 70, 60),
    RGBColor(200, 60, 160),
    RGBColor(90, 90, 90),
    RGBColor(140, 140, 0),
    RGBColor(0, 150, 170),
];

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1797), |text| text.parse())?;
    let table = support::table("digits.csv")?;
    let count = count.min(table.nrows());
    let x = table.slice(s![..count, 1..]).to_owned();
    let digits: Vec<usize> = table.column(0).iter().take(count).map(|v| *v as usize).collect();

    let told = Progress::watch(|step| {
        if step.made % 100 == 0 {
            println!("iteration {:4}, KL {:.4}", step.made, step.value);
        }
    });
    let fit = TSne::new(2).progress(told).fit(&Device::best(), &x)?;
    let y = fit.embedding();
    println!("{count} digits: KL(P || Q) = {:.4}", fit.divergence());

    // How well the picture keeps what the labels know: the nearest neighbour of each digit.
    let same = |z: &Array2<f64>| {
        let alike = (0..count).filter(|&i| {
            let far = |j: usize| z.row(i).iter().zip(z.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let near = (0..count).filter(|j| *j != i).min_by(|a, b| far(*a).total_cmp(&far(*b)));
            near.is_some_and(|j| digits[j] == digits[i])
        });
        100.0 * alike.count() as f64 / count as f64
    };
    let pca = Pca::new(2).fit(&Device::best(), &x)?.transform(&x)?;
    println!("the nearest neighbour is the same digit: {:.1} % among 64 pixels,", same(&x));
    println!("{:.1} % in this picture, {:.1} % in that of two principal components", same(y), same(&pca));

    let (path, area) = support::picture("tsne_digits", (1000, 1000))?;
    let range = |j: usize| {
        let (low, high) = y.column(j).iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        let margin = 0.05 * (high - low);
        low - margin..high + margin
    };
    let title = format!("{count} digits, KL = {:.3}", fit.divergence());
    let mut chart = support::axes(&area, &title, (range(0), ""), (range(1), ""))?;
    chart.draw_series((0..count).map(|i| {
        let style = ("sans-serif", 17).into_font().color(&COLOURS[digits[i]]);
        Text::new(digits[i].to_string(), (y[[i, 0]], y[[i, 1]]), style)
    }))?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
