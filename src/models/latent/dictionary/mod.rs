//! Dictionary learning and sparse codes. Checked in `tests/neural/dictionary.rs`.

mod code;
mod model;

pub use code::{SparseCoder, sparse_code};
pub use model::{DictionaryLearning, FittedDictionary, Sparsity};
