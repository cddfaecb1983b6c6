use mercer::Device;
use mercer::inference::em::Em;
use mercer::models::latent::{FactorAnalysis, FittedFactorAnalysis, Ppca, Rotation};
use ndarray::{Array1, Array2, Axis};

use crate::{close, close1, covariance, gaussian, near_subspace, normal, rises};

/// Two factors under noise that differs from column to column.
fn data(n: usize, seed: u64) -> Array2<f64> {
    let noise = Array1::from_shape_fn(6, |j| 0.2 + 0.3 * j as f64);
    normal(n, 2, seed).dot(&normal(2, 6, 60)) * 1.5 + normal(n, 6, seed + 1) * &noise + 3.0
}

fn fit(model: &FactorAnalysis, x: &Array2<f64>) -> FittedFactorAnalysis {
    model.fit(&Device::cpu(), x.view()).unwrap()
}

#[test]
fn the_likelihood_rises_and_is_that_of_a_gaussian() {
    let x = data(200, 61);
    let em = Em::new().max_iterations(5000).tolerance(1e-13);
    let fa = fit(&FactorAnalysis::new(2).em(em), &x);
    rises(&fa.report().trace, "factor analysis");
    assert!(fa.report().converged());
    let scores = fa.score_samples(x.view()).unwrap();
    close1(&scores, &gaussian(x.view(), fa.mean(), &fa.covariance()), 1e-12, "scores");
    assert!((scores.sum() - fa.log_likelihood()).abs() < 1e-9);
    close1(&fa.covariance().diag().to_owned(), &covariance(&x).diag().to_owned(), 1e-6, "variances are met");
}

/// At the maximum no step of plain EM moves it: `W = S β^T (I - β W + β S β^T)⁻¹`, `ψ = diag(S - W β S)`.
#[test]
fn it_ends_at_a_fixed_point_of_plain_em() {
    let x = data(150, 62);
    let em = Em::new().max_iterations(20_000).tolerance(0.0);
    let fa = fit(&FactorAnalysis::new(2).em(em), &x);
    let (s, w) = (covariance(&x), fa.loadings());
    let posterior = fa.posterior_covariance().unwrap();
    let beta = posterior.dot(&(w / &fa.noise_variances().view().insert_axis(Axis(1))).t());
    let second = &posterior + &beta.dot(&s).dot(&beta.t());
    let left = s.dot(&beta.t());
    close(&w.dot(&second), &left, 1e-6, "loadings");
    let psi = (&s - &w.dot(&beta.dot(&s))).diag().to_owned();
    close1(&psi, fa.noise_variances(), 1e-6, "noise");
    close(&fa.transform(x.view()).unwrap(), &(&x - fa.mean()).dot(&beta.t()), 1e-11, "posterior means");
}

/// Noise that is equal in all columns makes it PPCA, nearly: with much data ψ comes out even.
#[test]
fn with_even_noise_it_is_ppca() {
    let x = near_subspace(20_000, 5, 2, 0.5, 63);
    let fa = fit(&FactorAnalysis::new(2), &x);
    let ppca = Ppca::new(2).fit(&Device::cpu(), x.view()).unwrap();
    assert!(fa.log_likelihood() >= ppca.log_likelihood(), "it has more parameters");
    assert!(fa.log_likelihood() - ppca.log_likelihood() < 15.0, "but no use for them");
    close(&fa.covariance(), &ppca.covariance(), 0.01, "covariance");
}

#[test]
fn it_survives_scales_that_ppca_does_not() {
    let x = data(300, 64);
    let scales = Array1::from_vec(vec![1.0, 100.0, 0.01, 1.0, 10.0, 1.0]);
    let em = Em::new().max_iterations(20_000).tolerance(1e-13);
    let (a, b) = (
        fit(&FactorAnalysis::new(2).em(em.clone()), &x),
        fit(&FactorAnalysis::new(2).em(em), &(&x * &scales)),
    );
    let wanted = a.loadings() * &scales.view().insert_axis(Axis(1));
    close(&b.loadings().dot(&b.loadings().t()), &wanted.dot(&wanted.t()), 1e-4, "equivariant");
    close1(&(b.noise_variances() / &scales / &scales), a.noise_variances(), 1e-4, "noise");
}

#[test]
fn rotations_change_nothing_but_the_axes() {
    let x = data(200, 65);
    let plain = fit(&FactorAnalysis::new(2), &x);
    let quartic = |l: &Array2<f64>| l.mapv(|v| v.powi(4)).sum();
    let spread = |l: &Array2<f64>| {
        let columns = l.map_axis(Axis(0), |c| c.dot(&c).powi(2));
        quartic(l) - columns.sum() / l.nrows() as f64
    };
    for rotation in [Rotation::Varimax, Rotation::Quartimax] {
        let turned = fit(&FactorAnalysis::new(2).rotation(rotation), &x);
        close(&turned.covariance(), &plain.covariance(), 1e-12, "covariance");
        // No other rotation of the plane does better.
        let measure = |l: &Array2<f64>| if rotation == Rotation::Varimax { spread(l) } else { quartic(l) };
        let best = measure(turned.loadings());
        for i in 0..360 {
            let (sin, cos) = f64::from(i).to_radians().sin_cos();
            let other = plain.loadings().dot(&ndarray::array![[cos, -sin], [sin, cos]]);
            assert!(measure(&other) <= best * (1.0 + 1e-9), "{rotation:?} at {i} degrees");
        }
    }
}

#[test]
fn samples_have_its_moments() {
    let fa = fit(&FactorAnalysis::new(2), &data(200, 66));
    let draws = fa.sample(200_000, 3).unwrap();
    close(&covariance(&draws), &fa.covariance(), 0.02, "covariance");
}
