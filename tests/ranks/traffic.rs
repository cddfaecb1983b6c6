//! What an iteration sends, counted: the formulas of `docs/cluster.md`.

use mercer::learn::ranks::{Counted, Ranks, Threads};
use mercer::linalg::LogDetParams;
use mercer::models::linear::Family;
use mercer::prelude::*;
use ndarray::{Array1, Array2, s};

pub const N: usize = 60;

pub fn data(d: usize) -> Array2<f64> {
    Array2::from_shape_fn((N, d), |(i, j)| ((i * 7 + j * 5) as f64).sin() + (i % 3 * (j + 1)) as f64)
}

/// Messages and bytes of all ranks together.
pub fn sent(size: usize, fit: impl Fn(&dyn Ranks, std::ops::Range<usize>) + Sync) -> (usize, usize) {
    let each = Threads::run(size, |ranks| {
        let counted = Counted::new(ranks);
        fit(&counted, ranks.rank() * N / size..(ranks.rank() + 1) * N / size);
        counted.sent()
    });
    each.iter().fold((0, 0), |(m, b), t| (m + t.messages, b + t.bytes))
}

/// What one more iteration costs: that of `fit` with 3 less that with 2.
pub fn iteration(
    size: usize,
    fit: impl Fn(&dyn Ranks, std::ops::Range<usize>, usize) + Sync,
) -> (usize, usize) {
    let (two, three) = (sent(size, |r, own| fit(r, own, 2)), sent(size, |r, own| fit(r, own, 3)));
    (three.0 - two.0, three.1 - two.1)
}

/// An exchange: two messages for each rank but one, each with a verdict, the name of the place and the payload.
pub fn exchange(size: usize, name: &str, payload: usize) -> (usize, usize) {
    (2 * (size - 1), 2 * (size - 1) * (9 + name.len() + payload))
}

/// One in which ranks give what differs in length: rank r has `own(r)` bytes. Up goes what a subtree has, down all of it.
pub fn gather(size: usize, name: &str, own: impl Fn(usize) -> usize) -> (usize, usize) {
    let head = 9 + name.len() + 8;
    let all: usize = (0..size).map(|r| 8 + own(r)).sum();
    let up: usize = (1..size)
        .map(|r| {
            let below = 1 << r.trailing_zeros();
            head + (r..(r + below).min(size)).map(|r| 8 + own(r)).sum::<usize>()
        })
        .sum();
    (2 * (size - 1), up + (size - 1) * (head + all))
}

/// Several, one after the other.
pub fn total(exchanges: &[(usize, usize)]) -> (usize, usize) {
    exchanges.iter().fold((0, 0), |(m, b), e| (m + e.0, b + e.1))
}

#[test]
fn kmeans_sends_sums_and_farthest_rows() {
    let (x, k, d) = (data(4), 5, 4);
    for size in [2, 3, 5] {
        let found = iteration(size, |ranks, own, most| {
            let model = KMeans::new(k).restarts(1).tolerance(0.0).max_iterations(most).seed(3);
            let fit = model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
            assert_eq!(fit.report().iterations, most);
        });
        assert_eq!(found, exchange(size, "KMeans", 16 * k * d + 33 * k + 41));
    }
}

#[test]
fn mixtures_send_their_moments() {
    // Clouds that overlap: EM takes its time.
    let (x, k, d) = (data(3).mapv(|v| v + 3.0 * (17.0 * v).sin()), 4, 3);
    let bits = x.mapv(|v| f64::from(u8::from(v > 2.0)));
    for size in [2, 3, 5] {
        let full = iteration(size, |ranks, own, most| {
            let model = GaussianMixture::new(k).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(full, exchange(size, "GaussianMixture", 8 * k * d * d + 16 * k * d + 8 * k + 65));
        let diagonal = iteration(size, |ranks, own, most| {
            let model = GaussianMixture::new(k).covariance(CovarianceKind::Diagonal).tolerance(0.0);
            model.max_iterations(most).fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(diagonal, exchange(size, "GaussianMixture", 24 * k * d + 8 * k + 65));
        let bayesian = iteration(size, |ranks, own, most| {
            let model = BayesianGaussianMixture::new(k).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(
            bayesian,
            exchange(size, "BayesianGaussianMixture", 8 * k * d * d + 16 * k * d + 8 * k + 65)
        );
        let discrete = iteration(size, |ranks, own, most| {
            let model = BernoulliMixture::new(2).restarts(1).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), bits.slice(s![own, ..])).unwrap();
        });
        assert_eq!(discrete, exchange(size, "BernoulliMixture", 8 * 2 * d + 8 * 2 + 33));
        let words = iteration(size, |ranks, own, most| {
            let model = CategoricalMixture::new(2).restarts(1).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), bits.slice(s![own, ..])).unwrap();
        });
        assert_eq!(words, exchange(size, "CategoricalMixture", 8 * 2 * d + 8 * 2 + 33));
        // Two categories of each variable.
        let classes = iteration(size, |ranks, own, most| {
            let model = LatentClass::new(2).restarts(1).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), bits.slice(s![own, ..])).unwrap();
        });
        assert_eq!(classes, exchange(size, "LatentClass", 8 * 2 * 2 * d + 8 * 2 + 33));
        let soft = iteration(size, |ranks, own, most| {
            let model = SoftKMeans::new(k, 1.0).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(soft, exchange(size, "GaussianMixture", 24 * k * d + 8 * k + 65));
        let spaces = iteration(size, |ranks, own, most| {
            let model = PpcaMixture::new(k, 1).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(spaces, exchange(size, "PpcaMixture::fit", 8 * k * d * d + 8 * k * d + 24 * k + 49));
    }
}

#[test]
fn mixtures_of_regressions_send_moments_with_the_targets_and_newton_steps() {
    let (x, k, p) = (data(3), 2, 4);
    let y = x.map_axis(ndarray::Axis(1), |row| (7.0 * row[0]).sin() + (3.0 * row[1]).cos());
    let yes: Vec<bool> = y.iter().map(|v| *v > 0.3).collect();
    for size in [2, 3, 5] {
        let lines = iteration(size, |ranks, own, most| {
            let model = LinearRegressionMixture::new(k).restarts(1).tolerance(0.0).max_iterations(most);
            let (x, y) = (x.slice(s![own.clone(), ..]), y.slice(s![own]));
            model.fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        assert_eq!(lines, exchange(size, "LinearRegressionMixture", 8 * k * p * p + 16 * k * p + 8 * k + 65));
        let answers = iteration(size, |ranks, own, most| {
            let model = LogisticRegressionMixture::new(k).restarts(1).tolerance(0.0).max_iterations(most);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), &yes[own]).unwrap();
        });
        // One for each step tried.
        let one = exchange(size, "LogisticRegressionMixture", 8 * k * p * p + 8 * k * p + 8 * k + 49);
        let tried = answers.0 / one.0;
        assert!((1..5).contains(&tried), "{tried} steps");
        assert_eq!(answers, (tried * one.0, tried * one.1));
    }
}

#[test]
fn newton_sends_an_objective_a_gradient_and_a_hessian_together() {
    let x = data(3);
    let y: Vec<bool> = (0..N).map(|i| (i * 31 % 17) > 7).collect();
    for size in [2, 3, 5] {
        let found = iteration(size, |ranks, own, most| {
            let model = LogisticRegression::new(0.01).tolerance(0.0).max_iterations(most);
            let fit = model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), &y[own]).unwrap();
            assert_eq!(fit.report().iterations, most);
        });
        let (p, name) = (4, "logistic regression");
        // The length of the list; loss and separation, gradient, Hessian.
        assert_eq!(found, exchange(size, name, 8 + 8 * (2 + p + p * p)));
        let probit = iteration(size, |ranks, own, most| {
            let model = ProbitRegression::new(0.01).tolerance(0.0).max_iterations(most);
            let fit = model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), &y[own]).unwrap();
            assert_eq!(fit.report().iterations, most);
        });
        assert_eq!(probit, found);
    }
}

#[test]
fn scoring_sends_a_gradient_a_matrix_and_what_a_step_gains() {
    let x = data(3);
    let y = Array1::from_shape_fn(N, |i| 1.0 + (i * 31 % 17) as f64);
    for size in [2, 3, 5] {
        let found = iteration(size, |ranks, own, most| {
            let model = GeneralisedLinear::new(Family::Poisson).tolerance(0.0).max_iterations(most);
            let (x, y) = (x.slice(s![own.clone(), ..]), y.slice(s![own]));
            let fit = model.fit_across(ranks, &Device::cpu(), x, y).unwrap();
            assert_eq!(fit.report().iterations, most);
        });
        let (p, name) = (4, "GeneralisedLinear::fit");
        let of = |payload| exchange(size, name, payload);
        assert_eq!(found, total(&[of(8 + 8 * p), of(1), of(8), of(8 + 8 * p * p)]));
    }
}

#[test]
fn kernel_methods_send_a_vector() {
    let x = data(2);
    let y = Array1::from_shape_fn(N, |i| (i as f64).cos());
    for size in [2, 3, 5] {
        let falkon = |ranks: &dyn Ranks, own: std::ops::Range<usize>, most: usize| {
            let model = Falkon::new(Kernel::rbf(1.0), 1e-3, 4).max_iterations(most).tolerance(1e-15);
            // It does not converge so soon, and says so on every rank alike.
            let end = model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), y.slice(s![own]));
            assert!(matches!(end, Err(Error::NoConvergence { .. })), "{end:?}");
        };
        assert_eq!(iteration(size, falkon), exchange(size, "Falkon::fit", 8 + 8 * 4));
        // Of n numbers each rank makes its share, and has all of them afterwards.
        let ridge = |ranks: &dyn Ranks, own: std::ops::Range<usize>, most: usize| {
            let model = KernelRidge::new(Kernel::rbf(5.0), 1e-6).solver(KernelSolver::MatrixFree);
            let model = model.memory_budget(32 * 60).max_iterations(most).tolerance(1e-14);
            let end = model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), y.slice(s![own]));
            assert!(matches!(end, Err(Error::NoConvergence { .. })), "{end:?}");
        };
        let rows = |r: usize| (r + 1) * N / size - r * N / size;
        let product = |columns: usize| gather(size, "a product with K", |r| 16 + 8 * columns * rows(r));
        assert_eq!(iteration(size, ridge), product(1));
        // A process has a column more for the mean that it learns.
        let gp = |ranks: &dyn Ranks, own: std::ops::Range<usize>, most: usize| {
            let params = MatrixFreeParams::new().max_iterations(most).tolerance(1e-14);
            let model = GpRegressor::new(Kernel::rbf(5.0)).noise(1e-6).mean(Mean::Constant);
            let model = model.memory_budget(32 * 60).matrix_free(params);
            let end = model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), y.slice(s![own]));
            assert!(matches!(end, Err(Error::NoConvergence { .. })), "{end:?}");
        };
        assert_eq!(iteration(size, gp), product(2));
        // A step of Lanczos has a column for each probe.
        let lanczos = |ranks: &dyn Ranks, own: std::ops::Range<usize>, most: usize| {
            let steps = LogDetParams::default().probes(3).max_steps(most).tolerance(1e-300);
            let params = MatrixFreeParams::new().log_det(steps.accept_unconverged(true));
            let model = GpRegressor::new(Kernel::rbf(5.0)).noise(0.1).memory_budget(32 * 60);
            let model = model.matrix_free(params);
            model.fit_across(ranks, &Device::cpu(), x.slice(s![own.clone(), ..]), y.slice(s![own])).unwrap();
        };
        assert_eq!(iteration(size, lanczos), product(3));
    }
}
