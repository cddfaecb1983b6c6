use mercer::linalg::{Jitter, SpdFactor, SpdParams};
use mercer::ops::gram;
use mercer::{Device, Error, Kernel, Matrix};
use ndarray::{Array2, Axis, s};

use crate::support::random;
use crate::{conditioned, everywhere, relative, textbook};

/// The factor of some points, extended by others, is that of all of them: it solves, and knows its determinant.
#[test]
fn an_extended_factor_is_that_of_everything() {
    let n = 100;
    let x = random(n, 3, 41);
    let b = random(n, 2, 42);
    let steep = Kernel::rbf(0.5).warp("steep", |x| 1e4f64.powf(0.5 * (x[0] + 1.0)));
    for kernel in [Kernel::rbf(0.5) + Kernel::white(0.1), steep] {
        for device in everywhere() {
            let params = SpdParams::default();
            let of = |n: usize| {
                SpdFactor::of_kernel(&device, &kernel, x.slice(s![..n, ..]), 1e-2, &params).unwrap()
            };
            let whole = of(n);
            let want = whole.solve(b.view()).unwrap().x;
            for first in [1, 63, 64, 65, 99] {
                let (old, new) = x.view().split_at(ndarray::Axis(0), first);
                let grown = of(first).extended(&kernel, old, new, 1e-2).unwrap();
                assert_eq!(grown.dim(), n);
                let got = grown.solve(b.view()).unwrap();
                assert!(relative(&got.x, &want) < 1e-9, "{kernel}, {first} on {device}");
                assert!(got.certificate.backward_error < 1e-14, "{:?}", got.certificate);
                let off = (grown.log_det().unwrap() - whole.log_det().unwrap()).abs();
                let bound = 1e-5 + 6e-8 * whole.condition();
                assert!(
                    off < if device.is_gpu() { bound } else { 1e-9 },
                    "{kernel}, {first} on {device}: {off}"
                );
            }
        }
    }
}

/// A jitter is given to new points too, and one that is needed for them is found.
#[test]
fn extension_and_jitter() {
    let x = random(20, 2, 43);
    let again = x.slice(s![..3, ..]);
    for device in everywhere() {
        let ladder = SpdParams::new().jitter(Jitter::ladder());
        let grow = |params: &SpdParams| {
            let f = SpdFactor::of_kernel(&device, &Kernel::matern32(0.5), x.view(), 0.0, params).unwrap();
            f.extended(&Kernel::matern32(0.5), x.view(), again, 0.0)
        };
        let never = grow(&SpdParams::default());
        assert!(matches!(never, Err(Error::NotPositiveDefinite { .. })), "{never:?} on {device}");
        let grown = grow(&ladder).unwrap();
        assert!(grown.jitter() > 0.0, "{device}");
        let more = grown.extended(
            &Kernel::matern32(0.5),
            ndarray::concatenate(ndarray::Axis(0), &[x.view(), again]).unwrap().view(),
            random(2, 2, 44).view(),
            0.0,
        );
        assert_eq!(more.unwrap().jitter(), grown.jitter());
    }
}

#[test]
fn extension_of_what_does_not_fit() {
    let x = random(10, 2, 45);
    let f =
        SpdFactor::of_kernel(&mercer::Device::cpu(), &Kernel::rbf(1.0), x.view(), 0.1, &SpdParams::default())
            .unwrap();
    let shape = |r: mercer::Result<SpdFactor>| matches!(r, Err(Error::Shape { .. }));
    assert!(shape(f.extended(&Kernel::rbf(1.0), x.slice(s![..9, ..]), x.view(), 0.1)));
    assert!(shape(f.extended(&Kernel::rbf(1.0), x.view(), random(3, 1, 1).view(), 0.1)));
    assert!(shape(f.extended(&Kernel::rbf(1.0), x.view(), x.view(), vec![0.1; 3])));
    assert!(shape(f.extended(&Kernel::rbf(1.0), x.view(), Array2::zeros((0, 2)).view(), 0.1)));
}

/// The unrefined inverse is the inverse, below its diagonal.
#[test]
fn the_lower_inverse() {
    for n in [1, 2, 64, 130, 200] {
        let a = if n == 1 { Array2::from_elem((1, 1), 4.0) } else { conditioned(n, 100.0, 46) };
        let want = textbook(&a, &Array2::eye(n));
        for device in everywhere() {
            let f = SpdFactor::new(&device, a.view(), &SpdParams::default()).unwrap();
            let got = f.inverse_lower().unwrap();
            assert_eq!(got.device(), f.factor().device());
            let got = got.to_array().unwrap();
            let exact = if device.is_gpu() { 1e-4 } else { 1e-12 };
            let scale = want.iter().fold(0f64, |m, v| m.max(v.abs()));
            for i in 0..n {
                for j in 0..=i {
                    let off = (got[[i, j]] - want[[i, j]]).abs() / scale;
                    assert!(off < exact, "n = {n}, [{i}, {j}] on {device}: {off:e}");
                }
            }
        }
    }
}

/// Without an estimate the answers are the same, the condition is NaN, and can be asked for later.
#[test]
fn the_condition_on_demand() {
    let (a, b) = (conditioned(80, 1e4, 47), random(80, 1, 48));
    for device in everywhere() {
        let with = SpdFactor::new(&device, a.view(), &SpdParams::default()).unwrap();
        let sparing = SpdParams::new().condition(false);
        let without = SpdFactor::new(&device, a.view(), &sparing).unwrap();
        assert!(
            without.condition().is_nan() && without.solve(b.view()).unwrap().certificate.condition.is_nan()
        );
        assert_eq!(without.solve(b.view()).unwrap().x, with.solve(b.view()).unwrap().x);
        assert_eq!(without.estimate_condition().unwrap(), with.condition());
    }
}

/// The estimate of the condition never passes it, and is not a third of it, over sizes, spectra and kernels.
#[test]
fn the_estimated_condition_is_near_the_true_one() {
    let norm1 = |a: &Array2<f64>| a.columns().into_iter().map(|c| c.mapv(f64::abs).sum()).fold(0.0, f64::max);
    let cpu = Device::cpu();
    let mut cases: Vec<Array2<f64>> = Vec::new();
    for (seed, n) in [(1, 2), (2, 4), (3, 5), (4, 33), (5, 97)] {
        // With ones on the diagonal there is nothing to scale.
        cases.extend([1e1, 1e4, 1e8].map(|c| {
            let a = conditioned(n, c, seed);
            let s = a.diag().mapv(|v| v.sqrt().recip());
            &a * &s * &s.insert_axis(Axis(1))
        }));
    }
    for width in [0.03, 0.3, 1.0] {
        let x = random(80, 2, 9);
        let k = gram(&Kernel::rbf(width), &Matrix::from_array(&cpu, x.view()).unwrap(), None).unwrap();
        cases.push(k.to_array().unwrap() + Array2::<f64>::eye(80) * 1e-6);
    }
    for a in cases {
        let truth = norm1(&a) * norm1(&textbook(&a, &Array2::eye(a.nrows())));
        let got = SpdFactor::new(&cpu, a.view(), &SpdParams::default()).unwrap().condition();
        let share = got / truth;
        assert!(share > 1.0 / 3.0 && share < 1.0 + 1e-6, "{} rows: {got:e} of {truth:e}", a.nrows());
    }
}
