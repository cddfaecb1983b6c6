//! Models and fitted values as files, by the feature `serde`: saved in one process, they predict in another.
//!
//! ```
//! use mercer::prelude::*;
//! use ndarray::{Ix1, array};
//!
//! let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![0.5_f64, 1.0, -0.3, -1.0]);
//! let fitted = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fit(&Device::best(), &x, &y)?;
//! let text = serde_json::to_string(&fitted)?;
//!
//! let loaded: FittedGp<Ix1> = serde_json::from_str(&text)?; // elsewhere
//! let new = array![[1.0]];
//! let (here, there) = (fitted.predict(&new)?, loaded.predict(&new)?);
//! assert_eq!(here[0].to_bits(), there[0].to_bits());
//! assert!(loaded.predict_latent(&new)?.variance[0] < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What can be saved
//!
//! | family | fitted values | models |
//! |---|---|---|
//! | [`gp`](crate::models::gp), [`linear`](crate::models::linear), [`kernel_methods`](crate::models::kernel_methods), [`features`](crate::models::kernel_methods::features) | all | all |
//! | [`bayes_opt`](crate::models::bayes_opt) | a search, with all that was told and is pending | |
//! | [`cluster`](crate::models::cluster) | all | |
//! | [`latent`](crate::models::latent), [`mixture`](crate::models::mixture) | all | |
//! | [`sequence`](crate::models::sequence), [`topics`](crate::models::topics), [`energy`](crate::models::energy) | all | |
//! | [`graphical`](crate::models::graphical) | | networks, fields, tables, graphs |
//! | [`graph`](crate::models::graph) | all, and the graphs themselves | |
//! | [`kernel`](crate::kernel) | | all |
//! | [`probability`](crate::probability) | | all distributions |
//! | [`learn`](crate::learn): bagging, calibration, votes, novelty, pipelines | of any model that can be saved | the same |
//!
//! # What is promised
//!
//! Loading fits nothing: no search, no iteration. What was fitted on the CPU and is loaded on the same kind of CPU
//! predicts the same, to the last bit. Another kind has other vector units, and may round the last digits of a sum
//! differently, as it would those of a fit. What was fitted on a GPU is on the CPU after loading, in f64, whether or not
//! there is a GPU: means of processes and of ridge regressions are the same bits, which were f64 before, and variances
//! are at least as exact as they were. What has a function `on` can be sent to a device again.
//!
//! Closures cannot be saved. A kernel that holds one is refused when it is written, not when it is read; progress
//! callbacks are left out, and there are none after loading.
//!
//! # Which format
//!
//! Any of serde's, whether or not it describes itself. A number is eight bytes in most binary ones and about twenty in
//! JSON, which is exact if it is read by `serde_json` with its feature `float_roundtrip`; without it the last bit of some
//! numbers is lost. NaN and infinities, which text formats lack and reports may hold, are words there.
//!
//! # What the factor costs
//!
//! The variances of a [`FittedGp`](crate::models::gp::FittedGp) are made of the Cholesky factor of its covariance, and the
//! factor is saved: a triangle, `4n²` bytes, 4 MB for n = 1000 and 400 MB for n = 10,000. To read it takes `O(n²)`, to make
//! it again `n³/3` operations: at 30 Gflop/s and 500 MB/s the file wins from n = 700 on. Where it is too large all the
//! same, [`without_factor`](crate::models::gp::FittedGp::without_factor) writes all else, `8n(d + 2q + p + 1)` bytes for q
//! targets and p coefficients of the mean: means are then the same bits, and the factor is made when the file is read.
//!
//! A factor in f32 on a GPU is of no use without one, so that saving makes that of f64, once, for all who will read it. A
//! covariance that was never stored is not saved either; its preconditioner is made anew by whoever reads, in the time
//! of a few iterations.
//!
//! # What is checked
//!
//! A file is input from outside. Shapes that do not fit together, NaN where there must be a number, parameters out of
//! their domain, a factor whose rows are not those of the kernel and its points, or which does not solve for the
//! coefficients beside it: each is an error of serde that says what is wrong. A file that passes may still be another model than was saved; no check
//! replaces a signature. Fitted values begin with the number of their format: a later version that writes another one
//! will be refused by this one, and not misread.

mod checkpoint;
#[cfg(feature = "serde")]
mod float;
mod format;
#[cfg(feature = "serde")]
mod grid;
#[cfg(feature = "serde")]
mod triangle;
mod wire;

pub use checkpoint::Checkpoint;
#[cfg(feature = "serde")]
pub(crate) use float::{number, numbers};
pub(crate) use format::Format;
#[cfg(feature = "serde")]
pub(crate) use grid::{Column, Grid, matrix, stack, vector};
#[cfg(feature = "serde")]
pub(crate) use triangle::{Triangular, lower, lower_or_none, solves};
pub use wire::Wire;
pub(crate) use wire::{garbled, wired};

#[cfg(feature = "serde")]
use crate::Result;

/// What a fitted value must satisfy when it comes from a file: shapes that fit together, numbers that are finite,
/// parameters in their domain.
#[cfg(feature = "serde")]
pub(crate) trait Checked {
    /// The error that a file with these values is refused with.
    fn check(&self) -> Result<()>;
}

/// `Serialize` and `Deserialize` of a type that derives both with `#[serde(remote = "Self")]`: what is read is
/// [`Checked`] before anybody sees it. `saved!(FittedX)`, `saved!(FittedX<D: TargetDim>)` for a parameter that is not
/// saved, `saved!(FittedX<L>)` for labels, which are; `saved!(FittedX<T, L>)` and `saved!(FittedX of T)` hold a fitted model.
#[cfg(feature = "serde")]
macro_rules! saved {
    ($own:ident) => { crate::saved::saved!(@ $own, [], [], []); };
    ($own:ident<$param:ident: $bound:path>) => {
        crate::saved::saved!(@ $own, [$param], [$param: $bound], [$param: $bound]);
    };
    ($own:ident<$label:ident>) => {
        crate::saved::saved!(
            @ $own, [$label], [$label: Ord + Clone + serde::Serialize],
            [$label: Ord + Clone + serde::Deserialize<'de>]
        );
    };
    ($own:ident<$model:ident, $label:ident>) => {
        crate::saved::saved!(
            @ $own, [$model, $label], [$model: serde::Serialize, $label: Ord + Clone + serde::Serialize],
            [$model: serde::Deserialize<'de>, $label: Ord + Clone + serde::Deserialize<'de>]
        );
    };
    ($own:ident<$model:ident, $label:ident, $other:ident>) => {
        crate::saved::saved!(
            @ $own, [$model, $label, $other],
            [$model: serde::Serialize, $label: Ord + Clone + serde::Serialize, $other],
            [$model: serde::Deserialize<'de>, $label: Ord + Clone + serde::Deserialize<'de>, $other]
        );
    };
    ($own:ident of $model:ident) => {
        crate::saved::saved!(@ $own, [$model], [$model: serde::Serialize], [$model: serde::Deserialize<'de>]);
    };
    ($own:ident of $model:ident, $dim:ident: $bound:path) => {
        crate::saved::saved!(
            @ $own, [$model, $dim], [$model: serde::Serialize, $dim: $bound],
            [$model: serde::Deserialize<'de>, $dim: $bound]
        );
    };
    (@ $own:ident, [$($param:ident),*], [$($to:tt)*], [$($from:tt)*]) => {
        impl<$($to)*> serde::Serialize for $own<$($param),*> {
            fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                <$own<$($param),*>>::serialize(self, to)
            }
        }

        impl<'de, $($from)*> serde::Deserialize<'de> for $own<$($param),*> {
            fn deserialize<F: serde::Deserializer<'de>>(from: F) -> std::result::Result<Self, F::Error> {
                let read = <$own<$($param),*>>::deserialize(from)?;
                crate::saved::Checked::check(&read).map_err(serde::de::Error::custom)?;
                Ok(read)
            }
        }
    };
}

#[cfg(feature = "serde")]
pub(crate) use saved;
