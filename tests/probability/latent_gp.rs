//! Gaussian processes under any likelihood: ref:P of the notes, exact cases, EP.

use mercer::models::gp::*;
use mercer::probability::special::normal_cdf;
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, array};

use crate::{all_near, near};

fn four() -> Array2<f64> {
    array![[-2.0], [-1.0], [1.0], [2.0]]
}

/// GP-15, GP-16: goldens of the notes through the public trait; the classifier agrees.
#[test]
fn laplace_golden_numbers() {
    let k = Kernel::rbf(1.0);
    let one = LatentGp::laplace(&k, &LogisticLikelihood, four(), array![-1.0, -1.0, 1.0, 1.0]).unwrap();
    near(one.log_evidence(), -2.621391425, 1e-9);
    let other = LatentGp::laplace(&k, &LogisticLikelihood, four(), array![-1.0, 1.0, -1.0, 1.0]).unwrap();
    near(other.log_evidence(), -3.046428108, 1e-9);
    let probit = LatentGp::laplace(&k, &ProbitLikelihood, four(), array![-1.0, -1.0, 1.0, 1.0]).unwrap();
    near(probit.log_evidence(), -2.477555876, 1e-9);
    let other = LatentGp::laplace(&k, &ProbitLikelihood, four(), array![-1.0, 1.0, -1.0, 1.0]).unwrap();
    near(other.log_evidence(), -3.287976997, 1e-9);
    let new = array![[0.5], [1.5], [5.0]];
    let (mean, variance) = one.latent(&new).unwrap();
    all_near(&mean.to_vec(), &[0.3070490567, 0.6261624614, 0.004113599232], 1e-9);
    all_near(&variance.to_vec(), &[0.8260614002, 0.7370007319, 0.9999767468], 1e-9);
    let (mean, variance) = probit.latent(&new).unwrap();
    all_near(&mean.to_vec()[..2], &[0.365032573, 0.7410345464], 1e-9);
    all_near(&variance.to_vec()[..2], &[0.7141970264, 0.5829089019], 1e-9);
    assert!(one.trace().windows(2).all(|w| w[1] >= w[0] - 1e-12));
    // The posterior covariance at the data is no wider than the prior's, and both forms agree.
    let (_, joint) = one.latent_joint(four()).unwrap();
    let difference = (&joint - one.covariance()).iter().fold(0f64, |m, v| m.max(v.abs()));
    near(difference, 0.0, 1e-12);
    assert!(one.covariance().diag().iter().all(|v| *v < 1.0));
    assert!(LatentGp::laplace(&k, &LogisticLikelihood, four(), array![0.0, 1.0, 1.0, 1.0]).is_err());
}

/// GP-17: the plug-in has the same mean and less variance.
#[test]
fn the_plug_in_is_too_sure() {
    let k = Kernel::rbf(1.0);
    let gp = LatentGp::laplace(&k, &LogisticLikelihood, four(), array![-1.0, -1.0, 1.0, 1.0]).unwrap();
    let new = array![[0.5], [1.5], [5.0]];
    let plug_in = gp.plug_in_variance(&new).unwrap();
    all_near(&plug_in.to_vec()[..2], &[0.1067499464, 0.02853632644], 1e-9);
    assert!(gp.latent(&new).unwrap().1.iter().zip(&plug_in).all(|(l, p)| l >= p));
    let drawn = gp.sample_latent(&new, 4000, 1).unwrap().values;
    let (_, covariance) = gp.latent_joint(&new).unwrap();
    let rows = drawn.index_axis(ndarray::Axis(2), 0).to_owned();
    let seen = mercer::probability::tables::covariance(rows.view(), 0).unwrap();
    all_near(&seen.into_raw_vec_and_offset().0, &covariance.into_raw_vec_and_offset().0, 0.08);
}

/// A normal likelihood is exact: the evidence and predictions of regression.
#[test]
fn gaussian_likelihood_is_regression() {
    let (x, y) = (four(), array![0.5_f64, 1.0, -0.3, -1.0]);
    let gp = LatentGp::laplace(&Kernel::rbf(1.0), &GaussianLikelihood { variance: 0.1 }, &x, &y).unwrap();
    let exact = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    near(gp.log_evidence(), exact.log_evidence(), 1e-10);
    let new = array![[0.5], [3.0]];
    let p = exact.predict_latent(&new).unwrap();
    let (mean, variance) = gp.latent(&new).unwrap();
    all_near(&mean.to_vec(), &p.mean.to_vec(), 1e-10);
    all_near(&variance.to_vec(), &p.variance.to_vec(), 1e-10);
    // By parts: fit + complexity + constant is the evidence.
    let (fit, complexity, constant) = exact.evidence_parts().unwrap();
    near(fit + complexity + constant, exact.log_evidence(), 1e-12);
    assert!(fit < 0.0);
}

/// One latent value: the evidence of Laplace and of EP against a quadrature.
#[test]
fn one_observation_by_quadrature() {
    let exact = |p: &dyn Fn(f64) -> f64| {
        crate::integral(-12.0, 12.0, 40_000, |f| {
            p(f) * (-0.5 * f * f / 2.0).exp() / (std::f64::consts::TAU * 2.0).sqrt()
        })
    };
    let k = Kernel::rbf(1.0).scaled(2.0);
    let x = array![[0.0]];
    // ∫ Φ(f) N(f | 0, v) = ½: EP is exact for one point.
    let ep = LatentGp::expectation_propagation(&k, &x, array![1.0]).unwrap();
    near(ep.log_evidence(), 0.5f64.ln(), 1e-10);
    let mean = exact(&|f| f * normal_cdf(f)) / 0.5;
    near(ep.mode()[0], mean, 1e-7);
    // Stirling's 1/(12 y) is what Laplace's approximation leaves of a Poisson likelihood.
    for y in [6.0, 40.0] {
        let many = LatentGp::laplace(&k, &PoissonLikelihood, &x, array![y]).unwrap();
        near(many.log_evidence(), exact(&|f| PoissonLikelihood.local(y, f).log.exp()).ln(), 1.0 / (12.0 * y));
    }
    let count = LatentGp::laplace(&k, &PoissonLikelihood, &x, array![6.0]).unwrap();
    // The mode: y - e^f = f/v.
    near(6.0 - count.mode()[0].exp(), count.mode()[0] / 2.0, 1e-9);
    // At y = 0 the mode is zero and the curvature (ν + 1)/(ν s²); with many degrees of freedom it is the normal case.
    let t = StudentTLikelihood { degrees: 4.0, scale: 0.5 };
    let gp = LatentGp::laplace(&k, &t, &x, array![0.0]).unwrap();
    near(gp.log_evidence(), t.local(0.0, 0.0).log - 0.5 * (1.0f64 + 2.0 * 5.0 / (4.0 * 0.25)).ln(), 1e-12);
    let many =
        LatentGp::laplace(&k, &StudentTLikelihood { degrees: 1e7, scale: 0.5 }, &x, array![0.8]).unwrap();
    let normal = LatentGp::laplace(&k, &GaussianLikelihood { variance: 0.25 }, &x, array![0.8]).unwrap();
    near(many.log_evidence(), normal.log_evidence(), 1e-6);
}

/// Slopes and curvatures are derivatives.
#[test]
fn likelihoods_have_their_derivatives() {
    fn check(l: &impl PointLikelihood, y: f64) {
        for f in [-1.3, 0.2, 2.0] {
            let h = 1e-5;
            let (a, b, c) = (l.local(y, f - h), l.local(y, f), l.local(y, f + h));
            near((c.log - a.log) / (2.0 * h), b.slope, 1e-7);
            near(-(c.slope - a.slope) / (2.0 * h), b.curvature, 1e-7);
            assert!(b.weight >= b.curvature && b.weight > 0.0);
        }
    }
    check(&LogisticLikelihood, -1.0);
    check(&ProbitLikelihood, 1.0);
    check(&PoissonLikelihood, 3.0);
    check(&GaussianLikelihood { variance: 0.4 }, 1.1);
    check(&StudentTLikelihood { degrees: 3.0, scale: 0.7 }, -0.4);
}

/// An outlier pulls a normal likelihood and hardly Student's t.
#[test]
fn heavy_tails_resist_an_outlier() {
    let x = Array2::from_shape_fn((11, 1), |(i, _)| 0.5 * i as f64);
    let mut y: Array1<f64> = x.column(0).mapv(f64::sin);
    y[5] = 8.0;
    let k = Kernel::rbf(1.0);
    let normal = LatentGp::laplace(&k, &GaussianLikelihood { variance: 0.04 }, &x, &y).unwrap();
    let t = LatentGp::laplace(&k, &StudentTLikelihood { degrees: 3.0, scale: 0.1 }, &x, &y).unwrap();
    let off = |gp: &LatentGp| (gp.mode()[5] - 2.5f64.sin()).abs();
    assert!(off(&t) < 0.2 && off(&normal) > 2.0, "{} {}", off(&t), off(&normal));
}

/// EP's evidence is nearer to the truth than Laplace's; brute force by draws of the prior.
#[test]
fn expectation_propagation_beats_laplace() {
    let k = Kernel::rbf(1.0).scaled(9.0);
    let y = array![-1.0, 1.0, 1.0];
    let x = array![[-1.0], [0.5], [1.5]];
    let ep = LatentGp::expectation_propagation(&k, &x, &y).unwrap();
    let laplace = LatentGp::laplace(&k, &ProbitLikelihood, &x, &y).unwrap();
    let f = GpRegressor::new(k).sample_prior(&x, 200_000, 1).unwrap().values;
    let p = f.outer_iter().map(|f| (0..3).map(|i| normal_cdf(y[i] * f[[i, 0]])).product::<f64>());
    let exact = (p.sum::<f64>() / 200_000.0).ln();
    assert!((ep.log_evidence() - exact).abs() < 0.02, "{} {exact}", ep.log_evidence());
    assert!((laplace.log_evidence() - exact).abs() > (ep.log_evidence() - exact).abs());
    let p = ep.probit_probability(&x).unwrap();
    assert!(p[0] < 0.5 && p[1] > 0.5 && p[2] > 0.5);
}

/// G-17: the mode of the logistic process is kernel logistic regression: it minimises `Σ ln(1 + e^-yf) + ½ fᵀK⁻¹f`.
#[test]
fn the_mode_is_kernel_logistic_regression() {
    let k = Kernel::rbf(1.0);
    let y = array![-1.0_f64, 1.0, -1.0, 1.0];
    let gp = LatentGp::laplace(&k, &LogisticLikelihood, four(), &y).unwrap();
    let gram =
        mercer::ops::gram(&k, &mercer::Matrix::from_array(&Device::cpu(), four().view()).unwrap(), None)
            .unwrap()
            .to_array()
            .unwrap();
    // In dual coefficients c: f = Kc, by the general minimiser.
    let found = mercer::optim::Minimiser::new()
        .tolerance(1e-9)
        .run(&[0.0; 4], &[(f64::NEG_INFINITY, f64::INFINITY); 4], |c| {
            let c = Array1::from(c.to_vec());
            let f = gram.dot(&c);
            let loss: f64 = f.iter().zip(&y).map(|(f, y): (&f64, &f64)| (-y * f).exp().ln_1p()).sum();
            let slope: Array1<f64> =
                f.iter().zip(&y).map(|(f, y): (&f64, &f64)| -y / (1.0 + (y * f).exp())).collect();
            Ok((loss + 0.5 * c.dot(&f), gram.dot(&(slope + &c)).to_vec()))
        })
        .unwrap();
    all_near(&gram.dot(&Array1::from(found.point)).to_vec(), &gp.mode().to_vec(), 1e-6);
}

struct Slopeless;

impl PointLikelihood for Slopeless {
    fn check(&self, _: f64) -> mercer::Result<()> {
        Ok(())
    }

    fn local(&self, _: f64, _: f64) -> Local {
        Local { log: 0.0, slope: f64::NAN, curvature: 1.0, weight: 1.0 }
    }
}

/// A slope of NaN is no mode.
#[test]
fn a_mode_without_a_slope_is_refused() {
    assert!(LatentGp::laplace(&Kernel::rbf(1.0), &Slopeless, four(), array![1.0, 1.0, 1.0, 1.0]).is_err());
}

/// A given mean: exact under a Gaussian likelihood, where it is regression about the mean; with labels it is the prior's opinion.
#[test]
fn a_latent_process_about_a_mean() {
    let (x, y, k) = (four(), array![0.3, -0.2, 1.4, 2.0], Kernel::rbf(1.0));
    let m = |x: ndarray::ArrayView1<f64>| 0.5 + x[0];
    let likelihood = GaussianLikelihood { variance: 0.1 };
    let about = LatentGp::laplace_about(&k, &likelihood, &x, &y, m).unwrap();
    let exact = GpRegressor::new(k.clone()).noise(0.1).fit_about(&Device::cpu(), &x, &y, m).unwrap();
    let new = array![[0.4], [7.0]];
    let want = exact.predict_latent(&new).unwrap();
    let (mean, variance) = about.latent(&new).unwrap();
    all_near(&mean.to_vec(), &want.mean.to_vec(), 1e-9);
    all_near(&variance.to_vec(), &want.variance.to_vec(), 1e-9);
    near(about.residual().log_evidence(), exact.residual().log_evidence(), 1e-9);
    assert_eq!(about.latent_joint(&new).unwrap().0, mean);
    // A mean that already says what the labels say explains them better.
    let labels = array![-1.0, -1.0, 1.0, 1.0];
    let plain = LatentGp::laplace(&k, &LogisticLikelihood, &x, &labels).unwrap();
    let told = LatentGp::laplace_about(&k, &LogisticLikelihood, &x, &labels, |x| 2.0 * x[0]).unwrap();
    assert!(told.residual().log_evidence() > plain.log_evidence());
    let none = LatentGp::laplace_about(&k, &LogisticLikelihood, &x, &labels, |_| 0.0).unwrap();
    near(none.residual().log_evidence(), plain.log_evidence(), 1e-13);
    assert!(LatentGp::laplace_about(&k, &LogisticLikelihood, &x, &labels, |_| f64::NAN).is_err());
}

/// The averaged predictive is nearer to one half than the plug-in; the closed form is for the probit, and for it alone.
#[test]
fn predictives_of_labels_counts_and_numbers() {
    let (k, y) = (Kernel::rbf(1.0), array![-1.0, -1.0, 1.0, 1.0]);
    let new = array![[0.5], [1.5], [5.0]];
    let probit = LatentGp::laplace(&k, &ProbitLikelihood, four(), &y).unwrap();
    let averaged = probit.predictive(&new, 1.0, &ProbitLikelihood).unwrap();
    all_near(&averaged.to_vec(), &probit.probit_probability(&new).unwrap().to_vec(), 1e-12);
    let logistic = LatentGp::laplace(&k, &LogisticLikelihood, four(), &y).unwrap();
    assert!(matches!(logistic.probit_probability(&new), Err(mercer::Error::Unsupported { .. })));
    let (yes, no) = (
        logistic.predictive(&new, 1.0, &LogisticLikelihood).unwrap(),
        logistic.predictive(&new, -1.0, &LogisticLikelihood).unwrap(),
    );
    all_near(&(&yes + &no).to_vec(), &[1.0; 3], 1e-12);
    let sure = logistic.plug_in(&new, 1.0, &LogisticLikelihood).unwrap();
    assert!(yes.iter().zip(&sure).all(|(a, p)| (a - 0.5).abs() < (p - 0.5).abs()));
    let classes: Vec<bool> = y.iter().map(|y| *y > 0.0).collect();
    let fitted = GpClassifier::new(k.clone()).fit(&Device::cpu(), four(), &classes).unwrap();
    all_near(&fitted.predict_proba(&new).unwrap().column(1).to_vec(), &yes.to_vec(), 1e-10);
    let plugged = fitted.predict_proba_by(&new, Average::PlugIn).unwrap();
    all_near(&plugged.column(1).to_vec(), &sure.to_vec(), 1e-10);
    // A normal likelihood: the predictive density of regression.
    let (noise, targets) = (GaussianLikelihood { variance: 0.1 }, array![0.5_f64, 1.0, -0.3, -1.0]);
    let gp = LatentGp::laplace(&k, &noise, four(), &targets).unwrap();
    let (mean, variance) = gp.latent(&new).unwrap();
    let got = gp.predictive(&new, 0.4, &noise).unwrap();
    for i in 0..3 {
        let r = 0.4 - mean[i];
        let v = variance[i] + 0.1;
        near(got[i], (-0.5 * r * r / v).exp() / (std::f64::consts::TAU * v).sqrt(), 1e-12);
    }
    // Probabilities of counts sum to one.
    let counts = LatentGp::laplace(&k, &PoissonLikelihood, four(), array![1.0, 2.0, 6.0, 3.0]).unwrap();
    let sum: f64 = (0..200)
        .map(|n| counts.predictive(array![[0.5]], f64::from(n), &PoissonLikelihood).unwrap()[0])
        .sum();
    near(sum, 1.0, 1e-6);
    assert!(counts.predictive(&new, 0.5, &PoissonLikelihood).is_err());
    // Draws about a mean are draws, raised.
    let about = LatentGp::laplace_about(&k, &LogisticLikelihood, four(), &y, |x| x[0]).unwrap();
    let (a, b) = (
        about.sample_latent(&new, 3, 5).unwrap().values,
        about.residual().sample_latent(&new, 3, 5).unwrap().values,
    );
    near(a[[1, 2, 0]] - b[[1, 2, 0]], 5.0, 1e-12);
}
