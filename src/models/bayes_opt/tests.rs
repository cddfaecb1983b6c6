//! The surrogate against the numbers of the notes, and its derivatives against differences.

use ndarray::{Array2, array};

use super::acquisition::{Acquisition, Reference};
use super::surrogate::Surrogate;
use crate::models::gp::{FittedGp, GpRegressor};
use crate::{Device, Kernel};

/// Four points, a Gaussian kernel of length one, noise of variance 0.1.
fn four_points() -> FittedGp {
    let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![[0.5], [1.0], [-0.3], [-1.0]]);
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
    let bound = Acquisition::LowerConfidenceBound { alpha: 0.05 };
    for (x, want) in [(1.0, -1.318472667), (3.0, -1.832170249), (4.0, -1.741133009)] {
        near(at(Reference::BestObservation, bound, x), want);
    }
    for (x, want) in [(1.0, 0.1969033007), (3.0, 0.2712023758)] {
        near(at(Reference::BestObservation, Acquisition::ProbabilityOfImprovement, x), want);
    }
    for (x, want) in [(1.0, 0.0439974019), (2.5, 0.1126640873), (3.0, 0.1335178644), (4.0, 0.1000830978)] {
        near(at(Reference::BestObservation, Acquisition::ExpectedImprovement, x), want);
        near(at(Reference::BestObservation, Acquisition::LogExpectedImprovement, x).exp(), want);
    }
    for (x, want) in [(1.0, 0.0625168493), (3.0, 0.1570792316)] {
        near(at(Reference::BestMean, Acquisition::ExpectedImprovement, x), want);
    }
    for (x, rho, pi, ei) in [
        (1.0, 0.4297308929, 0.2716967983, 0.07158189412),
        (2.5, 0.4432184821, 0.3654726137, 0.1109663635),
        (3.0, 0.7852109887, 0.3017667346, 0.1506814499),
        (4.0, 1.022096142, 0.2149026359, 0.1251478785),
    ] {
        let surrogate = Surrogate::new(&gp, Reference::Joint).unwrap();
        assert_eq!(surrogate.incumbent()[0], 2.0);
        near(surrogate.beliefs(array![[x]].view()).unwrap()[0][3], rho);
        near(at(Reference::Joint, Acquisition::ProbabilityOfImprovement, x), pi);
        near(at(Reference::Joint, Acquisition::ExpectedImprovement, x), ei);
    }
    // At x̃ there is nothing to gain from f(x̃), though there is from an observation of it.
    assert!(at(Reference::Joint, Acquisition::ExpectedImprovement, 2.0) < 1e-7);
    assert!((at(Reference::BestObservation, Acquisition::ExpectedImprovement, 2.0) - 0.0832).abs() < 5e-5);
}

#[test]
fn derivatives_are_those_of_the_scores() {
    let x = Array2::from_shape_fn((12, 3), |(i, f)| ((7 * i + 3 * f + i * f) % 11) as f64 / 11.0);
    let y = Array2::from_shape_fn((12, 1), |(i, _)| (i as f64 * 0.9).sin());
    let kernel = 1.4 * Kernel::matern52([0.3, 0.6, 0.9]) + 0.2 * Kernel::linear();
    let gp = GpRegressor::new(kernel).noise(0.01).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let all = [
        Acquisition::LowerConfidenceBound { alpha: 0.1 },
        Acquisition::ProbabilityOfImprovement,
        Acquisition::ExpectedImprovement,
        Acquisition::LogExpectedImprovement,
    ];
    for reference in [Reference::BestObservation, Reference::BestMean, Reference::Joint] {
        let surrogate = Surrogate::new(&gp, reference).unwrap();
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
                        "{acquisition:?}, {reference:?}: {g} not {slope}"
                    );
                }
            }
        }
    }
}
