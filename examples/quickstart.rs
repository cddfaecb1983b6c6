//! A curve with error bars from noisy observations, on the best device there is.
//!
//! `cargo run --release --example quickstart` needs no GPU and no driver: without one it runs on the CPU. It draws
//! `target/quickstart.png`.

mod support;

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};
use plotters::prelude::*;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device = Device::best();
    println!("running on {device}");

    // Noisy observations of sin(x)/x, with a gap.
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let noise = |i: usize| 0.25 * ((12.9898 * i as f64).sin() * 43_758.545).fract().abs() - 0.125;
    let x: Array1<f64> =
        (0..120).map(|i| -12.0 + 0.2 * f64::from(i)).filter(|x| !(2.0..6.0).contains(x)).collect();
    let y: Array1<f64> = x.iter().enumerate().map(|(i, x)| sinc(*x) + noise(i)).collect();

    // A Gaussian process: length scale, amplitude and noise come from the data.
    let x = x.insert_axis(Axis(1));
    let gp = GpRegressor::new(Kernel::rbf(1.0).scaled(1.0)).noise(0.1).optimise(Minimiser::default());
    let fitted = gp.fit(&device, &x, &y)?;
    println!("{}, noise {:?}, log evidence {:.2}", fitted.kernel(), fitted.noise(), fitted.log_evidence());

    let grid = Array2::from_shape_fn((241, 1), |(i, _)| -12.0 + 0.1 * i as f64);
    let p = fitted.predict_distribution(&grid)?;
    let (low, high) = p.interval(0.95)?;
    println!("\n      x      fit   sin(x)/x   95 % of observations");
    for i in (0..grid.len()).step_by(30) {
        let at = grid[[i, 0]];
        println!("{at:7.1} {:8.4} {:10.4}   {:7.3} to {:6.3}", p.mean[i], sinc(at), low[i], high[i]);
    }

    let (path, area) = support::picture("quickstart", (900, 480))?;
    let mut chart =
        support::axes(&area, "what is known, and what is not", (-12.0..12.0, "x"), (-0.8..1.4, ""))?;
    let at = |i: usize, v: &Array1<f64>| (grid[[i, 0]], v[i]);
    let band = (0..grid.len()).map(|i| at(i, &high)).chain((0..grid.len()).rev().map(|i| at(i, &low)));
    chart.draw_series([Polygon::new(band.collect::<Vec<_>>(), BLUE.mix(0.15))])?;
    chart.draw_series(LineSeries::new(
        (0..grid.len()).map(|i| (grid[[i, 0]], sinc(grid[[i, 0]]))),
        &BLACK.mix(0.4),
    ))?;
    chart.draw_series(LineSeries::new((0..grid.len()).map(|i| at(i, &p.mean)), BLUE.stroke_width(2)))?;
    chart.draw_series(x.column(0).iter().zip(&y).map(|(x, y)| Circle::new((*x, *y), 3, RED.filled())))?;
    area.present()?;
    println!("\n{} has the picture. Next: `cargo run --release --example first_steps`.", path.display());
    Ok(())
}
