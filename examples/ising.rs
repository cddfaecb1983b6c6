//! Spins: how order appears below the critical temperature, and how the same model cleans an image.
//!
//! Above: snapshots of a periodic lattice at three couplings. Below: the magnetisation against Onsager's exact line, and an
//! image with a sixth of its pixels flipped, with what mean field makes of it.
//!
//! `cargo run --release --example ising` draws `target/ising.png`. Spins are the same on every device.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::models::graphical::{Ising, Spins};
use mercer::prelude::*;
use mercer::random::Philox;
use ndarray::Array2;
use plotters::coord::Shift;
use plotters::prelude::*;

const SIZE: usize = 256;
type Area = DrawingArea<BitMapBackend<'static>, Shift>;

fn lattice(device: &Device, coupling: f64) -> mercer::Result<Ising> {
    Ok(Ising::new(coupling, Array2::zeros((SIZE, SIZE)))?.periodic(true)?.on(device))
}

/// All spins up, by a strong field for one sweep.
fn ordered(ising: &Ising) -> mercer::Result<Spins> {
    Ising::new(0.0, Array2::from_elem((SIZE, SIZE), 50.0))?.sweep(&ising.start(1), 1)
}

fn image(area: &Area, title: &str, pixels: &Array2<f64>) -> Result<(), Box<dyn Error>> {
    let (n, m) = pixels.dim();
    let style = ("sans-serif", 22).into_font().color(&support::INK);
    area.draw(&Text::new(title.to_owned(), (20, 8), style))?;
    let (width, height) = area.dim_in_pixel();
    let scale = ((width as i32 - 40) / m as i32).min((height as i32 - 50) / n as i32).max(1);
    for ((i, j), v) in pixels.indexed_iter() {
        let grey = (127.5 * (1.0 - v)) as u8;
        let (x, y) = (20 + scale * j as i32, 40 + scale * i as i32);
        let ink = RGBColor(255 - grey / 8 * 7, 255 - grey / 8 * 6, 255 - grey / 2);
        area.draw(&Rectangle::new([(x, y), (x + scale, y + scale)], ink.filled()))?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let critical = 0.5 * (1.0 + 2f64.sqrt()).ln();
    let (path, area) = support::picture("ising", (1290, 960))?;
    let (upper, lower) = area.split_vertically(480);
    for (panel, (name, share)) in
        upper.split_evenly((1, 3)).iter().zip([("hot", 0.8), ("critical", 1.0), ("cold", 1.06)])
    {
        let ising = lattice(&device, share * critical)?;
        let spins = ising.sweep(&ising.start(2), 600)?;
        let shown = Array2::from_shape_fn((195, 195), |at| f64::from(spins.sites()[at]));
        image(panel, &format!("{name}: coupling {:.3}", share * critical), &shown)?;
    }

    let (left, right) = lower.split_horizontally(560);
    let mut chart =
        support::axes(&left, "magnetisation", (0.36..0.54, "coupling"), (0.0..1.05, "mean spin"))?;
    let onsager = |c: f64| if c > critical { (1.0 - (2.0 * c).sinh().powi(-4)).powf(0.125) } else { 0.0 };
    let line = (0..=360).map(|i| 0.36 + 0.0005 * f64::from(i)).map(|c| (c, onsager(c)));
    chart.draw_series(LineSeries::new(line, RGBColor(196, 64, 48).stroke_width(2)))?;
    println!("coupling  mean spin  Onsager");
    for step in 0..10 {
        let coupling = 0.37 + 0.018 * f64::from(step);
        let ising = lattice(&device, coupling)?;
        let mut spins = ising.sweep(&ordered(&ising)?, 600)?;
        let mut mean = 0.0;
        for _ in 0..20 {
            spins = ising.sweep(&spins, 10)?;
            mean += spins.magnetisation().abs() / 20.0;
        }
        println!("{coupling:8.3} {mean:10.3} {:8.3}", onsager(coupling));
        chart.draw_series([Circle::new((coupling, mean), 5, RGBColor(31, 95, 160).filled())])?;
    }

    // Rings and a bar, a sixth of their pixels flipped.
    let clean = Array2::from_shape_fn((84, 84), |(i, j)| {
        let (x, y) = (i as f64 - 42.0, j as f64 - 42.0);
        let ring = (x * x + y * y).sqrt();
        if (ring > 14.0 && ring < 24.0) || ring > 36.0 || (x.abs() < 4.0 && ring < 36.0) { 1.0 } else { -1.0 }
    });
    let mut rng = Philox::new(7, 0);
    let seen = clean.mapv(|v| if rng.bernoulli(1.0 / 6.0) { -v } else { v });
    // A channel that flips a sixth: h = ½ log 5.
    let posterior = Ising::denoiser(0.55, 0.5 * 5f64.ln(), &seen)?.on(&device);
    let found = posterior.sampled_magnetisation(50, 200, 3)?;
    let wrong = |a: &Array2<f64>| a.iter().zip(&clean).filter(|(a, b)| **a * **b < 0.0).count();
    println!("\npixels wrong: {} of {} before, {} after", wrong(&seen), clean.len(), wrong(&found));
    let panels = right.split_evenly((1, 2));
    image(&panels[0], &format!("seen: {} pixels wrong", wrong(&seen)), &seen)?;
    image(&panels[1], &format!("posterior mean: {} wrong", wrong(&found)), &found)?;
    area.present()?;
    println!("{}", path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display());
    Ok(())
}
