//! Every door refuses what it must, by the right error.

use mercer::linalg::{
    CgParams, Identity, Jitter, KernelOperator, Operator, SpdFactor, SpdParams, Stored, conjugate_gradients,
    eigh, refined_conjugate_gradients, solve_spd,
};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, array};

use crate::everywhere;
use crate::support::{adapters, on, random, spd};

#[test]
fn matrices_that_are_no_symmetric_matrices() {
    let params = SpdParams::default();
    let mut skew = spd(6, 91);
    skew[[4, 1]] += 1e-6;
    let mut rounding = spd(6, 91);
    rounding[[4, 1]] += 1e-12;
    let mut holed = spd(6, 91);
    holed[[2, 3]] = f64::NAN;
    for device in everywhere() {
        let factor = |a: &Array2<f64>| SpdFactor::new(&device, a.view(), &params).map(|f| f.dim());
        assert!(matches!(factor(&random(3, 4, 1)), Err(Error::Shape { op: "solve_spd", .. })));
        assert!(matches!(factor(&Array2::zeros((0, 0))), Err(Error::Shape { .. })));
        assert!(matches!(factor(&holed), Err(Error::NotFinite { row: 2, col: 3, .. })));
        let e = factor(&skew).unwrap_err();
        assert!(matches!(&e, Error::Parameter { name, .. } if name == "a[4, 1] - a[1, 4]"), "{e}");
        assert_eq!(factor(&rounding), Ok(6));
        let e = factor(&Array2::zeros((3, 3))).unwrap_err();
        assert!(matches!(e, Error::NotPositiveDefinite { pivot: 0, value: 0.0, .. }), "{e}");
    }
    assert!(matches!(eigh(random(3, 4, 1).view()), Err(Error::Shape { op: "eigh", .. })));
    assert!(matches!(eigh(skew.view()), Err(Error::Parameter { .. })));
    assert!(matches!(eigh(holed.view()), Err(Error::NotFinite { op: "eigh", .. })));
    assert!(matches!(Stored::new(&on(&Device::cpu(), &random(3, 4, 1))), Err(Error::Shape { .. })));
}

#[test]
fn right_hand_sides_that_do_not_fit() {
    let a = spd(6, 92);
    let mut holed = random(6, 2, 93);
    holed[[5, 1]] = f64::INFINITY;
    for device in everywhere() {
        let solve = |b: &Array2<f64>| solve_spd(&device, a.view(), b.view(), &SpdParams::default());
        assert!(matches!(solve(&random(5, 1, 1)), Err(Error::Shape { .. })));
        assert!(matches!(solve(&Array2::zeros((6, 0))), Err(Error::Shape { .. })));
        assert!(matches!(solve(&holed), Err(Error::NotFinite { row: 5, col: 1, .. })));
        // Where the diagonal is uneven rows are scaled before they are solved for.
        let mut uneven = a.clone();
        uneven[[0, 0]] *= 1e6;
        for a in [&a, &uneven] {
            let factor = SpdFactor::new(&device, a.view(), &SpdParams::default()).unwrap();
            assert!(matches!(factor.whiten(on(&device, &random(5, 1, 1))), Err(Error::Shape { .. })));
            assert_eq!(factor.whiten(on(&device, &random(6, 3, 1))).unwrap().shape(), (6, 3));
        }
        let op = Stored::new(&on(&device, &a)).unwrap();
        let cg = |b: &Array2<f64>| conjugate_gradients(&op, b.view(), &Identity, &CgParams::default());
        assert!(matches!(cg(&random(5, 1, 1)), Err(Error::Shape { .. })));
        assert!(matches!(cg(&holed), Err(Error::NotFinite { .. })));
        assert!(matches!(op.apply(random(7, 1, 1).view()), Err(Error::Shape { .. })));
        assert!(matches!(op.clone().shifted(f64::NAN), Err(Error::Parameter { .. })));
    }
}

#[test]
fn parameters_out_of_their_domain() {
    let (a, b) = (spd(4, 94), random(4, 1, 95));
    let cpu = Device::cpu();
    let ladder = |first, factor, last| Jitter::Ladder { first, factor, last };
    let ladders = [
        ladder(0.0, 10.0, 1.0),
        ladder(1e-8, 1.0, 1.0),
        ladder(1e-2, 10.0, 1e-8),
        ladder(f64::NAN, 2.0, 1.0),
    ];
    for jitter in ladders {
        let e = solve_spd(&cpu, a.view(), b.view(), &SpdParams::new().jitter(jitter));
        assert!(matches!(e, Err(Error::Parameter { .. })), "{jitter:?}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = solve_spd(&cpu, a.view(), b.view(), &SpdParams::new().tolerance(tolerance));
        assert!(matches!(e, Err(Error::Parameter { .. })), "{tolerance}");
        let op = Stored::new(&on(&cpu, &a)).unwrap();
        let params = CgParams::new().tolerance(Some(tolerance));
        let e = conjugate_gradients(&op, b.view(), &Identity, &params);
        assert!(matches!(e, Err(Error::Parameter { .. })), "{tolerance}");
    }
    let (small, large) = (Stored::new(&on(&cpu, &a)).unwrap(), Stored::new(&on(&cpu, &spd(5, 1))).unwrap());
    let e = refined_conjugate_gradients(&large, &small, b.view(), &Identity, &CgParams::default());
    assert!(matches!(e, Err(Error::Shape { .. })));
}

#[test]
fn kernels_and_noise_that_do_not_fit() {
    let x = random(5, 2, 96);
    for device in everywhere() {
        let of = |kernel: &Kernel, x: &Array2<f64>, noise: Vec<f64>| {
            SpdFactor::of_kernel(&device, kernel, x.view(), noise, &SpdParams::default()).map(|f| f.dim())
        };
        let rbf = Kernel::rbf(1.0);
        assert_eq!(of(&rbf, &x, vec![0.1; 5]), Ok(5));
        assert!(matches!(of(&rbf, &x, vec![0.1; 4]), Err(Error::Shape { .. })));
        assert!(matches!(of(&rbf, &x, vec![-0.1; 5]), Err(Error::Parameter { .. })));
        assert!(matches!(of(&rbf, &x, vec![f64::NAN; 5]), Err(Error::Parameter { .. })));
        assert!(matches!(of(&Kernel::rbf(-1.0), &x, vec![0.1; 5]), Err(Error::Parameter { .. })));
        assert!(matches!(of(&rbf, &array![[f64::NAN]], vec![0.1]), Err(Error::NotFinite { .. })));
        assert!(matches!(of(&rbf, &Array2::zeros((0, 2)), vec![]), Err(Error::Shape { .. })));
        // tanh is no positive definite kernel.
        let e = of(&Kernel::sigmoid(1.0, -1.0), &x, vec![0.0; 5]);
        assert!(matches!(e, Err(Error::NotPositiveDefinite { .. })), "{e:?}");
    }
}

#[test]
fn a_lost_device_is_an_error() {
    let index = adapters().next().and_then(|d| d.adapter()).map(|a| a.index).unwrap();
    let device = Device::nth(index).unwrap();
    let op = KernelOperator::new(&Kernel::rbf(1.0), &on(&device, &random(20, 2, 97)), 0.1).unwrap();
    let f = SpdFactor::new(&device, spd(20, 98).view(), &SpdParams::default()).unwrap();
    device.destroy();
    let b = random(20, 1, 99);
    assert!(matches!(f.solve(b.view()), Err(Error::DeviceLost(_))));
    assert!(matches!(op.apply(b.view()), Err(Error::DeviceLost(_))));
    let e = SpdFactor::new(&device, spd(20, 98).view(), &SpdParams::default());
    assert!(matches!(e, Err(Error::DeviceLost(_))), "not a reason to fall back silently: {e:?}");
}
