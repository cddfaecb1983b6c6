//! Kernel principal components: rings that no line divides, and noise that pre-images remove from a circle and from digits.
//!
//! `cargo run --release --example kernel_pca` writes `target/kernel_pca.png`: two rings, their first two scores, a noisy
//! circle and what is left of it after a way there and back through four components; below them digits, the same with noise,
//! and what principal components and the pre-images of kernel ones make of these.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array2, Axis, concatenate, s};
use plotters::prelude::*;

type Panel = DrawingArea<BitMapBackend<'static>, plotters::coord::Shift>;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::cpu();
    let (path, whole) = support::picture("kernel_pca", (1500, 1880))?;
    let (area, below) = whole.split_vertically(1400);
    let panels = area.split_evenly((2, 2));

    let rings = concatenate(Axis(0), &[ring(120, 0.8, 0.12, 1).view(), ring(120, 2.2, 0.12, 2).view()])?;
    let kind: Vec<usize> = (0..240).map(|i| i / 120).collect();
    let fitted = KernelPca::new(Kernel::rbf(1.0), 2).fit(&device, &rings)?;
    let scores = fitted.transform(&rings)?;
    println!("rings: eigenvalues {:.3} of a trace of {:.3}", fitted.eigenvalues(), fitted.total());
    let divided =
        SvmClassifier::new(Kernel::linear(), 10.0).fit(&device, &scores, &kind)?.score(&scores, &kind)?;
    let before =
        SvmClassifier::new(Kernel::linear(), 10.0).fit(&device, &rings, &kind)?.score(&rings, &kind)?;
    println!(
        "a line divides {:.0} % of the points before, {:.0} % of the scores after",
        100.0 * before,
        100.0 * divided
    );
    scatter(&panels[0], "Two rings", 2.8, &[(&rings, &kind)])?;
    scatter(&panels[1], "Their first two scores", 0.9, &[(&scores, &kind)])?;

    let noisy = ring(150, 2.0, 0.7, 3);
    let fitted = KernelPca::new(Kernel::rbf(1.5), 4).fit(&device, &noisy)?;
    let clean = fitted.inverse_transform(fitted.transform(&noisy)?)?;
    let off = |x: &Array2<f64>| {
        let sum: f64 = x.rows().into_iter().map(|r| (r.dot(&r).sqrt() - 2.0).powi(2)).sum();
        (sum / x.nrows() as f64).sqrt()
    };
    println!("distance from the circle: {:.3} before, {:.3} after", off(&noisy), off(&clean));
    scatter(&panels[2], "A circle with noise", 3.2, &[(&noisy, &vec![0; 150])])?;
    scatter(&panels[3], "Pre-images of four components", 3.2, &[(&clean, &vec![1; 150])])?;
    digits(&below)?;
    whole.present()?;
    println!("\nwrote {}", path.display());
    Ok(())
}

/// Digits that no component was fitted to, with noise, by the best number of principal components and by pre-images.
fn digits(area: &Panel) -> Result<(), Box<dyn Error>> {
    let device = Device::cpu();
    let images = support::table("digits.csv")?.slice(s![.., 1..]).to_owned() / 16.0;
    let (train, clean) = (images.slice(s![..500, ..]), images.slice(s![500..560, ..]));
    let noisy = &clean + &(0.4 * Kernel::rbf(1.0).spectral_draws(64, 60, 5)?);
    let error = |x: &Array2<f64>| (x - &clean).mapv(|v| v * v).mean().unwrap_or(f64::NAN);
    let linear = Pca::new(12).fit(&device, train)?;
    let linear = linear.inverse_transform(linear.transform(&noisy)?)?;
    let curved = KernelPca::new(Kernel::rbf(3.0), 32).fit(&device, train)?;
    let curved = curved.inverse_transform(curved.transform(&noisy)?)?;
    println!(
        "digits: mean squared error {:.4} with noise, {:.4} after 12 principal components, {:.4} after pre-images of 32",
        error(&noisy),
        error(&linear),
        error(&curved)
    );
    let rows = [("digits", &clean.to_owned()), ("noise", &noisy), ("PCA", &linear), ("pre-images", &curved)];
    for (down, (name, images)) in rows.into_iter().enumerate() {
        let top = 20 + 112 * down as i32;
        tiles::write(area, name, (20, top + 36), 24)?;
        for (across, image) in images.rows().into_iter().take(11).enumerate() {
            tiles::tile(area, image, 8, ((180 + 116 * across as i32, top), 12), (0.0, 1.0))?;
        }
    }
    Ok(())
}

/// Points of a circle, with noise in a square around each.
fn ring(n: usize, radius: f64, noise: f64, seed: u64) -> Array2<f64> {
    let shake = Kernel::rbf(1.0).spectral_draws(2, n, seed); // the spectral measure of this kernel is standard normal
    let shake = shake.map_or_else(|_| Array2::zeros((n, 2)), |w| w.mapv(|w| 0.5 * w));
    Array2::from_shape_fn((n, 2), |(i, j)| {
        let t = i as f64 * std::f64::consts::TAU / n as f64;
        radius * if j == 0 { t.cos() } else { t.sin() } + noise * shake[[i, j]]
    })
}

fn scatter(
    area: &Panel,
    title: &str,
    reach: f64,
    sets: &[(&Array2<f64>, &Vec<usize>)],
) -> Result<(), Box<dyn Error>> {
    let colours = [RGBColor(38, 102, 172), RGBColor(190, 58, 45)];
    let mut chart = support::axes(area, title, (-reach..reach, ""), (-reach..reach, ""))?;
    for (x, kind) in sets {
        let dot = |i: usize| Circle::new((x[[i, 0]], x[[i, 1]]), 4, colours[kind[i]].filled());
        chart.draw_series((0..x.nrows()).map(dot))?;
    }
    Ok(())
}
