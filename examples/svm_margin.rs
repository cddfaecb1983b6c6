//! Margins of support vector machines: what the price C of an error and the width of the kernel do to them.
//!
//! `cargo run --release --example svm_margin` writes `target/svm_margin.png`: the boundary f = 0, the margins f = ±1, and
//! rings around the support vectors. Only those decide; all other points could be left out.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array2, Axis, s};
use plotters::prelude::*;

/// Points of the grid along each axis.
const GRID: usize = 160;
/// Where the axes end, in standard deviations.
const REACH: f64 = 3.2;

fn main() -> Result<(), Box<dyn Error>> {
    let table = support::table("breast_cancer.csv")?;
    // Every fourth tumour, or the rings hide the points.
    let rows: Vec<usize> = (0..table.nrows()).filter(|i| i % 4 == 0).collect();
    let raw = table.slice(s![.., ..2]).select(Axis(0), &rows);
    let labels: Vec<usize> = rows.iter().map(|&i| table[[i, 2]] as usize).collect();
    let x = Standardise::new().fit(&Device::cpu(), &raw)?.transform(&raw)?;

    let (path, area) = support::picture("svm_margin", (1500, 1400))?;
    let cases = [(0.3, 1.5), (100.0, 1.5), (0.3, 0.4), (100.0, 0.4)];
    for (panel, (c, width)) in area.split_evenly((2, 2)).iter().zip(cases) {
        let fitted =
            SvmClassifier::new(Kernel::rbf(width), c).tolerance(1e-6).fit(&Device::cpu(), &x, &labels)?;
        let proof = &fitted.certificates()[0];
        println!("C = {c}, width {width}: {proof}");
        let title = format!(
            "C = {c}, width {width}: {} support vectors, {} at the bound",
            proof.support, proof.bounded
        );
        draw(panel, &title, &x, &labels, &fitted)?;
    }
    area.present()?;
    println!("\nwrote {}", path.display());
    Ok(())
}

fn draw(
    area: &DrawingArea<BitMapBackend<'static>, plotters::coord::Shift>,
    title: &str,
    x: &Array2<f64>,
    labels: &[usize],
    fitted: &FittedSvm<usize>,
) -> Result<(), Box<dyn Error>> {
    let colours = [RGBColor(38, 102, 172), RGBColor(190, 58, 45)];
    let across = (-REACH..REACH, "worst texture");
    let mut chart = support::axes(area, title, across, (-REACH..REACH, "worst concave points"))?;
    let step = 2.0 * REACH / GRID as f64;
    let at = |k: usize| -REACH + (k as f64 + 0.5) * step;
    let grid = Array2::from_shape_fn((GRID * GRID, 2), |(i, j)| at(if j == 0 { i % GRID } else { i / GRID }));
    let f = fitted.decision(&grid)?.into_shape_with_order((GRID, GRID))?;
    let cells = f.indexed_iter().map(|((row, col), f)| {
        let (cx, cy) = (at(col), at(row));
        let tint = colours[usize::from(*f >= 0.0)].mix(0.08 + 0.22 * f.abs().min(1.0));
        Rectangle::new(
            [(cx - 0.5 * step, cy - 0.5 * step), (cx + 0.5 * step, cy + 0.5 * step)],
            tint.filled(),
        )
    });
    chart.draw_series(cells)?;
    // A level passes through a cell where f has it on both sides.
    for (level, size) in [(0.0, 2), (1.0, 1), (-1.0, 1)] {
        let crossed = |row: usize, col: usize| {
            let here = f[[row, col]] >= level;
            here != (f[[row, col + 1]] >= level) || here != (f[[row + 1, col]] >= level)
        };
        let cells = (0..GRID - 1).flat_map(|row| (0..GRID - 1).map(move |col| (row, col)));
        let dots = cells.filter(|&(row, col)| crossed(row, col));
        chart.draw_series(
            dots.map(|(row, col)| Circle::new((at(col), at(row)), size, support::INK.filled())),
        )?;
    }
    let dot = |i: usize| Circle::new((x[[i, 0]], x[[i, 1]]), 4, colours[labels[i]].filled());
    chart.draw_series((0..labels.len()).map(dot))?;
    let ring = |&i: &usize| Circle::new((x[[i, 0]], x[[i, 1]]), 8, support::INK.stroke_width(1));
    chart.draw_series(fitted.support().iter().map(ring))?;
    Ok(())
}
