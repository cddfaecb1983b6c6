//! Numbers that the scripts of `tests/oracle` left.
#![allow(dead_code)] // each test binary uses its own part

use std::path::Path;

use ndarray::{Array1, Array2};
use serde_json::Value;

/// What `tests/oracle/STEM.py` wrote.
pub fn numbers(stem: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle").join(format!("{stem}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every number, row by row.
pub fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().flat_map(|v| v.as_f64().map_or_else(|| list(v), |v| vec![v])).collect()
}

pub fn vector(v: &Value) -> Array1<f64> {
    list(v).into()
}

/// A list of rows; a list of numbers is a column.
pub fn matrix(v: &Value) -> Array2<f64> {
    let rows = v.as_array().unwrap();
    let at = |v: &Value| v.as_f64().unwrap();
    match rows[0].as_array().map(Vec::len) {
        Some(cols) => Array2::from_shape_fn((rows.len(), cols), |(i, j)| at(&rows[i][j])),
        None => Array2::from_shape_fn((rows.len(), 1), |(i, _)| at(&rows[i])),
    }
}

pub fn labels(v: &Value) -> Vec<i64> {
    v.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()
}

pub fn counts(v: &Value) -> Vec<usize> {
    v.as_array().unwrap().iter().map(|v| usize::try_from(v.as_u64().unwrap()).unwrap()).collect()
}
