//! The same classifier on every adapter.

use mercer::models::gp::{FittedGpClassifier, GpClassifier, Likelihood};
use mercer::{Device, Kernel};
use ndarray::Array2;

use crate::support::{adapters, gpus, random};
use crate::{close, ring, sectors};

#[test]
fn every_adapter_agrees_with_the_cpu() {
    let two = ring(70, 80);
    let three = sectors(50, 81);
    let new = random(30, 2, 82) * 2.5;
    let kernel = 5.0 * Kernel::rbf([0.8, 1.2]) + 0.3 * Kernel::linear();
    for (likelihood, (x, labels)) in
        [(Likelihood::Logistic, &two), (Likelihood::Probit, &two), (Likelihood::Softmax, &three)]
    {
        let model = GpClassifier::new(kernel.clone()).likelihood(likelihood);
        let cpu = model.fit(&Device::cpu(), x.view(), labels).unwrap();
        let slope = model.log_evidence(&Device::cpu(), x.view(), labels).unwrap().gradient;
        let want = cpu.latent(new.view()).unwrap();
        let p = cpu.predict_proba(new.view()).unwrap();
        let scale = want.mean.iter().fold(0f64, |s, v| s.max(v.abs()));
        let steepest = slope.iter().fold(1f64, |s, v| s.max(v.abs()));
        for gpu in gpus() {
            let fitted = model.fit(gpu, x.view(), labels).unwrap();
            let on = format!("{likelihood:?} on {gpu}");
            // The mode is refined against f64; only its rounding is left.
            for (f, g) in fitted.modes()[0].iter().zip(cpu.modes()[0]) {
                close(*f, *g, 1e-8, &on);
            }
            close(fitted.log_evidence(), cpu.log_evidence(), 2e-5, &on);
            let gradient = model.log_evidence(gpu, x.view(), labels).unwrap().gradient;
            gradient.iter().zip(&slope).for_each(|(g, s)| close(*g, *s, 1e-8 * steepest, &on));
            let latent = fitted.latent(new.view()).unwrap();
            latent.mean.iter().zip(&want.mean).for_each(|(g, w)| close(*g, *w, 1e-6 * scale, &on));
            for (g, w) in latent.variance.iter().zip(&want.variance) {
                close(g.sqrt(), w.sqrt(), 1e-4 * w.sqrt(), &on);
            }
            let q = fitted.predict_proba(new.view()).unwrap();
            q.iter().zip(&p).for_each(|(q, p)| close(*q, *p, 1e-5, &on));
        }
    }
}

/// Latent means to 1e-6 of the largest and each standard deviation to 1e-4, whatever the amplitude: where an f32 factor
/// has lost too much, an f64 one takes its place.
#[test]
fn a_large_amplitude_is_no_trouble() {
    let two = ring(60, 83);
    let three = sectors(45, 84);
    let new = random(30, 2, 85) * 2.5;
    for amplitude in [1e2, 1e4, 1e5] {
        for (likelihood, (x, labels)) in
            [(Likelihood::Logistic, &two), (Likelihood::Probit, &two), (Likelihood::Softmax, &three)]
        {
            let model = GpClassifier::new(amplitude * Kernel::rbf(1.5)).likelihood(likelihood);
            let cpu = model.fit(&Device::cpu(), x.view(), labels).unwrap();
            for gpu in adapters() {
                let fitted = model.fit(gpu, x.view(), labels).unwrap();
                agree(&fitted, &cpu, &new, &format!("{likelihood:?}, {amplitude:e}, {gpu}"));
            }
        }
    }
}

/// A kernel that sees differences only must not care how far away the origin is, although f32 would.
#[test]
fn a_far_origin_is_no_trouble() {
    let two = ring(60, 86);
    let three = sectors(45, 87);
    let new = random(30, 2, 88) * 2.5;
    for (likelihood, (x, labels)) in
        [(Likelihood::Logistic, &two), (Likelihood::Probit, &two), (Likelihood::Softmax, &three)]
    {
        let model = GpClassifier::new(4.0 * Kernel::rbf([0.8, 1.2])).likelihood(likelihood);
        let (x, new) = (x + 1e5, &new + 1e5);
        let cpu = model.fit(&Device::cpu(), x.view(), labels).unwrap();
        let slope = model.log_evidence(&Device::cpu(), x.view(), labels).unwrap().gradient;
        let steepest = slope.iter().fold(0f64, |s, v| s.max(v.abs()));
        for gpu in adapters() {
            let on = format!("{likelihood:?}, {gpu}");
            let fitted = model.fit(gpu, x.view(), labels).unwrap();
            agree(&fitted, &cpu, &new, &on);
            let gradient = model.log_evidence(gpu, x.view(), labels).unwrap().gradient;
            gradient.iter().zip(&slope).for_each(|(g, s)| close(*g, *s, 1e-8 * steepest, &on));
        }
    }
}

fn agree(got: &FittedGpClassifier, want: &FittedGpClassifier, new: &Array2<f64>, on: &str) {
    let largest = |a: &Array2<f64>| a.iter().fold(0f64, |s, v| s.max(v.abs()));
    let (f, g) = (got.modes()[0].to_owned(), want.modes()[0].to_owned());
    f.iter().zip(&g).for_each(|(f, w)| close(*f, *w, 1e-7 * largest(&g), &format!("{on}: mode")));
    let evidence = want.log_evidence();
    close(got.log_evidence(), evidence, 1e-5 * evidence.abs(), &format!("{on}: evidence"));
    let (latent, exact) = (got.latent(new.view()).unwrap(), want.latent(new.view()).unwrap());
    let scale = largest(&exact.mean);
    latent
        .mean
        .iter()
        .zip(&exact.mean)
        .for_each(|(g, w)| close(*g, *w, 1e-6 * scale, &format!("{on}: mean")));
    for (g, w) in latent.variance.iter().zip(&exact.variance) {
        close(g.sqrt(), w.sqrt(), 1e-4 * w.sqrt(), &format!("{on}: std"));
    }
    let (p, q) = (got.predict_proba(new.view()).unwrap(), want.predict_proba(new.view()).unwrap());
    p.iter().zip(&q).for_each(|(p, q)| close(*p, *q, 1e-5, &format!("{on}: probability")));
}
