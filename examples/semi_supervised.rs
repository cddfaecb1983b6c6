//! Six labels and three hundred points without one: what the unlabelled points are good for.
//!
//! `cargo run --release --example semi_supervised` writes `target/semi_supervised.png`. Kernel ridge regression sees six points
//! and draws a line between them. Laplacian regularised least squares sees the graph of all points too, and a function that
//! changes along an edge is penalised: the line moves to where there are no points.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::f64::consts::PI;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COLOURS: [RGBColor; 2] = [RGBColor(38, 102, 172), RGBColor(190, 58, 45)];
const LABELLED: [usize; 6] = [0, 20, 300, 1, 160, 305];

fn moons(n: usize) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    Array2::from_shape_fn((n, 2), |(i, j)| {
        let t = PI * (i / 2) as f64 / (n / 2 - 1) as f64;
        let at = if i % 2 == 0 { [t.cos(), t.sin()] } else { [1.0 - t.cos(), 0.5 - t.sin()] };
        at[j] + 0.25 * (rng.random::<f64>() - 0.5)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let x = moons(306);
    let truth: Vec<usize> = (0..306).map(|i| i % 2).collect();
    let rest: Vec<usize> = (0..306).filter(|i| !LABELLED.contains(i)).collect();
    let (few, more) = (x.select(Axis(0), &LABELLED), x.select(Axis(0), &rest));
    let y: Array1<f64> = LABELLED.iter().map(|&i| if truth[i] == 1 { 1.0 } else { -1.0 }).collect();

    let (path, area) = support::picture("semi_supervised", (1500, 640))?;
    let panels = area.split_evenly((1, 2));
    println!("share of 306 points on the right side, from six labels");
    for (panel, eta) in panels.iter().zip([0.0, 1.0]) {
        let model = LaplacianRls::new(Kernel::rbf(0.35), 0.001, eta).neighbourhood(Neighbourhood::nearest(6));
        let fit = model.unlabelled(more.clone()).fit(&device, &few, &y)?;
        let said: Vec<usize> = fit.predict(&x)?.iter().map(|f| usize::from(*f > 0.0)).collect();
        let share = accuracy(&truth, &said)?;
        let name = if eta == 0.0 { "Kernel ridge regression" } else { "Laplacian regularised least squares" };
        println!("{name:<38} {share:.3}");

        let mut chart = support::axes(
            panel,
            &format!("{name}: {:.1} %", 100.0 * share),
            (-1.4..2.4, ""),
            (-1.0..1.4, ""),
        )?;
        let (across, up) = (95, 60_usize);
        let cell = (3.8 / across as f64, 2.4 / up as f64);
        let corner = |c: usize, r: usize| (-1.4 + c as f64 * cell.0, -1.0 + r as f64 * cell.1);
        let middle = Array2::from_shape_fn((across * up, 2), |(i, j)| {
            let at = corner(i % across, i / across);
            if j == 0 { at.0 + 0.5 * cell.0 } else { at.1 + 0.5 * cell.1 }
        });
        let f = fit.predict(&middle)?;
        chart.draw_series(f.iter().enumerate().map(|(i, f)| {
            let (c, r) = (i % across, i / across);
            let tint = COLOURS[usize::from(*f > 0.0)].mix(0.45 * f.abs().min(1.0));
            Rectangle::new([corner(c, r), corner(c + 1, r + 1)], tint.filled())
        }))?;
        chart.draw_series(
            rest.iter().map(|&i| Circle::new((x[[i, 0]], x[[i, 1]]), 3, support::INK.mix(0.6))),
        )?;
        chart
            .draw_series(LABELLED.iter().map(|&i| Circle::new((x[[i, 0]], x[[i, 1]]), 10, WHITE.filled())))?;
        chart.draw_series(
            LABELLED.iter().map(|&i| Circle::new((x[[i, 0]], x[[i, 1]]), 8, COLOURS[truth[i]].filled())),
        )?;
    }

    let labels: Vec<usize> = LABELLED.iter().map(|&i| truth[i]).collect();
    let near = Neighbourhood::nearest(6);
    let svm = LaplacianSvm::new(Kernel::rbf(0.35), 0.001, 1.0).neighbourhood(near).unlabelled(more.clone());
    println!(
        "{:<38} {:.3}",
        "Laplacian support vector machine",
        svm.fit(&device, &few, &labels)?.score(&x, &truth)?
    );
    let logistic =
        LaplacianLogistic::new(Kernel::rbf(0.35), 0.001, 1.0).neighbourhood(near).unlabelled(more.clone());
    println!(
        "{:<38} {:.3}",
        "Laplacian logistic regression",
        logistic.fit(&device, &few, &labels)?.score(&x, &truth)?
    );
    let spread = LabelSpreading::new(0.9).neighbourhood(near).unlabelled(more);
    println!("{:<38} {:.3}", "label spreading", spread.fit(&device, &few, &labels)?.score(&x, &truth)?);

    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}
