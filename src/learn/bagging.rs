//! Models on bootstrap samples, averaged. Checked in `tests/classify/bagging.rs`.

mod fitted;

pub use fitted::{FittedBaggingClassifier, FittedBaggingRegressor};

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayRef, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::data::{Inputs, Rows, TargetDim, Targets};
use super::labels::{Labels, most_probable};
use super::metrics::r_squared;
use super::traits::{Fit, Predict};
use crate::check::{finite, pairs, parameter, require, room};
use crate::configure::setters;
use crate::{Device, Progress, Result};

/// `m` models, each fitted to n rows drawn from n with replacement; numbers are averaged, classes voted on.
///
/// A row is in a sample with probability 1 - 1/e = 0.632. The rows outside of it judge its model: the out-of-bag error, an
/// estimate of the error on new rows without any set aside.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| i as f64);
/// let y: Vec<bool> = (0..60).map(|i| i >= 30).collect();
/// let fit = Bagging::new(KNearest::new(1), 20).seed(1).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(fit.predict(ndarray::array![[3.0], [57.0]])?, [false, true]);
/// assert!(fit.out_of_bag_score().is_some_and(|s| s > 0.9));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bagging<M> {
    model: M,
    count: usize,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

/// Models, and the rows that each has not seen.
type Members<T> = (Vec<T>, Vec<Vec<usize>>);

impl<M> Bagging<M> {
    /// So many models of this kind.
    pub fn new(model: M, count: usize) -> Self {
        Bagging { model, count, seed: 0, progress: Progress::none() }
    }

    /// Learns from the rows of `x`, `n x d`, and their targets: numbers or labels.
    ///
    /// # Errors
    /// Those of the model, which may miss a class in a sample of few rows; [`Error::Parameter`](crate::Error::Parameter)
    /// for no models; [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit<Y: Targets>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: Y,
    ) -> Result<<Self as Fit<Y::Of>>::Fitted>
    where
        Self: Fit<Y::Of>,
    {
        Fit::<Y::Of>::fit(self, device, x.inputs().view(), &y.targets())
    }

    /// The rows of the i-th sample, in ascending order.
    fn sample(&self, n: usize, i: usize) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(i as u64);
        let mut rows: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
        rows.sort_unstable();
        rows
    }

    /// The models, and the rows outside of each sample.
    fn members<Y: Rows + ?Sized>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &Y,
    ) -> Result<Members<M::Fitted>>
    where
        M: Fit<Y>,
    {
        let n = x.nrows();
        parameter("count", self.count as f64, self.count > 0, "must be at least 1")?;
        room("count", self.count, n.saturating_mul(8))?;
        let (mut models, mut outside) = (Vec::with_capacity(self.count), Vec::with_capacity(self.count));
        for i in 0..self.count {
            let rows = self.sample(n, i);
            let own = y.select(&rows);
            models.push(self.model.fit(
                device,
                x.select(Axis(0), &rows).view(),
                std::borrow::Borrow::borrow(&own),
            )?);
            outside.push((0..n).filter(|r| rows.binary_search(r).is_err()).collect());
            self.progress.report("Bagging::fit", i + 1, self.count, f64::NAN)?;
        }
        Ok((models, outside))
    }
}

setters!(Bagging<M> {
    /// Seed of the samples.
    seed: u64,
    /// Called after the fit of each model; it can cancel.
    progress: Progress,
});

impl<M: Fit<[L], Fitted: Predict<Output = Vec<L>>>, L: Ord + Clone> Fit<[L]> for Bagging<M> {
    type Fitted = FittedBaggingClassifier<M::Fitted, L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        finite("Bagging::fit", "x", x)?;
        require("Bagging::fit", x.nrows() == y.len(), || {
            format!("x has {} rows, y has {}", x.nrows(), y.len())
        })?;
        let (labels, index) = Labels::of_classes(y)?;
        let (models, outside) = self.members(device, x, y)?;
        let mut votes = Array2::<f64>::zeros((x.nrows(), labels.classes().len()));
        for (model, rows) in models.iter().zip(&outside).filter(|(_, rows)| !rows.is_empty()) {
            let said = labels.indices(&model.predict(x.select(Axis(0), rows).view())?)?;
            rows.iter().zip(said).for_each(|(&i, k)| votes[[i, k]] += 1.0);
        }
        let winners = most_probable(votes.view());
        let judged: Vec<usize> = (0..x.nrows()).filter(|&i| votes.row(i).sum() > 0.0).collect();
        let right = judged.iter().filter(|&&i| winners[i] == index[i]).count();
        let out_of_bag = (!judged.is_empty()).then(|| right as f64 / judged.len() as f64);
        Ok(FittedBaggingClassifier { labels, models, outside, out_of_bag, features: x.ncols() })
    }
}

impl<M, D: TargetDim> Fit<ArrayRef<f64, D>> for Bagging<M>
where
    M: Fit<ArrayRef<f64, D>, Fitted: Predict<Output = Array<f64, D>>>,
{
    type Fitted = FittedBaggingRegressor<M::Fitted, D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<Self::Fitted> {
        let targets = D::columns(y);
        pairs("Bagging::fit", x, targets)?;
        let (models, outside) = self.members(device, x, y)?;
        let mut sums = Array2::<f64>::zeros(targets.dim());
        let mut counts = vec![0.0; x.nrows()];
        for (model, rows) in models.iter().zip(&outside).filter(|(_, rows)| !rows.is_empty()) {
            let said = model.predict(x.select(Axis(0), rows).view())?;
            for (&i, said) in rows.iter().zip(D::columns(&said).rows()) {
                sums.row_mut(i).scaled_add(1.0, &said);
                counts[i] += 1.0;
            }
        }
        let judged: Vec<usize> = (0..x.nrows()).filter(|&i| counts[i] > 0.0).collect();
        let means = Array2::from_shape_fn((judged.len(), targets.ncols()), |(i, t)| {
            sums[[judged[i], t]] / counts[judged[i]]
        });
        let truth = targets.select(Axis(0), &judged);
        let out_of_bag = r_squared("Bagging::fit", truth.view(), means.view()).ok().filter(|s| s.is_finite());
        Ok(FittedBaggingRegressor { models, outside, out_of_bag, targets: PhantomData })
    }
}
