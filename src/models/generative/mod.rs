//! Classifiers that know the density of each class: `p(class | x) ∝ p(class) p(x | class)`.
//!
//! | the density of a class | use |
//! |---|---|
//! | Gaussian, one covariance for all classes; reduction of dimension | [`LinearDiscriminant`] |
//! | Gaussian, each class its own covariance | [`QuadraticDiscriminant`] |
//! | independent features: Gaussian, 0/1, categories, counts | [`GaussianNaiveBayes`], [`BernoulliNaiveBayes`], [`CategoricalNaiveBayes`], [`MultinomialNaiveBayes`] |
//! | Gaussian with a conjugate prior: all covariances, or independent features | [`BayesianDiscriminant`], [`BayesianGaussianNaiveBayes`] |
//! | a table of all combinations of categories | [`TableClassifier`] |
//! | anything with a density: PPCA, mixtures, exponential families | [`GenerativeClassifier`], [`IndependentDensity`] |

mod any_density;
mod bayesian_discriminant;
mod discriminant;
mod gaussians;
mod independent;
mod linear_discriminant;
mod moments;
mod naive_bayes;
mod on_device;
mod quadratic_discriminant;
mod table;

pub use any_density::{FittedGenerativeClassifier, GenerativeClassifier};
pub use bayesian_discriminant::{BayesianDiscriminant, FittedBayesianDiscriminant};
pub use independent::{FeatureFamily, FittedIndependentDensity, IndependentDensity};
pub use linear_discriminant::{FittedLinearDiscriminant, LinearDiscriminant};
pub use naive_bayes::{
    BayesianGaussianNaiveBayes, BernoulliNaiveBayes, CategoricalNaiveBayes, FittedBayesianGaussianNaiveBayes,
    FittedBernoulliNaiveBayes, FittedCategoricalNaiveBayes, FittedGaussianNaiveBayes,
    FittedMultinomialNaiveBayes, GaussianNaiveBayes, MultinomialNaiveBayes,
};
pub use quadratic_discriminant::{FittedQuadraticDiscriminant, QuadraticDiscriminant};
pub use table::{FittedTableClassifier, TableClassifier};
