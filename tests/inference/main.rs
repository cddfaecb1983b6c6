//! Inference: the EM driver, the generator, chains, bounds and approximations.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]
#![allow(clippy::needless_range_loop, reason = "an index is the name of a variable, a state or a word")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "as users write it")]

mod amp;
mod black_box;
mod bounds;
mod cavi;
mod cavi_models;
mod chains;
mod component_mixture;
mod em;
mod ep;
mod factors;
mod importance;
mod monte_carlo;
mod monte_carlo_settings;
mod policy;
mod predictive;
mod projection;
mod random;
mod sampled_em;
mod stochastic;

/// Off by no more than this.
#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} is not {want}");
}

/// Kolmogorov and Smirnov's distance of a sample to a distribution function.
fn distance(sample: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let mut x = sample.to_vec();
    x.sort_by(f64::total_cmp);
    let n = x.len() as f64;
    let gap = |(i, v): (usize, &f64)| {
        let f = cdf(*v);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    };
    x.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// The standard normal distribution function.
fn normal_cdf(x: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2)
}
