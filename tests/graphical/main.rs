//! Networks of discrete variables: structure, exact and approximate answers, learning, spins.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]
#![allow(clippy::needless_range_loop, reason = "an index is the name of a variable, a state or a word")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "as users write it")]

#[path = "../support/mod.rs"]
mod support;

mod bayes_net;
mod belief_propagation;
mod critical;
mod exact;
mod ising;
mod learn;
mod log_linear;
mod names;
mod structure;

use mercer::models::graphical::{Factor, MarkovField};
use mercer::random::Philox;

/// Off by no more than this.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}");
}

/// Variables of two or three values and tables with random entries over these pairs and each variable alone.
fn random_field(n: usize, edges: &[(usize, usize)], seed: u64) -> MarkovField {
    let mut rng = Philox::new(seed, 0);
    let sizes: Vec<usize> = (0..n).map(|i| 2 + i % 2).collect();
    let mut entries = |count: usize| (0..count).map(|_| (1.5 * rng.normal()).exp()).collect::<Vec<_>>();
    let mut factors: Vec<Factor> =
        (0..n).map(|v| Factor::new(&[v], &[sizes[v]], &entries(sizes[v])).unwrap()).collect();
    for &(a, b) in edges {
        factors.push(Factor::new(&[a, b], &[sizes[a], sizes[b]], &entries(sizes[a] * sizes[b])).unwrap());
    }
    MarkovField::new(&sizes, factors).unwrap()
}

/// The edges of an n x m grid.
fn grid(n: usize, m: usize) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..m {
            if j + 1 < m {
                edges.push((i * m + j, i * m + j + 1));
            }
            if i + 1 < n {
                edges.push((i * m + j, i * m + m + j));
            }
        }
    }
    edges
}
