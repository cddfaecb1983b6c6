//! What other solvers get wrong without a word: a large C, features of very different size, many classes.

use mercer::prelude::*;
use ndarray::{Array2, Axis};

use crate::cpu;
use crate::support::random;

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
    // A machine that was found is proved; one that was not is an error, never a wrong machine.
    let mut found = 0;
    for c in [1e-11, 1e-10, 1e-9, 1e-3] {
        let model = SvmClassifier::new(Kernel::linear(), c).max_iterations(20_000);
        match model.fit(&cpu(), &x, &y) {
            Ok(fitted) => {
                let proof = &fitted.certificates()[0];
                assert!(proof.violation <= 1e-3 || proof.stalled, "{proof}");
                assert!(proof.gap() <= c * 60.0 * proof.violation + 1e-9 * proof.primal, "{proof}");
                found += 1;
            }
            Err(e) => assert!(matches!(e, Error::NoConvergence { .. }), "{e}"),
        }
    }
    assert!(found >= 2);
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
