//! The same classifier on every adapter.

use mercer::models::gp::{GpClassifier, Likelihood};
use mercer::{Device, Kernel};

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
            gradient.iter().zip(&slope).for_each(|(g, s)| close(*g, *s, 2e-5 * steepest, &on));
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

/// An f32 factor does for the mode, whatever the amplitude; where it does not, an f64 one takes its place.
#[test]
fn a_large_amplitude_is_no_trouble() {
    let (x, labels) = ring(60, 83);
    let model = GpClassifier::new(1e5 * Kernel::rbf(1.5));
    let cpu = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
    for gpu in adapters() {
        let fitted = model.fit(gpu, x.view(), &labels).unwrap();
        let scale = cpu.modes()[0].iter().fold(0f64, |s, v| s.max(v.abs()));
        for (f, g) in fitted.modes()[0].iter().zip(cpu.modes()[0]) {
            close(*f, *g, 1e-7 * scale, &format!("{gpu}"));
        }
    }
}
