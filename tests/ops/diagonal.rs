use mercer::ops::{add_diagonal, add_diagonal_vector, diagonal, to_half};
use mercer::{Device, Error};
use ndarray::{Array2, Axis};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

#[test]
fn taken_out_and_added_to() {
    for n in edges(64).into_iter().chain([6, 211]) {
        let (a, d) = (random(n, n, 1), random(n, 1, 2));
        let taken = a.diag().to_owned().insert_axis(Axis(1));
        let shifted = &a + &(Array2::<f64>::eye(n) * 0.7);
        let added = &a + &Array2::from_diag(&d.column(0));
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let (a, d) = (on(&device, &a), on(&device, &d));
            let what = format!("n = {n} on {device}");
            assert_close(&diagonal(&a).unwrap(), &taken, 1e-7, &what);
            assert_close(&add_diagonal(&a, 0.7).unwrap(), &shifted, 1e-7, &what);
            assert_close(&add_diagonal_vector(&a, &d).unwrap(), &added, 1e-7, &what);
        }
    }
}

#[test]
fn half_storage_is_read() {
    let (a, d) = (random(37, 37, 3), random(37, 1, 4));
    let want = &a + &Array2::from_diag(&d.column(0));
    for device in gpus() {
        let (a, d) = (to_half(&on(device, &a)).unwrap(), to_half(&on(device, &d)).unwrap());
        assert_close(&add_diagonal_vector(&a, &d).unwrap(), &want, 1e-3, &format!("{device}"));
    }
}

#[test]
fn misfits_are_refused() {
    for device in [Device::cpu(), gpus()[0].clone()] {
        let (a, k) = (on(&device, &random(3, 2, 1)), on(&device, &random(3, 3, 1)));
        assert!(matches!(diagonal(&a), Err(Error::Shape { op: "diagonal", .. })));
        assert!(matches!(add_diagonal(&a, 1.0), Err(Error::Shape { op: "add_diagonal", .. })));
        assert!(matches!(add_diagonal_vector(&k, &a), Err(Error::Shape { op: "add_diagonal_vector", .. })));
        assert!(matches!(add_diagonal(&k, f64::NAN), Err(Error::Parameter { .. })));
    }
}
