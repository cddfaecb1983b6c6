//! Texts and categories as numbers. Checked in `tests/classify/text.rs` against scikit-learn.
//!
//! | to do | use |
//! |---|---|
//! | count words or runs of words, with a vocabulary | [`BagOfWords`] |
//! | the same without a vocabulary | [`HashedWords`] |
//! | weigh words by how rare they are | [`TfIdfFeatures`] |
//! | targets as numbers and back | [`TargetCode`] |
//! | categories as columns, or as means of a target | [`OneHot`], [`TargetMeans`] |
//!
//! Counts are dense matrices: documents times words of numbers.

mod encodings;
mod tf_idf;
mod words;

pub use encodings::{OneHot, TargetCode, TargetMeans};
pub use tf_idf::{FittedTfIdfFeatures, TfIdfFeatures};
pub use words::{BagOfWords, HashedWords, Tokens, Vocabulary};
