use mercer::ops::to_half;
use mercer::{Device, Error, Precision};
use ndarray::Array2;

use crate::support::{cramped, gpus, on, random};

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
