//! Classifiers, decisions, ensembles and text features.

use mercer::prelude::*;
use ndarray::{Array1, Array2};

use crate::checks::{beside, column, enough, labels};
use crate::data;

/// Zeros and ones of two profiles, and which one each row has.
fn bits() -> (Array2<f64>, Vec<bool>) {
    (data::answers().0, (0..60).map(|i| i < 30).collect())
}

/// Counts of two profiles, and which one each row has.
fn words() -> (Array2<f64>, Vec<bool>) {
    (data::counts().0, (0..60).map(|i| i < 30).collect())
}

fn noisy() -> (Array2<f64>, Vec<bool>) {
    let (x, mut y) = data::two_classes();
    // A few wrong labels, so that nothing separates them.
    (0..50).step_by(7).for_each(|i| y[i] = !y[i]);
    (x, y)
}

fn numbers() -> (Array2<f64>, Array1<f64>) {
    data::curve()
}

conforms!(logistic_regression, data::spelt(), LogisticRegression::new(0.5), |f, x| Ok(beside(&[f.predict_proba(x)?.view(), labels(&f.predict(x)?).view()]));
    1e-6, weights, unordered, saved, cancel(LogisticRegression::new(0.5).progress(enough())));
conforms!(logistic_regression_of_two, noisy(), LogisticRegression::new(0.0), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved, cancel(LogisticRegression::new(0.0).progress(enough())));
conforms!(sparse_logistic_regression, noisy(), LogisticRegression::new(0.1).l1(0.5), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved, cancel(LogisticRegression::new(0.1).l1(0.5).progress(enough())));
conforms!(probit_regression, noisy(), ProbitRegression::new(0.0), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved, cancel(ProbitRegression::new(0.0).progress(enough())));
conforms!(bayesian_logistic_regression, noisy(), BayesianLogisticRegression::new(1.0), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved, cancel(BayesianLogisticRegression::new(1.0).progress(enough())));
conforms!(least_squares_classifier, data::spelt(), LeastSquaresClassifier::new(0.1), |f, x| f.outputs(x);
    1e-6, weights, unordered, saved);
conforms!(perceptron, noisy(), Perceptron::new().max_passes(20), |f, x| f.decision(x);
    1e-6, saved, cancel(Perceptron::new().progress(enough())));
conforms!(linear_discriminant, data::spelt(), LinearDiscriminant::new(),
    |f, x| Ok(beside(&[f.predict_proba(x)?.view(), f.log_joint(x)?.view()])); 1e-4, weights, unordered, saved);
conforms!(quadratic_discriminant, data::spelt(), QuadraticDiscriminant::new(), |f, x| f.predict_proba(x);
    1e-4, weights, unordered, saved);
conforms!(gaussian_naive_bayes, data::spelt(), GaussianNaiveBayes::new(), |f, x| f.predict_proba(x);
    1e-4, weights, unordered, saved);
conforms!(bernoulli_naive_bayes, bits(), BernoulliNaiveBayes::new().beta(1.0, 1.0), |f, x| f.predict_proba(x);
    1e-4, weights, unordered, saved);
conforms!(categorical_naive_bayes, words(), CategoricalNaiveBayes::new().smoothing(1.0).categories(vec![30; 5]), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved);
conforms!(multinomial_naive_bayes, words(), MultinomialNaiveBayes::new(1.0), |f, x| f.predict_proba(x);
    1e-4, weights, unordered, saved);
conforms!(table_classifier, bits(), TableClassifier::new(1.0), |f, x| f.predict_proba(x); 1e-6, weights, unordered, saved);
conforms!(generative_classifier, data::named(), GenerativeClassifier::new(IndependentDensity::new(FeatureFamily::Gaussian)),
    |f, x| f.predict_proba(x); 1e-6, unordered,
    cancel(GenerativeClassifier::new(IndependentDensity::new(FeatureFamily::Gaussian)).progress(enough())));
conforms!(independent_density, data::blobs(), IndependentDensity::new(FeatureFamily::Gaussian), |f, x| Ok(column(f.score_samples(x)?));
    1e-6, weights, unordered, saved);
conforms!(k_nearest, data::spelt(), KNearest::new(3), |f, x| f.predict_proba(x); 1e-6, unordered, saved);
conforms!(k_nearest_regressor, numbers(), KNearestRegressor::new(3), |f, x| Ok(column(f.predict(x)?)); 1e-5, unordered, saved);
conforms!(ada_boost, noisy(), AdaBoost::new(10), |f, x| f.decision(x);
    1e-6, weights, unordered, saved, cancel(AdaBoost::new(10).progress(enough())));
conforms!(gradient_boosting, numbers(), GradientBoosting::new(10), |f, x| Ok(column(f.predict(x)?));
    1e-6, weights, unordered, saved, cancel(GradientBoosting::new(10).progress(enough())));
conforms!(gradient_boosting_classifier, noisy(), GradientBoostingClassifier::new(10), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved, cancel(GradientBoostingClassifier::new(10).progress(enough())));
conforms!(bagging, data::named(), Bagging::new(GaussianNaiveBayes::new(), 5), |f, x| f.predict_proba(x);
    1e-4, cancel(Bagging::new(GaussianNaiveBayes::new(), 5).progress(enough())));
conforms!(bagged_regression, numbers(), Bagging::new(Ridge::new(0.1), 5), |f, x| Ok(column(f.predict(x)?));
    1e-6, cancel(Bagging::new(Ridge::new(0.1), 5).progress(enough())));
conforms!(calibrated, noisy(), Calibrated::new(LinearDiscriminant::new(), CalibrationMap::Platt), |f, x| f.predict_proba(x);
    1e-4, cancel(Calibrated::new(LinearDiscriminant::new(), CalibrationMap::Platt).progress(enough())));
conforms!(private_vote, data::named(), PrivateVote::new(GaussianNaiveBayes::new(), 3), |f, x| f.votes(x);
    1e-6, cancel(PrivateVote::new(GaussianNaiveBayes::new(), 3).progress(enough())));
conforms!(novelty, data::blobs(), Novelty::new(IndependentDensity::new(FeatureFamily::Gaussian), 0.1), |f, x| f.decision(x); 1e-6, unordered);
conforms!(tf_idf, data::counts(), TfIdfFeatures::new(), |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(random_layer, data::blobs(), RandomLayer::new(6), |f, x| f.transform(x); 1e-6, unordered, saved);
conforms!(bayesian_discriminant, data::spelt(), BayesianDiscriminant::new(Array1::zeros(data::spelt().0.ncols()).view(), 1.0,
    data::spelt().0.ncols() as f64 + 1.0, Array2::eye(data::spelt().0.ncols()).view()), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved);
conforms!(bayesian_gaussian_naive_bayes, data::spelt(), BayesianGaussianNaiveBayes::new(0.0, 0.5, 1.0, 1.0), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved);
conforms!(predictive_multinomial, words(), MultinomialNaiveBayes::new(0.5).predictive(true), |f, x| f.predict_proba(x);
    1e-6, weights, unordered, saved);
conforms!(boosting, noisy(), Boosting::new(AdaBoost::new(1), 5), |f, x| f.decision(x);
    1e-6, saved, cancel(Boosting::new(AdaBoost::new(1), 5).progress(enough())));
