//! Handwritten digits without their labels: k-means, and a mixture of subspaces.
//!
//! `cargo run --release --example digits` looks for ten groups among 1797 digits of 8 x 8 pixels, twice. k-means knows a
//! group by its centre, so a slanted seven is as far from an upright seven as its pixels say. A mixture of
//! probabilistic PCAs gives each group directions in which its members may vary at little cost: slant, width, thickness.
//! Both are told only that there are ten groups; the labels serve to count, at the end, how often a group is one digit.

#[path = "support/mod.rs"]
mod support;

use mercer::Device;
use mercer::inference::em::Em;
use mercer::models::cluster::KMeans;
use mercer::models::latent::{FittedPpcaMixture, PpcaMixture};
use ndarray::{Array2, ArrayView1, Axis, s};
use plotters::prelude::*;

const GROUPS: usize = 10;
const LATENTS: usize = 8;

/// The digit that most members of each group are, and the share of digits that are their group's.
fn purity(groups: &[usize], digits: &[usize]) -> (Vec<usize>, f64) {
    let mut counts = Array2::<usize>::zeros((GROUPS, 10));
    groups.iter().zip(digits).for_each(|(&g, &d)| counts[[g, d]] += 1);
    let name = |row: ArrayView1<usize>| row.iter().enumerate().max_by_key(|(_, c)| **c).map_or(0, |(d, _)| d);
    let names: Vec<usize> = counts.rows().into_iter().map(name).collect();
    let right = groups.iter().zip(digits).filter(|(g, d)| names[**g] == **d).count();
    (names, right as f64 / digits.len() as f64)
}

/// Groups in the order of the digits they are.
fn order(names: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&g| names[g]);
    order
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best();
    let table = support::table("digits.csv")?;
    let x = table.slice(s![.., 1..]).to_owned();
    let digits: Vec<usize> = table.column(0).iter().map(|v| *v as usize).collect();
    println!("{} digits on {device}\n", digits.len());

    let kmeans = KMeans::new(GROUPS).fit(&device, x.view())?;
    let (means_names, means_share) = purity(kmeans.labels(), &digits);

    // How many directions each group needs is read off digits that were not learned from: every third.
    let (learn, test): (Vec<usize>, Vec<usize>) = (0..x.nrows()).partition(|i| i % 3 != 0);
    let (learn, test) = (x.select(Axis(0), &learn), x.select(Axis(0), &test));
    let em = Em::new().max_iterations(100).tolerance(1e-5).restarts(3);
    println!("directions   log p of digits not seen");
    for latents in [1, 2, 4, 8, 16] {
        let mixture = PpcaMixture::new(GROUPS, latents).em(em.clone()).fit(&device, learn.view())?;
        println!("{latents:10} {:26.2}", mixture.score_samples(test.view())?.mean().unwrap_or(f64::NAN));
    }

    let mixture = PpcaMixture::new(GROUPS, LATENTS).em(em).fit(&device, x.view())?;
    let (names, share) = purity(&mixture.predict(x.view())?, &digits);
    println!("\n                     digits that are their group's");
    println!("k-means              {:5.1} %", 100.0 * means_share);
    println!("mixture of subspaces {:5.1} %", 100.0 * share);
    println!("\n{} iterations, log-likelihood {:.1}", mixture.report().iterations, mixture.log_likelihood());

    let path = draw(kmeans.centres().view(), &order(&means_names), &mixture, &order(&names))?;
    println!("\n{}", path.display());
    Ok(())
}

/// Rows of ten pictures: centres, means, the first two directions, digits that were drawn from the mixture.
fn draw(
    centres: ndarray::ArrayView2<f64>,
    first: &[usize],
    mixture: &FittedPpcaMixture,
    second: &[usize],
) -> Result<std::path::PathBuf, Box<dyn std::error::Error>> {
    const CELL: i32 = 88;
    const LEFT: i32 = 190;
    let (path, area) = support::picture("digits", (1090, 720))?;
    let means = mixture.means();
    let font = ("sans-serif", 20).into_font();
    let grey = |v: f64| {
        let level = (255.0 * (1.0 - (v / 16.0).clamp(0.0, 1.0))) as u8;
        RGBColor(level, level, level)
    };
    let signed = |v: f64, largest: f64| {
        let t = (v / largest).clamp(-1.0, 1.0);
        let fade = (255.0 * (1.0 - t.abs())) as u8;
        if t > 0.0 { RGBColor(255, fade, fade) } else { RGBColor(fade, fade, 255) }
    };
    let image = |row: i32, col: i32, colours: Vec<RGBColor>| -> Result<(), Box<dyn std::error::Error>> {
        let (x0, y0) = (LEFT + col * CELL, 44 + row * (CELL + 20));
        for (i, colour) in (0..).zip(colours) {
            let (x, y) = (x0 + i % 8 * 10, y0 + i / 8 * 10);
            area.draw(&Rectangle::new([(x, y), (x + 9, y + 9)], colour.filled()))?;
        }
        area.draw(&Rectangle::new([(x0 - 1, y0 - 1), (x0 + 80, y0 + 80)], RGBColor(170, 170, 170)))?;
        Ok(())
    };
    let (draws, from) = mixture.sample_labelled(2000, 3)?;
    for (col, (&a, &b)) in (0..).zip(first.iter().zip(second)) {
        image(0, col, centres.row(a).iter().map(|v| grey(*v)).collect())?;
        image(1, col, means.row(b).iter().map(|v| grey(*v)).collect())?;
        let loadings = mixture.loadings(b)?;
        for (row, w) in (2..4).zip(loadings.columns()) {
            let largest = w.iter().fold(0f64, |m, v| m.max(v.abs()));
            image(row, col, w.iter().map(|v| signed(*v, largest)).collect())?;
        }
        let drawn: Vec<usize> = (0..from.len()).filter(|&i| from[i] == b).take(2).collect();
        for (row, i) in (4..).zip(drawn) {
            image(row, col, draws.row(i).iter().map(|v| grey(*v)).collect())?;
        }
    }
    let labels = [
        "k-means: centres",
        "mixture: means",
        "first direction",
        "second direction",
        "drawn from it",
        "and again",
    ];
    for (row, text) in (0..).zip(labels) {
        area.draw(&Text::new(text, (16, 74 + row * (CELL + 20)), font.clone()))?;
    }
    area.present()?;
    Ok(path)
}
