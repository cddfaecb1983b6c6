//! Hidden Markov models far from the origin, far from their states, and with states that are hardly seen.

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array2, Array3, array};

use crate::near;

/// Two states that are never left: normal about 0 and about `far`.
fn kept(far: f64) -> FittedHiddenMarkov {
    let emission =
        Emission::Gaussian { means: array![[0.0], [far]], covariances: Array3::from_elem((2, 1, 1), 1.0) };
    FittedHiddenMarkov::new(array![1.0, 0.0], array![[1.0, 0.0], [0.0, 1.0]], emission).unwrap()
}

#[test]
fn improbable_is_not_impossible() {
    // At 100 the state that is there has a density of e^-5000 of the other's; at 20 it is that of e^-200, five times.
    for far in [100.0, 20.0] {
        let (h, x) = (kept(far), Array2::from_elem((5, 1), far));
        let (s, logs) = (h.smooth(&x).unwrap(), h.smooth_in_logs(&x).unwrap());
        let want = 5.0 * (-0.5 * far * far - 0.5 * (2.0 * std::f64::consts::PI).ln());
        near(s.log_likelihood, want, 1e-9 * want.abs());
        near(logs.log_likelihood, want, 1e-9 * want.abs());
        assert!((0..5).all(|t| s.states[[t, 0]] == 1.0 && s.states[[t, 1]] == 0.0), "{}", s.states);
        near(s.transitions[[0, 0]], 4.0, 1e-12);
    }
    // What no path shows remains impossible.
    let symbols = Emission::Discrete(array![[1.0, 0.0], [0.0, 1.0]]);
    let h = FittedHiddenMarkov::new(array![1.0, 0.0], array![[1.0, 0.0], [0.0, 1.0]], symbols).unwrap();
    assert_eq!(h.log_likelihood(&array![[0.0], [1.0]]).unwrap(), f64::NEG_INFINITY);
}

#[test]
fn covariances_do_not_depend_on_the_origin() {
    // Multiples of 2^-10, which a shift by 2^20 leaves exact.
    let made = |by: f64| {
        Array2::from_shape_fn((60, 2), |(t, j)| {
            by + ((t * (7 + 3 * j)) % 11) as f64 / 1024.0 + (t / 30) as f64
        })
    };
    let z: Vec<usize> = (0..60).map(|t| usize::from(t >= 30)).collect();
    let model = HiddenMarkov::new(2, Emissions::Gaussian).floor(0.0).pseudo_counts(1.0);
    let covariances = |by: f64| {
        let labelled = model.learn_labelled(&[made(by)], std::slice::from_ref(&z)).unwrap();
        let one = HiddenMarkov::new(1, Emissions::Gaussian).floor(0.0).learn(&[made(by)]).unwrap();
        [labelled, one].map(|h| match h.emission() {
            Emission::Gaussian { covariances, .. } => covariances.clone(),
            _ => panic!("normal"),
        })
    };
    let shifted = covariances(1_048_576.0);
    for (near_by, far) in covariances(0.0).iter().zip(&shifted) {
        for (a, b) in near_by.iter().zip(far) {
            // A mean of 2^20 is rounded in its last digit, once for the mean and a deviation: sums of squares would lose 2^40.
            near(*b, *a, 4.0 * f64::EPSILON * 1_048_576.0 * near_by[[0, 0, 0]].sqrt());
        }
    }
}

#[test]
fn nothing_is_made_up_of_a_state_that_is_hardly_seen() {
    let x = [array![[0.0], [0.0], [1.0]]];
    let z = [vec![0, 0, 1]];
    let symbols = HiddenMarkov::new(2, Emissions::Discrete { symbols: 2 });
    // The second state is never left: nothing says where it goes.
    assert!(symbols.learn_labelled(&x, &z).is_err());
    let flat = symbols.pseudo_counts(1.0).learn_labelled(&x, &z).unwrap();
    near(flat.transition()[[1, 0]], 0.5, 1e-12);
    // Its only observation is missing, or it has none: pseudo-counts do not say where its mean is.
    let normal = HiddenMarkov::new(2, Emissions::Gaussian).pseudo_counts(1.0).allow_missing(true);
    let gap = [array![[0.0], [0.5], [f64::NAN]]];
    assert!(normal.learn_labelled(&gap, &z).is_err());
    assert!(normal.learn_labelled(&x, &[vec![0, 0, 0]]).is_err());
    assert!(normal.learn_labelled(&x, &z).is_ok());
}
