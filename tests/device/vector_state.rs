//! Code that runs after ours is as fast as before: faer leaves vector state that slows scalar code down twentyfold.

use std::time::{Duration, Instant};

use mercer::Device;
use mercer::ops::{Side, Trans, Triangle, cholesky, gemm, solve_triangular};

use ndarray::Array2;

use crate::support::{on, random, spd};

/// Scalar exponentials on this thread and on every worker: the best of several runs, against noise.
fn scalar_loop() -> [Duration; 2] {
    let work = || (0..200_000).map(|i| (f64::from(i) * 1e-6).exp()).sum::<f64>();
    let best = |f: &dyn Fn() -> f64| {
        (0..15)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(f());
                start.elapsed()
            })
            .min()
            .unwrap()
    };
    [best(&work), best(&|| rayon::broadcast(|_| work())[0])]
}

#[test]
fn scalar_code_is_not_slower_after_a_factorisation() {
    let before = scalar_loop();
    let cpu = Device::cpu();
    let a = on(&cpu, &spd(400, 1));
    let l = cholesky(&a).unwrap();
    let b = on(&cpu, &random(400, 50, 2));
    solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &b).unwrap();
    // Large enough to be worth a worker, with so few columns that faer wakes workers of its own.
    let t = on(&cpu, &Array2::from_shape_fn((2100, 2100), |(i, j)| if i == j { 2.0 } else { 1e-4 }));
    solve_triangular(&t, Triangle::Lower, Trans::No, Side::Left, &on(&cpu, &random(2100, 4, 3))).unwrap();
    gemm(1.0, &a, Trans::No, &a, Trans::No).unwrap();
    let after = scalar_loop();
    for (b, a) in before.iter().zip(&after) {
        // The trap costs a factor of twenty; noise on a shared machine stays below five.
        assert!(*a < *b * 5, "a scalar loop took {b:?} before and {a:?} after");
    }
}
