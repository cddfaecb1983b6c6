//! What is attacked: one function a model, a test or a verb. Each draws its own input and returns every number it was given.

use mercer::linalg::{SpdParams, eigh, landmarks, solve_spd};
use mercer::ops;
use mercer::prelude::*;
use ndarray::{Array, Dimension};

use crate::draw::Draw;

/// A name, and what to do with a stream of odd things.
pub type Case = (&'static str, fn(&mut Draw, &Device) -> Result<Vec<f64>>);

fn all<D: Dimension>(a: &Array<f64, D>) -> Vec<f64> {
    a.iter().copied().collect()
}

fn indices(a: &[usize]) -> Vec<f64> {
    a.iter().map(|i| *i as f64).collect()
}

/// Entries of a matrix that a GPU holds in f32, where what is beyond has no number; models find that out, a verb does not.
fn stored(device: &Device, values: Vec<f64>) -> Vec<f64> {
    if device.is_gpu() { values.into_iter().filter(|v| v.is_finite()).collect() } else { values }
}

/// A statistic and its p-value; a threshold may be infinite where resamples are too few.
fn outcome(o: &TestOutcome) -> Vec<f64> {
    vec![o.statistic, o.p_value]
}

#[rustfmt::skip]
pub const fn cases() -> &'static [Case] {
    &[
        ("ridge", |q, d| { let x = q.x(); let y = q.y(&x); let f = Ridge::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("ridge_weighted", |q, d| { let x = q.x(); let (y, w) = (q.y(&x), q.weights(&x)); let f = Ridge::new(q.number()).fit_weighted(d, &x, &y, &w)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("ridge_cv", |q, d| { let x = q.x(); let y = q.y(&x); let f = RidgeCv::new(&[q.number(), q.number()]).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("bayesian_linear", |q, d| { let x = q.x(); let y = q.y(&x); let f = BayesianLinearRegression::new(q.number(), q.number()).fit(d, &x, &y)?; let mut out = vec![f.log_evidence()]; out.extend(f.predict(q.like(&x))?); out.extend(f.sample_weights(q.count(), 1)?); Ok(out) }),
        ("kernel_ridge", |q, d| { let x = q.x(); let y = q.y(&x); let f = KernelRidge::new(q.kernel(), q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("kernel_ridge_matrix_free", |q, d| { let x = q.x(); let y = q.y(&x); let f = KernelRidge::new(q.kernel(), q.number()).solver(KernelSolver::MatrixFree).max_iterations(50).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("kernel_ridge_cv", |q, d| { let x = q.x(); let y = q.y(&x); let f = KernelRidgeCv::new([q.kernel(), q.kernel()], &[q.number(), q.number()]).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("falkon", |q, d| { let x = q.x(); let y = q.y(&x); let f = Falkon::new(q.kernel(), q.number(), q.count()).max_iterations(50).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("nystrom", |q, d| { let x = q.x(); let f = Nystrom::new(q.kernel(), q.count()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("random_fourier", |q, d| { let x = q.x(); let f = RandomFourier::new(q.kernel(), q.count()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("gp", |q, d| { let x = q.x(); let y = q.y(&x); let f = GpRegressor::new(q.kernel()).noise(q.number()).fit(d, &x, &y)?; let p = f.predict_distribution(q.like(&x))?; let mut out = all(&p.mean); out.extend(&p.variance); out.push(f.log_evidence()); Ok(out) }),
        ("gp_sample", |q, d| { let x = q.x(); let y = q.y(&x); let f = GpRegressor::new(q.kernel()).noise(q.number()).fit(d, &x, &y)?; let p = f.predict_joint(q.like(&x), Predictive::Latent)?; let mut out = all(&p.mean); out.extend(&p.covariance); Ok(out) }),
        ("gp_path", |q, d| { let x = q.x(); let y = q.y(&x); let f = GpRegressor::new(q.kernel()).noise(q.number()).fit(d, &x, &y)?; let new = q.like(&x); Ok(all(&f.path(q.count(), 3)?.at(&new)?)) }),
        ("gp_leave_one_out", |q, d| { let x = q.x(); let y = q.y(&x); let f = GpRegressor::new(q.kernel()).noise(q.number()).fit(d, &x, &y)?; Ok(vec![f.leave_one_out()?.log_predictive_density()]) }),
        ("gp_append", |q, d| { let x = q.x(); let y = q.y(&x); let mut f = GpRegressor::new(q.kernel()).noise(q.number()).fit(d, &x, &y)?; let more = q.like(&x); let t = q.y(&more); f.append(&more, &t)?; Ok(vec![f.log_evidence()]) }),
        ("sparse_gp", |q, d| { let x = q.x(); let y = q.y(&x); let f = SparseGpRegressor::new(q.kernel(), Inducing::greedy(q.count())).noise(q.number()).fit(d, &x, &y)?; let p = f.predict_distribution(q.like(&x))?; let mut out = all(&p.mean); out.extend(&p.variance); Ok(out) }),
        ("gp_classifier", |q, d| { let x = q.x(); let y = q.labels(&x); let f = GpClassifier::new(q.kernel()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("bayes_opt", |q, d| { let bounds = [(q.number(), q.number()), (0.0, 1.0)]; let mut o = BayesOptimiser::new(d, &bounds)?.initial(2); let mut out = Vec::new(); for _ in 0..4 { let x = o.ask()?; let y = q.number(); out.extend(&x); o.tell(&x, y)?; } Ok(out) }),
        ("k_means", |q, d| { let x = q.x(); let f = KMeans::new(q.count()).restarts(q.few()).max_iterations(q.few()).fit(d, &x)?; let mut out = indices(&f.predict(q.like(&x))?); out.extend(f.centres()); Ok(out) }),
        ("k_medoids", |q, d| { let x = q.x(); let f = KMedoids::new(q.count()).restarts(q.few()).fit(d, &x)?; Ok(indices(&f.predict(q.like(&x))?)) }),
        ("dp_means", |q, d| { let x = q.x(); let f = DpMeans::new(q.number()).fit(d, &x)?; Ok(indices(&f.predict(q.like(&x))?)) }),
        ("gaussian_mixture", |q, d| { let x = q.x(); let f = GaussianMixture::new(q.count()).restarts(q.few()).max_iterations(q.few()).fit(d, &x)?; let mut out = all(&f.predict_proba(q.like(&x))?); out.extend(f.sample(q.count(), 1)?); Ok(out) }),
        ("gaussian_mixture_weighted", |q, d| { let x = q.x(); let w = q.weights(&x); let f = GaussianMixture::new(q.count()).max_iterations(q.few()).fit_weighted(d, &x, &w)?; Ok(vec![f.score(q.like(&x))?]) }),
        ("bayesian_mixture_shapes", |q, d| { let x = q.x(); let kind = [CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical][q.below(3)].clone(); let f = BayesianGaussianMixture::new(q.count()).covariance(kind).max_iterations(q.few()).fit(d, &x)?; let mut out = all(&f.predict_proba(q.like(&x))?); out.extend(f.sample(q.few(), q.seed())?); Ok(out) }),
        ("mixture_given", |q, _| { let means = q.x(); let k = means.nrows(); let covariance = Covariance::Spherical(ndarray::Array1::from_elem(k, q.number())); let params = GaussianParams { weights: ndarray::Array1::from_elem(k, 1.0 / k.max(1) as f64), means: means.clone(), covariance }; Ok(all(&FittedGaussianMixture::given(params)?.predict_proba(q.like(&means))?)) }),
        ("ppca_given", |q, _| { let x = q.x(); let mean = ndarray::Array1::from_elem(x.ncols(), q.number()); let f = mercer::models::latent::FittedPpca::given(mean, x.t().to_owned(), q.number())?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("singular_vectors", |q, d| { let x = q.x(); let f = Pca::new(q.count()).fit(d, &x)?; let (u, v) = f.singular_vectors(q.like(&x))?; let mut out = all(&u); out.extend(v); Ok(out) }),
        ("deviances", |q, _| { let x = q.x(); let y = q.labels(&x); Ok(vec![within_deviance(&x, &y)?, pairwise_deviance(&x, &y)?]) }),
        ("three_parts", |q, _| { let (a, b, c) = Holdout::new(q.number()).seed(q.seed()).split_in_three(q.rows(), q.number())?; Ok(indices(&[a, b, c].concat())) }),
        ("gp_on_basis", |q, d| { let x = q.x(); let (y, m) = (q.y(&x), q.number()); let f = GpRegressor::new(q.kernel()).noise(q.number()).fit_on_basis(d, &x, &y, |x| vec![1.0, m * x[0]])?; Ok(all(&f.predict_latent(q.like(&x))?.mean)) }),
        ("sparse_about", |q, d| { let x = q.x(); let (y, m) = (q.y(&x), q.number()); let f = SparseGpRegressor::new(q.kernel(), Inducing::uniform(q.count(), q.seed())).noise(q.number()).fit_about(d, &x, &y, |x| m * x[0])?; Ok(all(&f.predict_latent(q.like(&x))?.mean)) }),
        ("latent_about", |q, _| { let x = q.x(); let m = q.number(); let y: ndarray::Array1<f64> = q.labels(&x).into_iter().map(|l| if l == 0 { -1.0 } else { 1.0 }).collect(); let f = mercer::models::gp::LatentGp::laplace_about(&q.kernel(), &mercer::models::gp::LogisticLikelihood, &x, &y, |x| m * x[0])?; Ok(all(&f.latent(q.like(&x))?.0)) }),
        ("quadratic_program", |q, _| { let x = q.x(); let p = x.t().dot(&x) * q.number(); let c = ndarray::Array1::from_elem(p.nrows(), q.number()); Ok(all(&mercer::optim::QuadraticProgram::new(p, c).solve()?.x)) }),
        ("basis_given", |q, _| { let x = q.x(); let centres = q.like(&x).t().to_owned(); let widths = ndarray::Array2::from_elem(centres.dim(), q.number()); Ok(all(&Basis::gaussian(centres.ncols()).given(centres, widths)?.transform(q.like(&x))?)) }),
        ("bayesian_mixture", |q, d| { let x = q.x(); let f = BayesianGaussianMixture::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("soft_k_means", |q, d| { let x = q.x(); let f = SoftKMeans::new(q.count(), q.number()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("bernoulli_mixture", |q, d| { let x = q.x().mapv(|v| if v.is_nan() { v } else { f64::from(u8::from(v > 0.0)) }); let f = BernoulliMixture::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.predict_proba(&x)?)) }),
        ("categorical_mixture", |q, d| { let x = q.x().mapv(|v| v.abs().round()); let f = CategoricalMixture::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.predict_proba(&x)?)) }),
        ("linear_regression_mixture", |q, d| { let x = q.x(); let y = q.y(&x); let f = LinearRegressionMixture::new(q.count()).max_iterations(q.few()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("logistic_regression_mixture", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LogisticRegressionMixture::new(q.count()).max_iterations(q.few()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("pca", |q, d| { let x = q.x(); let f = Pca::new(q.count()).ddof(q.one(&[0, 1, 5, usize::MAX])).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("pca_share", |q, d| { let x = q.x(); let f = Pca::new(q.number()).fit(d, &x)?; Ok(all(&f.reconstruct(q.like(&x))?)) }),
        ("ppca", |q, d| { let x = q.x(); let f = Ppca::new(q.count()).fit(d, &x)?; let mut out = all(&f.transform(q.like(&x))?); out.extend(f.sample(q.count(), 1)?); Ok(out) }),
        ("ppca_mixture", |q, d| { let x = q.x(); let f = PpcaMixture::new(q.count(), q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("factor_analysis", |q, d| { let x = q.x(); let f = FactorAnalysis::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("ica", |q, d| { let x = q.x(); let f = Ica::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("standardise", |q, d| { let x = q.x(); let f = Standardise::new().fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("min_max", |q, d| { let x = q.x(); let f = MinMax::new().fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("whiten", |q, d| { let x = q.x(); let f = Whiten::new().fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("polynomial", |q, d| { let x = q.x(); let f = Polynomial::new(q.count()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("basis", |q, d| { let x = q.x(); let f = Basis::gaussian(q.count()).width(q.number()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("pipeline", |q, d| { let x = q.x(); let y = q.y(&x); let f = Pipeline::new(Standardise::new(), Ridge::new(q.number())).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("least_squares", |q, d| { let x = q.x(); let y = q.y(&x); let f = LeastSquares::new().fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("lasso", |q, d| { let x = q.x(); let y = q.y(&x); let f = Lasso::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("elastic_net", |q, d| { let x = q.x(); let y = q.y(&x); let f = ElasticNet::new(q.number(), q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("quantile_regression", |q, d| { let x = q.x(); let y = q.y(&x); let f = QuantileRegression::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("huber_regression", |q, d| { let x = q.x(); let y = q.y(&x); let f = HuberRegression::new().fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("poisson_regression", |q, d| { let x = q.x(); let y = q.y(&x); let f = GeneralisedLinear::new(Family::Poisson).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("svm_regressor", |q, d| { let x = q.x(); let y = q.y(&x); let f = SvmRegressor::new(q.kernel(), q.number(), q.number()).max_iterations(2000).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("kernel_risk", |q, d| { let x = q.x(); let y = q.y(&x); let f = KernelRisk::new(q.kernel(), SmoothLoss::Huber(0.5), q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("relevance", |q, d| { let x = q.x(); let y = q.y(&x); let f = RelevanceVectorMachine::new(q.kernel()).max_iterations(q.few()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("k_nearest_regressor", |q, d| { let x = q.x(); let y = q.y(&x); let f = KNearestRegressor::new(q.count()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("gradient_boosting", |q, d| { let x = q.x(); let y = q.y(&x); let f = GradientBoosting::new(q.few()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("bagged_ridge", |q, d| { let x = q.x(); let y = q.y(&x); let f = Bagging::new(Ridge::new(q.number()), q.few()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("laplacian_rls", |q, d| { let x = q.x(); let y = q.y(&x); let f = LaplacianRls::new(q.kernel(), q.number(), q.number()).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("neural_regressor", |q, d| { let x = q.x(); let y = q.y(&x); let f = NeuralRegressor::new(&[3]).training(Training::default().epochs(q.few())).fit(d, &x, &y)?; Ok(all(&f.predict(q.like(&x))?)) }),
        ("logistic_regression", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LogisticRegression::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("sparse_logistic", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LogisticRegression::new(0.1).l1(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("probit_regression", |q, d| { let x = q.x(); let y = q.labels(&x); let f = ProbitRegression::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("bayesian_logistic", |q, d| { let x = q.x(); let y = q.labels(&x); let f = BayesianLogisticRegression::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("linear_discriminant", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LinearDiscriminant::new().fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("quadratic_discriminant", |q, d| { let x = q.x(); let y = q.labels(&x); let f = QuadraticDiscriminant::new().fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("gaussian_naive_bayes", |q, d| { let x = q.x(); let y = q.labels(&x); let f = GaussianNaiveBayes::new().fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("k_nearest", |q, d| { let x = q.x(); let y = q.labels(&x); let f = KNearest::new(q.count()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("kernel_logistic", |q, d| { let x = q.x(); let y = q.labels(&x); let f = KernelLogistic::new(q.kernel(), q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("label_spreading", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LabelSpreading::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("neural_classifier", |q, d| { let x = q.x(); let y = q.labels(&x); let f = NeuralClassifier::new(&[3]).training(Training::default().epochs(q.few())).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("calibrated", |q, d| { let x = q.x(); let y = q.labels(&x); let f = Calibrated::new(LinearDiscriminant::new(), CalibrationMap::Platt).fit(d, &x, &y)?; Ok(all(&f.predict_proba(q.like(&x))?)) }),
        ("perceptron", |q, d| { let x = q.x(); let y = q.labels(&x); let f = Perceptron::new().max_passes(q.few()).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("svm_classifier", |q, d| { let x = q.x(); let y = q.labels(&x); let f = SvmClassifier::new(q.kernel(), q.number()).max_iterations(2000).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("svm_by_nu", |q, d| { let x = q.x(); let y = q.labels(&x); let f = SvmClassifier::nu(q.kernel(), q.number()).max_iterations(2000).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("ada_boost", |q, d| { let x = q.x(); let y = q.labels(&x); let f = AdaBoost::new(q.few()).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("kernel_discriminant", |q, d| { let x = q.x(); let y = q.labels(&x); let f = KernelDiscriminant::new(q.kernel(), q.number()).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("least_squares_svm", |q, d| { let x = q.x(); let y = q.labels(&x); let f = LeastSquaresSvm::new(q.kernel(), q.number()).fit(d, &x, &y)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("kernel_pca", |q, d| { let x = q.x(); let f = KernelPca::new(q.kernel(), q.count()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("eigenmaps", |q, d| { let x = q.x(); let f = LaplacianEigenmaps::new(q.count()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("t_sne", |q, d| { let x = q.x(); let f = TSne::new(2).perplexity(q.number()).max_iterations(q.few()).exaggerated_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("empirical_features", |q, d| { let x = q.x(); let f = EmpiricalFeatures::new(q.kernel()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("autoencoder", |q, d| { let x = q.x(); let f = Autoencoder::new(q.count()).training(Training::default().epochs(q.few())).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("dictionary", |q, d| { let x = q.x(); let f = DictionaryLearning::new(q.count(), Sparsity::L1(q.number())).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("rbm", |q, d| { let x = q.x(); let f = Rbm::new(q.count()).passes(q.few()).fit(d, &x)?; Ok(all(&f.transform(q.like(&x))?)) }),
        ("kernel_k_means", |q, d| { let x = q.x(); let f = KernelKMeans::new(q.kernel(), q.count()).fit(d, &x)?; Ok(indices(&f.predict(q.like(&x))?)) }),
        ("spectral_clustering", |q, d| { let x = q.x(); let f = SpectralClustering::new(q.count()).fit(d, &x)?; Ok(indices(&f.predict(q.like(&x))?)) }),
        ("hierarchical", |q, d| { let x = q.x(); let f = Hierarchical::new(q.count()).fit(d, &x)?; Ok(indices(&f.predict(q.like(&x))?)) }),
        ("multinomial_naive_bayes", |q, d| { let x = q.x().mapv(|v| v.abs().round()); let y = q.labels(&x); let f = MultinomialNaiveBayes::new(q.number()).fit(d, &x, &y)?; Ok(all(&f.predict_proba(&x)?)) }),
        ("nmf", |q, d| { let x = q.x().mapv(f64::abs); let f = Nmf::new(q.count()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(&x)?)) }),
        ("topic_model", |q, d| { let x = q.x().mapv(|v| v.abs().round()); let f = TopicModel::new(q.few()).max_iterations(q.few()).fit(d, &x)?; Ok(all(&f.transform(&x)?)) }),
        ("one_class_svm", |q, d| { let x = q.x(); let f = OneClassSvm::new(q.kernel(), q.number()).max_iterations(2000).fit(d, &x)?; Ok(all(&f.decision(q.like(&x))?)) }),
        ("als", |q, d| { let x = q.x().mapv(|v| v.abs().round()); let y = q.y(&x); let f = Als::new(q.count()).max_iterations(q.few()).fit(d, &x, &y)?; Ok(all(&f.predict(&x)?)) }),
        ("two_sample", |q, d| { let x = q.x(); let y = q.like(&x); Ok(outcome(&TwoSampleTest::with_kernel(q.kernel()).null(Null::Permutations(q.count())).alpha(q.number()).run(d, &x, &y)?)) }),
        ("two_sample_fuse", |q, d| { let x = q.x(); let y = q.like(&x); Ok(outcome(&TwoSampleTest::new().null(Null::Permutations(q.few())).run(d, &x, &y)?)) }),
        ("independence", |q, d| { let x = q.x(); let y = q.y(&x).insert_axis(ndarray::Axis(1)); Ok(outcome(&IndependenceTest::with_kernels(q.kernel(), q.kernel()).null(Null::Permutations(q.count())).run(d, &x, &y)?)) }),
        ("joint_hsic", |q, d| { let x = q.x(); let y = q.y(&x).insert_axis(ndarray::Axis(1)); Ok(outcome(&JointHsic::new(vec![q.kernel(), q.kernel()]).null(Null::Permutations(q.few())).run(d, &[x, y])?)) }),
        ("mmd", |q, d| { let x = q.x(); let y = q.like(&x); let m = Mmd::new(q.kernel()); Ok(vec![m.biased(d, &x, &y)?, m.unbiased(d, &x, &y)?]) }),
        ("mmd_blocks", |q, _| { let x = q.x(); let y = q.like(&x); let m = Mmd::new(q.kernel()); Ok(vec![m.block(&x, &y, q.count())?.value, m.incomplete(&x, &y, q.count())?]) }),
        ("hsic", |q, d| { let x = q.x(); let y = q.y(&x).insert_axis(ndarray::Axis(1)); let h = Hsic::new(q.kernel(), q.kernel()); Ok(vec![h.biased(d, &x, &y)?, h.unbiased(d, &x, &y)?]) }),
        ("energy", |q, d| { let x = q.x(); let y = q.like(&x); Ok(vec![energy_distance(d, &x, &y, q.number())?]) }),
        ("embedding", |q, d| { let x = q.x(); let e = KernelMeanEmbedding::new(d, &q.kernel(), &x)?; let mut out = all(&e.evaluate(q.like(&x))?); out.push(e.squared_norm()?); Ok(out) }),
        ("herding", |q, d| { let x = q.x(); let e = KernelMeanEmbedding::new(d, &q.kernel(), &x)?; Ok(indices(&e.herd(q.count(), None)?.indices)) }),
        ("median_distance", |q, _| { let x = q.x(); Ok(vec![median_distance(&x, Metric::L2, Among::Subsample { most: q.count(), seed: 1 })?]) }),
        ("gram", |q, d| { let x = q.x(); let k = q.kernel(); let m = Matrix::from_array(d, x.view())?; Ok(stored(d, all(&ops::gram(&k, &m, None)?.to_array()?))) }),
        ("kernel_value", |q, _| { let (a, b) = (q.matrix(1, 2), q.matrix(1, 2)); Ok(vec![q.kernel().value(&all(&a), &all(&b))?]) }),
        ("solve_spd", |q, d| { let x = q.x(); let a = x.dot(&x.t()); let b = q.matrix(x.nrows(), 2); Ok(all(&solve_spd(d, a.view(), b.view(), &SpdParams::default())?.x)) }),
        ("eigh", |q, _| { let x = q.x(); Ok(all(&eigh(x.dot(&x.t()).view())?.values)) }),
        ("landmarks", |q, _| { let (n, k) = (q.count(), q.count()); Ok(indices(&landmarks(n.min(1 << 20), k, q.seed())?)) }),
        ("k_fold", |q, _| { let n = q.one(&[0, 1, 2, 10, 100]); let folds = KFold::new(q.count()).shuffled(q.seed()).split(n)?; Ok(vec![folds.len() as f64]) }),
        ("silhouette", |q, _| { let x = q.x(); let y = q.labels(&x); Ok(vec![silhouette(&x, &y)?]) }),
        ("r2", |q, _| { let x = q.x(); let (a, b) = (q.y(&x), q.y(&x)); Ok(vec![r2(&a, &b)?, mse(&a, &b)?]) }),
    ]
}
