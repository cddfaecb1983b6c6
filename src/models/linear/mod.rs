//! Linear regression: with a squared loss, with others, with penalties, and its Bayesian form.
//!
//! | to do | use |
//! |---|---|
//! | fit a linear function with an intercept, with a penalty or by least squares | [`Ridge`] |
//! | choose its penalty by leave-one-out or GCV | [`RidgeCv`] |
//! | least squares with standard errors, tests, intervals and diagnostics | [`LeastSquares`] |
//! | few coefficients that are not zero, whole paths of penalties | [`Lasso`], [`ElasticNet`], [`LassoCv`], [`ElasticNetCv`] |
//! | quantiles, least absolute deviations | [`QuantileRegression`], [`Quantiles`] |
//! | outliers in y | [`HuberRegression`] |
//! | events, counts and positive numbers | [`GeneralisedLinear`] |
//! | any other loss and penalty | [`RiskMinimiser`] |
//! | weights for a test set of another distribution | [`density_ratio`] |
//! | a posterior over linear functions, its evidence, updates | [`BayesianLinearRegression`] |
//! | probabilities of classes by a linear score | [`LogisticRegression`], [`ProbitRegression`], [`BayesianLogisticRegression`] |
//! | planes between classes without probabilities | [`Perceptron`], [`LeastSquaresClassifier`], [`LinearScores`], [`Hyperplane`] |
//!
//! [`features`](super::kernel_methods::features) turn linear models into kernel ones.

mod bayesian;
mod bayesian_logistic;
mod centred;
mod elastic_net;
mod function;
mod glm;
mod huber;
mod least_squares;
mod least_squares_classifier;
mod logistic;
mod perceptron;
mod quantile;
mod reduced;
mod ridge;
mod ridge_cv;
mod risk_minimiser;
mod scores;
mod spectrum;

pub use bayesian::{BayesianLinearRegression, FittedBayesianLinearRegression, LinearPrediction};
pub use bayesian_logistic::{BayesianLogisticRegression, FittedBayesianLogisticRegression, PosteriorAverage};
pub use elastic_net::{
    ElasticNet, ElasticNetCv, ElasticNetPath, FittedElasticNet, FittedElasticNetCv, Lasso, LassoCv,
};
pub use glm::{Family, FittedGeneralisedLinear, GeneralisedLinear, Link};
pub use huber::{FittedHuberRegression, HuberRegression};
pub use least_squares::{FittedLeastSquares, LeastSquares};
pub use least_squares_classifier::{FittedLeastSquaresClassifier, LeastSquaresClassifier};
pub use logistic::{FittedLogisticRegression, FittedProbitRegression, LogisticRegression, ProbitRegression};
pub use perceptron::{FittedPerceptron, Perceptron};
pub use quantile::{FittedQuantileRegression, FittedQuantiles, QuantileRegression, Quantiles};
pub use ridge::{FittedRidge, Form, Ridge};
pub use ridge_cv::{FittedRidgeCv, PenaltyCriterion, RidgeCv};
pub use risk_minimiser::{FittedRiskMinimiser, RiskMinimiser, density_ratio};
pub use scores::{Hyperplane, LinearScores};
