//! Lasso and elastic net: fits, paths, cross-validated choice. Checked in `tests/regression/elastic_net.rs`.

mod cv;
mod fitted;
mod model;
mod path;

pub use cv::{ElasticNetCv, FittedElasticNetCv, LassoCv};
pub use fitted::FittedElasticNet;
pub use model::{ElasticNet, Lasso};
pub use path::ElasticNetPath;
