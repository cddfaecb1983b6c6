//! Graphs, what is made of them, trees of clusters, and kernels between objects that are no rows of numbers.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod axioms;
mod choice;
mod diffusion;
mod eigenmaps;
mod fusion;
mod hierarchical;
mod input;
mod label_spreading;
mod manifold;
mod moved_images;
mod objects;
mod page_rank;
mod pair_hmm;
mod similarity;
mod sparse;
mod spectral;
mod strings;
mod trees;
mod tsne;

use support::oracle::{counts as whole, list, matrix as table};

use std::path::Path;

use mercer::prelude::*;
use ndarray::Array2;
use serde_json::Value;

/// What `tests/oracle/graph.py` has left.
fn oracle(part: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/graph.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all[part].clone()
}

/// `|got - want| <= tolerance`, entry by entry.
#[track_caller]
fn close<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (got, want): (Vec<_>, Vec<_>) = (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        // Written so that a NaN fails.
        assert!((**g - **w).abs() <= tolerance, "{what}: entry {i} is {g} and should be {w}");
    }
}

/// Two unit triangles and a bridge of weight 0.1.
fn triangles() -> Graph {
    let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (3, 4, 1.0), (3, 5, 1.0), (4, 5, 1.0), (2, 3, 0.1)];
    Graph::from_edges(6, &edges).unwrap()
}

/// A graph with random weights, some of them zero.
fn scattered(n: usize, seed: u64) -> Graph {
    let u = support::random(n, n, seed);
    let w = Array2::from_shape_fn((n, n), |(i, j)| (u[[i.max(j), i.min(j)]] - 0.2).max(0.0));
    Graph::from_similarities(&w).unwrap()
}

/// The smallest eigenvalue of a symmetric matrix, relative to its largest.
fn least(k: &Array2<f64>) -> f64 {
    let values = mercer::linalg::eigh(k.view()).unwrap().values;
    values[values.len() - 1] / values[0].max(f64::MIN_POSITIVE)
}

/// Two moons, and which one each point is on.
fn moons(n: usize) -> (Array2<f64>, Vec<usize>) {
    let noise = support::random(n, 2, 11) * 0.08;
    let x = Array2::from_shape_fn((n, 2), |(i, j)| {
        let t = std::f64::consts::PI * (i / 2) as f64 / (n / 2 - 1) as f64;
        let at = if i % 2 == 0 { [t.cos(), t.sin()] } else { [1.0 - t.cos(), 0.5 - t.sin()] };
        at[j] + noise[[i, j]]
    });
    (x, (0..n).map(|i| i % 2).collect())
}
