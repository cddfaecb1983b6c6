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

/// What does not differ but for rounding is a constant, of whatever size; and differences below a rounding are none.
#[test]
fn a_constant_of_any_size() {
    for value in [0.0, 0.1, -1e12, 1e100, 1e200, -3.3e307, 4e307, 1e-300, 3e-310, -5e-324] {
        let mut search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap();
        for i in 0..9 {
            let x = search.ask().unwrap();
            // One unit in the last place more or less.
            search.tell(&x, if i % 4 == 3 { f64::next_up(value) } else { value }).unwrap();
        }
        let found = search.recommend().unwrap();
        assert!(
            (found.mean - value).abs() <= 1e-9 * value.abs().max(f64::MIN_POSITIVE),
            "{} not {value}",
            found.mean
        );
    }
}

/// A variance that no number holds is not an infinite one.
#[test]
fn a_posterior_variance_that_overflows() {
    let mut search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap();
    for (i, y) in [1e200, -2e200, 3e200, 0.0].into_iter().enumerate() {
        search.tell(&[0.3 * i as f64], y).unwrap();
    }
    let at = ndarray::array![[0.15]];
    assert!(matches!(search.posterior(at.view()), Err(Error::Overflow { what: "the variance", .. })));
    // Its root is one.
    assert!(search.recommend().unwrap().deviation.is_finite());
}

/// Its name, bounds, evaluations, the function, and what is to be reached.
type Case<'a> = (&'a str, Vec<(f64, f64)>, usize, &'a dyn Fn(&[f64]) -> f64, f64);

/// Bounds eighteen decades apart, a function of steps, twenty dimensions: a better point than the hypercube had.
#[test]
fn odd_boxes_and_functions() {
    let scales = |x: &[f64]| (x[0] * 1e9 - 2.0).powi(2) + (x[1] / 1e9 - 1.0).powi(2);
    let steps = |x: &[f64]| (x[0].floor() - 3.0).powi(2) + (x[1].floor() - 6.0).powi(2);
    let sphere = |x: &[f64]| 1e12 * x.iter().map(|v| v * v).sum::<f64>();
    let cases: [Case; 3] = [
        ("scales", vec![(1e-9, 3e-9), (-1e9, 2e9)], 25, &scales, 1e-2),
        ("steps", vec![(0.0, 10.0); 2], 30, &steps, 0.0),
        ("sphere", vec![(-1.0, 1.0); 20], 46, &sphere, f64::INFINITY),
    ];
    for (name, bounds, evaluations, f, goal) in cases {
        let run = || {
            let mut search = BayesOptimiser::new(&Device::cpu(), &bounds).unwrap().seed(3);
            for _ in 0..evaluations {
                let x = search.ask().unwrap();
                assert!(x.iter().zip(&bounds).all(|(x, (low, high))| (low..=high).contains(&x)), "{x:?}");
                search.tell(&x, f(&x)).unwrap();
            }
            search.history().0
        };
        let (first, again) = (run(), run());
        assert_eq!(first, again, "{name}: the same seed, the same bits");
        let values: Vec<f64> = first.rows().into_iter().map(|x| f(x.as_slice().unwrap())).collect();
        let least = |values: &[f64]| values.iter().fold(f64::MAX, |m, v| m.min(*v));
        let (best, before) = (least(&values), least(&values[..2 * (bounds.len() + 1)]));
        assert!(best <= goal && best < before, "{name}: {best}, and {before} in the hypercube");
    }
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
