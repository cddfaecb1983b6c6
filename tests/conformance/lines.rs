//! One line a model. `tests/house/conformance.rs` fails when a public type with a `fit` has none.

use mercer::prelude::*;
use ndarray::Axis;

use crate::checks::{beside, column, enough, labels};
use crate::data;

// Linear models.
conforms!(ridge, data::curve(), Ridge::new(0.1), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(ridge_of_several, data::curves(), Ridge::new(0.1), |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(least_squares, data::curve(), Ridge::new(0.0), |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
conforms!(ridge_cv, data::curve(), RidgeCv::new(&[0.01, 0.1, 1.0]), |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(bayesian_linear, data::curve(), BayesianLinearRegression::new(1.0, 20.0),
    |f, x| { let p = f.predict_distribution(x)?; Ok(ndarray::stack![Axis(1), *p.mean(), p.variance()]) }; 1e-6, unordered, saved);

// Kernel methods.
conforms!(kernel_ridge, data::curve(), KernelRidge::new(Kernel::rbf(1.0), 0.1),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::MatrixFree).progress(enough())));
conforms!(kernel_ridge_of_several, data::curves(), KernelRidge::new(Kernel::linear() + Kernel::constant(1.0), 0.1),
    |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(kernel_ridge_cv, data::curve(), KernelRidgeCv::new([0.5, 1.0, 2.0].map(Kernel::rbf), &[0.01, 0.1]),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(falkon, data::curve(), Falkon::new(Kernel::rbf(1.0), 0.1, 20),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, saved, cancel(Falkon::new(Kernel::rbf(1.0), 0.1, 20).progress(enough())));
conforms!(falkon_cv, data::curve(), FalkonCv::new(Falkon::new(Kernel::rbf(1.0), 0.1, 20), [0.5, 1.0].map(Kernel::rbf), &[0.01, 0.1]),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, saved);
conforms!(nystrom, data::blobs(), Nystrom::new(Kernel::rbf(1.0), 10), |f, x| f.transform(x); 1e-6, saved);
conforms!(random_fourier, data::blobs(), RandomFourier::new(Kernel::rbf(1.0), 10), |f, x| f.transform(x); 1e-6, saved);

// Gaussian processes.
conforms!(gp_regressor, data::curve(), GpRegressor::new(Kernel::rbf(1.0)).noise(0.1),
    |f, x| { let p = f.predict_distribution(x)?; Ok(ndarray::stack![Axis(1), p.mean, p.variance]) }; 1e-5, unordered, saved,
    cancel(GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).optimise(Minimiser::new().progress(enough()))));
conforms!(gp_regressor_of_several, data::curves(), GpRegressor::new(Kernel::matern52(1.0)).noise(0.1),
    |f, x| f.predict(x); 1e-6, unordered, saved);
conforms!(sparse_gp_regressor, data::curve(), SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(12)).noise(0.1),
    |f, x| { let p = f.predict_distribution(x)?; Ok(ndarray::stack![Axis(1), p.mean, p.variance]) }; 1e-4, saved);
conforms!(gp_classifier, data::spelt(), GpClassifier::new(Kernel::rbf(1.0).scaled(4.0)),
    |f, x| Ok(beside(&[f.predict_proba(x)?.view(), labels(&f.predict(x)?).view()])); 1e-4, unordered, saved);
conforms!(gp_classifier_of_two, data::two_classes(), GpClassifier::new(Kernel::rbf(1.0)),
    |f, x| f.predict_proba(x); 1e-4, unordered, saved);

// Clusters.
conforms!(k_means, data::blobs(), KMeans::new(3).seed(1),
    |f, x| Ok(beside(&[labels(&f.predict(x)?).view(), f.transform(x)?.view()])); 1e-4, saved, cancel(KMeans::new(3).progress(enough())));
conforms!(k_medoids, data::blobs(), KMedoids::new(3).seed(1),
    |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved, cancel(KMedoids::new(3).progress(enough())));
conforms!(dp_means, data::blobs(), DpMeans::new(4.0), |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved);

// Mixtures.
conforms!(gaussian_mixture, data::blobs(), GaussianMixture::new(3).seed(1),
    |f, x| f.predict_proba(x); 1e-4, saved, cancel(GaussianMixture::new(3).progress(enough())));
conforms!(bayesian_gaussian_mixture, data::blobs(), BayesianGaussianMixture::new(4).seed(1),
    |f, x| f.predict_proba(x); 1e-4, saved, cancel(BayesianGaussianMixture::new(4).progress(enough())));
conforms!(soft_k_means, data::blobs(), SoftKMeans::new(3, 0.5).seed(1), |f, x| f.predict_proba(x); 1e-4, saved);
conforms!(bernoulli_mixture, data::answers(), BernoulliMixture::new(2).seed(1), |f, x| f.predict_proba(x); 1e-4, saved);
conforms!(categorical_mixture, data::counts(), CategoricalMixture::new(2).seed(1), |f, x| f.predict_proba(x); 1e-4, saved);
conforms!(linear_regression_mixture, data::curve(), LinearRegressionMixture::new(2).seed(1),
    |f, x| Ok(column(f.predict(x)?)); 1e-4, saved, cancel(LinearRegressionMixture::new(2).progress(enough())));
conforms!(logistic_regression_mixture, data::two_classes(), LogisticRegressionMixture::new(1).seed(1),
    |f, x| f.predict_proba(x); 1e-4, saved, cancel(LogisticRegressionMixture::new(1).progress(enough())));

// Latent variables.
conforms!(pca, data::correlated(), Pca::new(2),
    |f, x| Ok(beside(&[f.transform(x)?.view(), f.reconstruct(x)?.view()])); 1e-4, unordered, saved);
conforms!(ppca, data::correlated(), Ppca::new(2), |f, x| f.transform(x); 1e-4, unordered, saved);
conforms!(ppca_mixture, data::blobs(), PpcaMixture::new(3, 1).seed(1), |f, x| f.predict_proba(x); 1e-4, saved,
    cancel(PpcaMixture::new(3, 1).progress(enough())));
conforms!(factor_analysis, data::correlated(), FactorAnalysis::new(2), |f, x| f.transform(x); 1e-4, saved);
conforms!(ica, data::correlated(), Ica::new(2).seed(1), |f, x| f.transform(x); 1e-4, saved, cancel(Ica::new(2).progress(enough())));

// Preprocessing and composition.
conforms!(standardise, data::blobs(), Standardise::new(), |f, x| f.transform(x); 1e-6, weights, unordered, saved);
conforms!(min_max, data::blobs(), MinMax::new(), |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(whiten, data::correlated(), Whiten::new(), |f, x| f.transform(x); 1e-6, weights, unordered, saved);
conforms!(polynomial, data::blobs(), Polynomial::new(2), |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(gaussian_basis, data::blobs(), Basis::gaussian(3), |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(bias_column, data::blobs(), BiasColumn, |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(pipeline, data::curve(), Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf(1.0), 0.1)),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(one_vs_rest, data::spelt(), OneVsRest::by_proba(GpClassifier::new(Kernel::rbf(1.0))), |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved);
conforms!(one_vs_one, data::spelt(), OneVsOne::by_proba(GpClassifier::new(Kernel::rbf(1.0))), |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved);
