use mercer::Device;
use mercer::ops::{to_half, transpose};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

#[test]
fn rows_become_columns() {
    for rows in edges(32) {
        for cols in edges(32) {
            let a = random(rows, cols, 1);
            let want = a.t().to_owned();
            assert_close(&transpose(&on(&Device::cpu(), &a)).unwrap(), &want, 0.0, "cpu");
            for device in gpus().iter().chain(cramped()) {
                let got = transpose(&on(device, &a)).unwrap();
                assert_close(&got, &want, 1e-7, &format!("{rows} x {cols} on {device}"));
                let there_and_back = transpose(&got).unwrap();
                assert_close(&there_and_back, &a, 1e-7, &format!("{rows} x {cols} twice on {device}"));
            }
        }
    }
}

#[test]
fn more_rows_than_a_binding_holds() {
    let a = random(4096, 9, 2);
    for device in cramped() {
        let got = transpose(&on(device, &a)).unwrap();
        assert_close(&got, &a.t().to_owned(), 1e-7, &format!("{device}"));
    }
}

#[test]
fn half_storage_is_read() {
    let a = random(33, 35, 3);
    for device in gpus() {
        let got = transpose(&to_half(&on(device, &a)).unwrap()).unwrap();
        assert_close(&got, &a.t().to_owned(), 1e-3, &format!("{device}"));
    }
}
