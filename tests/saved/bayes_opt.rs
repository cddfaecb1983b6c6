//! Searches that were interrupted.

use mercer::models::bayes_opt::{Acquisition, BayesOptimiser, Reference};
use mercer::models::gp::GpRegressor;
use mercer::{Device, Kernel};

use crate::support::gpus;
use crate::{damaged, refused, through};

fn f(x: &[f64]) -> f64 {
    (x[0] - 0.3).powi(2) + (3.0 * x[1]).cos()
}

fn search() -> BayesOptimiser {
    BayesOptimiser::new(&Device::cpu(), &[(-1.0, 1.0), (0.0, 2.0)]).unwrap().seed(4).initial(4)
}

fn steps(search: &mut BayesOptimiser, count: usize) -> Vec<Vec<f64>> {
    let one = |_| {
        let x = search.ask().unwrap();
        search.tell(&x, f(&x)).unwrap();
        x
    };
    (0..count).map(one).collect()
}

#[test]
fn a_search_that_is_taken_up_again_asks_for_the_same_points() {
    let mut whole = search();
    let all = steps(&mut whole, 9);
    // Within the first design, at its end, and after.
    for before in [0, 2, 4, 6] {
        let mut begun = search();
        assert_eq!(steps(&mut begun, before), all[..before]);
        for mut back in through(&begun) {
            assert_eq!(steps(&mut back, 9 - before), all[before..], "interrupted after {before}");
            assert_eq!(back.best(), whole.best());
        }
    }
}

#[test]
fn what_is_known_and_what_is_pending_is_kept() {
    let acquisition = Acquisition::LowerConfidenceBound { alpha: 0.1 };
    let model = GpRegressor::new(Kernel::matern32([0.4, 0.6])).noise(1e-3);
    let mut begun = search().acquisition(acquisition, Reference::BestMean).unwrap().model(model);
    steps(&mut begun, 5);
    // Hyper-parameters are learned here, and two points are on their way.
    let waiting = begun.ask_batch(2).unwrap();
    let kept = begun.recommend().unwrap();
    let loaded = through(&begun);
    let next = begun.ask().unwrap();
    for mut back in loaded {
        assert_eq!(back.pending().len(), 2);
        assert_eq!(back.recommend().unwrap(), kept);
        assert_eq!(back.ask().unwrap(), next);
        assert!(back.forget(&waiting.row(0).to_vec()));
    }
    damaged(&begun);
}

#[test]
fn a_search_on_a_gpu_goes_on_without_one_and_with_one() {
    for device in gpus() {
        let mut begun = BayesOptimiser::new(device, &[(-1.0, 1.0), (0.0, 2.0)]).unwrap().initial(3);
        steps(&mut begun, 4);
        let [back, again] = through(&begun);
        for mut search in [back, again.on(device)] {
            steps(&mut search, 1);
            assert_eq!(search.history().1.len(), 5);
        }
    }
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let mut begun = search();
    steps(&mut begun, 5);
    begun.recommend().unwrap();
    begun.ask().unwrap();
    for (at, value, said) in [
        ("/space/bounds/0/0", serde_json::Value::from(2.0), "bounds"),
        ("/space/bounds", Vec::<f64>::new().into(), "dimensions"),
        ("/initial", 0.into(), "initial"),
        ("/told/1/0", 7.0.into(), "box"),
        ("/told/1/0", 0.5.into(), "told"),
        ("/told/1", vec![0.5].into(), "dimensions"),
        ("/y", vec![0.5].into(), "observations"),
        ("/y/0", 1e308.into(), "y"),
        ("/pending/0/0", 7.0.into(), "box"),
        ("/fitted/alpha/data/0", 1e3.into(), "solve"),
        ("/model/kernel", serde_json::to_value(Kernel::rbf([1.0; 3])).unwrap(), "features"),
    ] {
        let error = refused(&begun, at, value);
        assert!(error.contains(said), "{at}: {error}");
    }
}
