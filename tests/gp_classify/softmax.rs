//! Several classes at once.

use mercer::models::gp::{Average, GpClassifier, Likelihood};
use mercer::{Device, Kernel};

use crate::{close, ring, sectors};

/// f₁ - f₀ of two independent processes with kernel k is a process with kernel 2k, and softmax(f)₁ = σ(f₁ - f₀).
#[test]
fn two_classes_are_logistic_with_twice_the_kernel() {
    let (x, labels) = ring(50, 60);
    let (cpu, shape) = (Device::cpu(), Kernel::rbf([0.8, 1.2]));
    let soft = GpClassifier::new(1.5 * shape.clone()).likelihood(Likelihood::Softmax);
    let logistic = GpClassifier::new(3.0 * shape);
    let own = soft.log_evidence(&cpu, x.view(), &labels).unwrap();
    let want = logistic.log_evidence(&cpu, x.view(), &labels).unwrap();
    close(own.value, want.value, 1e-10, "evidence");
    own.gradient.iter().zip(&want.gradient).for_each(|(g, s)| close(*g, *s, 1e-9, "gradient"));

    let (soft, logistic) =
        (soft.fit(&cpu, x.view(), &labels).unwrap(), logistic.fit(&cpu, x.view(), &labels).unwrap());
    let new = crate::support::random(40, 2, 61) * 2.0;
    let (a, b) = (soft.latent(new.view()).unwrap(), logistic.latent(new.view()).unwrap());
    let draws = soft.predict_proba_by(new.view(), Average::MonteCarlo { samples: 40_000, seed: 1 }).unwrap();
    let exact = logistic.predict_proba(new.view()).unwrap();
    for i in 0..40 {
        close(a.mean[[i, 1]] - a.mean[[i, 0]], b.mean[[i, 0]], 1e-10, "mean");
        // The sum of both is left as the prior has it: Var f₁ = (Var(f₁ - f₀) + Var(f₁ + f₀))/4.
        close(a.variance[[i, 1]], 0.25 * (b.variance[[i, 0]] + 3.0), 1e-10, "variance");
        close(draws[[i, 1]], exact[[i, 1]], 0.01, "probability");
    }
}

#[test]
fn the_order_of_classes_does_not_matter() {
    let (x, labels) = sectors(60, 62);
    let turned: Vec<usize> = labels.iter().map(|l| (l + 1) % 3).collect();
    let model = GpClassifier::new(4.0 * Kernel::rbf(0.9)).likelihood(Likelihood::Softmax);
    let one = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
    let other = model.fit(&Device::cpu(), x.view(), &turned).unwrap();
    close(one.log_evidence(), other.log_evidence(), 1e-10, "evidence");
    let (f, g) = (one.modes()[0].to_owned(), other.modes()[0].to_owned());
    for i in 0..60 {
        (0..3).for_each(|c| close(f[[i, c]], g[[i, (c + 1) % 3]], 1e-8, "mode"));
        // Nothing speaks for all classes at once.
        close(f.row(i).sum(), 0.0, 1e-8, "sum of the latent values");
    }
    let p = one.predict_proba(x.view()).unwrap();
    assert!(p.rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-12));
    let right = one.predict(x.view()).unwrap().iter().zip(&labels).filter(|(a, b)| a == b).count();
    assert!(right >= 52, "{right} of 60");
}

#[test]
fn one_against_the_rest_agrees_on_the_classes() {
    let (x, labels) = sectors(60, 63);
    let (new, truth) = sectors(100, 64);
    let fit = |likelihood| {
        let model = GpClassifier::new(4.0 * Kernel::rbf(0.9)).likelihood(likelihood);
        model.fit(&Device::cpu(), x.view(), &labels).unwrap()
    };
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let fitted = fit(likelihood);
        assert_eq!(fitted.classes(), [0, 1, 2]);
        assert_eq!(fitted.latent(new.view()).unwrap().mean.ncols(), 3);
        let p = fitted.predict_proba(new.view()).unwrap();
        assert!(p.rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-12));
        let right = fitted.predict(new.view()).unwrap().iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert!(right >= 80, "{likelihood:?}: {right} of 100");
    }
}
