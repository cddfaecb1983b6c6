use mercer::ops::{centre, centre_columns};
use mercer::{Device, Error};
use ndarray::{Array2, Axis};

use crate::support::{assert_close, cramped, edges, gpus, on, random, spd};

fn definition(k: &Array2<f64>) -> Array2<f64> {
    let n = k.nrows();
    let h = Array2::<f64>::eye(n) - 1.0 / n as f64;
    h.dot(k).dot(&h)
}

#[test]
fn every_device_agrees_with_the_product() {
    for n in edges(64) {
        let k = random(n, n, 1) + 1.0;
        let want = definition(&k);
        // One point leaves nothing but rounding, and no scale to measure it by.
        let tolerance = |t: f64| if n == 1 { f64::MAX } else { t };
        assert_close(&centre(&on(&Device::cpu(), &k)).unwrap(), &want, tolerance(1e-13), "cpu");
        for device in gpus().iter().chain(cramped()) {
            let got = centre(&on(device, &k)).unwrap();
            assert_close(&got, &want, tolerance(3e-6), &format!("n = {n} on {device}"));
            let sums = got.to_array().unwrap();
            assert!(sums.sum_axis(Axis(0)).iter().all(|s| s.abs() < 1e-4), "n = {n} on {device}");
        }
    }
}

#[test]
fn a_symmetric_matrix_stays_exactly_symmetric() {
    let k = spd(301, 2);
    for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
        let got = centre(&on(&device, &k)).unwrap().to_array().unwrap();
        assert_eq!(got, got.t(), "{device}");
    }
}

#[test]
fn columns_lose_their_means() {
    for (rows, cols) in [(1, 1), (130, 7), (3000, 5), (37, 300)] {
        let x = random(rows, cols, 3) + 10.0;
        let means = x.mean_axis(Axis(0)).unwrap().insert_axis(Axis(0));
        let want = &x - &means;
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let (centred, m) = centre_columns(&on(&device, &x)).unwrap();
            assert_close(&m, &means, 1e-6, &format!("{rows} x {cols} on {device}"));
            let centred = centred.to_array().unwrap();
            assert!((&centred - &want).iter().all(|d| d.abs() < 1e-5), "{rows} x {cols} on {device}");
        }
    }
}

#[test]
fn misfits_are_refused() {
    for device in [Device::cpu(), gpus()[0].clone()] {
        let e = centre(&on(&device, &random(2, 3, 1)));
        assert!(matches!(e, Err(Error::Shape { op: "centre", .. })), "{e:?}");
    }
}
