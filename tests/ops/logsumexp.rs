use mercer::Device;
use mercer::ops::{logsumexp, to_half};
use ndarray::{Array2, Axis};

use crate::support::{assert_close, cramped, gpus, on, random};

fn definition(a: &Array2<f64>) -> Array2<f64> {
    a.map_axis(Axis(1), |row| {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        top + row.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
    })
    .insert_axis(Axis(1))
}

#[test]
fn every_device_agrees_with_the_definition() {
    for (rows, cols) in [(1, 1), (65, 5), (63, 16), (64, 17), (9, 255), (7, 257), (3, 4099)] {
        for (spread, shift) in [(3.0, 0.0), (3.0, 12.0), (1e4, 0.0), (1.0, -1e4), (1.0, 1e4)] {
            let a = random(rows, cols, 1) * spread + shift;
            let want = definition(&a);
            assert_close(&logsumexp(&on(&Device::cpu(), &a)).unwrap(), &want, 1e-14, "cpu");
            for device in gpus() {
                let got = logsumexp(&on(device, &a)).unwrap();
                assert_close(
                    &got,
                    &want,
                    2e-6,
                    &format!("{rows} x {cols} at {shift} +- {spread} on {device}"),
                );
            }
        }
    }
}

#[test]
fn wide_rows_are_complete() {
    let a = random(2, 100_003, 2);
    let want = definition(&a);
    for device in gpus() {
        let twice = [(); 2].map(|()| logsumexp(&on(device, &a)).unwrap());
        assert_close(&twice[0], &want, 1e-6, &format!("{device}"));
        assert_eq!(twice[0].to_array().unwrap(), twice[1].to_array().unwrap(), "the same bits on {device}");
    }
}

/// All but one of the entries vanish beside it; or all are as low as a float can be.
#[test]
fn extremes_are_finite() {
    let mut a = Array2::from_elem((3, 300), -3.3e38);
    a[[1, 299]] = -1e30;
    a[[2, 150]] = 3.3e38;
    let want = ndarray::array![[-3.3e38], [-1e30], [3.3e38]];
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let got = logsumexp(&on(&device, &a)).unwrap().to_array().unwrap();
        for (g, w) in got.iter().zip(&want) {
            assert!((g / w - 1.0).abs() < 1e-6, "{g} for {w} on {device}");
        }
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    for (rows, cols) in [(2500, 6), (150, 200)] {
        let a = random(rows, cols, 3);
        for device in cramped() {
            assert_close(&logsumexp(&on(device, &a)).unwrap(), &definition(&a), 1e-6, &format!("{device}"));
        }
    }
}

#[test]
fn half_storage_is_read() {
    let a = random(33, 35, 4);
    for device in gpus() {
        let got = logsumexp(&to_half(&on(device, &a)).unwrap()).unwrap();
        assert_close(&got, &definition(&a), 1e-3, &format!("{device}"));
    }
}
