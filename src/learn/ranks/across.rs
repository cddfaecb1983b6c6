//! Fits whose rows lie on several ranks.

use ndarray::ArrayView2;

use super::world::Ranks;
use crate::learn::data::Rows;
use crate::learn::traits::Fit;
use crate::{Device, Result};

/// Learns from rows that lie on several ranks: a model whose statistics add, or which deals out its work.
///
/// Every rank calls it with its own rows, of which one may have many and another none (`0 x d`), and every rank has the
/// same fitted value afterwards, up to what is about single rows, which is about its own. One rank gives the figures of
/// `fit`, several the same up to the rounding of sums.
pub trait FitAcross<Y: Rows + ?Sized = ()>: Fit<Y> {
    /// Learns from this rank's `x` and `y` and those of all others.
    ///
    /// # Errors
    /// As `fit`, on every rank: what one rank alone has met as [`Error::OnRank`](crate::Error::OnRank).
    fn fit_across(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        x: ArrayView2<f64>,
        y: &Y,
    ) -> Result<Self::Fitted>;
}

/// [`FitAcross`] and the method of the same name, from `run_across(&self, all: &Meeting, device, x[, y])` of a model:
/// `across!(KMeans: Fit -> FittedKMeans)`, or `Regress`, or `Classify`, which has a `&Task` in the place of x and y.
macro_rules! across {
    ($own:ident: Fit -> $fitted:ident) => {
        impl crate::learn::ranks::FitAcross for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                (): &(),
            ) -> crate::Result<$fitted> {
                crate::learn::ranks::meet(ranks, |all| self.run_across(all, device, x))
            }
        }

        impl $own {
            /// `fit` of rows that lie on several ranks: see [`FitAcross`](crate::learn::ranks::FitAcross).
            ///
            /// # Errors
            /// As `fit`, the same on every rank.
            pub fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
            ) -> crate::Result<$fitted> {
                crate::learn::ranks::FitAcross::fit_across(self, ranks, device, x.inputs().view(), &())
            }
        }
    };
    ($own:ident: Regress -> $fitted:ident) => {
        impl<D: crate::learn::TargetDim> crate::learn::ranks::FitAcross<ndarray::ArrayRef<f64, D>> for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::ranks::meet(ranks, |all| self.run_across(all, device, x, D::columns(y), None))
            }
        }

        impl $own {
            /// `fit` of rows that lie on several ranks: see [`FitAcross`](crate::learn::ranks::FitAcross).
            ///
            /// # Errors
            /// As `fit`, the same on every rank.
            pub fn fit_across<D: crate::learn::TargetDim>(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = ndarray::ArrayRef<f64, D>>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::ranks::FitAcross::fit_across(
                    self,
                    ranks,
                    device,
                    x.inputs().view(),
                    &*y.targets(),
                )
            }
        }
    };
    ($own:ident: Classify -> $fitted:ident) => {
        impl<L: Ord + Clone + crate::saved::Wire> crate::learn::ranks::FitAcross<[L]> for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &[L],
            ) -> crate::Result<$fitted<L>> {
                const OP: &str = concat!(stringify!($own), "::fit");
                crate::learn::ranks::meet(ranks, |all| {
                    let (labels, task) = crate::learn::classify::Task::across(all, OP, x, y)?;
                    let found = self.run_across(all, device, &task)?;
                    Ok($fitted { format: crate::saved::Format, labels, found })
                })
            }
        }

        impl $own {
            /// `fit` of rows that lie on several ranks: see [`FitAcross`](crate::learn::ranks::FitAcross).
            ///
            /// # Errors
            /// As `fit`, the same on every rank.
            pub fn fit_across<L: Ord + Clone + crate::saved::Wire>(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = [L]>,
            ) -> crate::Result<$fitted<L>> {
                crate::learn::ranks::FitAcross::fit_across(
                    self,
                    ranks,
                    device,
                    x.inputs().view(),
                    &*y.targets(),
                )
            }
        }
    };
}

pub(crate) use across;
