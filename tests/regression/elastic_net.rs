//! Lasso and elastic net: goldens, scikit-learn, the conditions of the minimum, paths and their choice.

use mercer::Device;
use mercer::models::linear::{ElasticNet, ElasticNetCv, Lasso, LassoCv, LeastSquares, Ridge};
use ndarray::{Array1, Array2, ArrayView1, Axis, array, concatenate};

use crate::support::random;
use crate::{five, matrix, near, oracle, vector};

/// RG-03 and RG-04.
#[test]
fn goldens_of_the_notes() {
    let (x, y) = five();
    let cpu = Device::cpu();
    for (penalty, mix, w, objective) in [
        (1.0, 1.0, [0.6648351648, 1.049450549], 2.150549451),
        (2.0, 1.0, [0.3076923077, 0.6923076923], 3.507692308),
        (1.0, 0.5, [0.6018675722, 0.9244482173], 2.025551783),
        (1.0, 0.0, [0.5694444444, 0.8472222222], 1.852777778),
    ] {
        let fit = ElasticNet::new(penalty, mix).fit(&cpu, &x, &y).unwrap();
        near(fit.coefficients(), &w, 1e-8, "w");
        assert!((fit.objective()[0] - objective).abs() < 1e-9, "{:?}", fit.objective());
        assert!(fit.duality_gap()[0] < 1e-10 && fit.report().converged());
    }
    // λ_max = 4.4: zero from there on, and not before.
    assert_eq!(Lasso::new(4.4).fit(&cpu, &x, &y).unwrap().nonzero(), 0);
    assert!(Lasso::new(4.399).fit(&cpu, &x, &y).unwrap().nonzero() > 0);
    let path = Lasso::new(0.0).path(&x, &y, 5, 0.1).unwrap();
    assert!((path.penalties()[0] - 4.4).abs() < 1e-12 && (path.penalties()[4] - 0.44).abs() < 1e-12);
    // λ = 0 is least squares, α = 0 ridge with λn.
    let least = LeastSquares::new().fit(&cpu, &x, &y).unwrap();
    near(Lasso::new(0.0).fit(&cpu, &x, &y).unwrap().coefficients(), least.coefficients(), 1e-12, "λ = 0");
    let ridge = Ridge::new(0.7 * 5.0).fit(&cpu, &x, &y).unwrap();
    near(
        ElasticNet::new(0.7, 0.0).fit(&cpu, &x, &y).unwrap().coefficients(),
        ridge.coefficients(),
        1e-6,
        "α = 0",
    );
}

#[test]
fn as_scikit_learn() {
    let all = oracle();
    let (x, y) = (matrix(&all["x"]), vector(&all["y"]));
    let lasso = all["lasso"].as_array().unwrap().iter();
    for case in lasso.chain(all["elastic_net"].as_array().unwrap()) {
        let (penalty, mix) = (case["penalty"].as_f64().unwrap(), case["mix"].as_f64().unwrap_or(1.0));
        let fit = ElasticNet::new(penalty, mix).fit(&Device::cpu(), &x, &y).unwrap();
        near(fit.coefficients(), &vector(&case["coef"]), 1e-6, "coefficients");
        assert!((fit.intercept()[0] - case["intercept"].as_f64().unwrap()).abs() < 1e-6);
    }
    let want = &all["lasso_cv"];
    let cv = LassoCv::new().count(30).folds(5).tolerance(1e-12).fit(&Device::cpu(), &x, &y).unwrap();
    near(cv.penalties(), &vector(&want["penalties"]), 1e-12, "penalties");
    near(cv.errors(), &vector(&want["errors"]), 1e-6, "errors");
    assert!((cv.best().penalty() - want["best"].as_f64().unwrap()).abs() < 1e-12);
    near(cv.best().coefficients(), &vector(&want["coef"]), 1e-6, "the chosen coefficients");
    // Folds of 9 and 8 rows: the mean over all rows, which is not the mean over folds.
    let want = &all["elastic_net_cv"];
    let (x41, y41) = (matrix(&want["x"]), vector(&want["y"]));
    let cases = want["cases"].as_array().unwrap();
    let by_row = |case: &serde_json::Value| {
        let each = matrix(&case["folds"]);
        let folds = each.ncols();
        let sizes = Array1::from_shape_fn(folds, |f| (41 / folds + usize::from(f < 41 % folds)) as f64);
        (each.dot(&sizes) / 41.0, each.mean_axis(Axis(1)).unwrap())
    };
    let cv = ElasticNetCv::new(&[0.5, 1.0]).count(12).least(1e-2).tolerance(1e-12);
    let fit = cv.clone().fit(&Device::cpu(), &x41, &y41).unwrap();
    assert_eq!(fit.mixes(), [0.5, 1.0]);
    let mut least = (f64::INFINITY, 0, 0);
    for (m, case) in cases[..2].iter().enumerate() {
        let (errors, by_fold) = by_row(case);
        near(fit.penalties().row(m), &vector(&case["penalties"]), 1e-12, "penalties");
        near(fit.errors().row(m), &errors, 1e-6, "errors");
        assert!((&errors - &by_fold).iter().any(|d| d.abs() > 1e-3));
        errors.iter().enumerate().for_each(|(k, e)| {
            if *e < least.0 {
                least = (*e, m, k);
            }
        });
    }
    assert_eq!(fit.best().mix(), [0.5, 1.0][least.1]);
    near(&[fit.best().penalty()], &[fit.penalties()[[least.1, least.2]]], 1e-14, "the choice");
    let fit = ElasticNetCv::new(&[0.5]).count(12).least(1e-2).tolerance(1e-12).folds(3).intercept(false);
    let fit = fit.fit(&Device::cpu(), &x41, &y41).unwrap();
    near(fit.errors().row(0), &by_row(&cases[2]).0, 1e-6, "errors through the origin");
    near(fit.best().coefficients(), &vector(&cases[2]["coef"]), 1e-5, "coefficients through the origin");
    assert_eq!(fit.best().intercept()[0], 0.0);
    // Shuffled folds are others, the same for the same seed; the lasso's settings are these.
    let errors = |seed: Option<u64>| {
        cv.clone().shuffled(seed).fit(&Device::cpu(), &x41, &y41).unwrap().errors().clone()
    };
    assert!(
        errors(Some(1)) == errors(Some(1))
            && errors(Some(1)) != errors(Some(2))
            && errors(Some(1)) != errors(None)
    );
    for seed in [None, Some(3)] {
        let one = ElasticNetCv::new(&[1.0]).count(7).least(0.05).shuffled(seed).intercept(false);
        let lasso = LassoCv::new().count(7).least(0.05).shuffled(seed).intercept(false);
        let (one, lasso) =
            (one.fit(&Device::cpu(), &x41, &y41).unwrap(), lasso.fit(&Device::cpu(), &x41, &y41).unwrap());
        assert_eq!((one.errors(), one.penalties()), (lasso.errors(), lasso.penalties()));
        near(&[lasso.penalties()[[0, 6]]], &[0.05 * lasso.penalties()[[0, 0]]], 1e-12, "least");
    }
    let several = ElasticNetCv::new(&[0.3, 1.0]).count(20).fit(&Device::cpu(), &x, &y).unwrap();
    let least = several.errors().fold(f64::INFINITY, |m, v| m.min(*v));
    let at = several.errors().indexed_iter().find(|(_, e)| **e == least).unwrap().0;
    assert_eq!((several.best().mix(), several.best().penalty()), ([0.3, 1.0][at.0], several.penalties()[at]));
}

/// `(2/n)x_jᵀr = λα sign(w_j) + 2λ(1-α)w_j`, or no larger than λα where `w_j = 0`.
#[track_caller]
fn minimal(x: &Array2<f64>, y: &Array1<f64>, w: ArrayView1<f64>, b: f64, penalty: f64, mix: f64) {
    let left = y - &(x.dot(&w) + b);
    assert!(left.sum().abs() < 1e-6);
    let n = y.len() as f64;
    for (j, &w) in w.iter().enumerate() {
        let slope = 2.0 / n * x.column(j).dot(&left);
        if w == 0.0 {
            assert!(slope.abs() <= penalty * mix * (1.0 + 1e-7), "{slope} beyond {}", penalty * mix);
        } else {
            let want = penalty * mix * w.signum() + 2.0 * penalty * (1.0 - mix) * w;
            assert!((slope - want).abs() < 1e-5 * penalty, "{slope} should be {want}");
        }
    }
}

/// R-05, B.9: the conditions of the minimum along whole paths, more features than rows included.
#[test]
fn every_point_of_a_path_is_a_minimum() {
    for (n, d, mix) in [(40, 6, 1.0), (20, 50, 1.0), (20, 50, 0.6)] {
        let x = random(n, d, 1) + 3.0;
        let noise = random(n, 1, 2);
        let y = Array1::from_shape_fn(n, |i| x[[i, 0]] - 2.0 * x[[i, 1]] + 0.3 * noise[[i, 0]]);
        let net = ElasticNet::new(0.0, mix);
        let path = net.path(&x, &y, 30, 1e-2).unwrap();
        assert!(path.coefficients().row(0).iter().all(|w| *w == 0.0));
        for (k, &penalty) in path.penalties().iter().enumerate() {
            minimal(&x, &y, path.coefficients().row(k), path.intercepts()[k], penalty, mix);
            assert!(path.duality_gaps()[k] < 1e-10);
        }
        // The same as each by itself, from zero.
        for k in [3, 12, 29] {
            let alone = net.clone().penalty(path.penalties()[k]).fit(&Device::cpu(), &x, &y).unwrap();
            near(alone.coefficients(), path.coefficients().row(k), 1e-4, "warm start");
        }
        // Fewer zeros as λ falls, on the whole, and the size of the coefficients never falls.
        let norms: Vec<f64> =
            path.coefficients().rows().into_iter().map(|r| r.mapv(f64::abs).sum()).collect();
        assert!(norms.windows(2).all(|p| p[1] >= p[0] - 1e-7));
        let count = |k: usize| path.coefficients().row(k).iter().filter(|w| **w != 0.0).count();
        assert!(count(29) >= count(10) && count(10) >= count(1));
        let given = net.path_at(&x, &y, &[0.1, 0.5]).unwrap();
        assert_eq!(given.penalties(), [0.5, 0.1]);
    }
}

/// Orthonormal features: each coefficient is the soft threshold of that of least squares.
#[test]
fn orthonormal_features_are_thresholded() {
    let h =
        array![[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]]
            * 0.5;
    let y = array![3.0, -1.0, 0.4, 0.2];
    let least = h.t().dot(&y);
    for penalty in [0.1, 0.5, 1.0] {
        let fit = Lasso::new(penalty).intercept(false).fit(&Device::cpu(), &h, &y).unwrap();
        // Σr² + λn|w|: the threshold is λn/2.
        let t = 0.5 * penalty * 4.0;
        let want = least.mapv(|w: f64| w.signum() * (w.abs() - t).max(0.0));
        near(fit.coefficients(), &want, 1e-9, "soft threshold");
    }
}

#[test]
fn equal_columns_share_their_weight() {
    let one = random(30, 1, 5);
    let x = concatenate![Axis(1), one, one, random(30, 1, 6)];
    let y = one.column(0).mapv(|v| 3.0 * v);
    let fit = ElasticNet::new(0.1, 0.5).fit(&Device::cpu(), &x, &y).unwrap();
    let w = fit.coefficients().column(0).to_owned();
    assert!((w[0] - w[1]).abs() < 1e-5 * w[0] && w[0] > 0.5);
}
