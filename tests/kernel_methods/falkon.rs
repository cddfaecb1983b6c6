//! Ridge on landmarks: against its definition, and against exact kernel ridge.

use std::ops::ControlFlow;

use mercer::models::kernel_methods::features::{Landmarks, Nystrom};
use mercer::models::kernel_methods::{Falkon, KernelRidge};
use mercer::models::linear::Ridge;
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array1, Axis};

use crate::support::random;
use crate::{close, info, problem};

#[test]
fn with_every_point_a_landmark_it_is_kernel_ridge() {
    let cpu = Device::cpu();
    let (x, y) = problem(120, 2, 41);
    let w = random(120, 1, 42).column(0).mapv(|v| v + 1.2);
    let kernel = Kernel::matern32(0.8);
    let exact =
        KernelRidge::new(kernel.clone(), 0.1).fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
    let falkon = Falkon::new(kernel, 0.1, 1000).tolerance(1e-12);
    let falkon = falkon.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
    assert_eq!((falkon.indices().len(), falkon.jitter()), (120, 0.0));
    let new = random(20, 2, 43) * 2.0;
    close(falkon.predict(new.view()).unwrap().view(), exact.predict(new.view()).unwrap().view(), 1e-9, "fit");
}

/// Nyström features in front of a linear model are the same function, for every choice of landmarks.
#[test]
fn it_is_ridge_on_nystrom_features() {
    let cpu = Device::cpu();
    let (x, y) = problem(700, 3, 44);
    let new = random(30, 3, 45) * 2.0;
    for how in [Landmarks::Uniform, Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky] {
        let falkon = Falkon::new(Kernel::rbf(1.0), 0.05, 40).landmarks(how).seed(5).tolerance(1e-11);
        let falkon = falkon.fit(&cpu, x.view(), y.view()).unwrap();
        let map = Nystrom::new(Kernel::rbf(1.0), 40).landmarks(how).seed(5).fit(&cpu, x.view()).unwrap();
        assert_eq!(map.points(), falkon.landmarks());
        let linear = Ridge::new(0.05).intercept(false);
        let linear = linear.fit(&cpu, map.transform(x.view()).unwrap().view(), y.view()).unwrap();
        let want = linear.predict(map.transform(new.view()).unwrap().view()).unwrap();
        close(falkon.predict(new.view()).unwrap().view(), want.view(), 1e-8, "fit");
        assert!(info(&falkon).iterations < 40, "{how:?}: {} iterations", info(&falkon).iterations);
    }
}

#[test]
fn more_landmarks_come_nearer_to_the_exact_fit() {
    let cpu = Device::cpu();
    let (x, y) = problem(500, 2, 46);
    let exact = KernelRidge::new(Kernel::rbf(0.6), 0.1).fit(&cpu, x.view(), y.view()).unwrap();
    let want = exact.predict(x.view()).unwrap();
    let error = |m| {
        let fit = Falkon::new(Kernel::rbf(0.6), 0.1, m).fit(&cpu, x.view(), y.view()).unwrap();
        (fit.predict(x.view()).unwrap() - &want).mapv(|e| e * e).mean().unwrap().sqrt()
    };
    let errors = [10, 40, 160].map(error);
    assert!(errors[1] < 0.3 * errors[0] && errors[2] < 0.1 * errors[1], "{errors:?}");
}

#[test]
fn blocks_of_rows_and_weights_of_zero() {
    // Enough rows for several blocks of the stream.
    let (x, y) = problem(20_001, 2, 47);
    let cpu = Device::cpu();
    let model = Falkon::new(Kernel::rbf(1.0), 0.5, 60).tolerance(1e-11);
    // Landmarks are chosen among all rows: keep those, drop the weights of others.
    let which = model.fit(&cpu, x.view(), y.view()).unwrap().indices().to_vec();
    let w = Array1::from_shape_fn(20_001, |i| if i % 2 == 0 || which.contains(&i) { 1.0 } else { 0.0 });
    let weighted = model.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
    let rows: Vec<usize> = (0..20_001).filter(|&i| w[i] > 0.0).collect();
    let map = Nystrom::new(Kernel::rbf(1.0), 1).with_points(weighted.landmarks().view()).unwrap();
    let phi = map.transform(x.select(Axis(0), &rows).view()).unwrap();
    let linear =
        Ridge::new(0.5).intercept(false).fit(&cpu, phi.view(), y.select(Axis(0), &rows).view()).unwrap();
    let want = linear.predict(phi.view()).unwrap();
    close(weighted.predict(x.select(Axis(0), &rows).view()).unwrap().view(), want.view(), 1e-8, "fit");
}

/// Rows of no weight are no observations: the fit is the one without them, to the bit, landmarks included.
#[test]
fn rows_of_no_weight_are_not_there() {
    let (x, y) = problem(3000, 2, 50);
    let w = Array1::from_shape_fn(3000, |i| if i % 7 == 2 { 0.5 + (i % 5) as f64 } else { 0.0 });
    let rows: Vec<usize> = (0..3000).filter(|&i| w[i] > 0.0).collect();
    let (xs, ys, ws) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows), w.select(Axis(0), &rows));
    let cpu = Device::cpu();
    for how in [Landmarks::Uniform, Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky] {
        let model = Falkon::new(Kernel::rbf(0.7), 1e-3, 60).landmarks(how).seed(3);
        let with = model.fit_weighted(&cpu, x.view(), y.view(), w.view()).unwrap();
        let without = model.fit_weighted(&cpu, xs.view(), ys.view(), ws.view()).unwrap();
        assert_eq!(with.coefficients(), without.coefficients(), "{how:?}");
        assert_eq!(x.select(Axis(0), with.indices()), without.landmarks(), "{how:?}");
        assert!(with.indices().iter().all(|&i| w[i] > 0.0), "{how:?}");
    }
}

/// The preconditioner must see what weighs: few rows of all, or few that outweigh all others.
#[test]
fn uneven_weights_take_no_more_iterations() {
    let n = 20_000;
    let (x, y) = problem(n, 2, 51);
    let u = random(n, 1, 52).column(0).to_owned();
    let region = Array1::from_shape_fn(n, |i| 10f64.powf(-10.0 * (x[[i, 0]] + 2.0) / 4.0));
    let cases = [
        ("one in a hundred", Array1::from_shape_fn(n, |i| f64::from(u8::from(i % 100 == 7)))),
        (
            "one in a hundred, the others nearly nothing",
            Array1::from_shape_fn(n, |i| if i % 100 == 7 { 1.0 } else { 1e-10 }),
        ),
        ("ten orders of magnitude", u.mapv(|v| 10f64.powf(5.0 * v))),
        ("ten orders of magnitude, from one side to the other", region),
    ];
    let model = Falkon::new(Kernel::rbf(0.5), 1e-5, 100);
    let even = info(&model.fit(&Device::cpu(), x.view(), y.view()).unwrap()).iterations;
    for (name, w) in cases {
        let fit =
            model.clone().max_iterations(2000).fit_weighted(&Device::cpu(), x.view(), y.view(), w.view());
        println!("{name}: {:?}, {even} with even weights", fit.as_ref().map(|f| info(f).iterations));
        let iterations = info(&fit.unwrap()).iterations;
        assert!(iterations <= 2 * even, "{name}: {iterations}, {even} with even weights");
    }
}

#[test]
fn a_fit_can_be_cancelled() {
    let (x, y) = problem(300, 3, 48);
    let stop = Progress::new(|_| ControlFlow::Break(()));
    let e = Falkon::new(Kernel::rbf(0.5), 1e-3, 20).progress(stop).fit(&Device::cpu(), x.view(), y.view());
    assert!(matches!(e, Err(Error::Cancelled { iterations: 1, .. })));
}

/// Kernel ridge adds it to the penalty; between data and landmarks it would silently be nothing.
#[test]
fn white_noise_is_for_the_penalty() {
    let cpu = Device::cpu();
    let (x, y) = problem(80, 2, 49);
    let noisy = Kernel::rbf(1.0) + Kernel::white(2.0);
    let exact = KernelRidge::new(noisy.clone(), 0.5).fit(&cpu, x.view(), y.view()).unwrap();
    let e = Falkon::new(noisy, 0.5, 80).fit(&cpu, x.view(), y.view());
    assert!(matches!(&e, Err(Error::Shape { what, .. }) if what.contains("penalty")), "{e:?}");
    let falkon = Falkon::new(Kernel::rbf(1.0), 2.5, 80).fit(&cpu, x.view(), y.view()).unwrap();
    close(falkon.predict(x.view()).unwrap().view(), exact.predict(x.view()).unwrap().view(), 1e-6, "fit");
}
