//! The formulas: the notes' numbers, their limits, and draws.

use mercer::models::bayes_opt::{
    Acquisition, Direction, expected_improvement, log_expected_improvement, lower_confidence_bound,
    probability_of_improvement,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

#[track_caller]
fn near(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{got:e}, not {want:e}");
}

#[test]
fn numbers_of_the_notes() {
    near(expected_improvement(0.0, 1.0), 0.398_942_280_4, 1e-9);
    near(expected_improvement(-0.2, 0.2), 0.016_663_094_12, 1e-9);
    near(expected_improvement(-1.0, 0.1), 7.474_560_255e-26, 1e-9);
    near(expected_improvement(-0.4, 1.3), 0.342_983_386_4, 1e-9);
    near(expected_improvement(-5.0, 1.0), 5.346_165_534e-8, 1e-9);
    near(log_expected_improvement(-38.0, 1.0), -730.196_183_4, 1e-9);
    near(probability_of_improvement(-0.2, 0.2), 0.158_655_253_9, 1e-9);
    near(lower_confidence_bound(0.0, 1.0, 0.05), -1.644_853_626_951_472_2, 1e-14);
    near(lower_confidence_bound(2.5, 9.0, 0.5), 2.5, 1e-15);
}

/// Where the expectation has underflowed its logarithm still ranks, and still slopes the right way.
#[test]
fn the_logarithm_goes_on_where_the_expectation_ends() {
    assert_eq!(expected_improvement(-50.0, 1.0), 0.0);
    let mut last = f64::INFINITY;
    for z in (0..4000).map(|i| -0.25 * f64::from(i)) {
        let value = log_expected_improvement(z, 1.0);
        assert!(value.is_finite() && value < last, "at {z}: {value} after {last}");
        last = value;
        // ln E is near -z²/2 - 2 ln|z| - ln √(2π).
        if z < -10.0 {
            let tail = -0.5 * z * z - 2.0 * (-z).ln() - 0.5 * std::f64::consts::TAU.ln();
            assert!((value - tail).abs() < 4.0 / (z * z), "at {z}");
        } else {
            near(value.exp(), expected_improvement(z, 1.0), 1e-12);
        }
    }
}

#[test]
fn expectations_are_those_of_draws() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let draws: Vec<f64> = (0..200_000).map(|_| StandardNormal.sample(&mut rng)).collect();
    for (gain, sd) in [(0.3, 0.5), (-0.4, 1.3), (-1.0, 0.8), (2.0, 0.1)] {
        let n = draws.len() as f64;
        let improvements = draws.iter().map(|z| gain + sd * z);
        let mean = improvements.clone().map(|s| s.max(0.0)).sum::<f64>() / n;
        let share = improvements.filter(|s| *s > 0.0).count() as f64 / n;
        // Five standard errors.
        assert!((expected_improvement(gain, sd) - mean).abs() < 5.0 * sd / n.sqrt());
        assert!((probability_of_improvement(gain, sd) - share).abs() < 5.0 * 0.5 / n.sqrt());
    }
}

#[test]
fn properties_and_limits() {
    for gain in [-3.0, -0.5, 0.0, 0.7] {
        let mut last = 0f64;
        for sd in [1e-3, 0.1, 0.5, 1.0, 4.0] {
            let ei = expected_improvement(gain, sd);
            assert!(ei >= gain.max(0.0) * (1.0 - 4e-16) && ei >= last, "more doubt, more to gain");
            last = ei;
            // dEI/dσ = φ, dEI/dg = Φ.
            let h = 1e-6 * sd;
            let by_sd = (expected_improvement(gain, sd + h) - expected_improvement(gain, sd - h)) / (2.0 * h);
            let density = (-0.5 * (gain / sd).powi(2)).exp() / std::f64::consts::TAU.sqrt();
            assert!((by_sd - density).abs() < 1e-7);
            let by_gain =
                (expected_improvement(gain + h, sd) - expected_improvement(gain - h, sd)) / (2.0 * h);
            assert!((by_gain - probability_of_improvement(gain, sd)).abs() < 1e-7);
        }
        assert_eq!(expected_improvement(gain, 0.0), gain.max(0.0));
    }
    assert_eq!([-1.0, 0.0, 1.0].map(|g| probability_of_improvement(g, 0.0)), [0.0, 0.5, 1.0]);
    assert_eq!(log_expected_improvement(-1.0, 0.0), f64::NEG_INFINITY);
    assert_eq!(Acquisition::LowerConfidenceBound { alpha: 0.1 }.direction(), Direction::Minimise);
    assert_eq!(Acquisition::ExpectedImprovement.direction(), Direction::Maximise);
}

/// A quotient of gain and deviation that overflows is a certain gain or loss, not NaN.
#[test]
fn deviations_of_next_to_nothing() {
    let least = f64::from_bits(1);
    for (gain, sd) in [(1.0, least), (1e300, 1e-300), (f64::MAX, 1e-9), (2.5, 1e-310)] {
        assert_eq!(probability_of_improvement(gain, sd), 1.0);
        assert_eq!(probability_of_improvement(-gain, sd), 0.0);
        assert_eq!(expected_improvement(gain, sd), gain);
        assert_eq!(expected_improvement(-gain, sd), 0.0);
        assert_eq!(log_expected_improvement(gain, sd), gain.ln());
        assert_eq!(log_expected_improvement(-gain, sd), f64::NEG_INFINITY);
    }
    // Just before that it is the same.
    near(expected_improvement(3.0, 1e-300), 3.0, 1e-12);
    near(log_expected_improvement(3.0, 1e-300), 3f64.ln(), 1e-12);
    assert_eq!(probability_of_improvement(0.0, least), 0.5);
}
