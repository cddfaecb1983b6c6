//! Mixtures: densities `p(x) = sum_k π_k p_k(x)`, fitted by EM.
//!
//! | data | model |
//! |---|---|
//! | points | [`GaussianMixture`], and its K by a criterion: [`GaussianMixture::select`] |
//! | points, K unknown, uncertainty wanted | [`BayesianGaussianMixture`] |
//! | yes and no | [`BernoulliMixture`] |
//! | counts, as the words of texts | [`CategoricalMixture`] |
//! | a response that depends on x in K ways | [`LinearRegressionMixture`], [`LogisticRegressionMixture`] |

mod bayesian;
mod bayesian_em;
mod bayesian_fitted;
mod bernoulli;
mod categorical;
mod covariance;
mod discrete;
mod discrete_fitted;
mod factors;
mod gaussian;
mod gaussian_em;
mod gaussian_fitted;
mod linear;
mod logistic;
mod missing;
mod sample;
mod select;
mod soft_kmeans;
mod start;
mod stick_breaking;
mod sufficient;

pub use bayesian::{BayesianGaussianMixture, WeightPrior};
pub use bayesian_fitted::FittedBayesianGaussianMixture;
pub use bernoulli::{Bernoulli, BernoulliMixture};
pub use categorical::{Categorical, CategoricalMixture};
pub use covariance::{Covariance, CovarianceKind};
pub use discrete::DiscreteMixture;
pub use discrete_fitted::FittedDiscreteMixture;
pub use gaussian::{GaussianMixture, GaussianParams};
pub use gaussian_fitted::FittedGaussianMixture;
pub use linear::{FittedLinearRegressionMixture, LinearRegressionMixture};
pub use logistic::{FittedLogisticRegressionMixture, LogisticRegressionMixture};
pub use select::{Criterion, Selection};
pub use soft_kmeans::SoftKMeans;
pub use start::MixtureStart;
pub use sufficient::GaussianStatistics;
