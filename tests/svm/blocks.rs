//! More points than one block holds: the conditions hold everywhere, and every adapter finds the machine of the CPU.

use mercer::device::DeviceOptions;
use mercer::prelude::*;

use mercer::models::kernel_methods::SvmCertificate;
use ndarray::{Array1, Array2};

use crate::cpu;
use crate::support::{alone, cost, random};

const N: usize = 2100;

fn curved() -> (Array2<f64>, Vec<bool>) {
    let x = random(N, 3, 21) * 2.0;
    let wrong = random(N, 1, 22);
    let y = (0..N).map(|i| (x[[i, 0]] * x[[i, 1]] > 0.2 * x[[i, 2]]) != (wrong[[i, 0]] > 0.45)).collect();
    (x, y)
}

#[test]
fn blocks_and_a_small_cache_end_at_the_optimum() {
    let (x, y) = curved();
    let model = SvmClassifier::new(Kernel::rbf(0.8) + Kernel::white(0.05), 2.0).tolerance(1e-5);
    let fitted = model.fit(&cpu(), &x, &y).unwrap();
    let proof = fitted.certificates()[0];
    assert!(proof.violation <= 1e-5 && proof.gap().abs() <= 1e-5 * proof.primal, "{proof}");
    let small = model.cache_bytes(1).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(small.dual_coefficients(), fitted.dual_coefficients());
    let z = x.column(0).mapv(|v: f64| (2.0 * v).sin());
    let curve = SvmRegressor::new(Kernel::rbf(0.8), 1.0, 0.1).tolerance(1e-4).fit(&cpu(), &x, &z).unwrap();
    let proof = curve.certificates()[0];
    assert!(!proof.stalled && proof.gap().abs() <= 1e-3 * proof.primal, "{proof}");
}

#[test]
fn every_adapter_finds_the_machine_of_the_cpu() {
    let (x, y) = curved();
    let model = SvmClassifier::new(Kernel::rbf(0.8), 2.0).tolerance(1e-5);
    let want = model.fit(&cpu(), &x, &y).unwrap();
    let best = want.certificates()[0].dual;
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).threshold(0.0).open().unwrap();
        let fitted = model.fit(&device, &x, &y).unwrap();
        let proof = fitted.certificates()[0];
        assert!((proof.dual - best).abs() <= 1e-6 * best, "{device}: {proof}, {best}");
        assert!(proof.violation <= 1e-5, "{device}: {proof}");
        // The same support vectors, but for those whose coefficient is next to zero.
        let both = fitted.support().iter().filter(|i| want.support().binary_search(i).is_ok()).count();
        assert!(both + 10 >= want.support().len().max(fitted.support().len()), "{device}: {both}");
        // The points go up once; a block sends at most 1,024 of them and their coefficients, and n sums come back.
        let counters = device.counters();
        let blocks = counters.bytes_down.div_ceil(16 * N as u64);
        assert!(blocks > 0 && counters.dispatches <= 16 * blocks, "{device}: {counters:?}");
        assert!(
            counters.bytes_up <= 16 * N as u64 + 4 * blocks * (1024 * 4 * 8 + 4096),
            "{device}: {counters:?}"
        );
    }
}

/// Three heaps that touch, more points in any two than a block holds.
fn heaps(each: usize) -> (Array2<f64>, Vec<usize>) {
    let y: Vec<usize> = (0..3 * each).map(|i| i % 3).collect();
    let mut x = random(3 * each, 2, 31);
    for (mut row, &c) in x.rows_mut().into_iter().zip(&y) {
        row[0] += [0.0, 1.6, 0.8][c];
        row[1] += [0.0, 0.0, 1.5][c];
    }
    (x, y)
}

/// All machines of one kind: their proofs, and the rows with a coefficient.
type Found = (Vec<SvmCertificate>, Vec<usize>);
type Fit<'a> = Box<dyn Fn(&Device) -> Found + 'a>;

/// Machines of every kind but those of ν are trained on the device, and are those of the CPU: the dual to 1e-6, the same support up to ties.
#[test]
fn every_machine_is_found_on_every_adapter() {
    let (x, y) = curved();
    let (heaps, classes) = heaps(1050);
    let w = Array1::from_shape_fn(N, |i| 0.5 + (i % 3) as f64);
    let z = Array2::from_shape_fn((N, 2), |(i, t)| ((2 + t) as f64 * x[[i, t]]).sin());
    let apart: Vec<bool> = (0..N).map(|i| i % 2 == 0).collect();
    let mut gap = x.clone();
    gap.rows_mut().into_iter().zip(&apart).for_each(|(mut r, y)| r[0] += if *y { 2.5 } else { -2.5 });
    let many = |f: FittedSvm<bool>| (f.certificates().to_vec(), f.support().to_vec());
    let one = |kernel, c: f64| SvmClassifier::new(kernel, c).tolerance(1e-5);
    let of = |classes_by| SvmClassifier::new(Kernel::rbf(0.7), 0.5).tolerance(1e-5).classes(classes_by);
    let polynomial = || Kernel::polynomial(2, 1.0);
    let kinds: Vec<(&str, Fit)> = vec![
        ("linear", Box::new(|d| many(one(Kernel::linear(), 0.1).fit(d, &x, &y).unwrap()))),
        ("polynomial", Box::new(|d| many(one(polynomial(), 0.2).fit(d, &x, &y).unwrap()))),
        ("no offset", Box::new(|d| many(one(Kernel::rbf(0.8), 0.5).offset(false).fit(d, &x, &y).unwrap()))),
        ("weights", Box::new(|d| many(one(Kernel::rbf(0.8), 0.5).fit_weighted(d, &x, &y, &w).unwrap()))),
        (
            "hard",
            Box::new(|d| {
                many(
                    SvmClassifier::hard_margin(Kernel::linear())
                        .tolerance(1e-5)
                        .fit(d, &gap, &apart)
                        .unwrap(),
                )
            }),
        ),
        (
            "pairs",
            Box::new(|d| {
                let f = of(SvmClasses::OneVsOne).fit(d, &heaps, &classes).unwrap();
                (f.certificates().to_vec(), f.support().to_vec())
            }),
        ),
        (
            "rest",
            Box::new(|d| {
                let f = of(SvmClasses::OneVsRest).fit(d, &heaps, &classes).unwrap();
                (f.certificates().to_vec(), f.support().to_vec())
            }),
        ),
        (
            "epsilon",
            Box::new(|d| {
                let f = SvmRegressor::new(Kernel::rbf(0.8), 1.0, 0.1).tolerance(1e-5).fit(d, &x, &z).unwrap();
                (f.certificates().to_vec(), f.support().to_vec())
            }),
        ),
        (
            "one class",
            Box::new(|d| {
                let f = OneClassSvm::new(Kernel::rbf(0.8), 0.1).tolerance(1e-5).fit(d, &x).unwrap();
                (vec![*f.certificate()], f.support().to_vec())
            }),
        ),
    ];
    let devices = alone();
    for (name, fit) in &kinds {
        let (want, support) = fit(&cpu());
        for device in &devices {
            let ([launches, _, _, down], (got, kept)) = cost(device, || fit(device));
            println!("{name} on {device}: {launches} launches, {down} bytes down, {} machines", got.len());
            // Each machine has a block at least, and its sums come down.
            assert!(launches >= got.len() as u64, "{name} on {device}: {launches} launches");
            assert!(down >= 4 * N as u64 * got.len() as u64, "{name} on {device}: {down} bytes down");
            assert_eq!(got.len(), want.len());
            for (g, w) in got.iter().zip(&want) {
                assert!((g.dual - w.dual).abs() <= 1e-6 * w.dual.abs(), "{name} on {device}: {g}, {w}");
            }
            let both = kept.iter().filter(|i| support.binary_search(i).is_ok()).count();
            let most = support.len().max(kept.len());
            assert!(both + 10 + most / 50 >= most, "{name} on {device}: {both} of {most}");
        }
    }
}

/// One against the rest: every machine goes to the device, not the first alone.
#[test]
fn machines_that_share_their_rows_all_use_the_device() {
    let (x, y) = heaps(700);
    let model = SvmClassifier::new(Kernel::rbf(0.7), 0.5).classes(SvmClasses::OneVsRest);
    for device in alone() {
        let alone: Vec<u64> = (0..3)
            .map(|c| {
                let own: Vec<bool> = y.iter().map(|y| *y == c).collect();
                cost(&device, || model.fit(&device, &x, &own).unwrap()).0[0]
            })
            .collect();
        let together = cost(&device, || model.fit(&device, &x, &y).unwrap()).0[0];
        println!("{device}: {alone:?} launches of one machine each, {together} of all");
        assert!(alone.iter().all(|l| *l > 0));
        // The order of the rows, and with it that of the blocks, is another: as many but for a few.
        let sum = alone.iter().sum::<u64>();
        assert!(4 * together >= 3 * sum, "{device}: {together} launches, {alone:?} of each");
    }
}

/// A fitted machine predicts on the CPU, whatever it was fitted on, until it is put on a device: then there, to 1e-5.
#[test]
fn decisions_on_every_adapter() {
    let x = random(150, 3, 41) * 2.0;
    let new = random(400, 3, 42) * 2.0;
    let y: Vec<usize> =
        x.rows().into_iter().map(|r| usize::from(r[0] > 0.3) + usize::from(r[1] * r[2] > 0.2)).collect();
    let two: Vec<bool> = y.iter().map(|y| *y > 0).collect();
    let z = x.column(0).mapv(f64::sin);
    for device in alone() {
        macro_rules! there {
            ($name:literal, $fit:expr, $ask:ident) => {
                let fitted = $fit;
                assert!(!fitted.device().is_gpu(), $name);
                let ([launches, ..], here) = cost(&device, || fitted.$ask(&new).unwrap());
                assert_eq!(launches, 0, $name);
                let put = fitted.clone().on(&device);
                assert_eq!(put.device(), &device, $name);
                let ([launches, _, up, down], got) = cost(&device, || put.$ask(&new).unwrap());
                assert!(launches > 0 && up >= 4 * 400 * 4 && down >= 4 * 400, "{}: {launches} {up} {down}", $name);
                let size = here.iter().fold(1f64, |m, v| m.max(v.abs()));
                let off = here.iter().zip(&got).fold(0f64, |m, (a, b)| m.max((a - b).abs()));
                // f32 has other bits, and no more than that. Votes of pairs may turn where one is next to zero.
                assert!(off > 0.0 && off <= 1e-5 * size, "{} on {device}: {off:e} of {size}", $name);
            };
        }
        let rbf = || Kernel::rbf(1.0);
        there!("two", SvmClassifier::new(rbf(), 2.0).fit(&device, &x, &two).unwrap(), decision);
        there!("pairs", SvmClassifier::new(rbf(), 2.0).fit(&device, &x, &y).unwrap(), decision);
        let rest = SvmClassifier::new(rbf(), 2.0).classes(SvmClasses::OneVsRest);
        there!("rest", rest.fit(&device, &x, &y).unwrap(), decision);
        there!("regression", SvmRegressor::new(rbf(), 2.0, 0.05).fit(&device, &x, &z).unwrap(), predict);
        there!("one class", OneClassSvm::new(rbf(), 0.2).fit(&device, &x).unwrap(), decision);
        there!("least squares", LeastSquaresSvm::new(rbf(), 2.0).fit(&device, &x, &y).unwrap(), decision);
        let pairs = SvmClassifier::new(rbf(), 2.0).fit(&device, &x, &y).unwrap();
        assert_eq!(pairs.clone().on(&device).predict(&x).unwrap(), pairs.predict(&x).unwrap());
    }
}
