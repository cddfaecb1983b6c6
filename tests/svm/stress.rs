//! What other solvers get wrong without a word: a large C, features of very different size, many classes.

use mercer::models::kernel_methods::SvmCertificate;
use mercer::optim::QuadraticProgram;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};

use crate::cpu;
use crate::support::{alone, cost, random};

#[test]
fn a_large_c() {
    let (x, noise) = (random(80, 2, 1) * 2.0, random(80, 1, 2));
    let y: Vec<bool> =
        (0..80).map(|i| x[[i, 0]].sin() + 0.5 * x[[i, 1]] + 0.3 * noise[[i, 0]] > 0.0).collect();
    for kernel in [Kernel::rbf(1.0), Kernel::rbf(0.2)] {
        let fitted = SvmClassifier::new(kernel, 1e5).tolerance(1e-8).fit(&cpu(), &x, &y).unwrap();
        let proof = &fitted.certificates()[0];
        assert!(proof.violation <= 1e-8 && !proof.stalled, "{proof}");
        assert!(proof.gap() <= 1e-4 * proof.primal, "{proof}");
        assert!(fitted.score(&x, &y).unwrap() > 0.9);
    }
}

#[test]
fn features_of_very_different_size() {
    let mut x = random(60, 3, 3);
    let y: Vec<bool> = (0..60).map(|i| x[[i, 0]] + x[[i, 1]] > 0.0).collect();
    x.column_mut(0).mapv_inplace(|v| v * 1e5);
    x.column_mut(2).mapv_inplace(|v| v * 1e-3);
    // Where a machine can be found it is that of an interior point: of a large C the iterations are spent, and that is said.
    for c in [1e-11, 1e-10, 1e-9] {
        let fitted = SvmClassifier::new(Kernel::linear(), c).tolerance(1e-6).fit(&cpu(), &x, &y).unwrap();
        let proof = &fitted.certificates()[0];
        assert!(proof.violation <= 1e-6 && !proof.stalled, "{proof}");
        let sign = Array1::from_shape_fn(60, |i| if y[i] { 1.0 } else { -1.0 });
        // In units of C, so that the program is of size one: a = C b, and the dual is C (Σ b - ½ b CQ b).
        let q = Array2::from_shape_fn((60, 60), |(i, j)| c * sign[i] * sign[j] * x.row(i).dot(&x.row(j)));
        let program = QuadraticProgram::new(q, -Array1::ones(60))
            .bounds(Array1::zeros(60), Array1::ones(60))
            .equal(sign.insert_axis(Axis(0)), Array1::zeros(1));
        let want = -c * program.solve().unwrap().primal;
        assert!((proof.dual - want).abs() <= 1e-6 * want, "C = {c}: {proof}, {want}");
    }
    let spent = SvmClassifier::new(Kernel::linear(), 1e-3).max_iterations(20_000).fit(&cpu(), &x, &y);
    assert!(matches!(spent, Err(Error::NoConvergence { .. })), "{spent:?}");
    let scaled = Pipeline::new(Standardise::new(), SvmClassifier::new(Kernel::linear(), 100.0));
    let fitted = scaled.fit(&cpu(), &x, &y).unwrap();
    assert!(fitted.score(&x, &y).unwrap() > 0.97);
}

#[test]
fn twenty_classes() {
    let mut x = random(200, 2, 5) * 0.3;
    let y: Vec<String> = (0..200).map(|i| format!("class {:02}", i / 10)).collect();
    for (i, mut row) in x.axis_iter_mut(Axis(0)).enumerate() {
        let c = i / 10;
        row[0] += (c % 5) as f64 * 2.0;
        row[1] += (c / 5) as f64 * 2.0;
    }
    for classes in [SvmClasses::OneVsOne, SvmClasses::OneVsRest] {
        let fitted = SvmClassifier::new(Kernel::rbf(1.0), 10.0).classes(classes).fit(&cpu(), &x, &y).unwrap();
        assert_eq!(fitted.classes().len(), 20);
        assert_eq!(fitted.predict(&x).unwrap(), y);
        let machines = if classes == SvmClasses::OneVsOne { 190 } else { 20 };
        assert_eq!(fitted.certificates().len(), machines);
        assert!(fitted.certificates().iter().all(|c| c.violation <= 1e-3));
        let centres =
            Array2::from_shape_fn(
                (20, 2),
                |(c, j)| if j == 0 { (c % 5) as f64 * 2.0 } else { (c / 5) as f64 * 2.0 },
            );
        let names: Vec<String> = (0..20).map(|c| format!("class {c:02}")).collect();
        assert_eq!(fitted.predict(&centres).unwrap(), names);
    }
}

/// The same three on every adapter, with more points than a block holds: a machine with its proof, the dual of the CPU, or the
/// same error.
#[test]
fn hard_data_on_every_adapter() {
    let n = 2100;
    let x = random(n, 2, 11) * 2.0;
    let smooth: Vec<bool> = (0..n).map(|i| x[[i, 0]].sin() + 0.5 * x[[i, 1]] > 0.0).collect();
    let mut uneven = random(n, 3, 13);
    let line: Vec<bool> = (0..n).map(|i| uneven[[i, 0]] + uneven[[i, 1]] > 0.0).collect();
    uneven.column_mut(0).mapv_inplace(|v| v * 1e5);
    uneven.column_mut(2).mapv_inplace(|v| v * 1e-3);
    let mut grid = random(n, 2, 15) * 0.3;
    let many: Vec<usize> = (0..n).map(|i| i % 20).collect();
    for (mut row, &c) in grid.rows_mut().into_iter().zip(&many) {
        row[0] += (c % 5) as f64 * 2.0;
        row[1] += (c / 5) as f64 * 2.0;
    }
    let large = SvmClassifier::new(Kernel::rbf(1.0), 1e5);
    let small = SvmClassifier::new(Kernel::linear(), 1e-11).tolerance(1e-6);
    let rest = SvmClassifier::new(Kernel::rbf(1.0), 10.0).classes(SvmClasses::OneVsRest);
    let devices = alone();
    let duals = |proofs: &[SvmCertificate]| proofs.iter().map(|p| p.dual).collect::<Vec<f64>>();
    let alike = |what: &str, got: &[SvmCertificate], want: &[SvmCertificate], tolerance: f64| {
        assert!(got.iter().all(|p| !p.stalled), "{what}");
        for (g, w) in duals(got).iter().zip(duals(want)) {
            assert!((g - w).abs() <= tolerance * w, "{what}: {g} and {w}");
        }
    };
    let want = [
        large.fit(&cpu(), &x, &smooth).unwrap().certificates().to_vec(),
        small.fit(&cpu(), &uneven, &line).unwrap().certificates().to_vec(),
        rest.fit(&cpu(), &grid, &many).unwrap().certificates().to_vec(),
    ];
    for device in &devices {
        let ([launches, ..], fitted) = cost(device, || large.fit(device, &x, &smooth).unwrap());
        assert!(launches > 0, "{device}");
        // Stopped at violations of 1e-3: the duals agree as far as their gaps say.
        let gap = (fitted.certificates()[0].gap() + want[0][0].gap()) / want[0][0].dual;
        alike("a large C", fitted.certificates(), &want[0], gap.max(1e-6));
        assert_eq!(fitted.score(&x, &smooth).unwrap(), 1.0, "{device}");
        let fitted = small.fit(device, &uneven, &line).unwrap();
        alike("features of very different size", fitted.certificates(), &want[1], 1e-6);
        let ([launches, ..], fitted) = cost(device, || rest.fit(device, &grid, &many).unwrap());
        assert!(launches >= 20, "{device}: {launches}");
        alike("twenty classes", fitted.certificates(), &want[2], 1e-3);
        assert_eq!(fitted.predict(&grid).unwrap(), many, "{device}");
    }
}
