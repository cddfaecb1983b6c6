//! Linear regression with a squared loss and a squared penalty, and its Bayesian form.
//!
//! | to do | use |
//! |---|---|
//! | fit a linear function with an intercept, with a penalty or by least squares | [`Ridge`] |
//! | choose its penalty by leave-one-out or GCV | [`RidgeCv`] |
//! | a posterior over linear functions, its evidence, updates | [`BayesianLinearRegression`] |
//! | probabilities of classes by a linear score | [`LogisticRegression`], [`ProbitRegression`], [`BayesianLogisticRegression`] |
//! | planes between classes without probabilities | [`Perceptron`], [`LeastSquaresClassifier`], [`LinearScores`], [`Hyperplane`] |
//!
//! [`features`](super::kernel_methods::features) turn linear models into kernel ones.

mod bayesian;
mod bayesian_logistic;
mod centred;
mod least_squares_classifier;
mod logistic;
mod perceptron;
mod ridge;
mod ridge_cv;
mod scores;
mod spectrum;

pub use bayesian::{BayesianLinearRegression, FittedBayesianLinearRegression, LinearPrediction};
pub use bayesian_logistic::{BayesianLogisticRegression, FittedBayesianLogisticRegression, PosteriorAverage};
pub use least_squares_classifier::{FittedLeastSquaresClassifier, LeastSquaresClassifier};
pub use logistic::{
    ClassBalance, FittedLogisticRegression, FittedProbitRegression, LogisticRegression, ProbitRegression,
};
pub use perceptron::{FittedPerceptron, Perceptron};
pub use ridge::{FittedRidge, Form, Ridge};
pub use ridge_cv::{FittedRidgeCv, PenaltyCriterion, RidgeCv};
pub use scores::{Hyperplane, LinearScores};
