//! Kernel PCA on a device.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::cpu;
use crate::support::{alone, gpus, random, same};

/// Points with a few directions of clearly different variance.
fn points(n: usize) -> Array2<f64> {
    random(n, 4, 3) * array![3.0, 1.8, 1.0, 0.4]
}

/// Bits of the coefficients: f32 and f64 never agree in all of them.
fn bits(fitted: &FittedKernelPca) -> Vec<u64> {
    fitted.dual_coefficients().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn every_device_finds_what_the_cpu_finds() {
    let kernels =
        [Kernel::rbf(2.0), 1.5 * Kernel::matern32(3.0) + Kernel::linear(), Kernel::polynomial(2, 1.0)];
    for (n, k) in [(30, 2), (64, 3), (65, 3), (131, 4), (300, 3)] {
        let (x, new) = (points(n), random(20, 4, 4));
        for kernel in &kernels {
            let model = KernelPca::new(kernel.clone(), k);
            let want = model.fit(&cpu(), &x).unwrap();
            let (scores, left) = (want.transform(&new).unwrap(), want.reconstruction_error(&new).unwrap());
            for device in gpus() {
                let what = format!("{kernel}, n = {n} on {device}");
                let got = model.fit(device, &x).unwrap();
                assert_ne!(bits(&got), bits(&want), "{what}: was it the device?");
                let relative = got.eigenvalues() / want.eigenvalues() - 1.0;
                assert!(relative.iter().all(|v| v.abs() < 2e-5), "{what}: {relative}");
                assert!((got.total() / want.total() - 1.0).abs() < 2e-5, "{what}");
                let scale = scores.iter().fold(0f64, |m, v| m.max(v.abs()));
                let off = (got.transform(&new).unwrap() - &scores) / scale;
                assert!(off.iter().all(|v| v.abs() < 1e-3), "{what}: {off}");
                same(&(got.reconstruction_error(&new).unwrap() / scale), &(&left / scale), 1e-3, &what);
                let there = (got.transform_on(device, &new).unwrap() - &scores) / scale;
                assert!(there.iter().all(|v| v.abs() < 1e-3), "{what}: {there}");
            }
        }
    }
}

#[test]
fn far_from_the_origin_it_is_the_same() {
    let x = points(120);
    let far = &x + &array![1e5, -3e4, 2e6, 0.0];
    let model = KernelPca::new(Kernel::rbf(2.0), 3);
    let want = model.fit(&cpu(), &x).unwrap();
    for device in gpus() {
        let got = model.fit(device, &far).unwrap();
        let relative = got.eigenvalues() / want.eigenvalues() - 1.0;
        assert!(relative.iter().all(|v| v.abs() < 2e-5), "{relative} on {device}");
    }
}

/// Nearly constant kernels, components of no weight, kernels without a shader, values that f32 does not hold: f64 has them,
/// to the last bit as on the CPU.
#[test]
fn what_f32_cannot_carry_is_found_in_f64() {
    let x = points(80);
    let models = [
        (KernelPca::new(Kernel::rbf(1e4), 3), x.clone()),
        (KernelPca::new(Kernel::rbf(2.0), 60), x.clone()),
        (KernelPca::new(Kernel::matern(3.3, 2.0), 2), x.clone()),
        (KernelPca::new(Kernel::linear(), 2), &x * 1e25),
        (KernelPca::new(Kernel::polynomial(3, 1.0), 2), &x * 1e13),
    ];
    for (model, x) in models {
        let want = model.fit(&cpu(), &x).unwrap();
        for device in gpus() {
            assert_eq!(bits(&model.fit(device, &x).unwrap()), bits(&want), "{model:?} on {device}");
        }
    }
}

/// The Gram matrix never crosses: points go up once, then blocks of as many vectors as are sought and four more.
#[test]
fn vectors_cross_and_never_the_matrix() {
    let (n, k) = (600u64, 3);
    let x = points(n as usize);
    for device in alone() {
        let model = KernelPca::new(Kernel::rbf(2.0), k as usize);
        model.fit(&device, &x).unwrap();
        let before = device.counters();
        model.fit(&device, &x).unwrap();
        let after = device.counters();
        let (up, down) = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
        let launches = after.dispatches - before.dispatches;
        let reads = after.read_backs - before.read_backs;
        println!("{launches} launches, {up} bytes up, {down} down, {reads} reads on {device}");
        // Each block has 7 vectors; up it is padded to 8 columns.
        let blocks = reads - 1;
        assert!(blocks <= 12 && launches <= 12 + blocks, "{launches} launches for {blocks} blocks");
        assert!(after.submissions - before.submissions <= 2 * reads + 2);
        assert!(up <= 4 * n * (4 + 8 * blocks) + 64, "{up} bytes up for {blocks} blocks");
        assert!(down <= 4 * n * (1 + 8 * blocks), "{down} bytes down for {blocks} blocks");
        assert!(down < 4 * n * n / 4);
    }
}
