//! What crosses between host and device: a solve with a kernel's matrix and an evidence with its gradient move vectors,
//! never matrices, and the inputs once.

use mercer::device::DeviceOptions;
use mercer::linalg::{SpdFactor, SpdParams};
use mercer::models::gp::GpRegressor;
use mercer::{Device, Kernel};

use crate::support::random;

const N: usize = 512;
const D: usize = 3;

/// Launches, bytes up and bytes down that are allowed: a matrix of n² floats would be a million bytes.
const SOLVE: [u64; 3] = [170, 52_000, 44_000];
const EVIDENCE: [u64; 3] = [100, 105_000, 96_000];

/// Launches, bytes up and bytes down of `work`, once its pipelines are there.
fn crossings(device: &Device, work: impl Fn()) -> [u64; 3] {
    work();
    let now = || {
        let c = device.counters();
        [c.dispatches, c.bytes_up, c.bytes_down]
    };
    let before = now();
    work();
    let after = now();
    [0, 1, 2].map(|i| after[i] - before[i])
}

/// Every adapter as a device of its own, whose counters nobody else moves.
fn alone() -> impl Iterator<Item = Device> {
    let usable = Device::adapters().into_iter().filter(|a| a.usable);
    usable.map(|a| DeviceOptions::new().index(a.index).threshold(0.0).open().expect("opens"))
}

fn assert_within(what: &str, device: &Device, got: [u64; 3], most: [u64; 3]) {
    println!("{what} on {device}: {got:?} launches, bytes up, bytes down");
    for (got, (most, kind)) in
        got.into_iter().zip(most.into_iter().zip(["launches", "bytes up", "bytes down"]))
    {
        assert!(got > 0 && got <= most, "{what} on {device}: {got} {kind}, at most {most} were expected");
    }
}

#[test]
fn a_factor_and_a_solve_move_vectors() {
    let (x, b) = (random(N, D, 51), random(N, 1, 52));
    let unasked = SpdParams::new().condition(false);
    for device in alone() {
        let got = crossings(&device, || {
            let factor = SpdFactor::of_kernel(&device, &Kernel::rbf(0.5), x.view(), 0.01, &unasked).unwrap();
            let solved = factor.solve(b.view()).unwrap();
            assert_eq!(solved.certificate.fallback, None);
        });
        assert_within("of_kernel and solve", &device, got, SOLVE);
    }
}

#[test]
fn an_evidence_with_its_gradient_moves_vectors() {
    let (x, y) = (random(N, D, 53), random(N, 1, 54));
    let gp = GpRegressor::new(Kernel::rbf(0.5)).noise(0.01);
    for device in alone() {
        let got = crossings(&device, || {
            let found = gp.device_evidence(&device, x.view(), y.view()).unwrap();
            assert!(found.value.is_finite() && found.gradient.len() == 2);
        });
        assert_within("evidence and gradient", &device, got, EVIDENCE);
    }
}
