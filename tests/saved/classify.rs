//! Classifiers.

use mercer::models::gp::{FittedGpClassifier, GpClassifier, Likelihood};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::Array2;

use crate::support::{gpus, random};
use crate::{damaged, refused, same, through};

/// Blobs with these labels, in turn.
fn data(n: usize, labels: &[usize]) -> (Array2<f64>, Vec<usize>) {
    let y: Vec<usize> = (0..n).map(|i| labels[i % labels.len()]).collect();
    let x = Array2::from_shape_fn((n, 2), |(i, j)| (2.1 * (i % labels.len()) as f64 + j as f64).sin());
    (x + 0.7 * random(n, 2, 5), y)
}

fn alike(a: &FittedGpClassifier, b: &FittedGpClassifier, new: &Array2<f64>) {
    let [la, lb] = [a, b].map(|m| m.latent(new.view()).unwrap());
    same(&la.mean, &lb.mean);
    same(&la.variance, &lb.variance);
    same(&a.predict_proba(new.view()).unwrap(), &b.predict_proba(new.view()).unwrap());
    assert_eq!(a.log_evidence().to_bits(), b.log_evidence().to_bits());
    assert_eq!((a.classes(), a.kernels()), (b.classes(), b.kernels()));
    assert_eq!((a.searches(), a.newton_traces()), (b.searches(), b.newton_traces()));
}

#[test]
fn a_classifier_is_the_same() {
    let new = random(12, 2, 7);
    for (likelihood, labels) in [
        (Likelihood::Logistic, &[3, 8][..]),
        (Likelihood::Probit, &[3, 8, 9]),
        (Likelihood::Softmax, &[0, 1]),
        (Likelihood::Softmax, &[3, 8, 9]),
    ] {
        let (x, y) = data(40, labels);
        let model = GpClassifier::new(1.5 * Kernel::rbf(0.8)).likelihood(likelihood);
        let searched = model.clone().optimise(Minimiser::new().max_iterations(3));
        for model in [model, searched] {
            let fitted = model.fit(&Device::cpu(), x.view(), &y).unwrap();
            for back in through(&fitted) {
                alike(&back, &fitted, &new);
            }
        }
    }
}

#[test]
fn what_a_gpu_has_fitted_predicts_without_one() {
    let (new, (x, y)) = (random(12, 2, 7), data(40, &[0, 1]));
    for device in gpus() {
        for likelihood in [Likelihood::Logistic, Likelihood::Softmax] {
            let model = GpClassifier::new(1.5 * Kernel::rbf(0.8)).likelihood(likelihood);
            let fitted = model.fit(device, x.view(), &y).unwrap();
            let exact = model.fit(&Device::cpu(), x.view(), &y).unwrap().latent(new.view()).unwrap();
            for back in through(&fitted) {
                let own = back.latent(new.view()).unwrap();
                same(&own.mean, &fitted.latent(new.view()).unwrap().mean);
                let off = (&own.variance - &exact.variance).mapv(f64::abs).fold(0f64, |m, v| m.max(*v));
                assert!(off < 1e-8, "{device}, {likelihood:?}: {off:e}");
            }
        }
    }
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let (x, y) = data(20, &[0, 1]);
    let fitted = GpClassifier::new(Kernel::rbf(0.8)).fit(&Device::cpu(), x.view(), &y).unwrap();
    damaged(&fitted);
    let one = "/body/Binary/0/0";
    for (at, value, said) in [
        ("/labels/classes/1", 0.into(), "classes"),
        ("/labels/classes", vec![0, 1, 2].into(), "latent"),
        ("/x/data/0", serde_json::Value::from("nan"), "x"),
        (&format!("{one}/f/data/0"), 9.0.into(), "mode"),
        (&format!("{one}/a/data/0"), 9.0.into(), "mode"),
        (&format!("{one}/curvature/root/0"), (-1.0).into(), "root"),
        (&format!("{one}/curvature/root/0"), 2.0.into(), "row 0"),
        (&format!("{one}/curvature/factor/l/lower/0"), (-1.0).into(), "pivot 0"),
        (&format!("{one}/curvature/factor/l/order"), 19.into(), "triangle"),
        (&format!("{one}/kernel/Leaf/scales/0/value"), (-1.0).into(), "lengthscale"),
    ] {
        let error = refused(&fitted, at, value);
        assert!(error.contains(said), "{at}: {error}");
    }
    let (x, y) = data(21, &[0, 1, 2]);
    let model = GpClassifier::new(Kernel::rbf(0.8)).likelihood(Likelihood::Softmax);
    let fitted = model.fit(&Device::cpu(), x.view(), &y).unwrap();
    damaged(&fitted);
    let all = "/body/Softmax/curvature";
    for (at, value, said) in [
        ("/labels/classes", serde_json::Value::from(vec![0, 1]), "mode"),
        (&format!("{all}/pi/data/0"), (-0.5).into(), "root"),
        (&format!("{all}/each/1/l/lower/0"), 0.0.into(), "pivot 0"),
        (&format!("{all}/e/1/data/0"), 9.0.into(), "row 0"),
        (&format!("{all}/inner/0"), Vec::<f64>::new().into(), "B⁻¹"),
    ] {
        let error = refused(&fitted, at, value);
        assert!(error.contains(said), "{at}: {error}");
    }
}
