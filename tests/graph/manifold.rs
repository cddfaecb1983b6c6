use mercer::ops::gram;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

use crate::support::random;
use crate::{close, moons};

fn notes() -> (Array2<f64>, Array1<f64>, Array2<f64>) {
    (array![[0.0], [3.0]], array![-1.0, 1.0], array![[0.5], [1.0], [1.5], [2.0], [2.5]])
}

fn rls(eta: f64) -> FittedLaplacianRls<ndarray::Ix1> {
    let (x, y, more) = notes();
    let model = LaplacianRls::new(Kernel::rbf(1.0), 0.1, eta).neighbourhood(Neighbourhood::gaussian(0.5));
    model.unlabelled(more).fit(&Device::cpu(), &x, &y).unwrap()
}

#[test]
fn least_squares_are_those_of_the_notes() {
    let plain = rls(0.0);
    close(plain.dual_coefficients().column(0).slice(s![..2]), &[-0.91836556, 0.91836556], 1e-8, "η = 0");
    assert!(plain.dual_coefficients().slice(s![2.., ..]).iter().all(|a| *a == 0.0));
    close([&plain.values()[[2, 0]]], [&-0.7701046], 1e-7, "f(.5)");
    let some = rls(0.5);
    let want = [-0.76519118, 0.76519118, -0.55115137, -0.26393324, 0.0, 0.26393324, 0.55115137];
    close(some.values().column(0), &want, 1e-8, "η = .5");
    close(&[some.smoothness()[0], some.objective()], &[0.4569881503, 0.4696176495], 1e-9, "its penalties");
    let much = rls(5.0);
    close(&[much.values()[[0, 0]], much.smoothness()[0]], &[-0.33342638, 0.08283115422], 1e-8, "η = 5");
    let (x, _, more) = notes();
    let all = concatenate![Axis(0), x, more];
    close(&some.predict(&all).unwrap(), some.values(), 1e-12, "predictions at the points");
}

#[test]
fn without_the_graph_it_is_kernel_ridge_on_the_labelled_points() {
    let (x, y) = (random(12, 2, 1), random(12, 2, 2));
    let (kernel, new) = (Kernel::matern32(0.8), random(5, 2, 3));
    let ridge = KernelRidge::new(kernel.clone(), 0.05).fit(&Device::cpu(), &x, &y).unwrap();
    let want = ridge.predict(&new).unwrap();
    for model in [
        LaplacianRls::new(kernel.clone(), 0.05, 0.0).unlabelled(random(7, 2, 4)),
        LaplacianRls::new(kernel, 0.05, 0.0),
    ] {
        let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
        close(&fit.predict(&new).unwrap(), &want, 1e-10, "predictions");
    }
}

/// The gradient of the objective by α vanishes: `K ((JᵀJ K + λ I + η L K) α - Jᵀ y) = 0`.
#[test]
fn least_squares_are_stationary() {
    let (x, y, more) = (random(6, 2, 5), random(6, 1, 6), random(9, 2, 7));
    let (kernel, lambda, eta) = (Kernel::rbf(0.7), 0.02, 0.4);
    let rule = Neighbourhood::nearest(3);
    let model = LaplacianRls::new(kernel.clone(), lambda, eta).neighbourhood(rule).unlabelled(more.clone());
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let all = concatenate![Axis(0), x, more];
    let k = gram(&kernel, &Matrix::from_array(&Device::cpu(), all.view()).unwrap(), None)
        .unwrap()
        .to_array()
        .unwrap();
    let l = rule.graph(&all).unwrap().laplacian(Laplacian::Unnormalised).unwrap().to_dense().unwrap();
    let (a, f) = (fit.dual_coefficients(), fit.values());
    let mut rest = a * lambda + l.dot(f) * eta;
    rest.slice_mut(s![..6, ..]).zip_mut_with(&(&f.slice(s![..6, ..]) - &y), |r, e| *r += e);
    close(&k.dot(&rest), &Array2::<f64>::zeros((15, 1)), 1e-12, "the gradient");
    // The unlabelled points in another order are the same points.
    let back = LaplacianRls::new(kernel, lambda, eta)
        .neighbourhood(rule)
        .unlabelled(more.slice(s![..;-1, ..]).to_owned());
    let new = random(4, 2, 8);
    let other = back.fit(&Device::cpu(), &x, &y).unwrap().predict(&new).unwrap();
    close(&other, &fit.predict(&new).unwrap(), 1e-10, "in another order");
}

#[test]
fn a_heavy_graph_leaves_a_constant() {
    let f = rls(1e9).values().clone();
    assert!(f.iter().all(|v| (v - f[[0, 0]]).abs() < 1e-6));
}

/// One label on each moon.
#[test]
fn moons_need_one_label_each() {
    let (x, y) = moons(120);
    // In the middle of each moon.
    let known = [60, 61];
    let (few, labels) = (x.select(Axis(0), &known), known.map(|i| y[i]));
    let rule = Neighbourhood::nearest(5);
    let kernel = Kernel::rbf(0.3);
    let truth = |said: Vec<usize>| accuracy(&y, &said).unwrap();
    let svm = LaplacianSvm::new(kernel.clone(), 1e-4, 1.0).neighbourhood(rule).unlabelled(x.clone());
    let fit = svm.fit(&Device::cpu(), &few, labels).unwrap();
    assert_eq!(truth(fit.predict(&x).unwrap()), 1.0);
    let plain = svm.manifold(0.0).fit(&Device::cpu(), &few, labels).unwrap();
    assert!(truth(plain.predict(&x).unwrap()) < 0.95);
    let logistic =
        LaplacianLogistic::new(kernel.clone(), 1e-4, 1.0).neighbourhood(rule).unlabelled(x.clone());
    assert_eq!(truth(logistic.fit(&Device::cpu(), &few, labels).unwrap().predict(&x).unwrap()), 1.0);
    let signs = array![-1.0, 1.0];
    let rls = LaplacianRls::new(kernel, 1e-4, 1.0).neighbourhood(rule).unlabelled(x.clone());
    let f = rls.fit(&Device::cpu(), &few, &signs).unwrap().predict(&x).unwrap();
    assert_eq!(truth(f.iter().map(|f| usize::from(*f > 0.0)).collect()), 1.0);
}

/// Two points: `min 2 max(0, 1 - f) + λ ‖f‖²` by hand, and the certificate of a larger problem.
#[test]
fn margins_are_certified() {
    let far = array![[-100.0], [100.0]];
    // k = 1 on the diagonal and 0 elsewhere: each point alone, a = min(1/2λ, 1).
    for (lambda, want) in [(2.0, 0.25), (0.1, 1.0)] {
        let fit =
            LaplacianSvm::new(Kernel::rbf(1.0), lambda, 0.0).fit(&Device::cpu(), &far, [-1, 1]).unwrap();
        close(fit.dual_coefficients().column(0), &[-want, want], 1e-9, "by hand");
    }
    let (x, y) = moons(40);
    let model = LaplacianSvm::new(Kernel::rbf(0.5), 0.05, 0.01).neighbourhood(Neighbourhood::nearest(4));
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let found = fit.certificates()[0];
    assert!(found.gap() >= -1e-9 && found.gap() <= 1e-8 * (1.0 + found.primal), "{found:?}");
    assert!(found.support >= found.bounded && found.support < 40 && fit.reports()[0].converged());
    // The primal value, from the function itself.
    let f = fit.decision(&x).unwrap();
    let graph = Neighbourhood::nearest(4).graph(&x).unwrap();
    let a = fit.dual_coefficients();
    let loss: f64 =
        f.iter().zip(&y).map(|(f, y)| (1.0 - f * if *y == 1 { 1.0 } else { -1.0 }).max(0.0)).sum();
    let primal = loss + 0.05 * (a * &f).sum() + 0.01 * graph.smoothness(f.column(0)).unwrap();
    close([&found.primal], [&primal], 1e-9, "the objective");
    // Several classes: each against the rest.
    let three: Vec<&str> =
        (0..40).map(|i| ["a", "b", "c"][i % 2 + usize::from(i > 30 && i % 2 == 1)]).collect();
    let fit = model.fit(&Device::cpu(), &x, &three).unwrap();
    assert_eq!((fit.certificates().len(), fit.decision(&x).unwrap().ncols()), (3, 3));
    assert!(fit.score(&x, &three).unwrap() > 0.9);
}

/// `2 (λ α + η L f) = y σ(-y f)` at the labelled points, and nothing at the others.
#[test]
fn the_logistic_loss_is_stationary() {
    let (x, y) = moons(30);
    let (lambda, eta) = (0.05, 0.02);
    let (few, labels) = (x.slice(s![..10, ..]).to_owned(), &y[..10]);
    let more = x.slice(s![10.., ..]).to_owned();
    let rule = Neighbourhood::nearest(4);
    let model = LaplacianLogistic::new(Kernel::rbf(0.5), lambda, eta).neighbourhood(rule).unlabelled(more);
    let fit = model.fit(&Device::cpu(), &few, labels).unwrap();
    let f = fit.decision(&x).unwrap().column(0).to_owned();
    let slope = rule.graph(&x).unwrap().smoothness_gradient(f.view()).unwrap();
    let left = fit.dual_coefficients().column(0).to_owned() * (2.0 * lambda) + slope * eta;
    let right = (0..30).map(|i| {
        let sign = if y[i] == 1 { 1.0 } else { -1.0 };
        if i < 10 { sign / (1.0 + (sign * f[i]).exp()) } else { 0.0 }
    });
    close(&left, &right.collect::<Vec<_>>(), 1e-6, "the gradient");
    let p = fit.predict_proba(&x).unwrap();
    close(p.column(1), &f.mapv(|f| 1.0 / (1.0 + (-f).exp())), 1e-12, "the probabilities");
    assert!(fit.reports()[0].trace.windows(2).all(|w| w[1] <= w[0] + 1e-10));
}
