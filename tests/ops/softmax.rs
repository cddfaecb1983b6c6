use mercer::Device;
use mercer::ops::{logsumexp, softmax, softmax_logsumexp};
use ndarray::{Array2, Axis};

use crate::support::{assert_close, cramped, gpus, on, random};

fn definition(a: &Array2<f64>) -> Array2<f64> {
    let mut out = a.clone();
    for mut row in out.rows_mut() {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|x| (x - top).exp());
        let sum = row.sum();
        row /= sum;
    }
    out
}

#[test]
fn every_device_agrees_with_the_definition() {
    for (rows, cols) in [(1, 1), (65, 5), (63, 17), (9, 255), (7, 257), (3, 4099)] {
        let a = random(rows, cols, 1) * 3.0;
        let want = definition(&a);
        assert_close(&softmax(&on(&Device::cpu(), &a)).unwrap(), &want, 1e-14, "cpu");
        for device in gpus().iter().chain(if cols < 4099 { cramped() } else { &[] }) {
            let got = softmax(&on(device, &a)).unwrap();
            assert_close(&got, &want, 3e-6, &format!("{rows} x {cols} on {device}"));
        }
    }
}

#[test]
fn rows_sum_to_one_at_any_distance() {
    for (spread, shift) in [(1.0, 1e6), (1e6, 0.0), (1.0, -1e6), (0.0, 3e38)] {
        let a = random(20, 131, 2) * spread + shift;
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let got = softmax(&on(&device, &a)).unwrap().to_array().unwrap();
            for sum in got.sum_axis(Axis(1)) {
                assert!((sum - 1.0).abs() < 1e-5, "{sum} at {shift} +- {spread} on {device}");
            }
            assert!(got.iter().all(|&p| (0.0..=1.0 + 1e-6).contains(&p)), "{device}");
        }
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    let a = random(2500, 6, 3);
    for device in cramped() {
        assert_close(&softmax(&on(device, &a)).unwrap(), &definition(&a), 3e-6, &format!("{device}"));
    }
}

#[test]
fn both_at_once_are_each_alone() {
    for cols in [1, 3, 70] {
        let a = random(65, cols, 4) * 30.0;
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let a = on(&device, &a);
            let (parts, whole) = softmax_logsumexp(a.clone()).unwrap();
            assert_eq!(parts.to_array().unwrap(), softmax(&a).unwrap().to_array().unwrap(), "{device}");
            assert_close(&whole, &logsumexp(&a).unwrap().to_array().unwrap(), 1e-14, &device.to_string());
        }
    }
}
