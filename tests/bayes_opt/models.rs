//! Other models of f, and what was learned.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::gp::{GpRegressor, Mean};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel, Progress, Step};

/// Nine points of a bowl on [-1, 1]², lowest at (0.4, -0.3).
fn bowl(seed: u64, model: Option<GpRegressor>) -> BayesOptimiser {
    let mut search = BayesOptimiser::new(&Device::cpu(), &[(-1.0, 1.0); 2]).unwrap().seed(seed).initial(9);
    if let Some(model) = model {
        search = search.model(model);
    }
    for i in 0..9 {
        let x = [f64::from(i / 3) * 0.8 - 0.8, f64::from(i % 3) * 0.9 - 0.9];
        search.tell(&x, (x[0] - 0.4).powi(2) + (x[1] + 0.3).powi(2)).unwrap();
    }
    search
}

fn process() -> GpRegressor {
    GpRegressor::new(1.0 * Kernel::rbf(0.3)).noise(1e-3)
}

#[test]
fn a_model_learns_by_its_own_minimiser_and_from_observations_only() {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = calls.clone();
    let progress = move |_: &Step| {
        seen.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let own = Minimiser::new().max_iterations(7).progress(Progress::new(progress));
    let mut search = bowl(1, Some(process().optimise(own)));
    search.ask().unwrap();
    let learned = calls.load(Ordering::Relaxed);
    assert!((1..=7).contains(&learned), "{learned} iterations");
    let theta = search.learned().unwrap().model().theta();
    // A pending point is believed in, not learned from.
    search.ask().unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), learned);
    assert_eq!(search.learned().unwrap().model().theta(), theta);
}

#[test]
fn what_was_learned_can_be_seen() {
    let mut search = bowl(1, Some(process()));
    let start = process().theta();
    let gp = search.learned().unwrap();
    assert_eq!((gp.x().dim(), gp.y().dim()), ((9, 2), (9, 1)));
    assert!(gp.report().search.as_ref().is_some_and(|m| m.iterations > 0));
    assert_ne!(gp.model().theta(), start);
    // Fixed hyper-parameters stay.
    let kernel = Kernel::rbf(0.3).fixed("rbf.lengthscale").unwrap();
    let mut search = bowl(1, Some(GpRegressor::new(kernel).noise(1e-3).fixed_noise()));
    search.ask().unwrap();
    assert!(search.learned().unwrap().report().search.as_ref().is_none());
}

#[test]
fn restarts_of_the_learning_are_those_of_the_seed() {
    let effort = |seed| {
        let mut search = bowl(seed, None);
        search.learned().unwrap().report().search.as_ref().unwrap().evaluations
    };
    assert_eq!(effort(5), effort(5));
    assert!((0..6).any(|s| effort(s) != effort(6)), "no seed makes a difference");
}

/// The bottom of a bowl that slopes, under models whose mean is a constant or a plane: after a few more points they know.
#[test]
fn models_with_a_mean_find_the_bottom() {
    for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
        let mut search = bowl(2, Some(process().mean(mean)));
        for _ in 0..4 {
            let x = search.ask().unwrap();
            search.tell(&x, (x[0] - 0.4).powi(2) + (x[1] + 0.3).powi(2)).unwrap();
        }
        let (x, y) = search.best().unwrap();
        assert!(y < 1e-4, "{mean:?}: {y} at {x:?}");
    }
}
