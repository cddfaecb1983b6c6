//! Regressions and classifiers.

use mercer::learn::ranks::Ranks;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array1, Array2, s};

use super::{CPU, grouped, groups, near, noise, rows, shares, targets};

pub fn ridge_and_least_squares(ranks: &dyn Ranks) {
    let x = grouped(80);
    let y = targets(&x);
    for penalty in [0.7, 0.0] {
        let whole = Ridge::new(penalty).fit(&CPU(), &x, &y).unwrap();
        for own in shares(ranks, 80) {
            let fit =
                Ridge::new(penalty).fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
            near("ridge", fit.coefficients(), whole.coefficients());
            near("intercept", fit.intercept(), whole.intercept());
        }
    }
    let whole = LeastSquares::new().fit(&CPU(), &x, &y).unwrap();
    for own in shares(ranks, 80) {
        let fit =
            LeastSquares::new().fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own.clone()])).unwrap();
        near("least squares", fit.coefficients(), whole.coefficients());
        near("errors", &fit.standard_errors().unwrap(), &whole.standard_errors().unwrap());
        near("leverage", &fit.leverage(), whole.leverage().slice(s![own.clone()]));
        let left = whole.residuals().slice(s![own, ..]).to_owned();
        let size = whole.residuals().fold(0f64, |m, v| m.max(v.abs()));
        assert!((fit.residuals() - &left).iter().all(|v| v.abs() <= 1e-10 * size));
    }
}

pub fn logistic_regression(ranks: &dyn Ranks) {
    let x = grouped(120);
    let y: Vec<&str> = (0..120)
        .map(|i| if noise(i, 20) > 0.4 { groups(120)[(i + 1) % 120] } else { groups(120)[i] })
        .collect();
    let two: Vec<bool> = (0..120).map(|i| x[[i, 0]] + 3.0 * noise(i, 21) > 53.0).collect();
    for l1 in [0.0, 0.5] {
        let model = LogisticRegression::new(0.1).l1(l1);
        let whole = model.fit(&CPU(), &x, &y[..]).unwrap();
        let pair = model.fit(&CPU(), &x, &two[..]).unwrap();
        for own in shares(ranks, 120) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), &y[own.clone()]).unwrap();
            assert_eq!(fit.classes(), whole.classes());
            near("coefficients", fit.coefficients(), whole.coefficients());
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), &two[own]).unwrap();
            near("two classes", fit.coefficients(), pair.coefficients());
        }
    }
    let whole = ProbitRegression::new(0.1).fit(&CPU(), &x, &two[..]).unwrap();
    for own in shares(ranks, 120) {
        let fit = ProbitRegression::new(0.1).fit_across(ranks, &CPU(), rows(&x, &own), &two[own]).unwrap();
        near("probit", fit.coefficients(), whole.coefficients());
    }
}

pub fn generalised_linear(ranks: &dyn Ranks) {
    let x = grouped(90).mapv(|v| 0.1 * (v - 55.0));
    let counts = Array1::from_shape_fn(90, |i| (1.0 + x[[i, 0]] + noise(i, 30)).exp().floor());
    let sizes = Array1::from_shape_fn(90, |i| (0.2 * x[[i, 1]] + 0.3 * noise(i, 31)).exp());
    for (family, y) in [(Family::Poisson, &counts), (Family::Gamma, &sizes)] {
        let model = GeneralisedLinear::new(family).penalty(0.01);
        let model =
            if family == Family::Gamma { model.link(mercer::models::linear::Link::Log) } else { model };
        let whole = model.fit(&CPU(), &x, y).unwrap();
        for own in shares(ranks, 90) {
            let fit = model.fit_across(ranks, &CPU(), rows(&x, &own), y.slice(s![own])).unwrap();
            near("coefficients", fit.coefficients(), whole.coefficients());
            near("deviance", &fit.deviance(), &whole.deviance());
        }
    }
}

pub fn discriminants(ranks: &dyn Ranks) {
    let (x, y) = (grouped(90), groups(90));
    let linear = LinearDiscriminant::new().fit(&CPU(), &x, &y[..]).unwrap();
    let quadratic = QuadraticDiscriminant::new().fit(&CPU(), &x, &y[..]).unwrap();
    for own in shares(ranks, 90) {
        let fit =
            LinearDiscriminant::new().fit_across(ranks, &CPU(), rows(&x, &own), &y[own.clone()]).unwrap();
        near("linear", &fit.coefficients(), &linear.coefficients());
        assert_eq!(fit.predict(&x).unwrap(), linear.predict(&x).unwrap());
        let fit = QuadraticDiscriminant::new().fit_across(ranks, &CPU(), rows(&x, &own), &y[own]).unwrap();
        near("quadratic", fit.covariances(), quadratic.covariances());
    }
}

pub fn naive_bayes(ranks: &dyn Ranks) {
    let (x, y) = (grouped(90), groups(90));
    let counts = x.mapv(|v| (v - 45.0).floor());
    let bits = x.mapv(|v| f64::from(u8::from(v > 54.0)));
    let proba = |p: Array2<f64>| p.into_iter().collect::<Vec<f64>>();
    let gaussian =
        proba(GaussianNaiveBayes::new().fit(&CPU(), &x, &y[..]).unwrap().predict_proba(&x).unwrap());
    let many = proba(
        MultinomialNaiveBayes::new(1.0).fit(&CPU(), &counts, &y[..]).unwrap().predict_proba(&counts).unwrap(),
    );
    let kinds = proba(
        CategoricalNaiveBayes::new().fit(&CPU(), &counts, &y[..]).unwrap().predict_proba(&counts).unwrap(),
    );
    let yes =
        proba(BernoulliNaiveBayes::new().fit(&CPU(), &bits, &y[..]).unwrap().predict_proba(&bits).unwrap());
    for own in shares(ranks, 90) {
        let y = &y[own.clone()];
        let fit = GaussianNaiveBayes::new().fit_across(ranks, &CPU(), rows(&x, &own), y).unwrap();
        near("gaussian", &proba(fit.predict_proba(&x).unwrap()), &gaussian);
        let fit = MultinomialNaiveBayes::new(1.0).fit_across(ranks, &CPU(), rows(&counts, &own), y).unwrap();
        near("multinomial", &proba(fit.predict_proba(&counts).unwrap()), &many);
        let fit = CategoricalNaiveBayes::new().fit_across(ranks, &CPU(), rows(&counts, &own), y).unwrap();
        near("categorical", &proba(fit.predict_proba(&counts).unwrap()), &kinds);
        let fit = BernoulliNaiveBayes::new().fit_across(ranks, &CPU(), rows(&bits, &own), y).unwrap();
        near("bernoulli", &proba(fit.predict_proba(&bits).unwrap()), &yes);
    }
}
