use mercer::ops::{gram, gram_vec};
use mercer::{Device, Error, Kernel};

use crate::support::zoo::zoo;
use crate::support::{adapters, assert_close, cramped, edges, gpus, on, random};

#[test]
fn every_kernel_times_a_block_is_the_stored_matrix_times_it() {
    let (x, y, v) = (random(66, 3, 1), random(131, 3, 2), random(131, 3, 3));
    let cpu = Device::cpu();
    for kernel in zoo() {
        let k = gram(&kernel, &on(&cpu, &x), Some(&on(&cpu, &y))).unwrap().to_array().unwrap();
        let want = k.dot(&v);
        for device in adapters().cloned().chain([Device::cpu()]) {
            let got = gram_vec(&kernel, &on(&device, &x), Some(&on(&device, &y)), &on(&device, &v)).unwrap();
            let tolerance = if device.is_gpu() { 5e-6 } else { 1e-12 };
            assert_close(&got, &want, tolerance, &format!("{kernel} on {device}"));
        }
    }
}

#[test]
fn tile_edges_and_any_number_of_columns() {
    let kernel = Kernel::rbf(0.9) + Kernel::white(0.5);
    let cpu = Device::cpu();
    for n in edges(64) {
        let x = random(n, 5, 4);
        let k = gram(&kernel, &on(&cpu, &x), None).unwrap().to_array().unwrap();
        for r in [1, 4, 5, 8, 9, 70] {
            let v = random(n, r, 5);
            for device in gpus().iter().cloned().chain([Device::cpu()]) {
                let got = gram_vec(&kernel, &on(&device, &x), None, &on(&device, &v)).unwrap();
                assert_close(&got, &k.dot(&v), 5e-6, &format!("n = {n}, r = {r} on {device}"));
            }
        }
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    let (x, v) = (random(2500, 9, 6), random(2500, 9, 7));
    let want = {
        let cpu = Device::cpu();
        gram_vec(&Kernel::rbf(1.0), &on(&cpu, &x), None, &on(&cpu, &v)).unwrap().to_array().unwrap()
    };
    for device in cramped() {
        let (x, few) = (on(device, &x), on(device, &v.slice(ndarray::s![.., ..3]).to_owned()));
        let got = gram_vec(&Kernel::rbf(1.0), &x, None, &few).unwrap();
        assert_close(&got, &want.slice(ndarray::s![.., ..3]).to_owned(), 2e-5, &format!("{device}"));
    }
}

/// llvmpipe ends every loop after 65,535 iterations without a word; a sum of ones shows it.
#[test]
fn a_very_long_sum_is_complete() {
    let m = 300_007;
    for device in gpus() {
        let (x, y) = (on(device, &random(1, 2, 1)), on(device, &random(m, 2, 2)));
        let v = on(device, &ndarray::Array2::ones((m, 1)));
        let got = gram_vec(&Kernel::constant(1.0), &x, Some(&y), &v).unwrap().to_array().unwrap()[[0, 0]];
        assert!((got - m as f64).abs() < 1e-5 * m as f64, "{got} on {device}");
    }
}

#[test]
fn the_matrix_is_never_stored() {
    let device = &gpus()[0];
    let n = 8000;
    let (x, v) = (on(device, &random(n, 2, 1)), on(device, &random(n, 1, 2)));
    let before = device.counters().peak_device_bytes;
    gram_vec(&Kernel::rbf(1.0), &x, None, &v).unwrap().to_array().unwrap();
    let grown = device.counters().peak_device_bytes - before;
    assert!(grown < (n * n) as u64, "{grown} bytes for a product whose matrix has {} entries", n * n);
}

#[test]
fn the_same_input_gives_the_same_bits() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (x, v) = (on(&device, &random(200, 3, 1)), on(&device, &random(200, 2, 2)));
        let once = gram_vec(&Kernel::rbf(0.4), &x, None, &v).unwrap().to_array().unwrap();
        assert_eq!(once, gram_vec(&Kernel::rbf(0.4), &x, None, &v).unwrap().to_array().unwrap(), "{device}");
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (x, v) = (on(&cpu, &random(5, 2, 1)), on(&cpu, &random(4, 1, 2)));
    assert!(matches!(gram_vec(&Kernel::rbf(1.0), &x, None, &v), Err(Error::Shape { op: "gram_vec", .. })));
    let far = on(&gpus()[0], &random(5, 1, 2));
    assert!(matches!(gram_vec(&Kernel::rbf(1.0), &x, None, &far), Err(Error::DeviceMismatch { .. })));
}
