//! What logistic and probit regression have found.

use ndarray::{Array1, Array2, ArrayView2, Axis, stack};

use crate::Result;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::classify::{Body, Probable, fitted_classifier, sigmoid, softmax_rows};
use crate::learn::configure::getters;
use crate::learn::{Report, Reported};
use crate::models::linear::scores::LinearScores;
use crate::probability::normal::cdf;

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    pub scores: LinearScores,
    pub probit: bool,
    #[cfg_attr(feature = "serde", serde(with = "optional"))]
    pub covariance: Option<Array2<f64>>,
    pub has_intercept: bool,
    pub log_likelihood: f64,
    pub mass: f64,
    pub rank: usize,
    pub report: Report,
}

/// A matrix or none.
#[cfg(feature = "serde")]
mod optional {
    use ndarray::Array2;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Of(#[serde(with = "crate::saved::matrix")] Array2<f64>);

    #[allow(clippy::ref_option, reason = "the form in which serde calls it")]
    pub fn serialize<S: Serializer>(own: &Option<Array2<f64>>, to: S) -> Result<S::Ok, S::Error> {
        own.clone().map(Of).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Array2<f64>>, D::Error> {
        Ok(Option::<Of>::deserialize(from)?.map(|own| own.0))
    }
}

/// Of the second class for one column of scores, else of each.
pub(crate) fn with_complement(second: Array1<f64>) -> Array2<f64> {
    stack![Axis(1), second.mapv(|p| 1.0 - p), second]
}

impl Body for Found {
    fn features(&self) -> usize {
        self.scores.coefficients().nrows()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.scores.raw(x))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let columns = if classes == 2 { 1 } else { classes };
        self.scores.check(op, columns)?;
        let Some(covariance) = &self.covariance else { return Ok(()) };
        let width = (self.features() + usize::from(self.has_intercept)) * columns;
        require(op, covariance.dim() == (width, width), || {
            format!("a covariance of {:?}", covariance.dim())
        })?;
        finite(op, "the covariance", covariance.view())
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let a = self.scores.raw(x);
        if a.ncols() > 1 {
            return Ok(softmax_rows(a));
        }
        Ok(with_complement(a.column(0).mapv(if self.probit { cdf } else { sigmoid })))
    }
}

impl Found {
    fn standard_errors(&self) -> Option<Array2<f64>> {
        let rows = self.features() + usize::from(self.has_intercept);
        let of = |c: &Array2<f64>| {
            Array2::from_shape_fn((rows, self.scores.intercept().len()), |(j, k)| {
                let at = k * rows + j;
                c[[at, at]].max(0.0).sqrt()
            })
        };
        self.covariance.as_ref().map(of)
    }

    fn parameters(&self) -> usize {
        let columns = self.scores.intercept().len();
        let free = if columns == 1 { 1 } else { columns - 1 };
        free * (self.features() + usize::from(self.has_intercept))
    }
}

fitted_classifier! {
    /// Fitted [`LogisticRegression`](super::LogisticRegression).
    FittedLogisticRegression(Found): Probable
}

fitted_classifier! {
    /// Fitted [`ProbitRegression`](super::ProbitRegression).
    FittedProbitRegression(Found): Probable
}

macro_rules! shared {
    ($($own:ident),+) => { $(
        getters!($own<L> {
            /// The linear scores, and the planes between classes.
            scores => found.scores: &LinearScores,
            /// `Σ s_i ln p(y_i | x_i)` at the coefficients, without the penalty.
            log_likelihood => found.log_likelihood: f64,
            /// The rank that the last Hessian was taken to have; fewer than its rows if columns depend on each other.
            rank => found.rank: usize,
            /// How the fit went; its objectives are penalised negative log-likelihoods.
            report => found.report: &Report,
        });

        impl<L> $own<L> {
            /// The coefficients, `d x 1` of two classes, else `d x K`.
            pub fn coefficients(&self) -> &Array2<f64> {
                self.found.scores.coefficients()
            }

            /// The intercept of each column; zero if there is none.
            pub fn intercept(&self) -> &Array1<f64> {
                self.found.scores.intercept()
            }

            /// The standard error of each coefficient, and in the last row of each intercept if there is one: roots of the
            /// diagonal of the inverse Hessian. None for absolute penalties and for more than 400 parameters.
            pub fn standard_errors(&self) -> Option<Array2<f64>> {
                self.found.standard_errors()
            }

            /// The inverse Hessian: covariances of the coefficients of a column and its intercept, column after column.
            pub fn covariance(&self) -> Option<&Array2<f64>> {
                self.found.covariance.as_ref()
            }

            /// Free parameters: one column for two classes, one fewer than there are classes for more.
            pub fn parameters(&self) -> usize {
                self.found.parameters()
            }

            /// Akaike's criterion, `2 parameters - 2 ln L`.
            pub fn aic(&self) -> f64 {
                2.0 * self.found.parameters() as f64 - 2.0 * self.found.log_likelihood
            }

            /// Schwarz's criterion, `parameters ln n - 2 ln L`.
            pub fn bic(&self) -> f64 {
                self.found.parameters() as f64 * self.found.mass.ln() - 2.0 * self.found.log_likelihood
            }
        }

        impl<L> Reported for $own<L> {
            fn report(&self) -> &Report {
                &self.found.report
            }
        }
    )+ };
}

shared!(FittedLogisticRegression, FittedProbitRegression);
