//! Bayesian linear regression: batch and sequence, weights and functions, definition and reference.

use mercer::linalg::{SpdFactor, SpdParams};
use mercer::models::linear::{BayesianLinearRegression, FittedBayesianLinearRegression, Ridge};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Axis, array, s};

use crate::support::random;
use crate::{close, problem, solved};

fn column(v: &Array1<f64>) -> Array2<f64> {
    v.clone().insert_axis(Axis(1))
}

/// More observations than features, and fewer: both ways of holding a posterior.
fn cases() -> Vec<(Array2<f64>, Array1<f64>)> {
    [(30, 5), (6, 17), (1, 1), (1, 4)]
        .map(|(n, d)| {
            let (x, y) = problem(n, d, 71);
            (x, y.column(0).to_owned())
        })
        .to_vec()
}

#[test]
fn the_posterior_is_its_definition() {
    let (alpha, beta) = (0.6, 4.0);
    for (phi, t) in cases() {
        let d = phi.ncols();
        let posterior =
            BayesianLinearRegression::new(alpha, beta).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        let precision = phi.t().dot(&phi) * beta + Array2::<f64>::eye(d) * alpha;
        let s = solved(&precision, &Array2::eye(d));
        let m = s.dot(&phi.t().dot(&t)) * beta;
        close(column(posterior.mean()).view(), column(&m).view(), 1e-10, "mean");
        close(posterior.covariance().unwrap().view(), s.view(), 1e-10, "covariance");
        let new = random(8, d, 72);
        let at = posterior.predict_distribution(new.view()).unwrap();
        close(column(at.mean()).view(), column(&new.dot(&m)).view(), 1e-10, "predicted mean");
        let variance = new.dot(&s).dot(&new.t()).diag().to_owned();
        close(column(at.function_variance()).view(), column(&variance).view(), 1e-10, "predicted variance");
        assert!(at.variance().iter().all(|v| *v >= 1.0 / beta));
        // The mean is ridge with λ = α/β.
        let ridge = Ridge::new(alpha / beta).intercept(false);
        let ridge = ridge.fit(&Device::cpu(), phi.view(), column(&t).view()).unwrap();
        close(ridge.coefficients().view(), column(&m).view(), 1e-9, "ridge");
    }
}

/// Predictive mean, covariance and evidence of a Gaussian process with k = φᵀφ'/α.
#[test]
fn it_is_a_gaussian_process() {
    let (alpha, beta) = (1.3, 8.0);
    for (phi, t) in cases() {
        let (n, d) = phi.dim();
        let new = random(6, d, 73);
        let posterior =
            BayesianLinearRegression::new(alpha, beta).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        let kernel = Kernel::linear().scaled(1.0 / alpha);
        let factor =
            SpdFactor::of_kernel(&Device::cpu(), &kernel, phi.view(), 1.0 / beta, &SpdParams::default())
                .unwrap();
        let dual = factor.solve(column(&t).view()).unwrap().x;
        let cross = new.dot(&phi.t()) / alpha;
        close(column(&posterior.predict(new.view()).unwrap()).view(), cross.dot(&dual).view(), 1e-9, "mean");
        let solved = factor.solve(cross.t()).unwrap().x;
        let covariance = new.dot(&new.t()) / alpha - cross.dot(&solved);
        let got = posterior.prediction_covariance(new.view(), new.view()).unwrap();
        close(got.view(), covariance.view(), 1e-9, "covariance");
        let fit = column(&t).t().dot(&dual)[[0, 0]];
        let evidence = -0.5 * (fit + factor.log_det().unwrap() + n as f64 * std::f64::consts::TAU.ln());
        assert!((posterior.log_evidence() - evidence).abs() < 1e-9 * evidence.abs().max(1.0));
    }
}

fn same(a: &FittedBayesianLinearRegression, b: &FittedBayesianLinearRegression, what: &str) {
    close(column(a.mean()).view(), column(b.mean()).view(), 1e-9, what);
    close(a.covariance().unwrap().view(), b.covariance().unwrap().view(), 1e-9, what);
    assert!((a.log_evidence() - b.log_evidence()).abs() < 1e-8 * b.log_evidence().abs().max(1.0), "{what}");
    assert_eq!(a.observations(), b.observations());
}

#[test]
fn any_order_and_any_batches_give_the_same() {
    for (phi, t) in cases() {
        let (n, d) = phi.dim();
        let model = BayesianLinearRegression::new(0.5, 10.0);
        let batch = model.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        for (stride, size) in [(1, 1), (7, 1), (1, 4), (11, 3), (1, 100)] {
            let order: Vec<usize> = (0..n).map(|i| i * stride % n).collect();
            assert_eq!((0..n).filter(|i| !order.contains(i)).count(), 0, "a permutation");
            let mut posterior = model.prior(d).unwrap();
            for rows in order.chunks(size) {
                posterior.update(phi.select(Axis(0), rows).view(), t.select(Axis(0), rows).view()).unwrap();
            }
            same(&posterior, &batch, &format!("{n} x {d}, every {stride}, by {size}"));
        }
    }
}

/// `ln p(t) = Σ ln p(t_n | t_1 .. t_{n-1})`, each of them a normal density of what was predicted.
#[test]
fn the_evidence_is_the_product_of_predictions() {
    for (phi, t) in cases() {
        let model = BayesianLinearRegression::new(0.9, 5.0);
        let mut posterior = model.prior(phi.ncols()).unwrap();
        let mut sum = 0.0;
        let mut last = f64::INFINITY;
        for (row, t) in phi.rows().into_iter().zip(&t) {
            let row = row.insert_axis(Axis(0));
            let at = posterior.predict_distribution(row).unwrap();
            let variance = at.variance()[0];
            sum -= 0.5 * ((t - at.mean()[0]).powi(2) / variance + (std::f64::consts::TAU * variance).ln());
            posterior.update(row, array![*t].view()).unwrap();
            // What is known of the function never becomes less.
            let now = posterior.predict_distribution(phi.slice(s![..1, ..])).unwrap().function_variance()[0];
            assert!(now <= last * (1.0 + 1e-12));
            last = now;
        }
        assert!((sum - posterior.log_evidence()).abs() < 1e-9 * sum.abs().max(1.0));
        assert!(
            (sum - model.fit(&Device::cpu(), phi.view(), t.view()).unwrap().log_evidence()).abs()
                < 1e-9 * sum.abs().max(1.0)
        );
    }
}

#[test]
fn the_equivalent_kernel_smooths() {
    for (phi, t) in cases() {
        let posterior =
            BayesianLinearRegression::new(0.7, 3.0).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        let new = random(5, phi.ncols(), 74);
        let weights = posterior.equivalent_kernel(new.view(), phi.view()).unwrap();
        let mean = posterior.predict(new.view()).unwrap();
        close(column(&weights.dot(&t)).view(), column(&mean).view(), 1e-9, "Σ κ t");
        let hat = posterior.equivalent_kernel(phi.view(), phi.view()).unwrap();
        close(hat.view(), hat.t(), 1e-12, "symmetric");
        let values = mercer::linalg::eigh(hat.view()).unwrap().values;
        assert!(values.iter().all(|v| *v > -1e-10 && *v < 1.0));
    }
}

#[test]
fn samples_have_the_moments_of_the_posterior() {
    for (phi, t) in [cases().swap_remove(0), cases().swap_remove(1)] {
        let posterior =
            BayesianLinearRegression::new(1.0, 2.0).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        let new = random(4, phi.ncols(), 75);
        let count = 40_000;
        let samples = posterior.sample(new.view(), count, 9).unwrap();
        assert_eq!(samples.dim(), (count, 4));
        assert_eq!(samples, posterior.sample(new.view(), count, 9).unwrap());
        let at = posterior.predict_distribution(new.view()).unwrap();
        let centred = &samples - at.mean();
        let covariance = centred.t().dot(&centred) / count as f64;
        let want = posterior.prediction_covariance(new.view(), new.view()).unwrap();
        close(covariance.view(), want.view(), 0.05, "covariance");
        let deviation = at.function_variance().mapv(f64::sqrt);
        let means = samples.mean_axis(Axis(0)).unwrap() - at.mean();
        // Five standard errors.
        assert!(means.iter().zip(&deviation).all(|(m, s)| m.abs() < 5.0 * s / (count as f64).sqrt()));
    }
}

#[test]
fn a_full_prior_is_a_posterior_of_other_data() {
    let (phi, t) = cases().swap_remove(0);
    let (first, second) = (s![..12, ..], s![12.., ..]);
    let model = BayesianLinearRegression::new(0.8, 6.0);
    let before = model.fit(&Device::cpu(), phi.slice(first), t.slice(s![..12])).unwrap();
    let precision = solved(&before.covariance().unwrap(), &Array2::eye(5));
    let precision = (&precision + &precision.t()) * 0.5;
    let prior = BayesianLinearRegression::with_prior(before.mean().clone(), precision, 6.0);
    let after = prior.fit(&Device::cpu(), phi.slice(second), t.slice(s![12..])).unwrap();
    let all = model.fit(&Device::cpu(), phi.view(), t.view()).unwrap();
    close(column(after.mean()).view(), column(all.mean()).view(), 1e-9, "mean");
    close(after.covariance().unwrap().view(), all.covariance().unwrap().view(), 1e-9, "covariance");
    let sum = before.log_evidence() + after.log_evidence();
    assert!((sum - all.log_evidence()).abs() < 1e-9);
}

/// Amsterdam and Oxford GP-08.
#[test]
fn reference_numbers() {
    let line = |x: f64| [1.0, x];
    let phi = array![line(0.5), line(-0.5), line(0.9)];
    let t = array![-0.05, -0.55, 0.15];
    let model = BayesianLinearRegression::new(2.0, 25.0);
    let mut posterior = model.prior(2).unwrap();
    let means =
        [[-0.0375939850, -0.0187969925], [-0.2884615385, 0.4310344828], [-0.2800184374, 0.4582853192]];
    // Ten digits are printed; of the smallest that is 1.3e-9.
    for (i, mean) in means.iter().enumerate() {
        posterior.update(phi.slice(s![i..=i, ..]), t.slice(s![i..=i])).unwrap();
        close(column(posterior.mean()).view(), array![[mean[0]], [mean[1]]].view(), 2e-9, "mean");
    }
    let s3 = array![[0.0160175156, -0.0103710532], [-0.0103710532, 0.0354920489]];
    close(posterior.covariance().unwrap().view(), s3.view(), 1e-8, "S");
    let at = posterior.predict_distribution(array![line(0.0), line(1.0)].view()).unwrap();
    close(column(at.mean()).view(), array![[-0.2800184374], [0.1782668818]].view(), 1e-9, "mean at");
    let variance = at.variance();
    close(column(&variance).view(), array![[0.0560175156], [0.0707674579]].view(), 1e-9, "variance at");
    let kernel = posterior.equivalent_kernel(array![line(0.0)].view(), phi.view()).unwrap();
    close(
        kernel.view(),
        array![[0.2707997234, 0.5300760544, 0.1670891911]].view(),
        1e-9,
        "equivalent kernel",
    );
    assert!((posterior.log_evidence() + 1.3896288752).abs() < 1e-9);

    let square = |x: f64| [1.0, x, x * x];
    let phi = array![square(-1.0), square(0.0), square(0.5), square(2.0)];
    let posterior = BayesianLinearRegression::new(2.0, 4.0)
        .fit(&Device::cpu(), phi.view(), array![1.0, 0.2, 0.0, 3.0].view())
        .unwrap();
    let theta = array![[0.09080575059], [-0.07582748245], [0.7438314945]];
    close(column(posterior.mean()).view(), theta.view(), 1e-9, "theta");
    let at = posterior.predict_distribution(array![square(1.0), square(3.0)].view()).unwrap();
    close(column(at.mean()).view(), array![[0.7588097626], [6.557806754]].view(), 1e-9, "mean at");
    close(
        column(at.function_variance()).view(),
        array![[0.107099075], [1.491251532]].view(),
        1e-9,
        "variance at",
    );
    assert!((posterior.log_evidence() + 5.150319976).abs() < 1e-8);
}

/// `φᵀφ = 1e320` is infinite, and so is what the data explain of it: no number is left, and above all not zero.
#[test]
fn a_variance_beyond_all_numbers_is_no_certainty() {
    for (phi, t) in cases() {
        let posterior =
            BayesianLinearRegression::new(0.6, 4.0).fit(&Device::cpu(), phi.view(), t.view()).unwrap();
        let e = posterior.predict_distribution(Array2::from_elem((1, phi.ncols()), 1e160).view());
        assert!(matches!(e, Err(Error::Overflow { what: "the variance", .. })), "{e:?}");
    }
}
