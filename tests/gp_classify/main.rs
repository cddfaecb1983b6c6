//! Gaussian process classification.

#[path = "../support/mod.rs"]
mod support;

mod about;
mod devices;
mod gradient;
mod input;
mod joint;
mod laplace;
mod oracle;
mod prior;
mod probability;
mod search;
mod softmax;
mod vocabulary;

use mercer::{Kernel, Matrix, ops};
use ndarray::{Array2, ArrayView2};

/// Points on a ring and inside of it, and which is which; a few labels are wrong.
fn ring(n: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
    let x = support::random(n, 2, seed) * 2.0;
    let inside = |i: usize| x[[i, 0]].powi(2) + x[[i, 1]].powi(2) < 1.5;
    let labels = (0..n).map(|i| usize::from(inside(i) != (i % 11 == 3))).collect();
    (x, labels)
}

/// Three sectors of the plane, with a few wrong labels.
fn sectors(n: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
    let x = support::random(n, 2, seed) * 2.0;
    let sector = |i: usize| ((x[[i, 1]].atan2(x[[i, 0]]) + 3.2) / 2.2) as usize;
    let labels = (0..n).map(|i| if i % 13 == 5 { i % 3 } else { sector(i).min(2) }).collect();
    (x, labels)
}

fn gram(kernel: &Kernel, x: ArrayView2<f64>, y: Option<ArrayView2<f64>>) -> Array2<f64> {
    let cpu = mercer::Device::cpu();
    let on = |a: ArrayView2<f64>| Matrix::from_array(&cpu, a).unwrap();
    ops::gram(kernel, &on(x), y.map(on).as_ref()).unwrap().to_array().unwrap()
}

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: {got}, not {want}, off by {:e}", (got - want).abs());
}
