use mercer::ops::{GramSum, Trans, Weights, gemm, gram, gram_sum, gram_sum_grad};
use mercer::{Device, Error, Kernel};
use ndarray::Array2;

use crate::support::zoo::zoo;
use crate::support::{adapters, cramped, edges, gpus, on, random};

fn close(got: f64, want: f64, scale: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * scale, "{what}: {got} and should be {want}, scale {scale}");
}

#[test]
fn every_kernel_sums_to_its_stored_matrix() {
    let (x, y, w) = (random(66, 3, 1), random(70, 3, 2), random(66, 70, 3));
    let cpu = Device::cpu();
    for kernel in zoo() {
        let k = gram(&kernel, &on(&cpu, &x), Some(&on(&cpu, &y))).unwrap().to_array().unwrap();
        let (want, scale) = ((&k * &w).sum(), (&k * &w).mapv(f64::abs).sum() + 1e-300);
        for device in adapters().cloned().chain([Device::cpu()]) {
            let (x, y, w) = (on(&device, &x), on(&device, &y), on(&device, &w));
            let got = gram_sum(&kernel, &x, Some(&y), Weights::Dense(&w)).unwrap();
            close(got, want, scale, 2e-6, &format!("{kernel} on {device}"));
        }
    }
}

/// The gradient against central differences on the CPU, and every GPU against the CPU.
#[test]
fn every_derivative_of_every_kernel() {
    let (x, w) = (random(67, 3, 1), random(67, 67, 3));
    let cpu = Device::cpu();
    for kernel in zoo() {
        let at = |k: &Kernel| gram_sum(k, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &w))).unwrap();
        let cpu_sum = gram_sum_grad(&kernel, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &w))).unwrap();
        let on_gpus: Vec<(&Device, GramSum)> = adapters()
            .map(|d| (d, gram_sum_grad(&kernel, &on(d, &x), None, Weights::Dense(&on(d, &w))).unwrap()))
            .collect();
        for (device, sum) in &on_gpus {
            close(sum.value, cpu_sum.value, 67.0 * 67.0, 1e-6, &format!("{kernel} on {device}"));
        }
        let params = kernel.params();
        assert_eq!(cpu_sum.gradient.len(), params.len(), "{kernel}");
        let values: Vec<f64> = params.iter().map(|p| p.value).collect();
        let magnitude =
            gram_sum_grad(&kernel, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &w.mapv(f64::abs))));
        let magnitude = magnitude.unwrap().gradient;
        for (i, p) in params.iter().enumerate() {
            let h = 1e-5 * p.value.abs().max(0.1);
            let moved = |by: f64| {
                let mut v = values.clone();
                v[i] += by;
                at(&kernel.with_values(&v).unwrap())
            };
            let want = (moved(h) - moved(-h)) / (2.0 * h);
            let scale = magnitude[i].abs().max(want.abs()).max(1.0);
            close(cpu_sum.gradient[i], want, scale, 1e-6, &format!("{kernel} by {}", p.name));
            for (device, sum) in &on_gpus {
                let what = format!("{kernel} by {} on {device}", p.name);
                close(sum.gradient[i], cpu_sum.gradient[i], scale, 1e-5, &what);
            }
        }
    }
}

#[test]
fn the_three_kinds_of_weights_agree() {
    let kernel = 1.5 * Kernel::matern52([0.7, 0.9]) + Kernel::white(0.3);
    let cpu = Device::cpu();
    for n in edges(64) {
        let (x, u) = (random(n, 2, 1), random(n, 5, 2));
        let w = gemm(1.0, &on(&cpu, &u), Trans::No, &on(&cpu, &u), Trans::Yes).unwrap().to_array().unwrap();
        let k = gram(&kernel, &on(&cpu, &x), None).unwrap().to_array().unwrap();
        let (want, scale) = ((&k * &w).sum(), (&k * &w).mapv(f64::abs).sum());
        let reference = gram_sum_grad(&kernel, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &w))).unwrap();
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let (x, u, w) = (on(&device, &x), on(&device, &u), on(&device, &w));
            for weights in [Weights::Dense(&w), Weights::Symmetric(&w), Weights::LowRank { u: &u, v: &u }] {
                let got = gram_sum_grad(&kernel, &x, None, weights).unwrap();
                close(got.value, want, scale, 2e-6, &format!("n = {n} {weights:?} on {device}"));
                for (g, r) in got.gradient.iter().zip(&reference.gradient) {
                    close(*g, *r, scale.max(r.abs()), 1e-5, &format!("n = {n} {weights:?} on {device}"));
                }
            }
        }
    }
}

/// A reference number of the notes: inner products and norms of two kernel expansions.
#[test]
fn norms_of_kernel_expansions() {
    let kernel = Kernel::rbf(1.0);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let tolerance = if device.is_gpu() { 1e-6 } else { 1e-9 };
        let col = |v: &[f64]| mercer::Matrix::column(&device, v).unwrap();
        let (fx, fa) = (col(&[0.0, 1.0]), col(&[1.0, -0.5]));
        let (gx, gb) = (col(&[0.5, 1.0, 3.0]), col(&[2.0, 1.0, -1.0]));
        let inner = gram_sum(&kernel, &fx, Some(&gx), Weights::LowRank { u: &fa, v: &gb }).unwrap();
        close(inner, 1.045_586_207, 1.0, tolerance, "<f, g>");
        let norm = gram_sum(&kernel, &fx, None, Weights::LowRank { u: &fa, v: &fa }).unwrap().sqrt();
        close(norm, 0.802_165_407_1, 1.0, tolerance, "|f|");
        let norm = gram_sum(&kernel, &gx, None, Weights::LowRank { u: &gb, v: &gb }).unwrap().sqrt();
        close(norm, 3.013_896_035, 1.0, tolerance, "|g|");
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    let (x, w) = (random(300, 2, 4), random(300, 300, 5));
    let cpu = Device::cpu();
    let kernel = Kernel::rbf([0.5, 0.8]);
    let want = gram_sum_grad(&kernel, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &w))).unwrap();
    for device in cramped() {
        let got = gram_sum_grad(&kernel, &on(device, &x), None, Weights::Dense(&on(device, &w))).unwrap();
        close(got.value, want.value, 300.0, 1e-5, &format!("{device}"));
        for (g, r) in got.gradient.iter().zip(&want.gradient) {
            close(*g, *r, 300.0, 1e-5, &format!("{device}"));
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (x, w) = (on(&device, &random(150, 3, 1)), on(&device, &random(150, 150, 2)));
        let sum = || gram_sum_grad(&Kernel::rbf([0.4, 1.0, 2.0]), &x, None, Weights::Dense(&w)).unwrap();
        assert_eq!(sum(), sum(), "{device}");
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (x, w) = (on(&cpu, &random(5, 2, 1)), on(&cpu, &Array2::ones((4, 5))));
    let e = gram_sum(&Kernel::rbf(1.0), &x, None, Weights::Dense(&w));
    assert!(matches!(e, Err(Error::Shape { op: "gram_sum", .. })), "{e:?}");
    let square = on(&cpu, &Array2::ones((5, 5)));
    let e = gram_sum(&Kernel::rbf(1.0), &x, Some(&x), Weights::Symmetric(&square));
    assert!(
        matches!(e, Err(Error::Shape { op: "gram_sum", .. })),
        "symmetric weights need one data set: {e:?}"
    );
}
