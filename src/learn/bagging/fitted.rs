//! What bagging has fitted: the models, and what they predict together.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayRef, ArrayView2};

use crate::Result;
use crate::learn::answer::answered;
use crate::learn::data::{Inputs, TargetDim, Targets};
use crate::learn::labels::{Labels, most_probable};
use crate::learn::metrics::{matched, r_squared};
use crate::learn::traits::{Classes, Predict, PredictProba, Score};

/// Fitted [`Bagging`](super::Bagging) of classifiers.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBaggingClassifier<T, L> {
    pub(super) labels: Labels<L>,
    pub(super) models: Vec<T>,
    pub(super) outside: Vec<Vec<usize>>,
    pub(super) out_of_bag: Option<f64>,
    pub(super) features: usize,
}

/// Fitted [`Bagging`](super::Bagging) of regressions.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBaggingRegressor<T, D> {
    pub(super) models: Vec<T>,
    pub(super) outside: Vec<Vec<usize>>,
    pub(super) out_of_bag: Option<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) targets: PhantomData<D>,
}

macro_rules! bagged {
    ($own:ident, $param:ident) => {
        impl<T, $param> $own<T, $param> {
            /// The models.
            pub fn models(&self) -> &[T] {
                &self.models
            }

            /// The rows that each model has not seen.
            pub fn outside(&self) -> &[Vec<usize>] {
                &self.outside
            }

            /// The score (accuracy or R²) of rows by the models that have not seen them; none if all rows are in all samples.
            pub fn out_of_bag_score(&self) -> Option<f64> {
                self.out_of_bag
            }
        }
    };
}

bagged!(FittedBaggingClassifier, L);
bagged!(FittedBaggingRegressor, D);

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> FittedBaggingClassifier<T, L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The label that most models predict of each row of `x`, the first of equals.
    ///
    /// # Errors
    /// Those of the models.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        answered("FittedBaggingClassifier::predict", Predict::predict(self, x.inputs().view()))
    }

    /// The share of models that predict each class.
    ///
    /// # Errors
    /// Those of the models.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered(
            "FittedBaggingClassifier::predict_proba",
            PredictProba::predict_proba(self, x.inputs().view()),
        )
    }

    /// The share of the rows of `x` whose label is predicted as in `y`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<f64> {
        Score::<[L]>::score(self, x.inputs().view(), &y.targets())
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> PredictProba for FittedBaggingClassifier<T, L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        crate::check::inputs("FittedBaggingClassifier", x, self.features)?;
        let mut votes = Array2::zeros((x.nrows(), self.labels.classes().len()));
        for model in &self.models {
            for (i, k) in self.labels.indices(&model.predict(x)?)?.into_iter().enumerate() {
                votes[[i, k]] += 1.0;
            }
        }
        Ok(votes / self.models.len() as f64)
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Predict for FittedBaggingClassifier<T, L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(PredictProba::predict_proba(self, x)?.view()))
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Score<[L]> for FittedBaggingClassifier<T, L> {
    fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
        matched("FittedBaggingClassifier::score", y, &Predict::predict(self, x)?)
    }
}

impl<T, L> Classes for FittedBaggingClassifier<T, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<T: Predict<Output = Array<f64, D>>, D: TargetDim> FittedBaggingRegressor<T, D> {
    /// The mean of the models' predictions at each row of `x`.
    ///
    /// # Errors
    /// Those of the models.
    pub fn predict(&self, x: impl Inputs) -> Result<Array<f64, D>> {
        answered("FittedBaggingClassifier::predict", Predict::predict(self, x.inputs().view()))
    }

    /// R² of the predictions at `x` against `y`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = ArrayRef<f64, D>>) -> Result<f64> {
        Score::<ArrayRef<f64, D>>::score(self, x.inputs().view(), &y.targets())
    }
}

impl<T: Predict<Output = Array<f64, D>>, D: TargetDim> Predict for FittedBaggingRegressor<T, D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        let mut sum: Option<Array<f64, D>> = None;
        for model in &self.models {
            let said = model.predict(x)?;
            sum = Some(match sum {
                None => said,
                Some(sum) => sum + said,
            });
        }
        let count = self.models.len() as f64;
        sum.map(|sum| sum / count).ok_or_else(|| crate::Error::Shape {
            op: "FittedBaggingRegressor::predict",
            what: "there are no models".to_owned(),
        })
    }
}

impl<T: Predict<Output = Array<f64, D>>, D: TargetDim> Score<ArrayRef<f64, D>>
    for FittedBaggingRegressor<T, D>
{
    fn score(&self, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<f64> {
        let said = Predict::predict(self, x)?;
        r_squared("FittedBaggingRegressor::score", D::columns(y), D::columns(&said))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBaggingClassifier<T, L>);

#[cfg(feature = "serde")]
impl<T, L> crate::saved::Checked for FittedBaggingClassifier<T, L> {
    fn check(&self) -> crate::Result<()> {
        crate::check::require(
            "a saved FittedBaggingClassifier",
            !self.models.is_empty() && self.labels.classes().len() > 1,
            || "no models, or fewer than two classes".to_owned(),
        )
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBaggingRegressor of T, D: crate::learn::TargetDim);

#[cfg(feature = "serde")]
impl<T, D> crate::saved::Checked for FittedBaggingRegressor<T, D> {
    fn check(&self) -> crate::Result<()> {
        crate::check::require("a saved FittedBaggingRegressor", !self.models.is_empty(), || {
            "no models".to_owned()
        })
    }
}
