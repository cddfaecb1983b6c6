//! Every door refuses what it must, by the right error, and takes what is only unusual.

use mercer::models::kernel_methods::features::{FittedRandomFourier, Landmarks, Nystrom, RandomFourier};
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, array};

use crate::problem;
use crate::support::random;
use crate::support::regressions::{self, Fit};

fn everyone() -> Vec<(&'static str, Fit)> {
    let cpu = Device::cpu();
    vec![
        ("kernel", {
            let cpu = cpu.clone();
            Box::new(move |x, y, new| KernelRidge::new(Kernel::rbf(1.0), 0.5).fit(&cpu, x, y)?.predict(new))
        }),
        (
            "matrix-free",
            Box::new(|x, y, new| {
                let model = KernelRidge::new(Kernel::rbf(1.0), 0.5).solver(KernelSolver::MatrixFree);
                model.fit(&Device::cpu(), x, y)?.predict(new)
            }),
        ),
        (
            "falkon",
            Box::new(|x, y, new| {
                let model = Falkon::new(Kernel::rbf(1.0), 0.5, 10).landmarks(Landmarks::KMeansPlusPlus);
                model.fit(&Device::cpu(), x, y)?.predict(new)
            }),
        ),
    ]
}

#[test]
fn bad_data() {
    regressions::bad_data(&everyone());
}

#[test]
fn unusual_data() {
    regressions::unusual_data(&everyone());
}

/// Maps of features: bad points, a single one, many more features than points.
#[test]
fn bad_and_unusual_data_of_feature_maps() {
    let mut holed = random(6, 3, 112);
    holed[[2, 1]] = f64::NAN;
    let fourier = |d| {
        RandomFourier::new(Kernel::rbf(1.0), 20).fit(&Device::cpu(), Array2::<f64>::zeros((1, d))).unwrap()
    };
    let e = fourier(3).transform(holed.view()).unwrap_err();
    assert!(matches!(e, Error::NotFinite { row: 2, col: 1, .. }), "{e}");
    let wide = random(50, 10_000, 113) * 0.01;
    let phi = fourier(10_000).transform(wide.view()).unwrap();
    assert!(phi.rows().into_iter().all(|r| (r.dot(&r) - 1.0).abs() < 1e-12));
    let one = fourier(1).transform(array![[4.0]].view()).unwrap();
    assert!((one.row(0).dot(&one.row(0)) - 1.0).abs() < 1e-12);
    for how in [Landmarks::Uniform, Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky] {
        let nystrom = |count| Nystrom::new(Kernel::rbf(1.0), count).landmarks(how);
        let e = nystrom(3).fit(&Device::cpu(), holed.view()).unwrap_err();
        assert!(matches!(e, Error::NotFinite { row: 2, col: 1, .. }), "{how:?}: {e}");
        assert!(matches!(
            nystrom(3).fit(&Device::cpu(), Array2::<f64>::zeros((0, 3)).view()),
            Err(Error::Shape { .. })
        ));
        let map = nystrom(5).fit(&Device::cpu(), array![[1.0, 2.0]].view()).unwrap();
        assert_eq!((map.outputs(), map.kernel().to_string()), (1, Kernel::rbf(1.0).to_string()), "{how:?}");
        let phi = map.transform(array![[1.0, 2.0]].view()).unwrap();
        assert!((phi[[0, 0]] - 1.0).abs() < 1e-12, "{how:?}: {phi}");
        let map = nystrom(20).fit(&Device::cpu(), wide.view()).unwrap();
        let phi = map.transform(wide.view()).unwrap();
        assert!(phi.dim() == (50, 20) && phi.iter().all(|v| v.is_finite()), "{how:?}");
        assert!(phi.rows().into_iter().all(|r| r.dot(&r) < 1.0 + 1e-9), "{how:?}");
    }
    let e = Nystrom::new(Kernel::rbf(1.0), 2).with_points(holed.view()).unwrap_err();
    assert!(matches!(e, Error::NotFinite { row: 2, .. }), "{e}");
}

#[test]
fn bad_parameters() {
    let (x, y) = problem(12, 3, 106);
    let cpu = Device::cpu();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = |e: Error, name: &str| {
            assert!(matches!(&e, Error::Parameter { name: n, .. } if n == name), "{e}");
        };
        refused(
            KernelRidge::new(Kernel::rbf(1.0), bad).fit(&cpu, x.view(), y.view()).unwrap_err(),
            "penalty",
        );
        refused(Falkon::new(Kernel::rbf(1.0), bad, 5).fit(&cpu, x.view(), y.view()).unwrap_err(), "penalty");
        refused(FittedRandomFourier::from_frequencies(array![[1.0]], bad).unwrap_err(), "amplitude");
        let model = KernelRidge::new(Kernel::rbf(bad), 1.0);
        assert!(matches!(model.fit(&cpu, x.view(), y.view()), Err(Error::Parameter { .. })));
        let model = KernelRidge::new(Kernel::rbf(1.0), 1.0).solver(KernelSolver::MatrixFree).tolerance(bad);
        assert!(
            bad.is_infinite() || matches!(model.fit(&cpu, x.view(), y.view()), Err(Error::Parameter { .. }))
        );
    }
    assert!(Falkon::new(Kernel::rbf(1.0), 1.0, 0).fit(&cpu, x.view(), y.view()).is_err());
    assert!(matches!(Nystrom::new(Kernel::rbf(1.0), 0).fit(&cpu, x.view()), Err(Error::Parameter { .. })));
    // A kernel of other features, and one that is no kernel.
    let narrow = KernelRidge::new(Kernel::rbf([1.0, 2.0]), 0.1);
    assert!(matches!(narrow.fit(&cpu, x.view(), y.view()), Err(Error::Shape { .. })));
    let indefinite = KernelRidge::new(Kernel::sigmoid(1.0, -2.0), 1e-3);
    for solver in [KernelSolver::Dense, KernelSolver::MatrixFree] {
        let e = indefinite.clone().solver(solver).fit(&cpu, x.view(), y.view()).unwrap_err();
        assert!(matches!(e, Error::NotPositiveDefinite { .. }), "{e}");
    }
}

#[test]
fn bad_weights() {
    let (x, y) = problem(5, 2, 107);
    let cpu = Device::cpu();
    let try_all = |w: &Array1<f64>| {
        [
            KernelRidge::new(Kernel::rbf(1.0), 1.0).fit_weighted(&cpu, x.view(), y.view(), w.view()).err(),
            Falkon::new(Kernel::rbf(1.0), 1.0, 3).fit_weighted(&cpu, x.view(), y.view(), w.view()).err(),
        ]
    };
    for e in try_all(&array![1.0, 1.0, -1.0, 1.0, 1.0]).iter().chain(&try_all(&Array1::zeros(5))) {
        assert!(matches!(e, Some(Error::Parameter { .. })), "{e:?}");
    }
    for e in try_all(&array![1.0, f64::NAN, 1.0, 1.0, 1.0]) {
        assert!(matches!(e, Some(Error::Parameter { .. })), "{e:?}");
    }
    for e in try_all(&Array1::ones(4)) {
        assert!(matches!(e, Some(Error::Shape { .. })), "{e:?}");
    }
}

/// Maps of features refuse points of other features, none, and what is not a number.
#[test]
fn bad_points_of_maps() {
    let (cpu, x) = (Device::cpu(), random(9, 3, 108));
    let map = RandomFourier::new(Kernel::rbf(1.0), 4).fit(&cpu, &x).unwrap();
    assert!(matches!(map.transform(random(2, 2, 1)), Err(Error::Shape { .. })));
    assert!(matches!(map.transform(Array2::<f64>::zeros((0, 3))), Err(Error::Shape { .. })));
    let map = Nystrom::new(Kernel::rbf(1.0), 4).fit(&cpu, &x).unwrap();
    assert!(matches!(map.transform(array![[1.0, f64::NAN, 0.0]]), Err(Error::NotFinite { .. })));
}
