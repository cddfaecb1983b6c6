//! What is refused, and how.

use mercer::models::bayes_opt::{Acquisition, BayesOptimiser, Reference};
use mercer::{Device, Error};
use ndarray::array;

#[test]
fn bad_boxes() {
    let open = |bounds: &[(f64, f64)]| BayesOptimiser::new(&Device::cpu(), bounds).unwrap_err();
    assert!(matches!(open(&[]), Error::Shape { .. }));
    for bad in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
        assert!(matches!(open(&[(0.0, 1.0), bad]), Error::Parameter { .. }), "{bad:?}");
    }
    for alpha in [0.0, 1.0, f64::NAN] {
        let search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap();
        let acquisition = Acquisition::LowerConfidenceBound { alpha };
        assert!(matches!(search.acquisition(acquisition, Reference::Joint), Err(Error::Parameter { .. })));
    }
    for margin in [-0.1, f64::INFINITY, f64::NAN] {
        let search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap();
        let acquisition = Acquisition::ProbabilityOfImprovement { margin };
        assert!(matches!(search.acquisition(acquisition, Reference::Joint), Err(Error::Parameter { .. })));
    }
}

#[test]
fn bad_tellings() {
    let mut search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    assert!(search.best().is_none());
    assert!(matches!(search.recommend(), Err(Error::Shape { .. })));
    assert!(matches!(search.tell(&[0.5], 1.0), Err(Error::Shape { .. })));
    assert!(matches!(search.tell(&[0.5, 1.5], 1.0), Err(Error::Parameter { .. })));
    assert!(matches!(search.tell(&[0.5, f64::NAN], 1.0), Err(Error::Parameter { .. })));
    assert!(matches!(search.tell(&[0.5, 0.5], f64::NAN), Err(Error::NotFinite { .. })));
    assert!(search.history().1.is_empty());
    search.tell(&[0.5, 0.5], 3.0).unwrap();
    assert!(matches!(search.posterior(array![[0.5]].view()), Err(Error::Shape { .. })));
    assert!(matches!(search.scores(array![[0.5, 2.0]].view()), Err(Error::Parameter { .. })));
}

/// The same point again and again, the same value everywhere, huge values: nothing to learn from, nothing to fall over.
#[test]
fn poor_data_are_no_reason_to_stop() {
    let at = |told: &[([f64; 1], f64)]| {
        let mut search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap().initial(1);
        for (x, y) in told {
            search.tell(x, *y).unwrap();
        }
        let x = search.ask().unwrap();
        assert!((0.0..=1.0).contains(&x[0]));
    };
    at(&[([0.5], 1.0)]);
    at(&[([0.5], 1.0), ([0.5], 1.0), ([0.5], 1.2)]);
    at(&[([0.1], 7.0), ([0.5], 7.0), ([0.9], 7.0)]);
    at(&[([0.1], 1e200), ([0.5], -1e200), ([0.9], 3.0)]);
    at(&[([0.1], 1e-200), ([0.5], 2e-200), ([0.9], 3e-200)]);
}

/// Sizes that no memory holds are refused before anything is asked for.
#[test]
fn absurd_sizes() {
    let search = || BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0), (0.0, 1.0)]).unwrap();
    for count in [usize::MAX, usize::MAX / 16] {
        let mut search = search();
        let e = search.ask_batch(count);
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
        assert!(search.pending().is_empty());
    }
    for points in [usize::MAX, usize::MAX / 16] {
        let mut search = search().initial(points);
        let e = search.ask();
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
        assert!(search.pending().is_empty());
    }
}
