//! Variational Bayes for mixtures of Gaussians: scikit-learn, exact posteriors, every adapter.

use mercer::inference::em::Em;
use mercer::models::mixture::{BayesianGaussianMixture, MixtureStart, WeightPrior};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis};
use statrs::function::gamma::ln_gamma;

use crate::support::adapters;
use crate::{clouds, list, oracle, same, table, x1};

#[test]
fn the_steps_of_scikit_learn_with_both_priors() {
    let truth = oracle("mixture_bayesian");
    let x = table(&truth["x"]);
    let labels: Vec<usize> = list(&truth["labels"]).into_iter().map(|v| v as usize).collect();
    for fit in truth["fits"].as_array().unwrap() {
        let concentration = fit["concentration"].as_f64().unwrap();
        let weight_prior = match fit["prior"].as_str().unwrap() {
            "dirichlet_process" => WeightPrior::DirichletProcess(concentration),
            _ => WeightPrior::Dirichlet(concentration),
        };
        let steps = fit["steps"].as_u64().unwrap() as usize;
        let model = BayesianGaussianMixture::new(3)
            .weight_prior(weight_prior)
            .mean_precision_prior(0.8)
            .degrees_of_freedom_prior(Some(3.5))
            .start(MixtureStart::Labels(labels.clone()))
            .em(Em::new().max_iterations(steps).tolerance(0.0));
        let got = model.fit(&Device::cpu(), x.view()).unwrap();
        let what = format!("{weight_prior:?} after {steps}");
        same(got.weights(), &list(&fit["weights"]), 1e-8, &what);
        same(got.means(), &table(&fit["means"]), 1e-8, &what);
        same(&got.covariances(), &list(&fit["covariances"]), 1e-8, &what);
        same(got.mean_precisions(), &list(&fit["mean_precision"]), 1e-8, &what);
        same(got.degrees_of_freedom(), &list(&fit["degrees_of_freedom"]), 1e-8, &what);
        let every_fifth: Vec<usize> = (0..x.nrows()).step_by(5).collect();
        let proba = got.predict_proba(x.select(Axis(0), &every_fifth).view()).unwrap();
        same(&proba, &table(&fit["predict_proba"]), 1e-8, &what);
    }
}

/// One component is a conjugate model: the bound is the evidence, and the predictive density is the ratio of two
/// evidences.
#[test]
fn one_component_is_exact() {
    let x = clouds(25, 2, 1);
    let (kappa, nu) = (0.7, 4.0);
    let (mean, inverse) = (ndarray::array![0.5, -1.0], ndarray::array![[2.0, 0.3], [0.3, 1.0]]);
    let evidence = |x: &Array2<f64>| {
        let (n, d) = (x.nrows() as f64, 2.0);
        let centre = x.mean_axis(Axis(0)).unwrap();
        let (z, away) = (x - &centre, (&centre - &mean).insert_axis(Axis(1)));
        let after = &inverse + &z.t().dot(&z) + away.dot(&away.t()) * (n * kappa / (n + kappa));
        let det = |a: &Array2<f64>| a[[0, 0]] * a[[1, 1]] - a[[0, 1]] * a[[1, 0]];
        let log_gamma = |nu: f64| ln_gamma(0.5 * nu) + ln_gamma(0.5 * (nu - 1.0));
        -0.5 * n * d * std::f64::consts::PI.ln() + log_gamma(nu + n) - log_gamma(nu)
            + 0.5 * nu * det(&inverse).ln()
            - 0.5 * (nu + n) * det(&after).ln()
            + 0.5 * d * (kappa / (kappa + n)).ln()
    };
    for weight_prior in [WeightPrior::Dirichlet(0.4), WeightPrior::DirichletProcess(1.0)] {
        let model = BayesianGaussianMixture::new(1)
            .weight_prior(weight_prior)
            .mean_prior(Some(mean.clone()))
            .mean_precision_prior(kappa)
            .degrees_of_freedom_prior(Some(nu))
            .covariance_prior(Some(inverse.clone()));
        let fit = model.fit(&Device::cpu(), x.view()).unwrap();
        // With sticks the first of an infinity of weights is not certain to be one: that costs log E-terms.
        if let WeightPrior::Dirichlet(_) = weight_prior {
            same(&[fit.elbo()], &[evidence(&x)], 1e-11, "evidence");
        } else {
            assert!(fit.elbo() < evidence(&x));
        }
        let new = ndarray::array![[3.0, -2.0], [0.0, 0.0]];
        let with = |i: usize| {
            let mut all = x.clone();
            all.push_row(new.row(i)).unwrap();
            evidence(&all) - evidence(&x)
        };
        same(&fit.score_samples(new.view()).unwrap(), &[with(0), with(1)], 1e-10, "predictive");
    }
}

/// The bound lies below the evidence, here summed over all 2^6 assignments of the notes' six points.
#[test]
fn the_bound_is_a_bound() {
    let x = x1();
    let (kappa, nu, scale, alpha) = (0.5, 2.0, 1.5, 0.8);
    let cluster = |points: &[f64]| {
        let n = points.len() as f64;
        if points.is_empty() {
            return 0.0;
        }
        let mean = points.iter().sum::<f64>() / n;
        let spread = points.iter().map(|p| (p - mean) * (p - mean)).sum::<f64>();
        let after = scale + spread + n * kappa / (n + kappa) * mean * mean;
        -0.5 * n * std::f64::consts::PI.ln() + ln_gamma(0.5 * (nu + n)) - ln_gamma(0.5 * nu)
            + 0.5 * nu * f64::ln(scale)
            - 0.5 * (nu + n) * after.ln()
            + 0.5 * (kappa / (kappa + n)).ln()
    };
    let mut total = 0.0;
    for mask in 0..64u32 {
        let part = |bit: u32| {
            (0..6).filter(|i| mask >> i & 1 == bit).map(|i| x[[i as usize, 0]]).collect::<Vec<f64>>()
        };
        let (a, b) = (part(0), part(1));
        let counts = ln_gamma(2.0 * alpha) - ln_gamma(2.0 * alpha + 6.0)
            + ln_gamma(alpha + a.len() as f64)
            + ln_gamma(alpha + b.len() as f64)
            - 2.0 * ln_gamma(alpha);
        total += (counts + cluster(&a) + cluster(&b)).exp();
    }
    let model = BayesianGaussianMixture::new(2)
        .weight_prior(WeightPrior::Dirichlet(alpha))
        .mean_prior(Some(ndarray::array![0.0]))
        .mean_precision_prior(kappa)
        .degrees_of_freedom_prior(Some(nu))
        .covariance_prior(Some(ndarray::array![[scale]]));
    let fit = model.fit(&Device::cpu(), x.view()).unwrap();
    assert!(fit.elbo() < total.ln() && fit.elbo() > total.ln() - 2.0, "{} {}", fit.elbo(), total.ln());
    assert!(fit.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{:?}", fit.report().trace);
}

/// The density of the predictive mixture integrates to one.
#[test]
fn the_predictive_density_is_a_density() {
    let fit = BayesianGaussianMixture::new(2).fit(&Device::cpu(), x1().view()).unwrap();
    // x = tan(t) takes the heavy tails to a finite interval.
    let n = 20_000;
    let t = Array1::from_shape_fn(n, |i| std::f64::consts::PI * ((i as f64 + 0.5) / n as f64 - 0.5));
    let x = t.mapv(f64::tan).insert_axis(Axis(1));
    let log = fit.score_samples(x.view()).unwrap();
    let jacobian = |i: usize| 1.0 + x[[i, 0]] * x[[i, 0]];
    let total: f64 = (0..n).map(|i| log[i].exp() * jacobian(i) * std::f64::consts::PI / n as f64).sum();
    assert!((total - 1.0).abs() < 1e-4, "{total}");
}

#[test]
fn components_that_are_not_needed_have_no_weight() {
    let x = clouds(600, 2, 2);
    for weight_prior in [WeightPrior::Dirichlet(1e-3), WeightPrior::DirichletProcess(1e-2)] {
        let em = Em::new().tolerance(1e-9).max_iterations(2000);
        let fit = BayesianGaussianMixture::new(8)
            .weight_prior(weight_prior)
            .em(em)
            .fit(&Device::cpu(), x.view())
            .unwrap();
        let used = fit.weights().iter().filter(|w| **w > 0.02).count();
        assert!((3..=4).contains(&used), "{weight_prior:?}: {}", fit.weights());
    }
}

#[test]
fn every_adapter_agrees_with_the_cpu() {
    let x = clouds(1500, 4, 3);
    let em = Em::new().max_iterations(3000).tolerance(1e-6);
    let model = BayesianGaussianMixture::new(3).em(em);
    let want = model.fit(&Device::cpu(), x.view()).unwrap();
    for device in adapters() {
        let before = device.counters();
        let got = model.fit(device, x.view()).unwrap();
        assert!(device.counters() != before, "never came to {device}");
        same(&[got.elbo()], &[want.elbo()], 1e-4, &device.to_string());
        same(got.means(), want.means(), 1e-2, &device.to_string());
        same(&got.covariances(), &want.covariances(), 2e-2, &device.to_string());
    }
}

#[test]
fn bad_input_is_refused() {
    let (cpu, x) = (Device::cpu(), clouds(12, 2, 4));
    let k2 = BayesianGaussianMixture::new(2);
    let parameter = |model: &BayesianGaussianMixture| {
        let e = model.fit(&cpu, x.view()).unwrap_err();
        assert!(matches!(e, Error::Parameter { .. }), "{e}");
    };
    parameter(&BayesianGaussianMixture::new(13));
    parameter(&k2.clone().weight_prior(WeightPrior::Dirichlet(0.0)));
    parameter(&k2.clone().mean_precision_prior(-1.0));
    parameter(&k2.clone().degrees_of_freedom_prior(Some(1.0)));
    let wide = k2.clone().mean_prior(Some(Array1::zeros(3)));
    assert!(matches!(wide.fit(&cpu, x.view()), Err(Error::Shape { .. })));
    let mut flat = x.clone();
    flat.column_mut(0).fill(1.0);
    assert!(matches!(
        k2.fit(&cpu, flat.view()),
        Err(Error::NotPositiveDefinite { op: "BayesianGaussianMixture::fit", .. })
    ));
    let proper = k2.clone().covariance_prior(Some(Array2::eye(2)));
    assert!(proper.fit(&cpu, flat.view()).unwrap().elbo().is_finite());
    assert!(matches!(k2.fit(&cpu, (&x * f64::NAN).view()), Err(Error::NotFinite { .. })));
}

/// Every shape of covariance: the bound never falls, one feature makes most of them alike, and what is drawn is what is scored.
#[test]
fn shapes_of_covariances() {
    use mercer::models::mixture::{Covariance, CovarianceKind};
    let x = crate::clouds(90, 2, 5);
    let known = Covariance::Spherical(Array1::from_elem(4, 0.3));
    let kinds = [
        CovarianceKind::Full,
        CovarianceKind::Tied,
        CovarianceKind::Diagonal,
        CovarianceKind::Spherical,
        CovarianceKind::Fixed(known),
    ];
    for kind in kinds {
        let model = BayesianGaussianMixture::new(4).covariance(kind.clone()).tolerance(1e-9);
        let fitted = model.fit(&Device::cpu(), &x).unwrap();
        let trace = &fitted.report().trace;
        assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-8 * w[0].abs()), "{kind:?}: {trace:?}");
        assert!((fitted.predict_proba(&x).unwrap().sum_axis(Axis(1)) - 1.0).iter().all(|v| v.abs() < 1e-12));
        // The density integrates to one: a grid far wider than the data.
        let (step, wide) = (0.25, 160);
        let grid = Array2::from_shape_fn((wide * wide, 2), |(i, j)| {
            step * ((if j == 0 { i / wide } else { i % wide }) as f64 - 0.5 * wide as f64)
        });
        let mass = fitted.score_samples(&grid).unwrap().mapv(f64::exp).sum() * step * step;
        assert!((mass - 1.0).abs() < 0.02, "{kind:?}: {mass}");
        // Draws have the mean of the mixture.
        let draws = fitted.sample(20_000, 3).unwrap();
        let want = fitted.weights().dot(fitted.means());
        let spread = x.std_axis(Axis(0), 0.0);
        for j in 0..2 {
            let off = (draws.column(j).mean().unwrap() - want[j]).abs() / spread[j];
            assert!(off < 0.05, "{kind:?}: {off}");
        }
        for device in crate::support::adapters() {
            let there = model.fit(device, &x).unwrap();
            assert!(
                (there.elbo() - fitted.elbo()).abs() < 1e-3 * fitted.elbo().abs(),
                "{kind:?} on {device}"
            );
        }
    }
    // In one dimension a Wishart matrix is a gamma variable: full, diagonal and spherical are the same model.
    let line = x.slice(ndarray::s![.., ..1]).to_owned();
    let elbo = |kind| {
        let model = BayesianGaussianMixture::new(3).covariance(kind).tolerance(1e-10);
        model.fit(&Device::cpu(), &line).unwrap().elbo()
    };
    let full = elbo(CovarianceKind::Full);
    assert!((elbo(CovarianceKind::Diagonal) - full).abs() < 1e-9 * full.abs());
    assert!((elbo(CovarianceKind::Spherical) - full).abs() < 1e-9 * full.abs());
    // With one component there is nothing to assign, and the bound is the evidence: a normal mean of known variance.
    let one = Covariance::Tied(ndarray::array![[0.5]]);
    let model = BayesianGaussianMixture::new(1)
        .weight_prior(WeightPrior::Dirichlet(1.0))
        .covariance(CovarianceKind::Fixed(one))
        .mean_prior(ndarray::array![0.2])
        .mean_precision_prior(2.0);
    let some = line.slice(ndarray::s![..6, ..]).to_owned();
    let (n, v, k0) = (6.0_f64, 0.5_f64, 2.0_f64);
    let mean = some.mean().unwrap();
    let within = some.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let away = (mean - 0.2).powi(2) * n * k0 / (n + k0);
    let want =
        -0.5 * n * (std::f64::consts::TAU * v).ln() + 0.5 * (k0 / (k0 + n)).ln() - 0.5 * (within + away) / v;
    let got = model.fit(&Device::cpu(), &some).unwrap().elbo();
    assert!((got - want).abs() < 1e-9 * want.abs(), "{got} {want}");
    let uneven = CovarianceKind::Fixed(Covariance::Spherical(ndarray::array![1.0, 2.0]));
    assert!(BayesianGaussianMixture::new(2).covariance(uneven).fit(&Device::cpu(), &x).is_err());
}
