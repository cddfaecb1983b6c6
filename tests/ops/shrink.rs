use mercer::ops::{Shrinking, Trans, gemm, shrink};
use mercer::{Device, Error};
use ndarray::{Array2, Axis, Zip};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

/// One step by the formulas: codes, where the next step is taken from, and t, move and norm of every row.
fn stepped(
    [z, y, p, b]: [&Array2<f64>; 4],
    t: &[f64],
    threshold: f64,
    momentum: bool,
) -> (Array2<f64>, Array2<f64>, Array2<f64>) {
    let next = Zip::from(y).and(p).and(b).map_collect(|y, p, b| {
        let u = y - (p - b);
        if u > threshold {
            u - threshold
        } else if u < -threshold {
            u + threshold
        } else {
            0.0
        }
    });
    let (mut ahead, mut state) = (next.clone(), Array2::zeros((z.nrows(), 3)));
    for n in 0..z.nrows() {
        let gone = &next.row(n) - &z.row(n);
        let t = if (&y.row(n) - &next.row(n)).dot(&gone) > 0.0 { 1.0 } else { t[n] };
        let after = f64::midpoint(1.0, (1.0 + 4.0 * t * t).sqrt());
        if momentum {
            ahead.row_mut(n).scaled_add((t - 1.0) / after, &gone);
        }
        let top = next.row(n).fold(1e-30, |m: f64, v| m.max(v.abs()));
        let far = gone.fold(0f64, |m, v| m.max(v.abs()));
        state[[n, 0]] = if momentum { after } else { 1.0 };
        state[[n, 1]] = far / top;
        state[[n, 2]] = next.row(n).mapv(f64::abs).sum();
    }
    (next, ahead, state)
}

/// Five steps at every width of a row's share of a workgroup, with rows that start anew and rows that do not.
#[test]
fn steps_are_those_of_the_formulas() {
    let mut shapes: Vec<(usize, usize)> = edges(16).into_iter().map(|k| (5, k)).collect();
    shapes.extend([(1, 1), (67, 3), (130, 9), (9, 255), (9, 256), (9, 257), (5, 1030)]);
    for (n, k) in shapes {
        let (start, linear) = (random(n, k, 1), random(n, k, 2));
        let products: Vec<Array2<f64>> = (0..5).map(|i| random(n, k, 3 + i) * 0.2).collect();
        for momentum in [true, false] {
            let (mut z, mut y, mut state) = (start.clone(), start.clone(), Array2::ones((n, 3)));
            for p in &products {
                let t: Vec<f64> = state.column(0).to_vec();
                (z, y, state) = stepped([&z, &y, p, &linear], &t, 0.15, momentum);
            }
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let kept = on(&device, &start);
                let mut at = Shrinking::new(kept.clone()).unwrap();
                for p in &products {
                    at = shrink(at, on(&device, p), &on(&device, &linear), 0.15, momentum).unwrap();
                }
                let what = format!("{n} x {k}, momentum {momentum} on {device}");
                assert_close(&at.codes, &z, 5e-6, &what);
                assert_close(&at.ahead, &y, 5e-6, &what);
                assert_close(&at.state, &state, 1e-5, &what);
                assert_close(&kept, &start, 1e-7, "the handle that was kept sees no change");
            }
        }
    }
}

/// Steps with `p = yG/L` end where `|b - Gz| ≤ λ`, with equality and the sign of z where z is not zero.
#[test]
fn steps_end_at_the_conditions_of_the_lasso() {
    let (atoms, x, penalty) = (random(12, 30, 1), random(20, 30, 2), 0.8);
    let (g, b) = (atoms.dot(&atoms.t()), x.dot(&atoms.t()));
    // No eigenvalue is above the largest sum of a row.
    let bound = g.mapv(f64::abs).sum_axis(Axis(1)).fold(0f64, |m, v| m.max(*v));
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (scaled, linear) = (on(&device, &(&g / bound)), on(&device, &(&b / bound)));
        let mut at = Shrinking::new(on(&device, &Array2::zeros((20, 12)))).unwrap();
        for _ in 0..150 {
            let product = gemm(1.0, &at.ahead, Trans::No, &scaled, Trans::No).unwrap();
            at = shrink(at, product, &linear, penalty / bound, true).unwrap();
        }
        let z = at.codes.to_array().unwrap();
        assert!(z.iter().any(|v| *v == 0.0) && z.iter().any(|v| *v != 0.0));
        for (z, slope) in z.iter().zip(&(&b - &z.dot(&g))) {
            let off = if *z == 0.0 { slope.abs() - penalty } else { (slope - penalty * z.signum()).abs() };
            assert!(off < 2e-4, "{off:e} at {z} on {device}");
        }
    }
}

#[test]
fn bad_steps_are_errors() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let up = |n, k| on(&device, &random(n, k, 1));
        let at = || Shrinking::new(up(2, 3)).unwrap();
        assert!(matches!(shrink(at(), up(3, 2), &up(2, 3), 0.1, true), Err(Error::Shape { .. })));
        assert!(matches!(shrink(at(), up(2, 3), &up(2, 2), 0.1, true), Err(Error::Shape { .. })));
        let mixed = Shrinking { state: up(2, 2), ..at() };
        assert!(matches!(shrink(mixed, up(2, 3), &up(2, 3), 0.1, true), Err(Error::Shape { .. })));
        for bad in [-0.1, f64::NAN] {
            assert!(matches!(shrink(at(), up(2, 3), &up(2, 3), bad, true), Err(Error::Parameter { .. })));
        }
    }
}
