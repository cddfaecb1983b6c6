//! Strokes of handwriting, learned from patches of digits.
//!
//! `cargo run --release --example dictionary` cuts 4 x 4 patches out of 1,797 digits, learns atoms whose sparse sums they are, and
//! writes `target/dictionary.png`: the atoms, the parts that non-negative factorisation finds in whole digits, and how the
//! error falls with the number of atoms that a patch may use.

#[path = "support/mod.rs"]
mod support;
#[path = "support/tiles.rs"]
mod tiles;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array2, Axis, s};
use plotters::prelude::*;

/// Patches of 4 x 4 with ink in them, less their mean.
fn patches(x: &Array2<f64>) -> Array2<f64> {
    let mut all = Vec::new();
    for (i, digit) in x.rows().into_iter().enumerate() {
        let (top, left) = (i * 7 % 5, i * 3 % 5);
        let patch: Vec<f64> = (0..16).map(|p| digit[(top + p / 4) * 8 + left + p % 4]).collect();
        let mean = patch.iter().sum::<f64>() / 16.0;
        if patch.iter().any(|v| (v - mean).abs() > 0.2) {
            all.extend(patch.iter().map(|v| v - mean));
        }
    }
    Array2::from_shape_vec((all.len() / 16, 16), all).expect("whole patches")
}

fn main() -> Result<(), Box<dyn Error>> {
    let cpu = Device::cpu();
    let table = support::table("digits.csv")?;
    let x = table.slice(s![.., 1..]).mapv(|v| v / 16.0);
    let patches = patches(&x);
    println!("{} patches of 4 x 4", patches.nrows());
    let energy = patches.mapv(|v| v * v).sum();
    let mut curve = Vec::new();
    let mut shown = None;
    for penalty in [1.0, 0.6, 0.4, 0.25, 0.15, 0.08] {
        let model =
            DictionaryLearning::new(32, Sparsity::L1(penalty)).max_iterations(25).tolerance(1e-5).seed(1);
        let fitted = model.fit(&cpu, &patches)?;
        let z = fitted.transform(&patches)?;
        let rest = (&patches - &fitted.inverse_transform(&z)?).mapv(|v| v * v).sum() / energy;
        let used = z.iter().filter(|v| **v != 0.0).count() as f64 / patches.nrows() as f64;
        println!(
            "λ = {penalty:<5} {used:>5.2} atoms a patch, {:>5.1} % of the ink is left over",
            100.0 * rest
        );
        curve.push((used, 100.0 * rest));
        if penalty == 0.25 {
            shown = Some(fitted.atoms().clone());
        }
    }
    let parts = Nmf::new(24).max_iterations(150).seed(2).fit(&cpu, &x)?;
    println!(
        "24 parts explain the digits but for {:.2} of {:.2}",
        parts.report().objective(),
        0.5 * x.mapv(|v| v * v).sum()
    );

    let (path, area) = support::picture("dictionary", (1400, 560))?;
    let atoms = shown.ok_or("λ = 0.25 is one of them")?;
    tiles::write(&area, "32 atoms of 4 x 4 patches", (20, 18), 22)?;
    for (i, atom) in atoms.axis_iter(Axis(0)).enumerate() {
        let most = atom.iter().fold(0f64, |m, v| m.max(v.abs()));
        let at = (20 + (i % 6) as i32 * 70, 54 + (i / 6) as i32 * 70);
        tiles::tile(&area, atom, 4, (at, 15), (-most, most))?;
    }
    tiles::write(&area, "24 parts of whole digits", (470, 18), 22)?;
    for (i, part) in parts.components().axis_iter(Axis(0)).enumerate() {
        let most = part.iter().fold(1e-12, |m, v| f64::max(m, *v));
        let at = (470 + (i % 5) as i32 * 78, 54 + (i / 5) as i32 * 78);
        tiles::tile(&area, part, 8, (at, 9), (0.0, most))?;
    }
    let right = area.margin(0, 0, 880, 0);
    let most = curve.iter().fold((0f64, 0f64), |m, p| (m.0.max(p.0), m.1.max(p.1)));
    let (across, up) =
        ((0.0..most.0 * 1.1, "atoms a patch uses"), (0.0..most.1 * 1.1, "% of the ink left over"));
    let mut chart = support::axes(&right, "fewer atoms, larger error", across, up)?;
    chart.draw_series(LineSeries::new(curve.clone(), tiles::COLOURS[0].stroke_width(3)))?;
    chart.draw_series(curve.iter().map(|p| Circle::new(*p, 6, tiles::COLOURS[0].filled())))?;
    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
