//! Probability, Bayesian learning, information and learning theory: golden numbers, oracles, theorems.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

mod algebra;
mod bayes;
mod coding;
mod conjugate;
mod densities;
mod distributions;
mod divergences;
mod embedding;
mod exponential;
mod families;
mod fits;
mod free_energy;
mod gaussian;
mod gp;
mod information;
mod laplace;
mod large;
mod latent_gp;
mod mixtures;
mod moments;
#[path = "../support/oracle.rs"]
mod recorded;
mod special;
mod tables;
mod theory;

/// Within `tolerance`, absolutely.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}: off by {:e}", got - want);
}

/// Within `tolerance`, relative to `want`.
#[track_caller]
fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    let off = if got == want { 0.0 } else { ((got - want) / want).abs() };
    assert!(off <= tolerance, "{what}: {got:e} is not {want:e}: off by {off:e}");
}

/// Every entry within `tolerance`.
#[track_caller]
fn all_near(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).for_each(|(g, w)| near(*g, *w, tolerance));
}

/// `∫ f` by the midpoint rule.
fn integral(low: f64, high: f64, cells: usize, f: impl Fn(f64) -> f64) -> f64 {
    let h = (high - low) / cells as f64;
    (0..cells).map(|i| f(low + (i as f64 + 0.5) * h)).sum::<f64>() * h
}
