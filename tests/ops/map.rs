use mercer::ops::{Map, Zip, map, to_half, zip};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, cramped, gpus, on, random};

const MAPS: [Map; 12] = [
    Map::Exp,
    Map::Log,
    Map::Sqrt,
    Map::Square,
    Map::Abs,
    Map::Recip,
    Map::Affine { scale: -2.5, shift: 0.75 },
    Map::Tanh,
    Map::Sigmoid,
    Map::MaxWith(0.25),
    Map::Softplus,
    Map::Digamma,
];

fn scalar(f: Map, x: f64) -> f64 {
    match f {
        Map::Exp => x.exp(),
        Map::Log => x.ln(),
        Map::Sqrt => x.sqrt(),
        Map::Square => x * x,
        Map::Abs => x.abs(),
        Map::Recip => 1.0 / x,
        Map::Affine { scale, shift } => scale * x + shift,
        Map::Tanh => x.tanh(),
        Map::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Map::MaxWith(least) => x.max(least),
        Map::Softplus => x.exp().ln_1p(),
        Map::Digamma => mercer::probability::special::digamma(x),
    }
}

#[test]
fn every_map_is_its_scalar_function() {
    for (rows, cols) in [(1, 1), (13, 5), (65, 64), (131, 3)] {
        for f in MAPS {
            let positive = matches!(f, Map::Log | Map::Sqrt | Map::Recip | Map::Digamma);
            let a = random(rows, cols, 1).mapv(|x| if positive { x.abs() * 3.0 + 0.01 } else { x * 5.0 });
            let want = a.mapv(|x| scalar(f, x));
            assert_close(&map(&on(&Device::cpu(), &a), f).unwrap(), &want, 1e-15, &format!("{f:?}"));
            for device in gpus() {
                let got = map(&on(device, &a), f).unwrap();
                assert_close(&got, &want, 3e-6, &format!("{f:?} of {rows} x {cols} on {device}"));
            }
        }
    }
}

/// `ψ(x + 1) = ψ(x) + 1/x` from 1e-4 to 1e6: the f64 function to f32's accuracy, relative to the larger of its size and one.
#[test]
fn digamma_is_that_of_f64_to_the_accuracy_of_f32() {
    let x = Array2::from_shape_fn((1, 401), |(_, i)| f64::from(10f32.powf(i as f32 / 40.0 - 4.0)));
    let want = x.mapv(mercer::probability::special::digamma);
    assert!((mercer::probability::special::digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-14);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let tolerance = if device.is_gpu() { 1e-6 } else { 1e-14 };
        let got = map(&on(&device, &x), Map::Digamma).unwrap().to_array().unwrap();
        for ((x, got), want) in x.iter().zip(&got).zip(&want) {
            let off = (got - want).abs() / want.abs().max(1.0);
            assert!(off <= tolerance, "psi({x}) is {got}, should be {want} on {device}");
        }
    }
}

/// Saturation is an answer, not an overflow.
#[test]
fn extremes_are_finite() {
    let a = ndarray::array![[-1e30, -200.0, -90.0, 0.0, 90.0, 200.0, 1e30]];
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let a = on(&device, &a);
        let want = ndarray::array![[0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0]];
        assert_close(&map(&a, Map::Sigmoid).unwrap(), &want, 1e-6, &format!("sigmoid on {device}"));
        let want = want * 2.0 - 1.0;
        assert_close(&map(&a, Map::Tanh).unwrap(), &want, 1e-6, &format!("tanh on {device}"));
    }
}

fn pair(op: Zip, x: f64, y: f64) -> f64 {
    match op {
        Zip::Add => x + y,
        Zip::Sub => x - y,
        Zip::Mul => x * y,
        Zip::Div => x / y,
    }
}

#[test]
fn the_second_operand_is_spread_over_the_first() {
    for (n, m) in [(1, 1), (1, 9), (9, 1), (5, 5), (67, 130), (1500, 6)] {
        let a = random(n, m, 1);
        for (rows, cols) in [(n, m), (1, m), (n, 1), (1, 1)] {
            let b = random(rows, cols, 2).mapv(|x| x + x.signum() * 0.5);
            let wide = b.broadcast((n, m)).unwrap();
            for op in [Zip::Add, Zip::Sub, Zip::Mul, Zip::Div] {
                let want = Array2::from_shape_fn((n, m), |ij| pair(op, a[ij], wide[ij]));
                let cpu = Device::cpu();
                assert_close(&zip(&on(&cpu, &a), &on(&cpu, &b), op).unwrap(), &want, 1e-15, "cpu");
                for device in gpus().iter().chain(cramped()) {
                    let got = zip(&on(device, &a), &on(device, &b), op).unwrap();
                    let what = format!("{n} x {m} {op:?} {rows} x {cols} on {device}");
                    assert_close(&got, &want, 1e-6, &what);
                }
            }
        }
    }
}

#[test]
fn large_and_split_operands() {
    let a = random(5003, 7, 3);
    let want = a.mapv(f64::exp);
    for device in cramped().iter().cloned().chain([Device::cpu()]) {
        assert_close(&map(&on(&device, &a), Map::Exp).unwrap(), &want, 1e-6, &format!("{device}"));
    }
}

#[test]
fn half_storage_is_read() {
    let (a, b) = (random(33, 35, 4), random(33, 1, 5));
    for device in gpus() {
        let (ha, hb) = (to_half(&on(device, &a)).unwrap(), to_half(&on(device, &b)).unwrap());
        assert_close(&map(&ha, Map::Square).unwrap(), &a.mapv(|x| x * x), 1e-3, &format!("{device}"));
        assert_close(&zip(&ha, &hb, Zip::Add).unwrap(), &(&a + &b), 1e-3, &format!("{device}"));
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (a, b) = (on(&cpu, &random(2, 3, 1)), on(&cpu, &random(3, 2, 2)));
    assert!(matches!(zip(&a, &b, Zip::Add), Err(Error::Shape { op: "zip", .. })));
    let far = on(&gpus()[0], &random(2, 3, 3));
    assert!(matches!(zip(&a, &far, Zip::Add), Err(Error::DeviceMismatch { op: "zip", .. })));
    let e = map(&a, Map::MaxWith(f64::NAN));
    assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
}
