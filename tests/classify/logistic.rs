//! Logistic, multinomial and probit regression.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, s};

use crate::support::random;
use crate::{close, column, labels, matrix, near, oracle, six, three, two, vector, xor};

/// C-14: iterates and objectives of the notes.
#[test]
fn newtons_iterates_are_those_of_the_notes() {
    let (x, y) = six();
    let after = |n| LogisticRegression::new(0.0).max_iterations(n).fit(&Device::cpu(), &x, y).unwrap();
    for (n, b, w, e) in [
        (1, -2.0, 0.8, 2.6064514616),
        (2, -2.7744394454, 1.1097757782, f64::NAN),
        (200, -3.0350689646, 1.2140275859, 2.4779868350),
    ] {
        let fit = after(n);
        near(fit.intercept()[0], b, 1e-9);
        near(fit.coefficients()[[0, 0]], w, 1e-9);
        if e.is_finite() {
            near(fit.report().objective(), e, 1e-9);
        }
    }
    let fit = after(200);
    near(fit.report().trace[0], 4.1588830834, 1e-9);
    assert!(fit.report().converged() && fit.report().iterations <= 8, "{}", fit.report());
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0]));
}

/// RG-06, with λ of the notes half of the penalty here.
#[test]
fn penalised_fits_of_the_notes() {
    let (x, y) = six();
    let want = [
        (0.0, 1.214027586, -3.035068965, 0.4129978058),
        (0.5, 0.7670537228, -1.917634307, 0.4874431239),
        (5.0, 0.2453054199, -0.6132635499, 0.6218651753),
    ];
    for (lambda, w, b, objective) in want {
        let fit = LogisticRegression::new(2.0 * lambda).fit(&Device::cpu(), &x, y).unwrap();
        near(fit.coefficients()[[0, 0]], w, 1e-8);
        near(fit.intercept()[0], b, 1e-8);
        near(fit.report().objective() / 6.0, objective, 1e-9);
        // Σ y σ(-y f) = 0: the intercept is stationary.
        let f = fit.decision(&x).unwrap();
        let sum: f64 = y
            .iter()
            .zip(f.column(0))
            .map(|(y, f)| {
                let t = if *y { 1.0 } else { -1.0 };
                t / (1.0 + (t * f).exp())
            })
            .sum();
        near(sum, 0.0, 1e-10);
    }
}

/// C-13, N.1: the score equation, label flip, and the two forms of the loss.
#[test]
fn the_gradient_is_zero_and_a_flip_changes_the_sign() {
    let (x, y) = two();
    let x = x.slice(s![.., ..2]).to_owned();
    let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    let p = fit.predict_proba(&x).unwrap();
    let residual: Array1<f64> = p.column(1).iter().zip(&y).map(|(p, y)| p - *y as f64).collect();
    near(residual.sum(), 0.0, 1e-9);
    x.t().dot(&residual).iter().for_each(|g| near(*g, 0.0, 1e-8));
    let flipped: Vec<i64> = y.iter().map(|y| 1 - y).collect();
    let other = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &flipped).unwrap();
    close(other.coefficients().view(), (-fit.coefficients()).view(), 1e-9);
    let a = fit.decision(&x).unwrap();
    let margins: f64 = a
        .column(0)
        .iter()
        .zip(&y)
        .map(|(a, y)| {
            let t = if *y == 1 { 1.0 } else { -1.0 };
            (-t * a).exp().ln_1p()
        })
        .sum();
    near(-fit.log_likelihood(), margins, 1e-10);
    near(log_loss(&y, &p).unwrap() * y.len() as f64, margins, 1e-9);
}

/// N.1: a saturated one-hot design gives the logits of the groups' frequencies.
#[test]
fn a_saturated_design_is_frequencies() {
    let groups = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2];
    let x = Array2::from_shape_fn((12, 3), |(i, j)| f64::from(u8::from(groups[i] == j)));
    let y: [bool; 12] = [true, false, false, false, true, true, true, false, false, true, true, false];
    let fit = LogisticRegression::new(0.0).intercept(false).fit(&Device::cpu(), &x, y).unwrap();
    for (j, share) in [0.25f64, 0.6, 2.0 / 3.0].into_iter().enumerate() {
        near(fit.coefficients()[[j, 0]], (share / (1.0 - share)).ln(), 1e-9);
    }
}

#[test]
fn scikit_learn_agrees() {
    let all = oracle();
    let ((x, y), w) = (two(), vector(&all["weights"]));
    let check = |fit: FittedLogisticRegression<i64>, want: &serde_json::Value, tolerance: f64| {
        close(fit.coefficients().view(), matrix(&want["coefficients"]).view(), tolerance);
        close(column(fit.intercept()).view(), column(&vector(&want["intercept"])).view(), tolerance);
    };
    let l2 = LogisticRegression::new(0.5);
    check(l2.fit(&Device::cpu(), &x, &y).unwrap(), &all["l2"], 1e-7);
    check(l2.fit_weighted(&Device::cpu(), &x, &y, &w).unwrap(), &all["l2_weighted"], 1e-7);
    let balanced = l2.clone().class_weights(ClassWeights::Balanced);
    check(balanced.fit(&Device::cpu(), x.slice(s![10.., ..]), &y[10..]).unwrap(), &all["balanced"], 1e-7);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    check(LogisticRegression::new(0.0).l1(1.0).fit(&Device::cpu(), &centred, &y).unwrap(), &all["l1"], 1e-5);
    check(
        LogisticRegression::new(0.5).l1(0.5).fit(&Device::cpu(), &centred, &y).unwrap(),
        &all["elastic"],
        1e-5,
    );
    let (x, y) = three();
    let fit = LogisticRegression::new(2.0).fit(&Device::cpu(), &x, &y).unwrap();
    close(fit.predict_proba(&x).unwrap().view(), matrix(&all["softmax"]["proba"]).view(), 1e-6);
    close(fit.coefficients().view(), matrix(&all["softmax"]["coefficients"]).view(), 1e-5);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let fit = LogisticRegression::new(0.0).l1(1.0).fit(&Device::cpu(), &centred, &y).unwrap();
    close(fit.predict_proba(&centred).unwrap().view(), matrix(&all["softmax_l1"]["proba"]).view(), 1e-4);
}

/// Coefficients and standard errors of statsmodels.
#[test]
fn statsmodels_agrees() {
    let all = oracle();
    let (x, y) = two();
    let x = x.select(Axis(1), &[0, 1, 3]);
    let params = |b: &Array1<f64>, w: &Array2<f64>| -> Vec<f64> { b.iter().chain(w).copied().collect() };
    let errors = |e: Array2<f64>| -> Vec<f64> { (0..4).map(|j| e[[(j + 3) % 4, 0]]).collect() };
    let same = |got: Vec<f64>, want: &serde_json::Value| {
        got.iter().zip(vector(want)).for_each(|(g, w)| near(*g, w, 1e-6));
    };
    let logit = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    same(params(logit.intercept(), logit.coefficients()), &all["logit"]["params"]);
    same(errors(logit.standard_errors().unwrap()), &all["logit"]["bse"]);
    near(logit.log_likelihood(), all["logit"]["llf"].as_f64().unwrap(), 1e-9);
    near(logit.aic(), all["logit"]["aic"].as_f64().unwrap(), 1e-9);
    near(logit.bic(), all["logit"]["bic"].as_f64().unwrap(), 1e-9);
    let probit = ProbitRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    same(params(probit.intercept(), probit.coefficients()), &all["probit"]["params"]);
    same(errors(probit.standard_errors().unwrap()), &all["probit"]["bse"]);
    near(probit.log_likelihood(), all["probit"]["llf"].as_f64().unwrap(), 1e-9);
    let offset = vector(&all["offset"]["offset"]);
    let fit = LogisticRegression::new(0.0).offset(&offset).fit(&Device::cpu(), &x, &y).unwrap();
    same(params(fit.intercept(), fit.coefficients()), &all["offset"]["params"]);
    same(errors(fit.standard_errors().unwrap()), &all["offset"]["bse"]);

    // Contrasts with the first class, as statsmodels reports them.
    let mn = &all["mnlogit"];
    let (x, y) = (matrix(&mn["x"]), labels(&mn["y"]));
    let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    near(fit.log_likelihood(), mn["llf"].as_f64().unwrap(), 1e-9);
    let (params, bse, c) = (matrix(&mn["params"]), matrix(&mn["bse"]), fit.covariance().unwrap());
    for k in 1..3 {
        for j in 0..3 {
            let got = if j == 2 {
                fit.intercept()[k] - fit.intercept()[0]
            } else {
                fit.coefficients()[[j, k]] - fit.coefficients()[[j, 0]]
            };
            let (at, of) = (k * 3 + j, j);
            let row = (j + 1) % 3;
            near(got, params[[row, k - 1]], 1e-6);
            near((c[[at, at]] + c[[of, of]] - 2.0 * c[[at, of]]).sqrt(), bse[[row, k - 1]], 1e-6);
        }
    }
}

/// C-16, N.4: columns sum to zero, the gradient is zero; for two classes see `geometry.rs::two_columns_are_one`.
#[test]
fn softmax_of_many_classes() {
    let (x, y) = three();
    let x = x.slice(s![.., ..2]).to_owned();
    let fit = LogisticRegression::new(0.3).fit(&Device::cpu(), &x, &y).unwrap();
    let p = fit.predict_proba(&x).unwrap();
    p.sum_axis(Axis(1)).iter().for_each(|s| near(*s, 1.0, 1e-14));
    fit.coefficients().sum_axis(Axis(1)).iter().for_each(|s| near(*s, 0.0, 1e-9));
    // ∂/∂w_k Σ -ln y + ½λ|W|² = Σ (y_nk - t_nk) x_n + λ w_k = 0.
    let t = Array2::from_shape_fn(p.dim(), |(i, k)| f64::from(u8::from(y[i] as usize == k)));
    let gradient = x.t().dot(&(&p - &t)) + 0.3 * fit.coefficients();
    gradient.iter().for_each(|g| near(*g, 0.0, 1e-7));
    // Adding a vector to all columns changes nothing.
    let moved =
        LinearScores::new(fit.coefficients() + &array![[3.0], [-2.0]], fit.intercept() + 5.0).unwrap();
    assert_eq!(moved.classify(&x).unwrap(), fit.scores().classify(&x).unwrap());
}

/// C-15: separable data have no likeliest coefficients, and a penalty makes them finite.
#[test]
fn separable_data_are_an_error_without_a_penalty() {
    let x = array![[-2.0], [-1.0], [1.0], [2.0]];
    let y = [0, 0, 1, 1];
    let refused = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, y);
    assert!(matches!(refused, Err(Error::Separable { .. })), "{refused:?}");
    assert!(matches!(ProbitRegression::new(0.0).fit(&Device::cpu(), &x, y), Err(Error::Separable { .. })));
    let sizes: Vec<f64> = [1.0, 0.1, 1e-3]
        .map(|l| LogisticRegression::new(l).fit(&Device::cpu(), &x, y).unwrap().coefficients()[[0, 0]])
        .to_vec();
    assert!(sizes.windows(2).all(|w| w[1] > w[0] && w[1].is_finite()));
    // Touching at a point: quasi-complete separation.
    let x = array![[-1.0], [0.0], [0.0], [1.0]];
    let refused = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, y);
    assert!(matches!(refused, Err(Error::Separable { .. })), "{refused:?}");
    // Three classes, and more features than rows.
    let (x, y) = (random(6, 20, 1), [0, 1, 2, 0, 1, 2]);
    assert!(matches!(LogisticRegression::new(0.0).fit(&Device::cpu(), &x, y), Err(Error::Separable { .. })));
    assert!(LogisticRegression::new(0.1).fit(&Device::cpu(), &x, y).unwrap().report().converged());
}

/// The conditions of Karush, Kuhn and Tucker of an absolute penalty, by both routes.
#[test]
fn absolute_penalties_are_stationary() {
    let (n, l1) = (80, 4.0);
    for d in [12, 500] {
        let x = random(n, d, 3);
        let y: Vec<bool> =
            x.rows().into_iter().map(|r| r[0] - 0.8 * r[1] + 0.4 * r[2] > 0.05 * r[3]).collect();
        let fit = LogisticRegression::new(0.0)
            .l1(l1)
            .tolerance(1e-15)
            .max_iterations(2000)
            .fit(&Device::cpu(), &x, &y)
            .unwrap();
        let p = fit.predict_proba(&x).unwrap();
        let residual: Array1<f64> =
            p.column(1).iter().zip(&y).map(|(p, y)| p - f64::from(u8::from(*y))).collect();
        near(residual.sum(), 0.0, 1e-4);
        let g = x.t().dot(&residual);
        let zeros = fit.coefficients().iter().filter(|w| **w == 0.0).count();
        assert!(zeros > d / 4, "{zeros} of {d}");
        for (g, w) in g.iter().zip(fit.coefficients()) {
            if *w == 0.0 {
                assert!(g.abs() <= l1 * (1.0 + 1e-3), "{g}");
            } else {
                near(*g, -l1 * w.signum(), 1e-3);
            }
        }
    }
}

/// Many parameters by L-BFGS end where Newton's method does.
#[test]
fn both_routes_meet() {
    let x = random(60, 410, 5);
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] + r[1] > 0.3 * r[2]).collect();
    let wide = LogisticRegression::new(1.0).fit(&Device::cpu(), &x, &y).unwrap();
    let p = wide.predict_proba(&x).unwrap();
    let residual: Array1<f64> =
        p.column(1).iter().zip(&y).map(|(p, y)| p - f64::from(u8::from(*y))).collect();
    let gradient = x.t().dot(&residual) + wide.coefficients().column(0);
    gradient.iter().for_each(|g| near(*g, 0.0, 2e-5));
    assert!(wide.standard_errors().is_none());
    // The same problem in 60 coordinates of the rows' span, which few parameters make one of Newton's: X = L Q, Q Qᵀ = I,
    // has the penalty ‖w‖² of w = Qᵀv.
    let gram = x.dot(&x.t());
    let root = mercer::linalg::eigh(gram.view()).unwrap();
    let coordinates = &root.vectors * &root.values.mapv(|v| v.max(0.0).sqrt()).insert_axis(Axis(0));
    let few = LogisticRegression::new(1.0).fit(&Device::cpu(), &coordinates, &y).unwrap();
    assert!(few.standard_errors().is_some());
    close(few.predict_proba(&coordinates).unwrap().view(), p.view(), 1e-5);
    near(few.intercept()[0], wide.intercept()[0], 1e-5);
}

/// M.2: features make a linear classifier of XOR.
#[test]
fn products_of_features_solve_xor() {
    let (x, y) = xor();
    let plane = Hyperplane::new(array![1.0, 1.0, -2.0], -0.5).unwrap();
    let phi = Polynomial::new(2)
        .interactions_only(true)
        .bias(false)
        .fit(&Device::cpu(), &x)
        .unwrap()
        .transform(&x)
        .unwrap();
    for (row, y) in phi.rows().into_iter().zip(y) {
        assert!(plane.functional_margin(row, y).unwrap() > 0.0);
    }
    let model =
        Pipeline::new(Polynomial::new(2).interactions_only(true).bias(false), LogisticRegression::new(0.01));
    assert_eq!(model.fit(&Device::cpu(), &x, y).unwrap().score(&x, y).unwrap(), 1.0);
    assert!(LogisticRegression::new(0.01).fit(&Device::cpu(), &x, y).unwrap().score(&x, y).unwrap() < 1.0);
}

/// C-01: identities of the sigmoid as the model shows them, far out.
#[test]
fn the_sigmoid_keeps_its_digits() {
    let (x, y) = six();
    let fit = LogisticRegression::new(1.0).fit(&Device::cpu(), &x, y).unwrap();
    let far = array![[-1e3], [-50.0], [0.0], [50.0], [1e3]];
    let (p, a) = (fit.predict_proba(&far).unwrap(), fit.decision(&far).unwrap());
    for (p, a) in p.rows().into_iter().zip(a.column(0)) {
        assert!(p.iter().all(|v| (0.0..=1.0).contains(v)));
        near(p.sum(), 1.0, 1e-15);
        // logit(σ(a)) = a where neither is rounded away.
        if a.abs() < 30.0 {
            near((p[1] / p[0]).ln(), *a, 1e-6);
        }
    }
}

/// Weights of classes are weights of their rows: two classes and three, and the probit link.
#[test]
fn class_weights_are_weights_of_rows() {
    let (cpu, each) = (Device::cpu(), [0.5, 3.0, 1.5]);
    let by_row = |y: &[i64]| -> Array1<f64> { y.iter().map(|y| each[*y as usize]).collect() };
    for ((x, y), k) in [(two(), 2), (three(), 3)] {
        let model = LogisticRegression::new(0.7);
        let rows = model.clone().fit_weighted(&cpu, &x, &y, by_row(&y)).unwrap();
        let classes = ClassWeights::Each(each[..k].to_vec());
        let classes = model.clone().class_weights(classes).fit(&cpu, &x, &y).unwrap();
        close(classes.coefficients().view(), rows.coefficients().view(), 1e-8);
        let plain = model.fit(&cpu, &x, &y).unwrap();
        assert!((plain.coefficients() - rows.coefficients()).iter().any(|d| d.abs() > 1e-2), "{k} classes");
    }
    let (x, y) = two();
    let model = ProbitRegression::new(0.7);
    let rows = model.clone().fit_weighted(&cpu, &x, &y, by_row(&y)).unwrap();
    let classes = model.clone().class_weights(ClassWeights::Each(vec![0.5, 3.0])).fit(&cpu, &x, &y).unwrap();
    close(classes.coefficients().view(), rows.coefficients().view(), 1e-8);
    // Balanced: n / (K n_k) each.
    let (x, y) = (x.slice(s![10.., ..]), &y[10..]);
    let share = |k: i64| y.len() as f64 / (2.0 * y.iter().filter(|y| **y == k).count() as f64);
    let given = model.clone().class_weights(ClassWeights::Each(vec![share(0), share(1)]));
    close(
        model.class_weights(ClassWeights::Balanced).fit(&cpu, x, y).unwrap().coefficients().view(),
        given.fit(&cpu, x, y).unwrap().coefficients().view(),
        1e-12,
    );
}

/// Through the origin: rows and their negatives with the other label have no intercept to find.
#[test]
fn without_an_intercept() {
    let (cpu, x) = (Device::cpu(), random(30, 3, 81));
    let y: Vec<bool> = x.rows().into_iter().map(|r| r[0] + 0.6 * (7.0 * r[1]).sin() > 0.0).collect();
    let both = ndarray::concatenate![Axis(0), x, -&x];
    let labels: Vec<bool> = y.iter().copied().chain(y.iter().map(|y| !y)).collect();
    let with = ProbitRegression::new(0.5).fit(&cpu, &both, &labels).unwrap();
    let without = ProbitRegression::new(0.25).intercept(false).fit(&cpu, &x, &y).unwrap();
    near(with.intercept()[0], 0.0, 1e-9);
    assert_eq!(without.intercept()[0], 0.0);
    close(without.coefficients().view(), with.coefficients().view(), 1e-7);
    let with = BayesianLogisticRegression::new(0.5).fit(&cpu, &both, &labels).unwrap();
    let without = BayesianLogisticRegression::new(0.25).intercept(false).fit(&cpu, &x, &y).unwrap();
    (0..3).for_each(|j| near(without.mean()[j], with.mean()[j], 1e-8));
    near(with.mean()[3], 0.0, 1e-9);
    assert_eq!(without.mean().len(), 3);
}
