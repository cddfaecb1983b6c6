//! Eight clusters on a ring: which generator finds all of them?
//!
//! `cargo run --release --example gan_ring` trains three generators on the same points (a discriminator, a critic of Wasserstein,
//! and no judge but a kernel) and writes `target/gan_ring.png`. Each is then judged by the maximum mean discrepancy of its points
//! to new ones of the ring, and by a classifier that tries to tell them apart.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;
use std::f64::consts::TAU;

use mercer::prelude::*;
use ndarray::Array2;
use plotters::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// So many points, each near one of eight places on a circle of radius two.
fn ring(count: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((count, 2), |(i, j)| {
        let angle = TAU * (i % 8) as f64 / 8.0;
        let noise: f64 = StandardNormal.sample(&mut rng);
        2.0 * if j == 0 { angle.cos() } else { angle.sin() } + 0.12 * noise
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let cpu = Device::cpu();
    let (x, fresh) = (ring(800, 1), ring(800, 2));
    let base =
        Gan::new(8).generator([64, 64]).critic([64, 64]).activation(Activation::Relu).batch(256).seed(4);
    let games = [
        (
            "non-saturating",
            base.clone().loss(GanLoss::NonSaturating).rounds(4000).generator_rate(0.001).critic_rate(0.001),
        ),
        (
            "Wasserstein",
            base.clone()
                .loss(GanLoss::Wasserstein { clip: 0.1 })
                .critic_steps(5)
                .rounds(2000)
                .generator_rate(0.001)
                .critic_rate(0.001),
        ),
        (
            "MMD",
            base.loss(GanLoss::Mmd { lengthscales: vec![0.2, 0.5, 1.0, 2.0] })
                .batch(128)
                .rounds(1500)
                .generator_rate(0.003),
        ),
    ];
    let judge = Mmd::new(Kernel::rbf(0.5));
    println!("{:<16}{:>10}{:>12}{:>10}{:>12}", "game", "MMD", "told apart", "p", "clusters");
    let line = |name: &str, y: &Array2<f64>| -> Result<f64, Box<dyn Error>> {
        let mmd = judge.biased(&cpu, &fresh, y)?.sqrt();
        let told = told_apart(&fresh, y)?;
        println!(
            "{name:<16}{mmd:>10.4}{:>11.1}%{:>10.3}{:>12}",
            100.0 * told.accuracy,
            told.p_value,
            found(y)
        );
        Ok(mmd)
    };
    line("the ring itself", &ring(800, 3))?;
    let (path, area) = support::picture("gan_ring", (1500, 560))?;
    for (part, (name, model)) in area.split_evenly((1, 3)).iter().zip(games) {
        let y = model.fit(&cpu, &x)?.sample(800, 9)?;
        let mmd = line(name, &y)?;
        let title = format!("{name}: MMD {mmd:.3}, {} of 8 clusters", found(&y));
        let mut chart = support::axes(part, &title, (-3.2..3.2, ""), (-3.2..3.2, ""))?;
        let dots = |a: &Array2<f64>, colour: RGBAColor| -> Vec<_> {
            a.rows().into_iter().map(|r| Circle::new((r[0], r[1]), 3, colour.filled())).collect()
        };
        chart.draw_series(dots(&x, RGBColor(170, 170, 170).mix(0.5)))?;
        chart.draw_series(dots(&y, tiles::COLOURS[1].mix(0.6)))?;
    }
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}

/// A classifier trained on half of both samples, and how many of the other half it tells apart.
fn told_apart(x: &Array2<f64>, y: &Array2<f64>) -> mercer::Result<C2st> {
    let judge = NeuralClassifier::new(&[24]).training(Training::default().epochs(60).batch(64).seed(2));
    c2st(&Device::cpu(), &judge, x, y, 5)
}

/// Clusters with at least a quarter of their share of the points.
fn found(y: &Array2<f64>) -> usize {
    let mut counts = [0; 8];
    for p in y.rows() {
        let turn = (p[1].atan2(p[0]) / TAU * 8.0).round().rem_euclid(8.0) as usize % 8;
        let angle = TAU * turn as f64 / 8.0;
        let off = (p[0] - 2.0 * angle.cos()).hypot(p[1] - 2.0 * angle.sin());
        counts[turn] += usize::from(off < 0.4);
    }
    counts.iter().filter(|c| **c * 8 * 4 >= y.nrows()).count()
}
