use mercer::ops::{
    Side, Trans, Triangle, Weights, cholesky, gemm, gemm_add, gram_sum, gram_vec, solve_triangular, to_half,
};
use mercer::{Device, Error, Kernel, Precision};
use ndarray::Array2;

use crate::support::{adapters, assert_close, cramped, gpus, on, random, spd};

/// Every adapter rounds exactly as the `half` crate does, to within the last bit of the half.
#[test]
fn both_devices_round_alike() {
    for (rows, cols) in [(1, 1), (63, 5), (65, 64), (130, 33)] {
        let a = random(rows, cols, 7) * 100.0;
        let want = to_half(&on(&Device::cpu(), &a)).unwrap().to_array().unwrap();
        for device in gpus().iter().chain(cramped()) {
            let half = to_half(&on(device, &a)).unwrap();
            assert_eq!(half.precision(), Precision::Half);
            let got = half.to_array().unwrap();
            for (g, w) in got.iter().zip(&want) {
                assert!((g - w).abs() <= w.abs() / 1024.0 + 1e-7, "{g} for {w} on {device}");
            }
        }
    }
}

#[test]
fn half_takes_half_the_memory() {
    let device = &gpus()[0];
    let a = on(device, &random(64, 64, 1));
    assert_eq!(to_half(&a).unwrap().bytes() * 2, a.bytes());
}

#[test]
fn beyond_the_range_is_refused() {
    let a = on(&Device::cpu(), &Array2::from_elem((1, 2), 70_000.0));
    assert!(matches!(to_half(&a), Err(Error::NotFinite { op: "half", row: 0, col: 0, .. })));
}

/// Half storage is read as what it is wherever it is passed, never as the bits of something else.
#[test]
fn every_operand_may_be_half() {
    let cpu = Device::cpu();
    let rounded = |a: &Array2<f64>| to_half(&on(&cpu, a)).unwrap().to_array().unwrap();
    let (x, v, w, c) = (random(40, 3, 1), random(40, 2, 2), random(40, 40, 3), random(40, 40, 4));
    let l = cholesky(&on(&cpu, &spd(40, 5))).unwrap().to_array().unwrap();
    let kernel = Kernel::rbf(1.0);
    for device in adapters() {
        let half = |a: &Array2<f64>| to_half(&on(device, a)).unwrap();
        let product = gram_vec(&kernel, &half(&x), None, &half(&v)).unwrap();
        let want = gram_vec(&kernel, &on(&cpu, &rounded(&x)), None, &on(&cpu, &rounded(&v))).unwrap();
        assert_close(&product, &want.to_array().unwrap(), 1e-5, &format!("gram_vec on {device}"));

        let sum = gram_sum(&kernel, &on(device, &x), None, Weights::Dense(&half(&w))).unwrap();
        let want = gram_sum(&kernel, &on(&cpu, &x), None, Weights::Dense(&on(&cpu, &rounded(&w)))).unwrap();
        assert!((sum - want).abs() < 1e-3, "gram_sum {sum} and should be {want} on {device}");

        let solved = solve_triangular(&half(&l), Triangle::Lower, Trans::No, Side::Left, &half(&v)).unwrap();
        let (t, b) = (on(&cpu, &rounded(&l)), on(&cpu, &rounded(&v)));
        let want =
            solve_triangular(&t, Triangle::Lower, Trans::No, Side::Left, &b).unwrap().to_array().unwrap();
        assert_close(&solved, &want, 1e-5, &format!("solve_triangular on {device}"));

        let added = gemm_add(1.0, &half(&w), Trans::No, &on(device, &w), Trans::No, 1.0, &half(&c)).unwrap();
        let want = rounded(&w).dot(&w) + rounded(&c);
        assert_close(&added, &want, 1e-5, &format!("gemm_add on {device}"));
    }
}

/// `|AB - fl(AB)| <= ((1 + u)² - 1 + k ε) |A||B|` entry by entry: halves are off by `u = 2⁻¹¹` each, and the sum of k terms is
/// made in f32. Every transpose.
#[test]
fn products_of_halves_keep_their_bound() {
    let (m, k, n) = (130, 261, 67);
    let (a, b) = (random(m, k, 11), random(k, n, 12));
    let turned = |a: &Array2<f64>| a.t().as_standard_layout().into_owned();
    let (want, sizes) = (a.dot(&b), a.mapv(f64::abs).dot(&b.mapv(f64::abs)));
    let u = 2f64.powi(-11);
    let bound = (1.0 + u).powi(2) - 1.0 + k as f64 * 2f64.powi(-24);
    for device in gpus() {
        let half = |a: &Array2<f64>| to_half(&on(device, a)).unwrap();
        for (x, tx) in [(half(&a), Trans::No), (half(&turned(&a)), Trans::Yes)] {
            for (y, ty) in [(half(&b), Trans::No), (half(&turned(&b)), Trans::Yes)] {
                let got = gemm(1.0, &x, tx, &y, ty).unwrap().to_array().unwrap();
                let worst = (&got - &want).mapv(f64::abs) / &sizes;
                assert!(worst.iter().all(|w| *w <= bound), "{tx:?} {ty:?} on {device}");
            }
        }
    }
}
