use mercer::ops::{Side, Trans, Triangle, cholesky, solve_triangular};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, cramped, gpus, on, random, spd};

/// A well-conditioned lower triangular matrix.
fn lower(n: usize) -> Array2<f64> {
    cholesky(&on(&Device::cpu(), &spd(n, 8))).unwrap().to_array().unwrap().as_standard_layout().into_owned()
}

fn op(t: &Array2<f64>, trans: Trans) -> Array2<f64> {
    if trans == Trans::No { t.clone() } else { t.t().to_owned() }
}

/// Garbage in the other triangle, which must not be read.
fn with_garbage(t: &Array2<f64>, triangle: Triangle) -> Array2<f64> {
    let unread = |i: usize, j: usize| if triangle == Triangle::Lower { j > i } else { j < i };
    Array2::from_shape_fn(t.dim(), |(i, j)| if unread(i, j) { 1e3 } else { t[[i, j]] })
}

#[test]
fn every_form_solves_its_equation() {
    let devices: Vec<Device> = gpus().iter().cloned().chain([Device::cpu()]).collect();
    for (n, r) in [(1, 1), (63, 3), (64, 1), (65, 64), (131, 70)] {
        let l = lower(n);
        for device in &devices {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                for trans in [Trans::No, Trans::Yes] {
                    for side in [Side::Left, Side::Right] {
                        let t = if triangle == Triangle::Lower { l.clone() } else { l.t().to_owned() };
                        let x = if side == Side::Left { random(n, r, 9) } else { random(r, n, 9) };
                        let b =
                            if side == Side::Left { op(&t, trans).dot(&x) } else { x.dot(&op(&t, trans)) };
                        let stored = on(device, &with_garbage(&t, triangle));
                        let got = solve_triangular(&stored, triangle, trans, side, &on(device, &b)).unwrap();
                        let tolerance = if device.is_gpu() { 1e-5 } else { 1e-12 };
                        let what = format!("{n} x {r} {triangle:?} {trans:?} {side:?} on {device}");
                        assert_close(&got, &x, tolerance, &what);
                    }
                }
            }
        }
    }
}

/// The CPU solves up to 256 rows in strips of 4 and panels of 12 columns, and halves what is larger. It never looks at the
/// other triangle, whatever is there.
#[test]
fn the_cpu_at_the_edges_of_its_strips_and_panels() {
    let cpu = Device::cpu();
    for (n, r) in [(2, 16), (5, 17), (7, 24), (12, 25), (255, 36), (256, 47), (257, 49), (530, 31)] {
        let (l, x) = (lower(n), random(n, r, 3));
        for triangle in [Triangle::Lower, Triangle::Upper] {
            for trans in [Trans::No, Trans::Yes] {
                let mut t = if triangle == Triangle::Lower { l.clone() } else { l.t().to_owned() };
                let b = op(&t, trans).dot(&x);
                let unread = |i: usize, j: usize| if triangle == Triangle::Lower { j > i } else { j < i };
                t.indexed_iter_mut().filter(|((i, j), _)| unread(*i, *j)).for_each(|(_, v)| *v = 1e300);
                let t = on(&cpu, &t);
                let left = solve_triangular(&t, triangle, trans, Side::Left, &on(&cpu, &b)).unwrap();
                assert_close(&left, &x, 1e-12, &format!("{n} x {r} {triangle:?} {trans:?} from the left"));
                let turned = b.t().to_owned();
                let flip = if trans == Trans::No { Trans::Yes } else { Trans::No };
                let right = solve_triangular(&t, triangle, flip, Side::Right, &on(&cpu, &turned)).unwrap();
                assert_close(
                    &right,
                    &x.t().to_owned(),
                    1e-12,
                    &format!("{n} x {r} {triangle:?} from the right"),
                );
            }
        }
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    let (l, x) = (lower(250), random(250, 90, 2));
    let b = l.dot(&x);
    for device in cramped() {
        let got = solve_triangular(&on(device, &l), Triangle::Lower, Trans::No, Side::Left, &on(device, &b))
            .unwrap();
        assert_close(&got, &x, 1e-5, &format!("{device}"));
    }
}

#[test]
fn misfits_and_singular_matrices_are_refused() {
    let cpu = Device::cpu();
    let solve = |t: &Array2<f64>, b: &Array2<f64>| {
        solve_triangular(&on(&cpu, t), Triangle::Lower, Trans::No, Side::Left, &on(&cpu, b))
    };
    assert!(matches!(solve(&random(3, 4, 1), &random(3, 1, 1)), Err(Error::Shape { .. })));
    assert!(matches!(solve(&random(3, 3, 1), &random(4, 1, 1)), Err(Error::Shape { .. })));
    let mut t = Array2::eye(3);
    t[[1, 1]] = 0.0;
    assert!(matches!(solve(&t, &random(3, 1, 1)), Err(Error::Singular { index: 1, .. })));
}
