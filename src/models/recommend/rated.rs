//! What every recommender can be asked, and the methods that all of them have by one macro.

use ndarray::{Array1, ArrayView2};

use super::ratings::{Ratings, indices};
use crate::Result;
use crate::check::{finite, parameter, require};

/// Predicts the rating of any pair of its table.
pub trait Recommend {
    /// Users and items of the table.
    fn size(&self) -> (usize, usize);

    /// The prediction for a pair of the table.
    fn rating(&self, user: usize, item: usize) -> f64;

    /// The items with the highest predictions for a user, best first, without those that `seen` has a rating of: item
    /// and prediction. Of equals the first item comes first.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a user beyond the table.
    fn recommend(&self, user: usize, seen: &Ratings, count: usize) -> Result<Vec<(usize, f64)>> {
        let (users, items) = self.size();
        parameter("user", user as f64, user < users, "must be a user of the table that was fitted")?;
        let new = (0..items).filter(|&i| seen.get(user, i).is_none());
        let mut all: Vec<(usize, f64)> = new.map(|i| (i, self.rating(user, i))).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(count);
        Ok(all)
    }
}

/// The prediction for each pair.
pub(super) fn predicted<M: Recommend + ?Sized>(
    op: &'static str,
    model: &M,
    x: ArrayView2<f64>,
) -> Result<Array1<f64>> {
    require(op, x.ncols() == 2, || format!("a row is a user and an item; x has {} columns", x.ncols()))?;
    finite(op, "x", x)?;
    let (users, items) = model.size();
    let one = |(user, item): (usize, usize)| {
        parameter("user", user as f64, user < users, "must be a user of the table that was fitted")?;
        parameter("item", item as f64, item < items, "must be an item of the table that was fitted")?;
        Ok(model.rating(user, item))
    };
    indices(op, x)?.into_iter().map(one).collect()
}

/// `fit` to rows `(user, item)` and their ratings, `fit_weighted`, and `fit_ratings` to a table, from one
/// `run(&self, &Ratings)`: `rating_fits!(SgdFactors: -> FittedFactors)`; or from one `run_on(&self, &Device, &Ratings)`:
/// `rating_fits!(Als: device -> FittedFactors)`.
macro_rules! rating_fits {
    ($own:ident: -> $fitted:ident) => {
        impl $own {
            /// It runs on the CPU whatever the device.
            fn run_on(
                &self,
                _: &crate::Device,
                ratings: &crate::models::recommend::Ratings,
            ) -> crate::Result<$fitted> {
                self.run(ratings)
            }
        }

        crate::models::recommend::rated::rating_fits!($own: device -> $fitted);
    };
    ($own:ident: device -> $fitted:ident) => {
        impl $own {
            /// Learns from rows `(user, item)` of `x`, n x 2, and their ratings `y`. The table is as large as
            /// [`table`](Self::table) says, or as the largest numbers are.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) for a pair that is not of whole numbers, lies beyond the
            /// table or is rated twice, and for settings out of their domain;
            /// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data.
            pub fn fit(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, ndarray::Ix1>>,
            ) -> crate::Result<$fitted> {
                crate::learn::Fit::fit(self, device, x.inputs().view(), &*y.targets())
            }

            /// `fit` with a weight for each rating: how many times it counts.
            ///
            /// # Errors
            /// As `fit`, and for weights that are negative, not finite, all zero or not n.
            pub fn fit_weighted(
                &self,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, ndarray::Ix1>>,
                weights: impl crate::learn::Weights,
            ) -> crate::Result<$fitted> {
                let weights = weights.weights();
                crate::learn::FitWeighted::fit_weighted(
                    self,
                    device,
                    x.inputs().view(),
                    &*y.targets(),
                    weights.view(),
                )
            }

            /// Learns from a table of ratings.
            ///
            /// # Errors
            /// As `fit`.
            pub fn fit_ratings(&self, ratings: &crate::models::recommend::Ratings) -> crate::Result<$fitted> {
                self.run_on(&crate::Device::cpu(), ratings)
            }

            /// The size of the table, users and items: larger than the ratings say if some users or items have none yet.
            #[must_use]
            pub fn table(mut self, users: usize, items: usize) -> Self {
                self.size = (Some(users), Some(items));
                self
            }
        }

        impl crate::learn::Fit<ndarray::ArrayRef<f64, ndarray::Ix1>> for $own {
            type Fitted = $fitted;

            fn fit(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, ndarray::Ix1>,
            ) -> crate::Result<$fitted> {
                const OP: &str = concat!(stringify!($own), "::fit");
                self.run_on(device, &crate::models::recommend::Ratings::read(OP, x, y.view(), None, self.size)?)
            }
        }

        impl crate::learn::FitWeighted<ndarray::ArrayRef<f64, ndarray::Ix1>> for $own {
            fn fit_weighted(
                &self,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, ndarray::Ix1>,
                w: ndarray::ArrayView1<f64>,
            ) -> crate::Result<$fitted> {
                const OP: &str = concat!(stringify!($own), "::fit");
                crate::check::weights(OP, w, x.nrows())?;
                self.run_on(device, &crate::models::recommend::Ratings::read(OP, x, y.view(), Some(w), self.size)?)
            }
        }
    };
}

/// `predict`, `recommend` and `score` of what implements [`Recommend`].
macro_rules! recommends {
    ($own:ident) => {
        impl crate::learn::Predict for $own {
            type Output = ndarray::Array1<f64>;

            fn predict(&self, x: ndarray::ArrayView2<f64>) -> crate::Result<ndarray::Array1<f64>> {
                crate::models::recommend::rated::predicted(concat!(stringify!($own), "::predict"), self, x)
            }
        }

        crate::learn::inherent::inherent!($own: Predict -> ndarray::Array1<f64>);

        impl crate::learn::Score<ndarray::ArrayRef<f64, ndarray::Ix1>> for $own {
            fn score(
                &self,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, ndarray::Ix1>,
            ) -> crate::Result<f64> {
                let predicted = crate::learn::Predict::predict(self, x)?;
                let columns = <ndarray::Ix1 as crate::learn::TargetDim>::columns;
                let op = concat!(stringify!($own), "::score");
                crate::learn::metrics::r_squared(op, columns(y), columns(&predicted))
            }
        }
    };
}

pub(super) use {rating_fits, recommends};
