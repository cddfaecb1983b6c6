//! The inverse of a factored matrix by the triangle of its factor's inverse, beyond one block of rows.

use mercer::Kernel;
use mercer::device::DeviceOptions;
use mercer::linalg::{SpdFactor, SpdParams};
use ndarray::Array2;

use crate::support::{gpus, random};

const N: usize = 700;

/// `A C = I` for the C whose lower triangle came out, with the products that hardware has and with those of software.
#[test]
fn an_inverse_of_several_blocks_is_the_inverse() {
    let x = random(N, 2, 61);
    let kernel = Kernel::rbf(0.3);
    let wanted = SpdFactor::of_kernel(&mercer::Device::cpu(), &kernel, x.view(), 0.5, &SpdParams::default());
    let wanted = wanted.unwrap().inverse().unwrap().x;
    for device in gpus() {
        let factor = SpdFactor::of_kernel(device, &kernel, x.view(), 0.5, &SpdParams::default()).unwrap();
        let got = factor.inverse_lower().unwrap().to_array().unwrap();
        let lower =
            |a: &Array2<f64>| a.indexed_iter().filter(|((i, j), _)| j <= i).map(|(_, v)| *v).collect();
        let (got, wanted): (Vec<f64>, Vec<f64>) = (lower(&got), lower(&wanted));
        let off = got.iter().zip(&wanted).fold(0f64, |w, (g, w2)| w.max((g - w2).abs()));
        // Entries of the inverse are at most 1/0.5; conditions are some hundreds.
        assert!(off < 2e-4, "{off} on {device}");
    }
}

/// A third of the multiply-adds that all of the square would take: no row counts above its own.
#[test]
fn the_triangle_costs_a_third() {
    let device = DeviceOptions::new().pretend().threshold(0.0).products(mercer::device::ProductShape::Tiled);
    let device = device.open().unwrap();
    let n = 2048;
    let factor =
        SpdFactor::of_kernel(&device, &Kernel::rbf(0.3), random(n, 2, 62).view(), 0.5, &SpdParams::default());
    let factor = factor.unwrap();
    let before = device.counters().multiply_adds;
    factor.inverse_lower().unwrap();
    let spent = (device.counters().multiply_adds - before) as f64;
    let cube = (n as f64).powi(3);
    // L⁻¹ takes a sixth of n³ and somewhat more, in blocks of 64, its square 5/16, in blocks of 512; all of it would be ½.
    assert!(spent < 0.55 * cube, "{} n³", spent / cube);
}
