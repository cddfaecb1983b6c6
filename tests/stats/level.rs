//! Whether a test keeps its level: rejections among many repetitions of a true hypothesis.

use mercer::Result;
use rayon::prelude::*;
use statrs::distribution::{Binomial, DiscreteCDF};

/// Rejections at 0.05 among `repetitions` p-values, one for each seed.
pub fn rejections(repetitions: u64, p_value: impl Fn(u64) -> Result<f64> + Sync) -> u64 {
    let one = |seed| u64::from(p_value(seed).expect("a p-value") <= 0.05);
    (0..repetitions).into_par_iter().map(one).sum()
}

/// The exact central 99 % interval of the number of rejections if each has probability 0.05.
pub fn interval(repetitions: u64) -> (u64, u64) {
    let law = Binomial::new(0.05, repetitions).expect("a probability");
    (law.inverse_cdf(0.005), law.inverse_cdf(0.995))
}

/// The rejection rate at 0.05 over 1000 repetitions lies within the binomial 99 % interval.
#[track_caller]
pub fn keeps_level(what: &str, p_value: impl Fn(u64) -> Result<f64> + Sync) {
    let (low, high) = interval(1000);
    let count = rejections(1000, p_value);
    println!("{what}: {count} rejections of 1000, {low} to {high} allowed");
    assert!((low..=high).contains(&count), "{what}: {count} rejections of 1000, {low} to {high} allowed");
}

#[test]
fn the_interval_is_the_binomial_one() {
    // P(X < 33) and P(X > 69) of Binomial(1000, 0.05) are 0.0047 and 0.0035.
    assert_eq!(interval(1000), (33, 69));
}
