//! Dictionary learning and sparse codes. Checked in `tests/neural/dictionary.rs`, on devices in `tests/neural/sparse_devices.rs`.

mod code;
mod fitted;
mod model;
mod there;

pub use code::{SparseCoder, sparse_code, sparse_code_on};
pub use fitted::FittedDictionary;
pub use model::{DictionaryLearning, Sparsity};
