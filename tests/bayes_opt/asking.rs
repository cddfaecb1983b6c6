//! Asking and telling.

use mercer::Device;
use mercer::models::bayes_opt::{Acquisition, BayesOptimiser, Reference};
use ndarray::Array2;

use crate::support::adapters;
use crate::{BRANIN, branin};

fn run(device: &Device, seed: u64, evaluations: usize) -> BayesOptimiser {
    let mut search = BayesOptimiser::new(device, &BRANIN).unwrap().seed(seed);
    for _ in 0..evaluations {
        let x = search.ask().unwrap();
        search.tell(&x, branin(&x)).unwrap();
    }
    search
}

#[test]
fn the_same_seed_asks_the_same_points_and_never_outside() {
    let cpu = Device::cpu();
    let (one, two, other) = (run(&cpu, 3, 10), run(&cpu, 3, 10), run(&cpu, 4, 10));
    assert_eq!(one.history().0, two.history().0);
    assert_ne!(one.history().0, other.history().0);
    for x in one.history().0.rows() {
        assert!(x.iter().zip(BRANIN).all(|(v, (low, high))| (low..=high).contains(v)), "{x}");
    }
    // The first six are one in each slice of a hypercube.
    let (x, _) = one.history();
    for (f, (low, high)) in BRANIN.into_iter().enumerate() {
        let mut slices: Vec<usize> =
            (0..6).map(|i| ((x[[i, f]] - low) / (high - low) * 6.0) as usize).collect();
        slices.sort_unstable();
        assert_eq!(slices, [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn a_batch_is_of_different_points_and_may_come_back_in_any_order() {
    let mut search = run(&Device::cpu(), 5, 8);
    let batch = search.ask_batch(4).unwrap();
    for i in 0..4 {
        for j in 0..i {
            let apart = (&batch.row(i) - &batch.row(j)).iter().fold(0f64, |s, v| s.max(v.abs()));
            assert!(apart > 0.05, "{i} and {j} are {apart} apart: {batch}");
        }
    }
    // The first of a batch is what one would have been asked alone.
    let alone = run(&Device::cpu(), 5, 8).ask().unwrap();
    assert_eq!(batch.row(0).to_vec(), alone);
    for i in [2, 0, 3, 1] {
        let x = batch.row(i).to_vec();
        search.tell(&x, branin(&x)).unwrap();
    }
    // Also a point that nobody asked for.
    search.tell(&[1.0, 1.0], branin(&[1.0, 1.0])).unwrap();
    assert_eq!(search.history().1.len(), 13);
    assert!(search.ask().is_ok());
}

#[test]
fn every_acquisition_finds_a_minimum_in_one_dimension() {
    // Two valleys; the deeper one, at 0.757, has a value of -6.02, the other -0.99.
    let f = |x: f64| (6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin();
    let probable = Acquisition::ProbabilityOfImprovement { margin: 0.1 };
    for (acquisition, reference, goal) in [
        (Acquisition::LowerConfidenceBound { alpha: 0.02 }, Reference::BestObservation, -6.0),
        (Acquisition::ExpectedImprovement, Reference::BestObservation, -6.0),
        (Acquisition::LogExpectedImprovement, Reference::BestMean, -6.0),
        (Acquisition::ExpectedImprovement, Reference::Joint, -6.0),
        // Gains below the margin are not looked for.
        (probable, Reference::BestObservation, -5.0),
        (probable, Reference::Joint, -5.0),
    ] {
        let search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap().seed(2);
        let mut search = search.acquisition(acquisition, reference).unwrap();
        for _ in 0..20 {
            let x = search.ask().unwrap();
            search.tell(&x, f(x[0])).unwrap();
        }
        let (x, y) = search.best().unwrap();
        let tried = search.history().0;
        assert!(y < goal, "{acquisition:?} from {reference:?}: {y} at {x:?} of {tried:.3}");
    }
}

#[test]
fn the_posterior_and_the_scores_are_in_the_units_of_the_observations() {
    let mut search = run(&Device::cpu(), 6, 12);
    let (x, y) = search.history();
    let y = y.to_vec();
    let posterior = search.posterior(x.view()).unwrap();
    for (mean, y) in posterior.mean.iter().zip(&y) {
        assert!((mean - y).abs() < 3.0, "{mean}, {y}");
    }
    let recommended = search.recommend().unwrap();
    assert!((recommended.mean - search.best().unwrap().1).abs() < 3.0);
    // With exact observations the expected improvement at the data is next to nothing, elsewhere it is positive.
    let grid =
        Array2::from_shape_fn((30, 2), |(i, f)| BRANIN[f].0 + 15.0 * ((i * (3 + 4 * f)) % 30) as f64 / 30.0);
    let scores = search.scores(grid.view()).unwrap();
    assert!(scores.iter().all(|s| s.is_finite()));
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at_data = search.scores(x.view()).unwrap().into_iter().fold(f64::NEG_INFINITY, f64::max);
    assert!(best > at_data, "{best} {at_data}");
}

#[test]
fn every_adapter_finds_the_same_valley() {
    for gpu in adapters() {
        let search = run(gpu, 7, 9);
        let cpu = run(&Device::cpu(), 7, 9);
        // The hypercube to the bit, and what follows to what f32 variances leave of it.
        let (a, b) = (search.history().0, cpu.history().0);
        assert_eq!(a.row(5), b.row(5));
        let off = (&a.row(6) - &b.row(6)).iter().fold(0f64, |s, v| s.max(v.abs()));
        assert!(off < 0.05, "{gpu}: the first proposal is off by {off}");
    }
}

/// What comes back is what was evaluated, to the bit: in a wide box the way through the unit cube would cost most digits.
#[test]
fn points_come_back_as_they_were_told() {
    let mut search = BayesOptimiser::new(&Device::cpu(), &[(-1e6, 1e6), (0.1, 0.7)]).unwrap();
    let told = [[1e-9, 0.3], [-3.3e-7, 0.6], [123.4567, 0.1 + 0.2]];
    for (i, x) in told.iter().enumerate() {
        search.tell(x, i as f64).unwrap();
    }
    assert_eq!(search.history().0, ndarray::arr2(&told));
    assert_eq!(search.best().unwrap(), (told[0].to_vec(), 0.0));
    let recommended = search.recommend().unwrap().x;
    assert!(told.iter().any(|x| x.to_vec() == recommended), "{recommended:?}");
    for _ in 0..8 {
        let x = search.ask().unwrap();
        search.tell(&x, x[1]).unwrap();
        let tried = search.history().0;
        assert_eq!(tried.row(tried.nrows() - 1).to_vec(), x);
    }
}
