use mercer::ops::{ForwardBackward, forward_backward};
use mercer::{Device, Error, Matrix};
use ndarray::{Array1, Array2, Axis, array};

use crate::support::{alone, gpus, on, random};

/// Probabilities in rows.
fn rows(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let p = random(n, k, seed).mapv(|v| v + 1.05);
    let sums = p.sum_axis(Axis(1)).insert_axis(Axis(1));
    p / sums
}

fn run(device: &Device, log_b: &Array2<f64>, lengths: &[usize], seed: u64) -> ForwardBackward {
    let k = log_b.ncols();
    forward_backward(&on(device, log_b), lengths, rows(1, k, seed).row(0), rows(k, k, seed + 1).view())
        .unwrap()
}

/// The definition: sums over all paths.
#[test]
fn posteriors_are_sums_over_paths() {
    let (k, t) = (3usize, 5usize);
    let (log_b, first, a) = (random(t, k, 1) * 2.0, rows(1, k, 4), rows(k, k, 5));
    let (mut states, mut moves, mut all) = (Array2::<f64>::zeros((t, k)), Array2::<f64>::zeros((k, k)), 0.0);
    for path in 0..k.pow(t as u32) {
        let z: Vec<usize> = (0..t).map(|s| path / k.pow(s as u32) % k).collect();
        let mut p = first[[0, z[0]]];
        for s in 0..t {
            p *= log_b[[s, z[s]]].exp() * if s > 0 { a[[z[s - 1], z[s]]] } else { 1.0 };
        }
        all += p;
        for s in 0..t {
            states[[s, z[s]]] += p;
            if s > 0 {
                moves[[z[s - 1], z[s]]] += p;
            }
        }
    }
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let tolerance = if device.is_gpu() { 2e-6 } else { 1e-13 };
        let found = run(&device, &log_b, &[t], 4);
        let off = found.states.to_array().unwrap() - &states / all;
        assert!(off.iter().all(|v| v.abs() < tolerance), "{off} on {device}");
        assert!((found.transitions - &moves / all).iter().all(|v| v.abs() < 4.0 * tolerance));
        assert!((found.log_likelihoods[0] - f64::ln(all)).abs() < 4.0 * tolerance);
    }
}

#[test]
fn every_device_agrees_with_the_cpu() {
    let cases: [(usize, Vec<usize>); 6] = [
        (1, vec![1, 7]),
        (2, vec![1]),
        (5, vec![40, 1, 2, 3, 129]),
        (8, vec![2000, 1500]),
        (33, vec![60; 5]),
        (64, vec![300, 20]),
    ];
    for (k, lengths) in cases {
        let t = lengths.iter().sum();
        let log_b = random(t, k, 7) * 3.0 - 20.0;
        let want = run(&Device::cpu(), &log_b, &lengths, 2);
        let states = want.states.to_array().unwrap();
        assert!(states.rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-12));
        for device in gpus() {
            let found = run(device, &log_b, &lengths, 2);
            let off = (found.states.to_array().unwrap() - &states).iter().fold(0f64, |m, v| m.max(v.abs()));
            assert!(off < 1e-5, "{k} states, {lengths:?} on {device}: {off:e}");
            let n = t as f64;
            assert!(
                (&found.transitions - &want.transitions).iter().all(|v| v.abs() < 1e-6 * n),
                "{k} on {device}"
            );
            for (a, b) in found.log_likelihoods.iter().zip(&want.log_likelihoods) {
                assert!((a - b).abs() < 1e-6 * b.abs(), "{a} is not {b}");
            }
        }
    }
}

/// What f32 cannot carry, or what has more states than lanes, is the CPU's.
#[test]
fn what_the_device_cannot_is_the_cpus() {
    let mut log_b = random(6, 2, 7);
    // The only state that can follow is far below the other.
    let (first, a) = (array![1.0, 0.0], array![[0.0, 1.0], [1.0, 0.0]]);
    log_b[[3, 0]] = 0.0;
    log_b[[3, 1]] = -150.0;
    let wide = random(10, 70, 3);
    for device in gpus() {
        let found = forward_backward(&on(device, &log_b), &[6], first.view(), a.view()).unwrap();
        let want = forward_backward(&on(&Device::cpu(), &log_b), &[6], first.view(), a.view()).unwrap();
        assert!((found.log_likelihoods[0] - want.log_likelihoods[0]).abs() < 1e-4);
        assert_eq!(found.states.device(), *device);
        assert_eq!(run(device, &wide, &[10], 1).states.shape(), (10, 70));
    }
}

/// Steps stay on the device: one submission for both directions, and little comes down.
#[test]
fn posteriors_stay_there() {
    let (k, lengths) = (8, [100usize; 30]);
    let log_b = random(3000, k, 1);
    for device in alone() {
        let resident: Matrix = on(&device, &log_b);
        let (first, a): (Array1<f64>, _) = (rows(1, k, 1).row(0).to_owned(), rows(k, k, 2));
        let work = || forward_backward(&resident, &lengths, first.view(), a.view()).unwrap();
        work();
        let before = device.counters();
        let found = work();
        let after = device.counters();
        assert_eq!(found.states.shape(), (3000, k));
        assert!(after.dispatches - before.dispatches <= 4, "{}", after.dispatches - before.dispatches);
        assert_eq!(after.submissions - before.submissions, 1);
        assert_eq!(after.bytes_up - before.bytes_up, 4 * (64 + 8) + 8 * 30);
        assert!(after.bytes_down - before.bytes_down <= 4 * (2 * 32 + 64));
    }
}

#[test]
fn bad_sequences_are_refused() {
    let log_b = random(5, 2, 1);
    let (p, a) = (array![0.5, 0.5], array![[0.5, 0.5], [0.1, 0.9]]);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let b = on(&device, &log_b);
        for lengths in [&[4][..], &[5, 0], &[], &[usize::MAX, 6]] {
            assert!(matches!(forward_backward(&b, lengths, p.view(), a.view()), Err(Error::Shape { .. })));
        }
        let wrong = array![[0.5, 0.6], [0.1, 0.9]];
        assert!(forward_backward(&b, &[5], p.view(), wrong.view()).is_err());
        // The first state never leaves, and cannot show the last row.
        let mut excluded = log_b.clone();
        excluded[[4, 0]] = -1e30;
        let (p, a) = (array![1.0, 0.0], array![[1.0, 0.0], [0.5, 0.5]]);
        assert!(forward_backward(&on(&device, &excluded), &[5], p.view(), a.view()).is_err());
    }
}
