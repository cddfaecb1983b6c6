use mercer::models::gp::{FittedGp, GpRegressor, Mean, Predictive};
use mercer::models::kernel_methods::KernelRidge;
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, array, concatenate, s};

use crate::{close, data, gram};

fn kernels() -> Vec<Kernel> {
    vec![
        1.3 * Kernel::rbf([0.9, 1.7]),
        0.7 * Kernel::matern32(1.2) + Kernel::constant(0.5) * Kernel::linear(),
        Kernel::rational_quadratic([1.0, 2.0], 0.8) * Kernel::matern52(3.0) + Kernel::white(0.02),
    ]
}

/// Mean and covariance are those of the definition, `k(x, X)(K + σ²I)⁻¹y`.
#[test]
fn the_posterior_is_the_formula() {
    let (x, y) = data(30, 2, 1);
    let (new, _) = data(7, 2, 9);
    for kernel in kernels() {
        let model = GpRegressor::new(kernel.clone()).noise(0.05);
        let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let mut c = gram(&kernel, x.view(), x.view()) + 0.05 * Array2::<f64>::eye(30);
        let white = kernel.variance(&[0.0, 0.0]).unwrap() - kernel.value(&[0.0, 0.0], &[0.0, 0.0]).unwrap();
        c += &(white * Array2::<f64>::eye(30));
        let inverse = invert(&c);
        let across = gram(&kernel, new.view(), x.view());
        let joint = fitted.predict_joint(new.view(), Predictive::Latent).unwrap();
        close(joint.mean, across.dot(&inverse).dot(&y), 1e-10, "mean");
        let mut want = gram(&kernel, new.view(), new.view()) - across.dot(&inverse).dot(&across.t());
        want += &(white * Array2::<f64>::eye(7));
        close(joint.covariance, want.clone(), 1e-10, "covariance");
        let p = fitted.predict_with(new.view(), Predictive::Observed).unwrap();
        close(p.variance, want.diag().mapv(|v| v + 0.05), 1e-10, "variance of an observation");
        let given = fitted.predict_with(new.view(), Predictive::ObservedWith(0.3)).unwrap();
        close(given.variance, want.diag().mapv(|v| v + 0.3), 1e-10, "variance with other noise");
    }
}

/// `∫ p(f' | f) p(f | y) df`: the process between its own values, averaged over what the data say about those.
#[test]
fn the_posterior_is_an_integral_over_its_values_at_the_data() {
    let (x, y) = data(12, 1, 21);
    let (new, _) = data(6, 1, 29);
    // Rough enough that K itself has an inverse.
    let kernel = 1.3 * Kernel::matern12(0.8);
    let fitted = GpRegressor::new(kernel.clone()).noise(0.2).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let between = gram(&kernel, new.view(), x.view()).dot(&invert(&gram(&kernel, x.view(), x.view())));
    let rest = gram(&kernel, new.view(), new.view()) - between.dot(&gram(&kernel, x.view(), new.view()));
    let at_data = fitted.predict_joint(x.view(), Predictive::Latent).unwrap();
    let got = fitted.predict_joint(new.view(), Predictive::Latent).unwrap();
    close(got.mean, between.dot(&at_data.mean), 1e-10, "mean");
    close(got.covariance, rest + between.dot(&at_data.covariance).dot(&between.t()), 1e-10, "covariance");
}

/// Kernel ridge regression with the noise as its penalty is the mean of the process, stored or not.
#[test]
fn kernel_ridge_is_the_mean_of_a_process() {
    let (x, y) = data(40, 2, 22);
    let (new, _) = data(9, 2, 23);
    for kernel in kernels().into_iter().filter(|k| !k.has_white_noise()) {
        let gp = GpRegressor::new(kernel.clone()).noise(0.07);
        let ridge = KernelRidge::new(kernel, 0.07).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for (gp, tolerance) in [(gp.clone(), 1e-12), (gp.memory_budget(1), 1e-6)] {
            let fitted = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
            close(fitted.predict(new.view()).unwrap(), ridge.predict(new.view()).unwrap(), tolerance, "mean");
            let scores =
                [fitted.score(x.view(), y.view()), ridge.score(x.view(), y.view())].map(Result::unwrap);
            close(scores[..1].to_vec(), scores[1..].to_vec(), tolerance, "R²");
        }
    }
}

/// Gauss and Jordan, for the oracle only.
fn invert(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut w = concatenate(Axis(1), &[a.view(), Array2::eye(n).view()]).unwrap();
    for j in 0..n {
        let pivot = w[[j, j]];
        w.row_mut(j).mapv_inplace(|v| v / pivot);
        for i in (0..n).filter(|i| *i != j) {
            let (row, factor) = (w.row(j).to_owned(), w[[i, j]]);
            w.row_mut(i).scaled_add(-factor, &row);
        }
    }
    w.slice(s![.., n..]).to_owned()
}

/// `log p(y) = Σ log p(y_i | y_1, ..., y_i-1)`.
#[test]
fn the_evidence_is_the_product_of_sequential_predictives() {
    let (x, y) = data(25, 2, 2);
    for kernel in kernels() {
        let model = GpRegressor::new(kernel.clone()).noise(0.1);
        let whole = model.fit(&Device::cpu(), x.view(), y.view()).unwrap().log_evidence();
        let density = |r: f64, v: f64| -0.5 * (r * r / v + (std::f64::consts::TAU * v).ln());
        let mut sum = density(y[[0, 0]], kernel.variance(x.row(0).as_slice().unwrap()).unwrap() + 0.1);
        for i in 1..25 {
            let before = model.fit(&Device::cpu(), x.slice(s![..i, ..]), y.slice(s![..i, ..])).unwrap();
            let p = before.predict_with(x.slice(s![i..=i, ..]), Predictive::Observed).unwrap();
            sum += density(y[[i, 0]] - p.mean[[0, 0]], p.variance[0]);
        }
        close([sum], [whole], 1e-11, &kernel.to_string());
    }
}

#[test]
fn noise_to_zero_interpolates() {
    let (x, y) = data(12, 1, 3);
    let mut last = f64::INFINITY;
    for noise in [1e-1, 1e-3, 1e-6, 0.0] {
        let model = GpRegressor::new(Kernel::matern32(1.0)).noise(noise);
        let p = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let p = p.predict_with(x.view(), Predictive::Latent).unwrap();
        let off = (&p.mean - &y).mapv(f64::abs).fold(0f64, |m, v| m.max(*v));
        let variance = p.variance.fold(0f64, |m, v| m.max(*v));
        assert!(
            off <= last && variance <= noise.max(1e-12),
            "noise {noise}: off by {off}, variance {variance}"
        );
        last = off;
    }
    assert!(last < 1e-10, "{last}");
}

#[test]
fn infinite_noise_gives_the_prior_back() {
    let (x, y) = data(12, 1, 3);
    let fitted =
        GpRegressor::new(Kernel::rbf(1.0)).noise(1e9).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let p = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
    assert!(p.mean.iter().all(|m| m.abs() < 1e-7) && p.variance.iter().all(|v| (v - 1.0).abs() < 1e-7));
}

/// The variance does not depend on y, never exceeds the prior, falls with more data, and never below zero.
#[test]
fn variances() {
    let (x, y) = data(60, 1, 4);
    let new = Array2::from_shape_fn((200, 1), |(i, _)| -5.0 + 0.05 * i as f64);
    let new = concatenate(Axis(0), &[new.view(), x.view()]).unwrap();
    for noise in [0.0, 1e-10, 1e-4, 0.1] {
        // Short enough that sixty points without noise are not too many for f64.
        let model = GpRegressor::new(Kernel::matern12(0.7)).noise(noise);
        let variance = |n: usize, y: &Array2<f64>| {
            let fitted = model.fit(&Device::cpu(), x.slice(s![..n, ..]), y.slice(s![..n, ..])).unwrap();
            fitted.predict_with(new.view(), Predictive::Latent).unwrap().variance
        };
        let (few, all) = (variance(30, &y), variance(60, &y));
        assert!(all.iter().zip(&few).all(|(a, f)| (0.0..=f + 1e-12).contains(a)), "noise {noise}");
        assert!(few.iter().all(|v| *v <= 1.0 + 1e-12));
        assert_eq!(all, variance(60, &(&y * 100.0 + 7.0)));
    }
}

/// The evidence of an irrelevant feature: its length scale goes to the bound, and predictions stop depending on it.
#[test]
fn relevance_determination_switches_an_irrelevant_input_off() {
    let (mut x, _) = data(60, 3, 5);
    x *= 0.6;
    let y = x.map_axis(Axis(1), |r| (2.0 * r[0]).sin() + 0.5 * r[1] * r[1]).insert_axis(Axis(1))
        + crate::support::random(60, 1, 8) * 0.05;
    let kernel = Kernel::rbf([1.0, 1.0, 1.0]).scaled(1.0);
    let model = GpRegressor::new(kernel).noise(0.1).optimise(Minimiser::default());
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let scales: Vec<f64> = fitted.kernel().params().iter().map(|p| p.value).collect();
    assert!(scales[3] > 30.0 * scales[1] && scales[3] > 10.0 * scales[2], "{}", fitted.kernel());
    let (mut here, _) = data(10, 3, 6);
    here *= 0.5;
    let mut there = here.clone();
    there.column_mut(2).fill(-1.5);
    let (a, b) = (fitted.predict(here.view()).unwrap(), fitted.predict(there.view()).unwrap());
    close(a, b, 0.05, "predictions that differ in the irrelevant feature only");
}

/// Columns of y are processes of their own: each as if it were alone.
#[test]
fn several_outputs_share_a_kernel() {
    let (x, y) = data(20, 2, 7);
    let (new, _) = data(5, 2, 8);
    let both = concatenate(Axis(1), &[y.view(), (&y * -3.0 + 1.0).view()]).unwrap();
    for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
        let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).mean(mean);
        let fit = |y: &Array2<f64>| model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let together = fit(&both);
        let parts = [fit(&both.slice(s![.., ..1]).to_owned()), fit(&both.slice(s![.., 1..]).to_owned())];
        let p = together.predict_with(new.view(), Predictive::Latent).unwrap();
        for (k, part) in parts.iter().enumerate() {
            let own = part.predict_with(new.view(), Predictive::Latent).unwrap();
            close(p.mean.column(k).to_vec(), own.mean, 1e-12, "mean");
            close(p.variance.clone(), own.variance, 1e-12, "variance");
        }
        let sum: f64 = parts.iter().map(FittedGp::log_evidence).sum();
        close([together.log_evidence()], [sum], 1e-12, "evidence");
        let slopes = parts.iter().map(|p| p.log_evidence_gradient().unwrap());
        let slopes = slopes.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a + b).collect()).unwrap();
        close(together.log_evidence_gradient().unwrap(), slopes, 1e-10, "gradient");
    }
}

/// A noise for each point that is the same for all of them is one noise; two observations at one place with noise
/// 2v are one observation of their mean with noise v.
#[test]
fn a_noise_for_each_point() {
    let (x, y) = data(15, 1, 10);
    let new = array![[0.3], [-2.0]];
    let model = GpRegressor::new(Kernel::rbf(0.8));
    let predict = |m: GpRegressor, x: &Array2<f64>, y: &Array2<f64>| {
        let fitted = m.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        fitted.predict_with(new.view(), Predictive::Latent).unwrap()
    };
    let one = predict(model.clone().noise(0.1), &x, &y);
    assert_eq!(one, predict(model.clone().noise(vec![0.1; 15]), &x, &y));
    let twice = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let spread = crate::support::random(15, 1, 11);
    let both = concatenate(Axis(0), &[(&y + &spread).view(), (&y - &spread).view()]).unwrap();
    let doubled = predict(model.noise(vec![0.2; 30]), &twice, &both);
    close(doubled.mean, one.mean, 1e-9, "mean");
    close(doubled.variance, one.variance, 1e-9, "variance");
}

/// Every derivative is that of a finite difference.
#[test]
fn the_gradient_is_that_of_finite_differences() {
    let (x, y) = data(25, 2, 12);
    let mut all = kernels();
    all.push(Kernel::periodic([1.0, 2.0], 3.0) + Kernel::polynomial(2, 0.3));
    for kernel in all {
        for mean in [Mean::Zero, Mean::Linear] {
            let model = GpRegressor::new(kernel.clone()).noise(0.2).mean(mean);
            let at = |theta: &[f64]| {
                let model = model.with_theta(theta).unwrap();
                model.log_evidence(&Device::cpu(), x.view(), y.view()).unwrap()
            };
            let theta = model.theta();
            let e = at(&theta);
            for (i, slope) in e.gradient.iter().enumerate() {
                let (mut up, mut down) = (theta.clone(), theta.clone());
                let h = 1e-5;
                up[i] += h;
                down[i] -= h;
                let want = (at(&up).value - at(&down).value) / (2.0 * h);
                let off = (slope - want).abs() / (1.0 + want.abs());
                assert!(off < 1e-6, "{kernel}, {mean:?}, [{i}]: {slope}, by differences {want}");
            }
        }
    }
}
