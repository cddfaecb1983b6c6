use mercer::ops::log_det;
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{cramped, gpus, on, random};

/// A lower triangle with diagonal entries from 1e-6 to 1e6.
fn factor(n: usize) -> Array2<f64> {
    let mut l = random(n, n, 1);
    for i in 0..n {
        l.row_mut(i).iter_mut().skip(i + 1).for_each(|v| *v = 0.0);
        l[[i, i]] = 10f64.powf(6.0 * l[[i, i]]);
    }
    l
}

/// Sizes around 64 invocations and, at the last, more than one block of 1024.
#[test]
fn twice_the_logarithms_of_the_diagonal() {
    for n in [1, 63, 64, 65, 127, 1031] {
        let l = factor(n);
        let want = 2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>();
        let scale = 2.0 * l.diag().iter().map(|v| v.ln().abs()).sum::<f64>();
        let cpu = log_det(&on(&Device::cpu(), &l)).unwrap();
        assert!((cpu - want).abs() <= 1e-14 * scale, "{cpu} for {want}, n = {n}");
        for device in gpus().iter().chain(if n < 1000 { cramped() } else { &[] }) {
            let got = [(); 2].map(|()| log_det(&on(device, &l)).unwrap());
            assert!((got[0] - want).abs() <= 1e-6 * scale, "{} for {want}, n = {n} on {device}", got[0]);
            assert_eq!(got[0].to_bits(), got[1].to_bits(), "{device}");
        }
    }
}

#[test]
fn the_first_entry_that_is_not_positive_is_named() {
    for (n, bad) in [(70, vec![(13, 0.0), (69, -1.0)]), (1030, vec![(1027, -2.0)]), (5, vec![(0, -0.5)])] {
        let mut l = factor(n);
        for &(i, v) in &bad {
            l[[i, i]] = v;
        }
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let e = log_det(&on(&device, &l));
            let (index, value) = bad[0];
            assert_eq!(e, Err(Error::Singular { op: "log_det", index, value }), "{device}");
        }
    }
}

#[test]
fn misfits_are_refused() {
    let e = log_det(&on(&Device::cpu(), &random(2, 3, 1)));
    assert!(matches!(e, Err(Error::Shape { op: "log_det", .. })), "{e:?}");
}
