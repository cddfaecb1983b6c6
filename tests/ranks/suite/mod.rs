//! What every model promises of ranks: the figures of one process, to 1e-10, however rows are shared out.

mod cancel;
mod driver;
mod faults;
mod kernels;
mod supervised;
mod unsupervised;
mod weights;
mod work;

use std::ops::Range;

use mercer::learn::ranks::{FitAcross, Ranks};
use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, s};

/// What every number of ranks has to do alike.
type Case = fn(&dyn Ranks);

/// The cases and their names.
macro_rules! cases {
    ($($family:ident: $($name:ident),+;)+) => {
        $(pub use $family::{$($name),+};)+

        /// Every case, by name.
        #[allow(dead_code, reason = "threads name them one by one")]
        pub const CASES: &[(&str, Case)] = &[$($((stringify!($name), $name)),+),+];
    };
}

cases! {
    unsupervised: standardise, pca_ppca_and_factor_analysis, kmeans, gaussian_mixtures, variational_mixtures,
        mixtures_with_missing_values, discrete_mixtures, other_mixtures;
    driver: a_model_of_ones_own;
    supervised: ridge_and_least_squares, logistic_regression, generalised_linear, discriminants, naive_bayes;
    kernels: kernel_ridge_and_falkon, gaussian_processes, sums_over_pairs;
    weights: weighted_moments_and_mixtures, weighted_regressions, weighted_classifiers, weights_that_are_refused;
    work: dealt_work, dealt_tests_and_chains, a_device_for_each_rank;
    cancel: cancel;
    faults: more_ranks_than_rows, faults, an_error_anywhere_is_that_of_all;
}

const CPU: fn() -> Device = Device::cpu;

/// Numbers in [-1, 1] that are the same everywhere.
fn noise(i: usize, j: usize) -> f64 {
    let mut z =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (j as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Three groups in three dimensions, far from the origin.
fn grouped(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 3), |(i, j)| {
        50.0 + 4.0 * ((i % 3) * (j + 1) % 4) as f64 + noise(i, j) * (1.0 + 0.3 * j as f64)
    })
}

fn groups(n: usize) -> Vec<&'static str> {
    (0..n).map(|i| ["barolo", "merlot", "pinot"][i % 3]).collect()
}

/// Ways to share n rows out: evenly, and so that the first rank has most and the last has none.
fn shares(ranks: &dyn Ranks, n: usize) -> Vec<Range<usize>> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let even = rank * n / size..(rank + 1) * n / size;
    let others = size.saturating_sub(2);
    let most = if size > 1 { n - 5 * others } else { n };
    let uneven = match rank {
        0 => 0..most,
        r if r + 1 == size => n..n,
        r => most + 5 * (r - 1)..most + 5 * r,
    };
    vec![even, uneven]
}

fn rows<'a>(x: &'a Array2<f64>, own: &Range<usize>) -> ArrayView2<'a, f64> {
    x.slice(s![own.clone(), ..])
}

/// Within 1e-10 of what it is compared with, relative to the largest entry.
fn near<'a>(what: &str, found: impl IntoIterator<Item = &'a f64>, wanted: impl IntoIterator<Item = &'a f64>) {
    let (found, wanted): (Vec<f64>, Vec<f64>) =
        (found.into_iter().copied().collect(), wanted.into_iter().copied().collect());
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = wanted.iter().fold(1e-300f64, |m, v| m.max(v.abs()));
    for (a, b) in found.iter().zip(&wanted) {
        assert!((a - b).abs() <= 1e-10 * size, "{what}: {a} is not {b}");
    }
}

/// Targets that are nearly linear in the rows.
fn targets(x: &Array2<f64>) -> Array1<f64> {
    Array1::from_shape_fn(x.nrows(), |i| {
        0.5 * x[[i, 0]] - 2.0 * x[[i, 1]] + 0.1 * x[[i, 2]] + 0.3 * noise(i, 9)
    })
}

/// A fit through the trait, as a pipeline would.
fn by_trait<M: FitAcross>(model: &M, ranks: &dyn Ranks, x: ArrayView2<f64>) -> mercer::Result<M::Fitted> {
    FitAcross::fit_across(model, ranks, &CPU(), x, &())
}
