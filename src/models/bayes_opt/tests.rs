//! The surrogate and what is proposed by it against the numbers of the notes, and its derivatives against differences.

use ndarray::{Array1, Array2, Ix1, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::acquisition::{Acquisition, Reference};
use super::propose::propose;
use super::surrogate::Surrogate;
use crate::models::gp::{FittedGp, GpRegressor, Mean};
use crate::{Device, Kernel};

/// Four points, a Gaussian kernel of length one, noise of variance 0.1.
fn four_points() -> FittedGp<Ix1> {
    let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![0.5, 1.0, -0.3, -1.0]);
    GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap()
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() < 2e-9, "{got}, not {want}");
}

#[test]
fn scores_of_four_points() {
    let gp = four_points();
    let at = |reference, acquisition, x: f64| {
        let surrogate = Surrogate::new(&gp, reference).unwrap();
        surrogate.scores(acquisition, array![[x]].view()).unwrap()[0]
    };
    let probability = Acquisition::ProbabilityOfImprovement { margin: 0.0 };
    let bound = Acquisition::LowerConfidenceBound { alpha: 0.05 };
    for (x, want) in [(1.0, -1.318_472_667), (3.0, -1.832_170_249), (4.0, -1.741_133_009)] {
        near(at(Reference::BestObservation, bound, x), want);
    }
    for (x, want) in [(1.0, 0.196_903_300_7), (3.0, 0.271_202_375_8)] {
        near(at(Reference::BestObservation, probability, x), want);
    }
    for (x, want) in
        [(1.0, 0.043_997_401_9), (2.5, 0.112_664_087_3), (3.0, 0.133_517_864_4), (4.0, 0.100_083_097_8)]
    {
        near(at(Reference::BestObservation, Acquisition::ExpectedImprovement, x), want);
        near(at(Reference::BestObservation, Acquisition::LogExpectedImprovement, x).exp(), want);
    }
    for (x, want) in [(1.0, 0.062_516_849_3), (3.0, 0.157_079_231_6)] {
        near(at(Reference::BestMean, Acquisition::ExpectedImprovement, x), want);
    }
    for (x, rho, pi, ei) in [
        (1.0, 0.429_730_892_9, 0.271_696_798_3, 0.071_581_894_12),
        (2.5, 0.443_218_482_1, 0.365_472_613_7, 0.110_966_363_5),
        (3.0, 0.785_210_988_7, 0.301_766_734_6, 0.150_681_449_9),
        (4.0, 1.022_096_142, 0.214_902_635_9, 0.125_147_878_5),
    ] {
        let surrogate = Surrogate::new(&gp, Reference::Joint).unwrap();
        assert_eq!(surrogate.incumbent()[0], 2.0);
        near(surrogate.beliefs(array![[x]].view()).unwrap()[0][3], rho);
        near(at(Reference::Joint, probability, x), pi);
        near(at(Reference::Joint, Acquisition::ExpectedImprovement, x), ei);
    }
    // At x̃ there is nothing to gain from f(x̃), though there is from an observation of it.
    assert!(at(Reference::Joint, Acquisition::ExpectedImprovement, 2.0) < 1e-7);
    assert!((at(Reference::BestObservation, Acquisition::ExpectedImprovement, 2.0) - 0.0832).abs() < 5e-5);
}

#[test]
fn derivatives_are_those_of_the_scores() {
    let x = Array2::from_shape_fn((12, 3), |(i, f)| ((7 * i + 3 * f + i * f) % 11) as f64 / 11.0);
    let y = Array1::from_shape_fn(12, |i| (i as f64 * 0.9).sin()) + x.dot(&array![1.0, -2.0, 0.5]) + 3.0;
    let kernel = 1.4 * Kernel::matern52([0.3, 0.6, 0.9]) + 0.2 * Kernel::linear();
    for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
        let model = GpRegressor::new(kernel.clone()).noise(0.01).mean(mean);
        derivatives_of(&model.fit(&Device::cpu(), x.view(), y.view()).unwrap());
    }
}

/// All acquisitions from all references, at three points.
fn derivatives_of(gp: &FittedGp<Ix1>) {
    let all = [
        Acquisition::LowerConfidenceBound { alpha: 0.1 },
        Acquisition::ProbabilityOfImprovement { margin: 0.1 },
        Acquisition::ExpectedImprovement,
        Acquisition::LogExpectedImprovement,
    ];
    for reference in [Reference::BestObservation, Reference::BestMean, Reference::Joint] {
        let surrogate = Surrogate::new(gp, reference).unwrap();
        for acquisition in all {
            for point in [[0.2, 0.9, 0.4], [0.71, 0.13, 0.55], [0.05, 0.5, 0.95]] {
                let (cost, gradient) = acquisition.cost_gradient(&surrogate.belief(&point).unwrap());
                let at = |f: usize, h: f64| {
                    let mut p = Array2::from_shape_fn((1, 3), |(_, f)| point[f]);
                    p[[0, f]] += h;
                    surrogate.costs(acquisition, p.view()).unwrap()[0]
                };
                assert!((at(0, 0.0) - cost).abs() < 1e-9 * (1.0 + cost.abs()), "{} not {cost}", at(0, 0.0));
                for (f, g) in gradient.iter().enumerate() {
                    let h = 1e-4;
                    let slope =
                        (8.0 * (at(f, h) - at(f, -h)) - at(f, 2.0 * h) + at(f, -2.0 * h)) / (12.0 * h);
                    let off = (g - slope).abs();
                    assert!(
                        off < 1e-7 * (1.0 + slope.abs()),
                        "{:?}, {acquisition:?}, {reference:?}: {g} not {slope}",
                        gp.mean()
                    );
                }
            }
        }
    }
}

/// On [-5, 5] the notes have the best of each score to three decimals; the candidates alone are a tenth apart.
#[test]
fn proposals_for_four_points() {
    let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![0.5, 1.0, -0.3, -1.0]);
    let unit = x.mapv(|x: f64| (x + 5.0) / 10.0);
    let model = GpRegressor::new(Kernel::rbf(0.1)).noise(0.1);
    let gp = model.fit(&Device::cpu(), unit.view(), y.view()).unwrap();
    let surrogate = Surrogate::new(&gp, Reference::BestObservation).unwrap();
    for (acquisition, at, best) in [
        (Acquisition::LowerConfidenceBound { alpha: 0.05 }, 3.211, -1.849_56),
        (Acquisition::ProbabilityOfImprovement { margin: 0.0 }, 1.757, 0.414_545),
        (Acquisition::ExpectedImprovement, 2.985, 0.133_535),
        (Acquisition::LogExpectedImprovement, 2.985, 0.133_535f64.ln()),
    ] {
        let mut found: Vec<f64> = Vec::new();
        for seed in 0..10 {
            let u = propose(&surrogate, acquisition, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap()[0];
            let score = surrogate.scores(acquisition, array![[u]].view()).unwrap()[0];
            assert!((10.0 * u - 5.0 - at).abs() < 6e-4, "{acquisition:?}: {}, not {at}", 10.0 * u - 5.0);
            assert!((score - best).abs() < 6e-6, "{acquisition:?}: {score}, not {best}");
            found.push(10.0 * u - 5.0);
        }
        // Whatever the candidates were, the climbs end at one point.
        let (low, high) = found.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        assert!(high - low < 2e-5, "{acquisition:?}: from {low} to {high}");
    }
}

/// No candidate is better than what is proposed, from any reference.
#[test]
fn nothing_seen_is_better_than_what_is_proposed() {
    let x = Array2::from_shape_fn((9, 2), |(i, f)| ((5 * i + 3 * f + i * f) % 9) as f64 / 8.0);
    let y = Array1::from_shape_fn(9, |i| (i as f64 * 1.7).cos());
    let model = GpRegressor::new(Kernel::matern52([0.2, 0.4])).noise(1e-4);
    let gp = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let grid = Array2::from_shape_fn((441, 2), |(i, f)| if f == 0 { i / 21 } else { i % 21 } as f64 / 20.0);
    for reference in [Reference::BestObservation, Reference::BestMean, Reference::Joint] {
        let surrogate = Surrogate::new(&gp, reference).unwrap();
        for acquisition in [
            Acquisition::LowerConfidenceBound { alpha: 0.05 },
            Acquisition::ProbabilityOfImprovement { margin: 0.1 },
            Acquisition::LogExpectedImprovement,
        ] {
            let found = propose(&surrogate, acquisition, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
            let found = Array2::from_shape_fn((1, 2), |(_, f)| found[f]);
            let cost = surrogate.costs(acquisition, found.view()).unwrap()[0];
            let least =
                surrogate.costs(acquisition, grid.view()).unwrap().into_iter().fold(f64::MAX, f64::min);
            assert!(
                cost <= least + 1e-9,
                "{acquisition:?}, {reference:?}: {cost} at {found}, {least} on a grid"
            );
        }
    }
}

/// Without noise f(x̃) is known, and all references are one.
#[test]
fn noisy_improvements_become_plain_ones_as_noise_vanishes() {
    let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![0.5, 1.0, -0.3, -1.0]);
    let at = array![[-3.0], [0.0], [1.0], [2.5], [3.0], [4.0]];
    let probability = Acquisition::ProbabilityOfImprovement { margin: 0.0 };
    for acquisition in [Acquisition::ExpectedImprovement, probability] {
        for reference in [Reference::Joint, Reference::BestMean] {
            let off = |noise: f64| {
                let model = GpRegressor::new(Kernel::rbf(1.0)).noise(noise);
                let gp = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
                let scores = |r| Surrogate::new(&gp, r).unwrap().scores(acquisition, at.view()).unwrap();
                let both = scores(reference).into_iter().zip(scores(Reference::BestObservation));
                both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            let off = [1e-1, 1e-3, 1e-5, 1e-7, 1e-9].map(off);
            assert!(off[0] > 1e-3, "there is no difference to begin with: {off:?}");
            // In proportion to the noise.
            assert!(off.windows(2).all(|w| w[1] < 0.05 * w[0]), "{off:?}");
            assert!(off[4] < 1e-8, "{off:?}");
        }
    }
}
