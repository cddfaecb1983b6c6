use mercer::Device;
use mercer::ops::{ArgMin, argmin};
use ndarray::Array2;

use crate::support::{cramped, gpus, on, random};

/// The plain loop: a later entry wins only if it is smaller.
fn definition(a: &Array2<f64>) -> ArgMin {
    let (mut indices, mut values) = (vec![], vec![]);
    for row in a.rows() {
        let mut best = 0;
        for j in 1..row.len() {
            if row[j] < row[best] {
                best = j;
            }
        }
        indices.push(best);
        values.push(row[best]);
    }
    ArgMin { indices, values }
}

/// Entries on a coarse grid (exact in f32): nearly every row has ties.
#[test]
fn ties_go_to_the_lowest_index() {
    for (rows, cols) in [(1, 1), (65, 5), (63, 16), (64, 17), (9, 256), (30, 257), (7, 4097), (3, 9001)] {
        for shift in [-20.0, 20.0] {
            let a = random(rows, cols, 1).mapv(|x| (x * 8.0).round() / 4.0 + shift);
            let want = definition(&a);
            assert_eq!(argmin(&on(&Device::cpu(), &a)).unwrap(), want);
            for device in gpus() {
                assert_eq!(argmin(&on(device, &a)).unwrap(), want, "{rows} x {cols} on {device}");
            }
        }
    }
}

#[test]
fn the_last_of_many_is_found() {
    let cols = 100_003;
    let mut a = Array2::from_elem((2, cols), 1.0);
    a[[0, cols - 1]] = 0.5;
    for device in gpus() {
        let got = argmin(&on(device, &a)).unwrap();
        assert_eq!(got, ArgMin { indices: vec![cols - 1, 0], values: vec![0.5, 1.0] }, "{device}");
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    for (rows, cols) in [(2500, 6), (150, 200)] {
        let a = random(rows, cols, 2).mapv(|x| (x * 64.0).round());
        for device in cramped() {
            assert_eq!(argmin(&on(device, &a)).unwrap(), definition(&a), "{device}");
        }
    }
}
