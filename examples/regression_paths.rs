//! Coefficients as the penalty falls: ridge, elastic net and lasso, with the penalty that cross-validation chooses.
//!
//! Twelve features, of which four matter and some are nearly copies of others. Ridge shrinks all of them and drops none; the
//! lasso begins with one of each pair; the elastic net lets both in. The dashed line is the cross-validated choice.
//!
//! `cargo run --release --example regression_paths` writes `target/regression_paths.png`.

#[path = "support/mod.rs"]
mod support;

use std::error::Error;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const INKS: [RGBColor; 4] =
    [RGBColor(30, 90, 180), RGBColor(200, 40, 30), RGBColor(30, 130, 70), RGBColor(150, 80, 170)];
const OTHERS: RGBColor = RGBColor(170, 170, 170);
/// The coefficients that made the data.
const TRUTH: [f64; 4] = [3.0, -2.0, 1.5, 1.0];

fn main() -> Result<(), Box<dyn Error>> {
    let (n, d) = (80, 12);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut draw = |n: usize, d: usize| -> Array2<f64> {
        Array2::from_shape_fn((n, d), |_| StandardNormal.sample(&mut rng))
    };
    let mut x = draw(n, d);
    // Features 4 and 5 are nearly features 0 and 1, and made nothing of y.
    let copies = 0.3 * &draw(n, 2);
    for k in 0..2 {
        let near = &x.column(k) + &copies.column(k);
        x.column_mut(4 + k).assign(&near);
    }
    let noise = draw(n, 1);
    let y =
        Array1::from_shape_fn(n, |i| (0..4).map(|j| TRUTH[j] * x[[i, j]]).sum::<f64>() + 2.0 * noise[[i, 0]]);
    let x = Standardise::new().fit(&Device::cpu(), &x)?.transform(&x)?;
    let device = Device::cpu();

    let (path, root) = support::picture("regression_paths", (1800, 650))?;
    let panels = root.split_evenly((1, 3));
    // Ridge, whose penalty is on the sum of squares: λn on the scale of the others.
    let logs: Vec<f64> = (0..100).map(|k| 2.5 - 0.09 * f64::from(k)).collect();
    let mut rows = Array2::zeros((logs.len(), d));
    for (log, mut row) in logs.iter().zip(rows.rows_mut()) {
        row.assign(&Ridge::new(log.exp() * n as f64).fit(&device, &x, &y)?.coefficients().column(0));
    }
    let penalties: Vec<f64> = logs.iter().map(|l| l.exp() * n as f64).collect();
    let chosen = RidgeCv::new(&penalties).fit(&device, &x, &y)?;
    let best = (chosen.best().penalty() / n as f64).ln();
    println!("{:<22} ln λ = {best:6.2}, {d} coefficients of {d}", "ridge");
    panel(&panels[0], "Ridge", &logs, &rows, best)?;
    for (at, name, mix) in [(1, "Elastic net, α = 0.5", 0.5), (2, "Lasso", 1.0)] {
        let net = ElasticNet::new(0.0, mix);
        let along = net.path(&x, &y, 100, 1e-3)?;
        let logs: Vec<f64> = along.penalties().iter().map(|p| p.ln()).collect();
        let cv = ElasticNetCv::new(&[mix]).shuffled(1).fit(&device, &x, &y)?;
        let best = cv.best().penalty().ln();
        let gap = along.duality_gaps().fold(0f64, |m, g| m.max(*g));
        println!(
            "{name:<22} ln λ = {best:6.2}, {} coefficients of {d}; largest duality gap {gap:.1e}",
            cv.best().nonzero()
        );
        panel(&panels[at], name, &logs, along.coefficients(), best)?;
    }
    root.present()?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

fn panel(
    area: &DrawingArea<BitMapBackend<'static>, plotters::coord::Shift>,
    title: &str,
    logs: &[f64],
    rows: &Array2<f64>,
    best: f64,
) -> Result<(), Box<dyn Error>> {
    let (low, high) = (logs[logs.len() - 1], logs[0]);
    let mut chart = support::axes(area, title, (low..high, "ln λ"), (-2.6..3.4, "coefficient"))?;
    for (j, column) in rows.axis_iter(Axis(1)).enumerate().rev() {
        let colour = INKS.get(j).copied().unwrap_or(OTHERS);
        let line = logs.iter().copied().zip(column.to_vec());
        let drawn =
            chart.draw_series(LineSeries::new(line, colour.stroke_width(if j < 4 { 3 } else { 2 })))?;
        let name =
            if j < 4 { Some(format!("w = {}", TRUTH[j])) } else { (j == 4).then(|| "w = 0".to_owned()) };
        if let Some(name) = name {
            drawn
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(3)));
        }
    }
    let dashed = DashedLineSeries::new([(best, -2.6), (best, 3.4)], 8, 6, support::INK.stroke_width(2));
    chart.draw_series(dashed)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .label_font(("sans-serif", 18))
        .draw()?;
    Ok(())
}
