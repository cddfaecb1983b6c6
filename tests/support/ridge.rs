//! The data of `tests/oracle/ridge_sklearn.py`, which tests of linear and of kernel methods share.

use ndarray::{Array1, Array2};
use serde_json::Value;

use super::oracle::matrix;

pub fn numbers() -> Value {
    super::oracle::numbers("ridge_sklearn")
}

pub struct Data {
    pub x: Array2<f64>,
    pub y: Array2<f64>,
    pub weights: Array1<f64>,
    /// How many of the rows are to be fitted.
    pub train: usize,
}

pub fn data(all: &Value, x: &Value) -> Data {
    let train = all["train"].as_u64().unwrap() as usize;
    Data { x: matrix(x), y: matrix(&all["y"]), weights: matrix(&all["weights"]).column(0).to_owned(), train }
}
