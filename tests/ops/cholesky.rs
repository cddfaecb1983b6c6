use mercer::ops::{Trans, cholesky, gemm, to_half};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, cramped, edges, gpus, on, random, spd};

/// The textbook recurrence.
fn definition(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut l = Array2::zeros((n, n));
    for j in 0..n {
        let row: f64 = (0..j).map(|k| l[[j, k]] * l[[j, k]]).sum();
        l[[j, j]] = (a[[j, j]] - row).sqrt();
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum();
            l[[i, j]] = (a[[i, j]] - dot) / l[[j, j]];
        }
    }
    l
}

#[test]
fn the_factor_is_the_textbook_one_and_squares_to_the_matrix() {
    for n in edges(64).into_iter().chain([200]) {
        let a = spd(n, 3);
        let want = definition(&a);
        assert_close(
            &cholesky(&on(&Device::cpu(), &a)).unwrap(),
            &want,
            1e-13,
            &format!("n = {n} on the CPU"),
        );
        for device in gpus() {
            let l = cholesky(&on(device, &a)).unwrap();
            assert_close(&l, &want, 3e-6, &format!("n = {n} on {device}"));
            let above =
                l.to_array().unwrap().indexed_iter().filter(|((i, j), v)| j > i && **v != 0.0).count();
            assert_eq!(above, 0, "nothing above the diagonal, n = {n} on {device}");
            let squared = gemm(1.0, &l, Trans::No, &l, Trans::Yes).unwrap();
            assert_close(&squared, &a, 3e-6, &format!("L L^T, n = {n} on {device}"));
        }
    }
}

#[test]
fn a_matrix_of_several_panels() {
    let a = spd(1100, 7);
    let want = cholesky(&on(&Device::cpu(), &a)).unwrap().to_array().unwrap();
    for device in gpus() {
        let l = cholesky(&on(device, &a)).unwrap();
        assert_close(&l, &want, 3e-6, &format!("{device}"));
        let above = l.to_array().unwrap().indexed_iter().filter(|((i, j), v)| j > i && **v != 0.0).count();
        assert_eq!(above, 0, "nothing above the diagonal on {device}");
    }
}

#[test]
fn a_matrix_larger_than_a_binding_is_factored_in_windows() {
    let a = spd(300, 4);
    let want = definition(&a);
    for device in cramped() {
        assert_close(&cholesky(&on(device, &a)).unwrap(), &want, 3e-6, &format!("{device}"));
    }
}

#[test]
fn half_storage_is_factored() {
    let a = spd(70, 5);
    let rounded = to_half(&on(&Device::cpu(), &a)).unwrap().to_array().unwrap();
    for device in gpus() {
        let l = cholesky(&to_half(&on(device, &a)).unwrap()).unwrap();
        assert_close(&l, &definition(&rounded), 3e-6, &format!("{device}"));
    }
}

#[test]
fn the_failing_pivot_is_named() {
    for (n, bad) in [(1, 0), (5, 3), (64, 63), (65, 64), (140, 100)] {
        let mut a = spd(n, 6);
        // The pivot is what elimination leaves of the diagonal: 2.5 less than nothing.
        let eliminated = a[[bad, bad]] - definition(&a)[[bad, bad]].powi(2);
        a[[bad, bad]] = eliminated - 2.5;
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            match cholesky(&on(&device, &a)) {
                Err(Error::NotPositiveDefinite { op: "cholesky", pivot, value }) => {
                    assert_eq!(pivot, bad, "n = {n} on {device}");
                    assert!((value + 2.5).abs() < 1e-4, "pivot {value} on {device}");
                }
                other => panic!("n = {n} on {device}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_zero_matrix_fails_at_once_and_a_rectangle_is_refused() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let e = cholesky(&on(&device, &Array2::zeros((70, 70))));
        assert!(
            matches!(e, Err(Error::NotPositiveDefinite { pivot: 0, value: 0.0, .. })),
            "{e:?} on {device}"
        );
        let e = cholesky(&on(&device, &random(3, 4, 1)));
        assert!(matches!(e, Err(Error::Shape { op: "cholesky", .. })), "{e:?}");
    }
}
