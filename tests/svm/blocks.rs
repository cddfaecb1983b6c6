//! More points than one block holds: the conditions hold everywhere, and every adapter finds the machine of the CPU.

use mercer::device::DeviceOptions;
use mercer::prelude::*;

use crate::cpu;
use crate::support::random;

const N: usize = 2100;

fn curved() -> (ndarray::Array2<f64>, Vec<bool>) {
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
