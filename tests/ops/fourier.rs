use std::f64::consts::TAU;

use mercer::ops::{Waves, fourier, to_half};
use mercer::{Device, Error};
use ndarray::{Array2, array};

use crate::support::{alone, assert_close, cramped, gpus, on, random};

/// The definition, entry by entry.
fn waves(turns: &Array2<f64>, phases: &Array2<f64>, size: f64, both: bool) -> Array2<f64> {
    let per = if both { 2 } else { 1 };
    Array2::from_shape_fn((turns.nrows(), per * turns.ncols()), |(i, j)| {
        let angle = TAU * (turns[[i, j / per]] + phases[[0, j / per]]);
        size * if both && j % 2 == 1 { angle.sin() } else { angle.cos() }
    })
}

#[test]
fn waves_are_cosines_and_sines() {
    let mut shapes: Vec<(usize, usize)> = (1..10).map(|m| (5, m)).collect();
    shapes.extend([(1, 1), (63, 64), (64, 33), (65, 129), (700, 37)]);
    for (n, m) in shapes {
        // What f32 holds, so that only the wave is measured.
        let turns = (random(n, m, 1) * 30.0).mapv(|v| f64::from(v as f32));
        let phases = random(1, m, 2).mapv(|v| f64::from(v.abs() as f32));
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let tolerance = if device.is_gpu() { 6e-7 } else { 1e-12 };
            for (kind, both) in [(Waves::Cosine, false), (Waves::Both, true)] {
                let got = fourier(&on(&device, &turns), &on(&device, &phases), 1.5, kind).unwrap();
                let want = waves(&turns, &phases, 1.5, both);
                assert_close(&got, &want, tolerance, &format!("{n} x {m}, {kind:?} on {device}"));
            }
        }
    }
}

#[test]
fn whole_turns_are_dropped_without_a_rounding() {
    let turns = array![[0.25, 2_000_000.25, -2_000_000.25, 0.5, 1.5, -0.5, 4e6]];
    let phases = array![[0.0, 0.0, 0.0, 0.25, -0.25, 0.125, 0.125]];
    let want = waves(&array![[0.25, 0.25, -0.25, 0.5, 0.5, -0.5, 0.0]], &phases, 1.0, true);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let got = fourier(&on(&device, &turns), &on(&device, &phases), 1.0, Waves::Both).unwrap();
        assert_close(&got, &want, 1e-7 + if device.is_gpu() { 0.0 } else { 1e-8 }, &format!("{device}"));
    }
}

#[test]
fn one_launch_and_nothing_crosses() {
    for device in alone() {
        let (turns, phases) = (on(&device, &random(500, 30, 1)), on(&device, &random(1, 30, 2)));
        let before = device.counters();
        let out = fourier(&turns, &phases, 1.0, Waves::Both).unwrap();
        let after = device.counters();
        assert_eq!(after.dispatches - before.dispatches, 1);
        assert_eq!((after.bytes_up, after.bytes_down), (before.bytes_up, before.bytes_down));
        assert_eq!(out.device(), device);
    }
}

#[test]
fn half_storage_and_bad_operands() {
    let (turns, phases) = (array![[0.5, 0.25, 0.125]], array![[0.0, 0.5, 0.0]]);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (t, p) = (on(&device, &turns), on(&device, &phases));
        let halves = fourier(&to_half(&t).unwrap(), &p, 1.0, Waves::Cosine).unwrap();
        assert_close(&halves, &waves(&turns, &phases, 1.0, false), 3e-7, "halves");
        let few = fourier(&t, &on(&device, &array![[0.0, 0.5]]), 1.0, Waves::Both);
        assert!(matches!(few, Err(Error::Shape { .. })));
        assert!(matches!(fourier(&t, &p, f64::NAN, Waves::Both), Err(Error::Parameter { .. })));
    }
    for device in gpus() {
        let apart = fourier(&on(device, &turns), &on(&Device::cpu(), &phases), 1.0, Waves::Both);
        assert!(matches!(apart, Err(Error::DeviceMismatch { .. })));
    }
}
