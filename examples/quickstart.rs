//! Kernel ridge regression in a dozen lines of verbs, on the best device there is.
//!
//! `cargo run --release --example quickstart` needs no GPU and no driver: without one it runs on the CPU.

use mercer::linalg::{SpdParams, solve_spd};
use mercer::ops::gram_vec;
use mercer::{Device, Kernel, Matrix, ops};
use ndarray::{Array1, Array2, Axis};

fn main() -> mercer::Result<()> {
    let device = Device::best();
    println!("running on {device}");

    // Noisy observations of sin(x)/x.
    let n = 400;
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let noise = |i: usize| 0.05 * ((i * 7919 % 1000) as f64 / 500.0 - 1.0);
    let x = Array2::from_shape_fn((n, 1), |(i, _)| -10.0 + 20.0 * i as f64 / (n - 1) as f64);
    let y = Array1::from_shape_fn(n, |i| sinc(x[[i, 0]]) + noise(i)).insert_axis(Axis(1));

    // alpha = (K + lambda I)^-1 y, with a certificate of how good the solution is.
    let kernel = Kernel::rbf(1.5) + Kernel::white(0.01);
    let points = Matrix::from_array(&device, x.view())?;
    let k = ops::gram(&kernel, &points, None)?.to_array()?;
    let solution = solve_spd(&device, k.view(), y.view(), &SpdParams::default())?;
    println!("{:?}", solution.certificate);

    // The fit at new points: a product with a matrix that is never stored.
    let grid = Array2::from_shape_fn((9, 1), |(i, _)| -8.0 + 2.0 * i as f64);
    let alpha = Matrix::from_array(&device, solution.x.view())?;
    let fit =
        gram_vec(&kernel, &Matrix::from_array(&device, grid.view())?, Some(&points), &alpha)?.to_array()?;
    println!("\n      x      fit   sin(x)/x");
    for (x, f) in grid.column(0).iter().zip(fit.column(0)) {
        println!("{x:7.1} {f:8.4} {:10.4}", sinc(*x));
    }
    let worst =
        grid.column(0).iter().zip(fit.column(0)).map(|(x, f)| (f - sinc(*x)).abs()).fold(0f64, f64::max);
    println!(
        "\nlargest error {worst:.4}. Next: `cargo run --release --example selfcheck` tries every verb on every adapter."
    );
    Ok(())
}
