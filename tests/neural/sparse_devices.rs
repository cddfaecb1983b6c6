//! Sparse codes and dictionaries of a device: those of the CPU, and little that crosses over.

use mercer::prelude::*;
use ndarray::Array2;

use crate::support::{alone, gpus, random};

/// Rows that are sparse sums of planted atoms, with a little noise.
fn planted(n: usize, k: usize, d: usize) -> (Array2<f64>, Array2<f64>) {
    let mut atoms = random(k, d, 1);
    atoms.rows_mut().into_iter().for_each(|mut a| {
        let norm = a.dot(&a).sqrt();
        a /= norm;
    });
    let z = random(n, k, 2).mapv(|v| if v.abs() > 0.6 { 3.0 * v } else { 0.0 });
    (z.dot(&atoms) + random(n, d, 3) * 0.05, atoms)
}

fn off(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let scale = b.iter().fold(0f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0f64, |m, (a, b)| m.max((a - b).abs())) / scale
}

/// More atoms than features as well, both coders, with a penalty and without one.
#[test]
fn codes_are_those_of_the_cpu() {
    for (n, k, d, penalty) in [(40, 6, 9, 0.1), (33, 20, 12, 0.2), (20, 7, 11, 0.0), (9, 70, 90, 0.5)] {
        let (x, atoms) = planted(n, k, d);
        for coder in [SparseCoder::Ista, SparseCoder::Fista] {
            let want = sparse_code(&atoms, &x, penalty, coder).unwrap();
            for device in gpus() {
                let got = sparse_code_on(device, &atoms, &x, penalty, coder).unwrap();
                assert!(off(&got, &want) < 1e-8, "{coder:?} of {n} x {k} on {device}");
                let zeros = |z: &Array2<f64>| z.mapv(|v| v == 0.0);
                assert_eq!(zeros(&got), zeros(&want), "the same atoms on {device}");
            }
        }
    }
}

/// Atoms that hardly differ: f32 cannot tell them apart, and the CPU decides.
#[test]
fn codes_that_f32_cannot_carry_are_found_in_f64() {
    let (x, mut atoms) = planted(15, 5, 8);
    let twin = &atoms.row(0) + &(random(1, 8, 9).row(0).to_owned() * 1e-3);
    atoms.row_mut(1).assign(&twin);
    let want = sparse_code(&atoms, &x, 0.1, SparseCoder::Fista).unwrap();
    let value = |z: &Array2<f64>| {
        0.5 * (&x - &z.dot(&atoms)).mapv(|v| v * v).sum() + 0.1 * z.iter().map(|v| v.abs()).sum::<f64>()
    };
    for device in gpus() {
        let got = sparse_code_on(device, &atoms, &x, 0.1, SparseCoder::Fista).unwrap();
        assert!((value(&got) - value(&want)).abs() < 1e-8 * value(&want), "on {device}");
    }
}

#[test]
fn atoms_are_those_of_the_cpu() {
    let (x, _) = planted(120, 6, 10);
    for coder in [SparseCoder::Ista, SparseCoder::Fista] {
        let model =
            DictionaryLearning::new(6, Sparsity::L1(0.2)).coder(coder).max_iterations(12).tolerance(0.0);
        let want = model.fit(&Device::cpu(), &x).unwrap();
        for device in gpus() {
            let got = model.fit(device, &x).unwrap();
            assert!(
                off(got.atoms(), want.atoms()) < 1e-4,
                "{:e} on {device}",
                off(got.atoms(), want.atoms())
            );
            assert_ne!(got.atoms(), want.atoms(), "f32 on {device}");
            for (a, b) in got.report().trace.iter().zip(&want.report().trace) {
                assert!((a - b).abs() < 1e-4 * b, "{a} {b} on {device}");
            }
            assert_eq!(got.atoms(), model.fit(device, &x).unwrap().atoms(), "the same bits on {device}");
            let (codes, again) = (got.transform(&x).unwrap(), got.clone().on(&Device::cpu()));
            assert!(off(&codes, &again.transform(&x).unwrap()) < 1e-8);
        }
    }
}

/// Rows go up once. An iteration takes atoms and their products up, and brings down `ZᵀZ`, `ZᵀX` and sums; ten steps are a
/// product and a launch each, and one vec4.
#[test]
fn an_iteration_moves_sums_down() {
    let (n, k, d) = (120, 8, 12);
    let (x, _) = planted(n, k, d);
    let fit = |device: &Device, iterations: usize| {
        let before = device.counters();
        let model = DictionaryLearning::new(k, Sparsity::L1(0.2)).max_iterations(iterations).tolerance(0.0);
        model.fit(device, &x).unwrap();
        let c = device.counters();
        [
            c.bytes_up - before.bytes_up,
            c.bytes_down - before.bytes_down,
            c.read_backs - before.read_backs,
            c.dispatches - before.dispatches,
        ]
    };
    for device in alone() {
        let [up1, down1, reads1, launches1] = fit(&device, 3);
        let [up2, down2, reads2, launches2] = fit(&device, 4);
        assert_eq!(up2 - up1, 4 * (k * k + k * d) as u64, "atoms and their products on {device}");
        // Beside the looks: sums of the states, both products, squares of what is left.
        let sums = 16 + 4 * (k * k + k * d) as u64 + 4 * d as u64;
        let looks = (down2 - down1 - sums) / 16;
        assert_eq!(down2 - down1, sums + 16 * looks, "on {device}");
        assert!(looks >= 1 && reads2 - reads1 <= looks + 4, "{looks} looks, {} reads", reads2 - reads1);
        // Ten products and ten steps a look, each product with a transposition at most, and some around them.
        let launches = launches2 - launches1;
        assert!(
            (20 * looks..=30 * looks + looks + 12).contains(&launches),
            "{launches} for {looks} on {device}"
        );
    }
}
