//! Fits whose rows lie on several ranks.

use ndarray::{ArrayView1, ArrayView2};

use super::world::Ranks;
use crate::learn::data::Rows;
use crate::learn::traits::{Fit, FitWeighted};
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

/// [`FitAcross`] with a weight for each row: a weight of 2 is that row twice. Every rank gives weights, or none does.
pub trait FitWeightedAcross<Y: Rows + ?Sized = ()>: FitAcross<Y> + FitWeighted<Y> {
    /// Learns from this rank's `x` and `y`, weighed, and those of all others.
    ///
    /// # Errors
    /// As `fit_weighted`, on every rank; the weights of one rank may all be zero, those of all may not.
    fn fit_weighted_across(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        x: ArrayView2<f64>,
        y: &Y,
        weights: ArrayView1<f64>,
    ) -> Result<Self::Fitted>;
}

/// [`FitAcross`] and the method of the same name for a model without weights, from `run_across(&self, all: &Meeting, device,
/// x[, y])`: `across!(Pca: Fit -> FittedPca)`, or `Regress`. With weights see `fits_across!`.
macro_rules! across {
    ($own:ident: Fit -> $fitted:ident) => {
        $crate::learn::ranks::across!(@methods $own -> $fitted);

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
    };
    ($own:ident: Regress -> $fitted:ident) => {
        $crate::learn::ranks::across!(
            @methods $own [D: crate::learn::TargetDim] ndarray::ArrayRef<f64, D> => $fitted<D>
        );

        impl<D: crate::learn::TargetDim> crate::learn::ranks::FitAcross<ndarray::ArrayRef<f64, D>> for $own {
            fn fit_across(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: ndarray::ArrayView2<f64>,
                y: &ndarray::ArrayRef<f64, D>,
            ) -> crate::Result<$fitted<D>> {
                crate::learn::ranks::meet(ranks, |all| self.run_across(all, device, x, D::columns(y)))
            }
        }
    };
    (@methods $own:ident $(<$param:ident: $bound:path>)? -> $fitted:ty) => {
        impl $(<$param: $bound>)? $own $(<$param>)? {
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
    (@methods $own:ident [$($generic:tt)*] $y:ty => $fitted:ty) => {
        impl $own {
            /// `fit` of rows that lie on several ranks: see [`FitAcross`](crate::learn::ranks::FitAcross).
            ///
            /// # Errors
            /// As `fit`, the same on every rank.
            pub fn fit_across<$($generic)*>(
                &self,
                ranks: &dyn crate::learn::ranks::Ranks,
                device: &crate::Device,
                x: impl crate::learn::Inputs,
                y: impl crate::learn::Targets<Of = $y>,
            ) -> crate::Result<$fitted> {
                crate::learn::ranks::FitAcross::fit_across(
                    self, ranks, device, x.inputs().view(), &*y.targets(),
                )
            }
        }
    };
}

pub(crate) use across;
