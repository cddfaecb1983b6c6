//! Mixtures: densities `p(x) = sum_k π_k p_k(x)`, fitted by EM.
//!
//! | data | model |
//! |---|---|
//! | points | [`GaussianMixture`], and its K by a criterion: [`GaussianMixture::select`] |
//! | points about centres of one known width | [`SoftKMeans`] |
//! | points, K unknown, uncertainty wanted | [`BayesianGaussianMixture`] |
//! | yes and no | [`BernoulliMixture`] |
//! | categories, some of them missing | [`LatentClass`] |
//! | counts, as the words of texts | [`CategoricalMixture`] |
//! | a response that depends on x in K ways | [`LinearRegressionMixture`], [`LogisticRegressionMixture`] |
//!
//! A GPU makes the steps of EM in f32, about the middle of the data; the last ones are made in f64 on the CPU, until their
//! objective says that there is no more to gain.

mod bayesian;
mod discrete;
mod factors;
mod gaussian;
mod regression;
mod responsibilities;
mod sample;
mod soft_kmeans;

pub use bayesian::{BayesianGaussianMixture, FittedBayesianGaussianMixture, WeightPrior};
pub use discrete::{
    Bernoulli, BernoulliMixture, Categorical, CategoricalMixture, DiscreteMixture, FittedDiscreteMixture,
    FittedLatentClass, LatentClass,
};
pub use gaussian::{
    Covariance, CovarianceKind, FittedGaussianMixture, GaussianMixture, GaussianParams, GaussianStatistics,
    MixtureCriterion, MixtureStart, Selection,
};
pub use regression::{
    FittedLinearRegressionMixture, FittedLogisticRegressionMixture, LinearRegressionMixture,
    LogisticRegressionMixture,
};
pub use soft_kmeans::SoftKMeans;
