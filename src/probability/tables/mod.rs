//! Discrete tables and moments: sum, product, chain and Bayes rule, independence, adjustment, variance algebra, bias.
//! Checked in `tests/probability/tables.rs`.
//!
//! | to do | use |
//! |---|---|
//! | a joint table, its marginals, conditionals, chain rule, draws | [`JointTable`] |
//! | posterior and evidence over finitely many causes | [`bayes_rule`], [`bayes_rule_log`] |
//! | the effect of doing, not seeing | [`JointTable::adjusted`] |
//! | expectations, variances, covariances, correlations | [`expectation`], [`variance`], [`covariance`], [`correlation`] |
//! | the bias of an estimator, the central limit theorem | [`bias`], [`standardised_means`], [`kolmogorov_distance`] |

mod experiments;
mod joint;
mod moments;
mod rule;

pub use experiments::{Bias, bias, kolmogorov_distance, standardised_means};
pub use joint::JointTable;
pub use moments::{
    MonteCarlo, correlation, covariance, cross_covariance, expectation, monte_carlo_expectation, variance,
    variance_of_product, variance_of_sum, variance_under,
};
pub use rule::{bayes_rule, bayes_rule_log};
