//! A kernel of one's own on both devices: a Rust closure for the CPU, two lines of WGSL for the GPU.
//!
//! The chi-squared kernel `k(x, y) = exp(-g sum_f (x_f - y_f)^2 / (x_f + y_f))` compares histograms. Its WGSL is a
//! *term* in each pair of features, summed by the tile loop, and a *value* of the sum.

use mercer::device::DeviceOptions;
use mercer::kernel::Custom;
use mercer::ops::{Weights, gram, gram_sum_grad};
use mercer::{Device, Kernel, Matrix};
use ndarray::Array2;

fn chi_squared(rate: f64) -> Kernel {
    let term = |a: f64, b: f64| if a + b > 0.0 { (a - b) * (a - b) / (a + b) } else { 0.0 };
    let sum = move |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(&a, &b)| term(a, b)).sum::<f64>();
    Kernel::custom(
        Custom::new("chi2", move |x, y, p| (-p[0] * sum(x, y)).exp())
            .positive("rate", rate)
            .wgsl("return (a - b) * (a - b) / max(a + b, 1e-30);", "return exp(-p[0] * s);")
            .wgsl_derivative("return 0.0;", "return -s * exp(-p[0] * s);"),
    )
}

fn main() -> mercer::Result<()> {
    // Three groups of histograms over eight bins, each row summing to one.
    let raw = Array2::from_shape_fn((60, 8), |(i, j)| {
        let peak = [1.0, 3.5, 6.0][i % 3];
        (-(j as f64 - peak).powi(2) / 2.0).exp() + 0.05 * ((i * 31 + j * 17) % 10) as f64 / 10.0
    });
    let histograms = &raw / &raw.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));

    // It combines with other kernels like any other.
    let kernel = 0.9 * chi_squared(2.0) + Kernel::white(0.1);
    println!("k = {kernel}\n");
    let reference =
        gram(&kernel, &Matrix::from_array(&Device::cpu(), histograms.view())?, None)?.to_array()?;
    println!("same group {:.3}, other group {:.3}", reference[[0, 3]], reference[[0, 1]]);

    for adapter in Device::adapters().iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).open()?;
        let x = Matrix::from_array(&device, histograms.view())?;
        let k = gram(&kernel, &x, None)?.to_array()?;
        let worst = (&k - &reference).iter().fold(0f64, |w, e| w.max(e.abs()));
        let ones = Matrix::from_array(&device, Array2::<f64>::ones((60, 60)).view())?;
        let sum = gram_sum_grad(&kernel, &x, None, Weights::Symmetric(&ones))?;
        println!(
            "{adapter}: largest difference from the CPU {worst:.1e}; sum of K {:.3}, its derivatives:",
            sum.value
        );
        for (p, g) in kernel.params().iter().zip(&sum.gradient) {
            println!("    by {:24} {g:10.3}", p.name);
        }
    }
    Ok(())
}
