use mercer::Device;
use mercer::ops::{Along, Reduction, reduce, to_half};
use ndarray::{Array2, ArrayView1, Axis};

use crate::support::{assert_close, cramped, gpus, on, random};

const ALL: [Reduction; 5] =
    [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::SumSquares];
const BOTH: [Along; 2] = [Along::EachRow, Along::EachColumn];

fn one(v: ArrayView1<f64>, op: Reduction) -> f64 {
    match op {
        Reduction::Sum => v.iter().sum(),
        Reduction::Mean => v.iter().sum::<f64>() / v.len() as f64,
        Reduction::Min => v.iter().copied().fold(f64::INFINITY, f64::min),
        Reduction::Max => v.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Reduction::SumSquares => v.iter().map(|x| x * x).sum(),
    }
}

/// The plain loop.
fn definition(a: &Array2<f64>, along: Along, op: Reduction) -> Array2<f64> {
    match along {
        Along::EachRow => a.map_axis(Axis(1), |v| one(v, op)).insert_axis(Axis(1)),
        Along::EachColumn => a.map_axis(Axis(0), |v| one(v, op)).insert_axis(Axis(0)),
    }
}

/// Narrow, middling and wide rows take different shapes of the shader; each is met at its edges.
#[test]
fn every_device_agrees_with_the_plain_loop() {
    for (rows, cols) in
        [(1, 1), (7, 5), (65, 16), (63, 17), (9, 256), (8, 257), (1031, 37), (3, 521), (67, 4097)]
    {
        // Away from zero, so that neither an extreme nor a sum can be padding.
        for shift in [3.0, -3.0] {
            let a = random(rows, cols, 1) + shift;
            for (along, op) in BOTH.iter().flat_map(|&along| ALL.map(|op| (along, op))) {
                let want = definition(&a, along, op);
                let cpu = reduce(&on(&Device::cpu(), &a), along, op).unwrap();
                assert_close(&cpu, &want, 1e-14, &format!("{rows} x {cols} {along:?} {op:?}"));
                for device in gpus() {
                    let got = reduce(&on(device, &a), along, op).unwrap();
                    assert_close(&got, &want, 1e-6, &format!("{rows} x {cols} {along:?} {op:?} on {device}"));
                }
            }
        }
    }
}

/// Long both ways: every stage of the reduction, and llvmpipe's limit on loops.
#[test]
fn a_million_entries_are_summed_to_six_digits() {
    for (rows, cols) in [(3, 300_000), (300_000, 5), (1_000_003, 1)] {
        let a = random(rows, cols, 2) * 1e-3 + 1.1;
        for along in BOTH {
            let want = definition(&a, along, Reduction::Sum);
            let cpu = reduce(&on(&Device::cpu(), &a), along, Reduction::Sum).unwrap();
            assert_close(&cpu, &want, 1e-11, "cpu");
            for device in gpus().iter().step_by(2) {
                let got = reduce(&on(device, &a), along, Reduction::Sum).unwrap();
                assert_close(&got, &want, 1e-6, &format!("{rows} x {cols} {along:?} on {device}"));
            }
        }
    }
}

#[test]
fn the_sum_of_all_is_a_reduction_of_a_reduction() {
    let a = random(301, 77, 3);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let rows = reduce(&on(&device, &a), Along::EachRow, Reduction::Sum).unwrap();
        let all = reduce(&rows, Along::EachColumn, Reduction::Sum).unwrap();
        let off = all.to_array().unwrap()[[0, 0]] - a.sum();
        assert!(off.abs() < 1e-3, "{off} on {device}");
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    for (rows, cols) in [(5003, 5), (211, 190), (90, 400)] {
        let a = random(rows, cols, 4) - 5.0;
        for (along, op) in BOTH.iter().flat_map(|&along| ALL.map(|op| (along, op))) {
            let want = definition(&a, along, op);
            for device in cramped() {
                let got = reduce(&on(device, &a), along, op).unwrap();
                assert_close(&got, &want, 2e-6, &format!("{rows} x {cols} {along:?} {op:?} on {device}"));
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let a = random(1500, 263, 5);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        for along in BOTH {
            let a = on(&device, &a);
            let twice = [(); 2].map(|()| reduce(&a, along, Reduction::Sum).unwrap().to_array().unwrap());
            assert_eq!(twice[0], twice[1], "{along:?} on {device}");
        }
    }
}

#[test]
fn half_storage_is_read() {
    let a = random(33, 35, 6);
    for device in gpus() {
        for along in BOTH {
            let got = reduce(&to_half(&on(device, &a)).unwrap(), along, Reduction::SumSquares).unwrap();
            assert_close(&got, &definition(&a, along, Reduction::SumSquares), 1e-3, &format!("{device}"));
        }
    }
}

/// An operand that was uploaded from a transposed view has its rows in another order of memory.
#[test]
fn a_transposed_view_is_read_by_its_own_rows() {
    let a = random(5, 3, 9);
    let turned = mercer::Matrix::from_array(&Device::cpu(), a.t()).unwrap();
    let sums = reduce(&turned, Along::EachRow, Reduction::Sum).unwrap();
    assert_close(
        &sums,
        &a.sum_axis(ndarray::Axis(0)).insert_axis(ndarray::Axis(1)),
        1e-14,
        "rows of a transpose",
    );
}
