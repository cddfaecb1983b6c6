//! A transformation, and what comes after it, as one model. Checked in `tests/learn/pipeline.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::answer::answered;
use super::data::{Inputs, Rows, Targets, Weights};
use super::report::Report;
use super::traits::{
    Classes, Decision, Fit, FitWeighted, InverseTransform, Predict, PredictDistribution, PredictProba,
    Reported, Sample, Score, Transform,
};
use crate::saved::Format;
use crate::{Device, Result};

/// `x ↦ b(a(x))`: learns `a` from the inputs, then `b` from what `a` makes of them.
///
/// The first is anything that transforms, the second anything that can be fitted, itself a pipeline or not; what was
/// fitted can whatever the second can. Both are fitted to the training rows alone, so that a
/// [`cross_validate`](super::cross_validate) of a pipeline sees nothing of its test rows.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[1.0, 900.0], [2.0, 400.0], [3.0, 500.0], [4.0, 100.0]], array![1.0, 2.0, 2.9, 4.1]);
/// let model = Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::linear(), 0.1));
/// let fitted = model.fit(&Device::cpu(), &x, &y)?;
/// assert!((fitted.first().mean()[0] - 2.5).abs() < 1e-15);
/// assert_eq!(fitted.predict(&x)?.len(), 4); // y was one-dimensional, and so are predictions
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pipeline<A, B> {
    first: A,
    then: B,
}

impl<A, B> Pipeline<A, B> {
    /// First `a`, then `b`.
    pub fn new(first: A, then: B) -> Self {
        Pipeline { first, then }
    }

    /// The transformation.
    pub fn first(&self) -> &A {
        &self.first
    }

    /// What comes after it.
    pub fn then(&self) -> &B {
        &self.then
    }

    /// Learns both from the rows of `x`, `n x d`, and the targets `y`, which are `()` if the second takes none.
    ///
    /// # Errors
    /// Those of either fit, and of the transformation.
    pub fn fit<Y: Targets>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: Y,
    ) -> Result<FittedPipeline<A::Fitted, B::Fitted>>
    where
        A: Fit<Fitted: Transform>,
        B: Fit<Y::Of>,
    {
        Fit::<Y::Of>::fit(self, device, x.inputs().view(), &y.targets())
    }

    /// `fit` with a weight for each row: a weight of 2 is that row twice.
    ///
    /// # Errors
    /// As `fit`, and for weights that are negative, not finite, all zero or not n.
    pub fn fit_weighted<Y: Targets>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: Y,
        weights: impl Weights,
    ) -> Result<FittedPipeline<A::Fitted, B::Fitted>>
    where
        A: FitWeighted<Fitted: Transform>,
        B: FitWeighted<Y::Of>,
    {
        let (x, w) = (x.inputs(), weights.weights());
        FitWeighted::<Y::Of>::fit_weighted(self, device, x.view(), &y.targets(), w.view())
    }
}

impl<A: Fit<Fitted: Transform>, B: Fit<Y>, Y: Rows + ?Sized> Fit<Y> for Pipeline<A, B> {
    type Fitted = FittedPipeline<A::Fitted, B::Fitted>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &Y) -> Result<Self::Fitted> {
        let first = self.first.fit(device, x, &())?;
        let then = self.then.fit(device, first.transform(x)?.view(), y)?;
        Ok(FittedPipeline { format: Format, first, then })
    }
}

impl<A: FitWeighted<Fitted: Transform>, B: FitWeighted<Y>, Y: Rows + ?Sized> FitWeighted<Y>
    for Pipeline<A, B>
{
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &Y,
        weights: ArrayView1<f64>,
    ) -> Result<Self::Fitted> {
        let first = self.first.fit_weighted(device, x, &(), weights)?;
        let then = self.then.fit_weighted(device, first.transform(x)?.view(), y, weights)?;
        Ok(FittedPipeline { format: Format, first, then })
    }
}

/// A transformation and what comes after it, both fitted; it can whatever the second can.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FittedPipeline<A, B> {
    format: Format,
    first: A,
    then: B,
}

impl<A, B> FittedPipeline<A, B> {
    /// The transformation, fitted.
    pub fn first(&self) -> &A {
        &self.first
    }

    /// What comes after it, fitted to what the first has made.
    pub fn then(&self) -> &B {
        &self.then
    }

    /// The distinct labels that it was fitted to, in ascending order.
    pub fn classes(&self) -> &[B::Label]
    where
        B: Classes,
    {
        self.then.classes()
    }

    /// How well the rows of `x` and their targets are met, as one number: larger is better.
    ///
    /// # Errors
    /// As `predict`, and for targets that do not fit.
    pub fn score<Y: Targets>(&self, x: impl Inputs, y: Y) -> Result<f64>
    where
        Self: Score<Y::Of>,
    {
        Score::<Y::Of>::score(self, x.inputs().view(), &y.targets())
    }
}

/// Both forms of what the second can do with transformed rows: the trait, and the method that takes any inputs.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $trait:ident::$name:ident -> $(type $output:ident,)? $result:ty;)+) => { $(
        impl<A: Transform, B: $trait> $trait for FittedPipeline<A, B> {
            $(type $output = B::$output;)?

            fn $name(&self, x: ArrayView2<f64>) -> Result<$result> {
                self.then.$name(self.first.transform(x)?.view())
            }
        }

        impl<A: Transform, B: $trait> FittedPipeline<A, B> {
            $(#[$doc])*
            ///
            /// # Errors
            /// Those of the transformation, and of what comes after it.
            pub fn $name(&self, x: impl Inputs) -> Result<$result> {
                let op = concat!("FittedPipeline::", stringify!($name));
                answered(op, $trait::$name(self, x.inputs().view()))
            }
        }
    )+ };
}

forwarded! {
    /// The prediction at each row of `x`, `m x d`.
    Predict::predict -> type Output, B::Output;
    /// Probabilities, one row for each row of `x`, one column for each class, cluster or component.
    PredictProba::predict_proba -> Array2<f64>;
    /// Scores of classes, one row for each row of `x`.
    Decision::decision -> Array2<f64>;
    /// The distribution of a new observation at each row of `x`.
    PredictDistribution::predict_distribution -> type Distribution, B::Distribution;
    /// The features of each row of `x`, after both.
    Transform::transform -> Array2<f64>;
}

impl<A: InverseTransform, B: InverseTransform> InverseTransform for FittedPipeline<A, B> {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.first.inverse_transform(self.then.inverse_transform(z)?.view())
    }
}

impl<A: InverseTransform, B: InverseTransform> FittedPipeline<A, B> {
    /// Rows of the original space for each row of features `z`: the second undone, then the first.
    ///
    /// # Errors
    /// Those of either.
    pub fn inverse_transform(&self, z: impl Inputs) -> Result<Array2<f64>> {
        answered(
            "FittedPipeline::inverse_transform",
            InverseTransform::inverse_transform(self, z.inputs().view()),
        )
    }
}

impl<A: Transform, B: Score<Y>, Y: Rows + ?Sized> Score<Y> for FittedPipeline<A, B> {
    fn score(&self, x: ArrayView2<f64>, y: &Y) -> Result<f64> {
        self.then.score(self.first.transform(x)?.view(), y)
    }
}

impl<A, B: Classes> Classes for FittedPipeline<A, B> {
    type Label = B::Label;

    fn classes(&self) -> &[B::Label] {
        self.then.classes()
    }
}

impl<A, B: Reported> Reported for FittedPipeline<A, B> {
    fn report(&self) -> &Report {
        self.then.report()
    }
}

/// Draws where the second can draw and the first can be undone.
impl<A: InverseTransform, B: Sample> Sample for FittedPipeline<A, B> {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        self.first.inverse_transform(self.then.sample(count, seed)?.view())
    }
}
