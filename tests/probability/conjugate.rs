//! Conjugate pairs: golden numbers, sequential = batch, evidence = numerical integration.

use mercer::probability::conjugate::*;
use mercer::probability::distributions::*;
use mercer::probability::special::log_gamma;
use ndarray::{Array1, Array2, Axis, array};

use crate::{all_near, integral, near};

/// One after the other is all at once, and the evidence is the product of the predictives.
fn one_by_one<C: Conjugate + PartialEq + std::fmt::Debug>(prior: &C, x: &[C::Observation])
where
    C::Observation: Clone,
{
    let mut log = 0.0;
    let mut now = prior.posterior(&[]).unwrap();
    for x in x {
        log += now.log_predictive(x).unwrap();
        now = now.posterior(std::slice::from_ref(x)).unwrap();
    }
    near(log, prior.log_evidence(x).unwrap(), 1e-11);
    let batch = format!("{:.8?}", prior.posterior(x).unwrap());
    assert_eq!(format!("{now:.8?}"), batch);
}

#[test]
fn sequential_is_batch() {
    one_by_one(&BetaBernoulli::new(0.7, 2.0).unwrap(), &[true, false, true, true]);
    one_by_one(&DirichletCategorical::new(&[1.0, 2.0, 0.5]).unwrap(), &[0, 0, 1, 0]);
    one_by_one(&NormalMean::new(1.0, 3.0, 0.5).unwrap(), &[0.2, -1.0, 0.7]);
    one_by_one(&GammaPoisson::new(2.0, 0.5).unwrap(), &[3, 0, 5]);
    one_by_one(&NormalInverseGamma::new(0.0, 1.0, 2.0, 2.0).unwrap(), &[0.2, -1.0, 0.7]);
    let niw = NormalInverseWishart::new(array![0.0, 1.0].view(), 1.5, 4.0, Array2::eye(2).view()).unwrap();
    let rows = [array![0.1, 0.9], array![1.2, -0.3], array![-0.5, 0.4]];
    one_by_one(&niw, &rows);
    // The posterior of a posterior is that of all, to rounding.
    let (two, three) = (niw.posterior(rows_of(&rows[..2]).view()).unwrap(), rows_of(&rows[2..]));
    let (step, all) = (two.posterior(three.view()).unwrap(), niw.posterior(rows_of(&rows).view()).unwrap());
    all_near(&step.mean().to_vec(), &all.mean().to_vec(), 1e-13);
    all_near(step.scale().as_slice().unwrap(), all.scale().as_slice().unwrap(), 1e-12);
    assert!(Conjugate::posterior(&niw, &[array![1.0]]).is_err());
}

fn rows_of(x: &[Array1<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((x.len(), 2), |(i, j)| x[i][j])
}

/// BL-04, I.1.
#[test]
fn beta_bernoulli() {
    let seller =
        |a: f64, yes: f64, no: f64| BetaBernoulli::new(a, a).unwrap().after(yes, no).unwrap().predictive();
    for (a, one, two) in [
        (1.0, 0.96875, 0.8921569),
        (3.0, 0.9166667, 0.8773585),
        (6.0, 0.8571429, 0.8571429),
        (10.0, 0.8, 0.8333333),
    ] {
        near(seller(a, 30.0, 0.0), one, 5e-8);
        near(seller(a, 90.0, 10.0), two, 5e-8);
    }
    near(BetaBernoulli::new(1.0, 1.0).unwrap().log_evidence_of(3.0, 1.0).unwrap().exp(), 1.0 / 20.0, 1e-14);
    // The printed form of Beta(2, 3) integrates to 0.2, the right one to 1.
    let beta = Beta::new(2.0, 3.0).unwrap();
    let constant = beta.density(0.5) / (0.5 * 0.25);
    near(integral(0.0, 1.0, 20_000, |p| constant * p.powi(2) * (1.0 - p).powi(3)), 0.2, 1e-8);
    near(integral(0.0, 1.0, 20_000, |p| beta.density(p)), 1.0, 1e-8);
    // N = 0 predicts the prior mean; a uniform prior's mode is the share; Dirichlet of two is the same.
    assert_eq!(BetaBernoulli::new(2.0, 3.0).unwrap().predictive(), 0.4);
    near(
        BetaBernoulli::new(1.0, 1.0).unwrap().after(3.0, 1.0).unwrap().belief().mode().unwrap(),
        0.75,
        1e-15,
    );
    let two = DirichletCategorical::new(&[2.0, 3.0]).unwrap();
    near(
        two.log_evidence_of(&[4.0, 1.0]).unwrap(),
        BetaBernoulli::new(2.0, 3.0).unwrap().log_evidence_of(4.0, 1.0).unwrap(),
        1e-13,
    );
    // Predictive = mean of draws of the posterior.
    let draws = Beta::new(8.0, 4.0).unwrap().sample(20_000, 1).unwrap();
    near(draws.mean().unwrap(), 8.0 / 12.0, 0.005);
}

/// BL-03, I.2: ref:M.
#[test]
fn dirichlet_categorical() {
    let prior = DirichletCategorical::new(&[1.0, 2.0, 0.5]).unwrap();
    let after = prior.after(&[3.0, 1.0, 0.0]).unwrap();
    all_near(&after.predictive(), &[0.5333333333, 0.4, 0.06666666667], 1e-10);
    all_near(&after.belief().variance(), &[0.02928104575, 0.02823529412, 0.007320261438], 1e-10);
    near(prior.log_evidence_of(&[3.0, 1.0, 0.0]).unwrap(), -3.848483985, 1e-9);
    let weak = DirichletCategorical::new(&[1e-9; 3]).unwrap().after(&[3.0, 1.0, 0.0]).unwrap().predictive();
    all_near(&weak, &[0.75, 0.25, 0.0], 1e-8);
    // Aggregation: categories that are merged are a Dirichlet of the sums.
    let merged = DirichletCategorical::new(&[1.0, 2.5]).unwrap().after(&[3.0, 1.0]).unwrap().predictive();
    near(merged[1], after.predictive()[1] + after.predictive()[2], 1e-15);
    // Laplace's smoothing, and never zero.
    all_near(
        &DirichletCategorical::new(&[1.0; 3]).unwrap().after(&[2.0, 0.0, 0.0]).unwrap().predictive(),
        &[0.6, 0.2, 0.2],
        1e-15,
    );
    assert!(prior.after(&[-1.0, 0.0, 0.0]).is_err() && prior.posterior(&[3]).is_err());
}

/// I.3: Fig. 3.3 with a sample mean of zero.
#[test]
fn gaussian_gaussian() {
    let prior = NormalMean::new(1.0, 3.0, 1.0).unwrap();
    for n in [1usize, 4, 100] {
        let after = prior.posterior(&vec![0.0; n]).unwrap();
        let d = 1.0 + 3.0 * n as f64;
        near(after.belief().location(), 1.0 / d, 1e-14);
        near(after.belief().variance().unwrap(), 3.0 / d, 1e-14);
    }
    let one = prior.posterior(&[0.0]).unwrap();
    near(one.predictive().unwrap().variance().unwrap(), 1.75, 1e-14);
    let flat = NormalMean::new(0.0, 1e12, 1.0).unwrap().posterior(&[2.0, 4.0]).unwrap();
    near(flat.belief().location(), 3.0, 1e-10);
    // The evidence by numerical integration.
    let x = [0.3, -0.8];
    let joint = |m: f64| {
        let like: f64 = x.iter().map(|x| Normal::new(m, 1.0).unwrap().log_density(*x)).sum();
        (like + prior.belief().log_density(m)).exp()
    };
    near(prior.log_evidence(&x).unwrap(), integral(-20.0, 20.0, 40_000, joint).ln(), 1e-9);
}

/// Posterior density = likelihood x prior over its integral, at every point; the evidence is that integral.
#[test]
fn beliefs_about_shares_are_numerical_integrals() {
    let prior = BetaBernoulli::new(2.5, 3.5).unwrap();
    let (ones, zeros) = (7.0, 2.0);
    let joint = |t: f64| (ones * t.ln() + zeros * (1.0 - t).ln() + prior.belief().log_density(t)).exp();
    let evidence = integral(1e-12, 1.0 - 1e-12, 200_000, joint);
    near(prior.log_evidence_of(ones, zeros).unwrap(), evidence.ln(), 1e-9);
    let after = Beta::new(2.5 + ones, 3.5 + zeros).unwrap();
    for t in [0.05, 0.3, 0.62, 0.9] {
        near(after.density(t), joint(t) / evidence, 1e-8);
    }
    let alpha = [1.5, 2.0, 2.5];
    let counts = [3.0, 1.0, 2.0];
    let dirichlet = DirichletCategorical::new(&alpha).unwrap();
    let constant: f64 = log_gamma(6.0) - alpha.iter().map(|a| log_gamma(*a)).sum::<f64>();
    let evidence = integral(0.0, 1.0, 2000, |a| {
        integral(0.0, 1.0 - a, 2000, |b| {
            let p = [a, b, 1.0 - a - b];
            if p.iter().any(|p| *p <= 0.0) {
                return 0.0;
            }
            let log: f64 = p.iter().zip(alpha).zip(counts).map(|((p, a), c)| (a - 1.0 + c) * p.ln()).sum();
            (constant + log).exp()
        })
    });
    near(dirichlet.log_evidence_of(&counts).unwrap(), evidence.ln(), 1e-5);
}

#[test]
fn updates_are_numerical_integrals() {
    let prior = GammaPoisson::new(2.0, 0.5).unwrap();
    let x = [3u64, 0, 5];
    let joint = |l: f64| {
        let like: f64 = x.iter().map(|&x| Poisson::new(l).unwrap().log_density(x as f64)).sum();
        (like + prior.belief().log_density(l)).exp()
    };
    near(prior.log_evidence(&x).unwrap(), integral(1e-12, 60.0, 100_000, joint).ln(), 1e-7);
    let nig = NormalInverseGamma::new(0.5, 2.0, 3.0, 2.0).unwrap();
    let data = [0.2, 1.4, -0.6];
    let (mut sum, steps, width) = (0.0, 400, 16.0 / 400.0);
    for i in 0..steps {
        let m = -8.0 + (f64::from(i) + 0.5) * width;
        sum += width
            * integral(1e-4, 60.0, 6000, |v| {
                let like: f64 = data.iter().map(|x| Normal::new(m, v).unwrap().log_density(*x)).sum();
                (like + nig.log_density(m, v)).exp()
            });
    }
    near(nig.log_evidence(&data).unwrap(), sum.ln(), 2e-3);
    near(
        Normal::fit_map(&data, &[1.0; 3], &nig).unwrap().location(),
        nig.posterior(&data).unwrap().mean(),
        1e-15,
    );
    // One dimension of the Wishart form is the gamma form.
    let x = Array1::from(data.to_vec()).insert_axis(Axis(1));
    let niw = NormalInverseWishart::new(array![0.5].view(), 2.0, 6.0, array![[4.0]].view()).unwrap();
    near(niw.log_evidence(x.view()).unwrap(), nig.log_evidence(&data).unwrap(), 1e-11);
    let t = niw.posterior(x.view()).unwrap().predictive().unwrap();
    let one = nig.posterior(&data).unwrap().predictive().unwrap();
    near(t.log_density(array![[0.9]].view()).unwrap()[0], one.log_density(0.9), 1e-11);
    // In two dimensions the evidence is the product of predictives.
    let niw = NormalInverseWishart::new(array![0.0, 1.0].view(), 1.5, 4.0, Array2::eye(2).view()).unwrap();
    let rows = array![[0.1, 0.9], [1.2, -0.3], [-0.5, 0.4]];
    let mut log = niw.predictive().unwrap().log_density(rows.slice(ndarray::s![..1, ..])).unwrap()[0];
    for i in 1..3 {
        let now = niw.posterior(rows.slice(ndarray::s![..i, ..])).unwrap();
        log += now.predictive().unwrap().log_density(rows.slice(ndarray::s![i..i + 1, ..])).unwrap()[0];
    }
    near(niw.log_evidence(rows.view()).unwrap(), log, 1e-11);
}

/// The rarer of two outcomes has a logarithm, however rare.
#[test]
fn predictives_of_certain_beliefs() {
    let sure = BetaBernoulli::new(1e20, 1.0).unwrap();
    near(sure.log_predictive(&false).unwrap(), -(1e20f64.ln()), 1e-12);
    near(sure.log_predictive(&true).unwrap() * 1e20, -1.0, 1e-12);
    let not = BetaBernoulli::new(1.0, 1e20).unwrap();
    near(not.log_predictive(&true).unwrap(), -(1e20f64.ln()), 1e-12);
}
