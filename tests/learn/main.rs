//! The vocabulary of all models, and what is written once over it: data, labels, progress, metrics, splits, transformations,
//! pipelines, cross-validation, searches, many classes by two. Theorems, scikit-learn, bad input.

#[path = "../support/mod.rs"]
mod support;

mod clustering;
mod curves;
mod data;
mod labels;
mod library;
mod metrics;
mod models;
mod multiclass;
mod pipeline;
mod preprocess;
mod progress;
#[cfg(feature = "serde")]
mod saved;
mod search;
mod split;
mod validate;

use support::oracle::{counts, matrix, vector};

use ndarray::Array2;
use serde_json::Value;

/// What scikit-learn says: `tests/oracle/learn_sklearn.py`.
fn oracle(part: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../oracle/learn_sklearn.json")).unwrap();
    all[part].clone()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

fn words(v: &Value) -> Vec<String> {
    v.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

/// Equal to so much of the larger, or of one.
#[track_caller]
fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0), "{a} is not {b}");
}

#[track_caller]
fn all_close<'a>(a: impl IntoIterator<Item = &'a f64>, b: impl IntoIterator<Item = &'a f64>, tolerance: f64) {
    let (a, b): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).for_each(|(a, b)| close(**a, **b, tolerance));
}

/// The flowers of `load_iris`, and their species.
fn iris() -> (Array2<f64>, Vec<String>) {
    let v = oracle("validation");
    (matrix(&v["x"]), words(&v["species"]))
}
