//! Linear and quadratic discriminants.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array, s};

use crate::support::random;
use crate::{close, column, matrix, near, oracle, three, vector};

fn nine() -> (Array2<f64>, [i32; 9]) {
    let x = array![
        [0.0, 0.0],
        [2.0, 0.0],
        [0.0, 2.0],
        [2.0, 2.0],
        [3.0, 3.0],
        [5.0, 3.0],
        [3.0, 5.0],
        [5.0, 5.0],
        [4.0, 4.0]
    ];
    (x, [1, 1, 1, 1, 2, 2, 2, 2, 2])
}

/// C-03, C-05, N.8: the example of the notes; class 1 of the notes is our first.
#[test]
fn two_classes_of_the_notes() {
    let (x, y) = nine();
    let fit = LinearDiscriminant::new().fit(&Device::cpu(), &x, y).unwrap();
    close(fit.covariance(), (Array2::<f64>::eye(2) * (8.0 / 9.0)).view(), 1e-12);
    close(fit.coefficients().view(), array![[3.375], [3.375]].view(), 1e-12);
    near(fit.intercept()[0], -16.6518564487, 1e-10);
    near(fit.predict_proba(array![[2.5, 2.5]]).unwrap()[[0, 0]], 4.0 / 9.0, 1e-12);
    // Priors move the plane in parallel.
    let other = LinearDiscriminant::new().priors(vec![0.9, 0.1]).fit(&Device::cpu(), &x, y).unwrap();
    close(other.coefficients().view(), fit.coefficients().view(), 1e-12);
    near(other.intercept()[0] - fit.intercept()[0], (0.1f64 / 0.9).ln() - (5.0f64 / 4.0).ln(), 1e-12);
    // σ(wᵀx + w₀) is Bayes' rule.
    let new = random(7, 2, 1) * 4.0;
    let (a, p) = (fit.decision(&new).unwrap(), fit.predict_proba(&new).unwrap());
    let linear = new.dot(&fit.coefficients()) + &fit.intercept();
    close(a.view(), linear.view(), 1e-10);
    for (a, p) in a.column(0).iter().zip(p.column(1)) {
        near(1.0 / (1.0 + (-a).exp()), *p, 1e-12);
    }
}

#[test]
fn scikit_learn_agrees() {
    let (all, (x, y)) = (oracle(), three());
    let lda = LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let want = &all["lda"];
    close(lda.predict_proba(&x).unwrap().view(), matrix(&want["proba"]).view(), 1e-8);
    close(lda.coefficients().view(), matrix(&want["coefficients"]).view(), 1e-7);
    close(column(&lda.intercept()).view(), column(&vector(&want["intercept"])).view(), 1e-7);
    close(column(lda.explained()).view(), column(&vector(&want["explained"])).view(), 1e-8);
    // Directions up to their sign, projections up to a constant.
    let (got, want) = (lda.transform(&x).unwrap(), matrix(&want["transform"]));
    for j in 0..2 {
        let (g, w) = (&got.column(j) - got[[0, j]], &want.column(j) - want[[0, j]]);
        let sign = g[1].signum() * w[1].signum();
        g.iter().zip(&w).for_each(|(g, w)| near(sign * g, *w, 1e-7));
    }
    let qda = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    close(qda.predict_proba(&x).unwrap().view(), matrix(&all["qda"]["proba"]).view(), 1e-8);
    let qda = QuadraticDiscriminant::new().priors(vec![0.2, 0.5, 0.3]).fit(&Device::cpu(), &x, &y).unwrap();
    close(qda.predict_proba(&x).unwrap().view(), matrix(&all["qda_priors"]["proba"]).view(), 1e-8);
    // Shrinkage of classes of different size.
    let shrunk =
        LinearDiscriminant::new().shrinkage(0.3).fit(&Device::cpu(), x.slice(s![5.., ..]), &y[5..]).unwrap();
    close(shrunk.coefficients().view(), matrix(&all["lda_shrunk"]["coefficients"]).view(), 1e-8);
    close(shrunk.predict_proba(&x).unwrap().view(), matrix(&all["lda_shrunk"]["proba"]).view(), 1e-8);
}

/// Without bias a covariance is divided by N - K, or `N_k` - 1; one component is the first of all.
#[test]
fn options_of_discriminants() {
    let (x, y) = three();
    let (x, y) = (x.slice(s![5.., ..]).to_owned(), &y[5..]);
    let (n, sizes) = (y.len() as f64, [0, 1, 2].map(|k| y.iter().filter(|y| **y == k).count() as f64));
    let cpu = Device::cpu();
    let (plain, fair) = (
        LinearDiscriminant::new().fit(&cpu, &x, y).unwrap(),
        LinearDiscriminant::new().unbiased(true).fit(&cpu, &x, y).unwrap(),
    );
    close(fair.covariance(), (&plain.covariance() * (n / (n - 3.0))).view(), 1e-12);
    let (plain_q, fair_q) = (
        QuadraticDiscriminant::new().fit(&cpu, &x, y).unwrap(),
        QuadraticDiscriminant::new().unbiased(true).fit(&cpu, &x, y).unwrap(),
    );
    for (k, n) in sizes.into_iter().enumerate() {
        let (fair, plain) = (fair_q.covariances(), plain_q.covariances());
        let (fair, plain) = (fair.index_axis(Axis(0), k), plain.index_axis(Axis(0), k));
        close(fair, (&plain * (n / (n - 1.0))).view(), 1e-12);
    }
    // S of a class by itself, shrunk by hand.
    let own: Vec<usize> = (0..y.len()).filter(|&i| y[i] == 1).collect();
    let rows = x.select(Axis(0), &own);
    let away = &rows - &rows.mean_axis(Axis(0)).unwrap();
    let s = away.t().dot(&away) / own.len() as f64;
    let want = &s * 0.6 + Array2::<f64>::eye(4) * (0.4 * s.diag().sum() / 4.0);
    let shrunk = QuadraticDiscriminant::new().shrinkage(0.4).fit(&cpu, &x, y).unwrap();
    close(shrunk.covariances().index_axis(Axis(0), 1), want.view(), 1e-12);
    let one = LinearDiscriminant::new().components(1).fit(&cpu, &x, y).unwrap().transform(&x).unwrap();
    close(one.view(), plain.transform(&x).unwrap().slice(s![.., ..1]), 1e-14);
}

/// C-05: total scatter is that within and that between; the fit is the likeliest.
#[test]
fn the_fit_is_the_likeliest() {
    let (x, y) = three();
    let fit = LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let n = x.nrows() as f64;
    let mean = x.mean_axis(Axis(0)).unwrap();
    let total = (&x - &mean).t().dot(&(&x - &mean)) / n;
    let between = fit.means().rows().into_iter().zip(fit.priors()).fold(
        Array2::zeros((4, 4)),
        |sum: Array2<f64>, (m, p)| {
            let e = (&m - &mean).insert_axis(Axis(1)).to_owned();
            sum + e.dot(&e.t()) * *p
        },
    );
    close((&fit.covariance() + &between).view(), total.view(), 1e-10);
    let likelihood = |fit: &FittedLinearDiscriminant<i64>, x: &Array2<f64>| -> f64 {
        fit.log_joint(x).unwrap().rows().into_iter().zip(&y).map(|(row, k)| row[*k as usize]).sum()
    };
    let best = likelihood(&fit, &x);
    // Another mean is the same model seen from moved data.
    for seed in 0..4 {
        let moved = &x + &(random(1, 4, seed) * 0.05);
        assert!(likelihood(&fit, &moved) < best);
    }
    let skewed = LinearDiscriminant::new().priors(vec![0.4, 0.3, 0.3]).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(likelihood(&skewed, &x) < best);
    let wide = LinearDiscriminant::new().shrinkage(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(likelihood(&wide, &x) < best);
}

/// C-04, C-06, N.9: QDA with equal covariances is LDA; the joint and the posterior name the same class (D-03).
#[test]
fn equal_covariances_make_it_linear() {
    let part = random(20, 2, 3);
    let shifted = |a: f64, b: f64| &part + &array![[a, b]];
    let x = ndarray::concatenate![Axis(0), shifted(0.0, 0.0), shifted(1.0, 0.5), shifted(-0.5, 1.5)];
    let y: Vec<usize> = (0..60).map(|i| i / 20).collect();
    let lda = LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let qda = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let new = random(30, 2, 4) * 2.0;
    close(qda.log_joint(&new).unwrap().view(), lda.log_joint(&new).unwrap().view(), 1e-10);
    let joint = lda.log_joint(&new).unwrap();
    let winner = |row: ndarray::ArrayView1<f64>| (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
    let by_joint: Vec<usize> = joint.rows().into_iter().map(winner).collect();
    let by_posterior: Vec<usize> = lda.predict_proba(&new).unwrap().rows().into_iter().map(winner).collect();
    assert_eq!(by_joint, by_posterior);
    assert_eq!(by_joint, lda.predict(&new).unwrap());
}

/// N.7: affine maps change no posterior; symmetric classes meet in the middle.
#[test]
fn affine_maps_change_nothing() {
    let (x, y) = three();
    let x = x.slice(s![.., ..2]).to_owned();
    let map = array![[2.0, -0.5], [1.0, 3.0]];
    let moved = x.dot(&map) + &array![[5.0, -7.0]];
    let proba = |x: &Array2<f64>| {
        let q = QuadraticDiscriminant::new().fit(&Device::cpu(), x, &y).unwrap().predict_proba(x).unwrap();
        let l = LinearDiscriminant::new().fit(&Device::cpu(), x, &y).unwrap().predict_proba(x).unwrap();
        ndarray::concatenate![Axis(1), q, l]
    };
    close(proba(&moved).view(), proba(&x).view(), 1e-8);
    let x = array![[-3.0], [-1.0], [1.0], [3.0]];
    let fit = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, [0, 0, 1, 1]).unwrap();
    near(fit.predict_proba(array![[0.0]]).unwrap()[[0, 0]], 0.5, 1e-14);
}

/// C-07: draws have the moments of the model.
#[test]
fn draws_can_be_fitted_again() {
    let (x, y) = three();
    let (x, y) = (x.slice(s![25.., ..2]).to_owned(), &y[25..]);
    let fit = QuadraticDiscriminant::new().priors(vec![0.3, 0.7]).fit(&Device::cpu(), &x, y).unwrap();
    let (drawn, classes) = fit.sample_labelled(20_000, 7).unwrap();
    let again = QuadraticDiscriminant::new().fit(&Device::cpu(), &drawn, &classes).unwrap();
    near(again.priors()[0], 0.3, 0.02);
    close(again.means().view(), fit.means().view(), 0.02);
    for (a, b) in again.covariances().iter().zip(fit.covariances()) {
        near(*a, *b, 0.02);
    }
    assert_eq!(fit.sample(5, 1).unwrap(), fit.sample(5, 1).unwrap());
}

/// In the limit of many rows from its own model, logistic regression finds the discriminant.
#[test]
fn logistic_regression_is_the_discriminant_in_the_limit() {
    let (x, y) = nine();
    let fit = LinearDiscriminant::new().fit(&Device::cpu(), &x, y).unwrap();
    let (drawn, classes) = fit.sample_labelled(40_000, 3).unwrap();
    let logistic = LogisticRegression::new(0.0).fit(&Device::cpu(), &drawn, &classes).unwrap();
    let errors = logistic.standard_errors().unwrap();
    for (j, w) in fit.coefficients().iter().chain(&fit.intercept()).enumerate() {
        let got = if j < 2 { logistic.coefficients()[[j, 0]] } else { logistic.intercept()[0] };
        assert!((got - w).abs() < 4.0 * errors[[j, 0]], "{got} and {w}, give or take {}", errors[[j, 0]]);
    }
}
