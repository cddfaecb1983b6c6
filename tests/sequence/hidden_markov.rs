//! Hidden Markov models: forward and backward, Viterbi, learning, missing observations, bad input.

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array2, Array3, array};

use crate::near;

fn weather() -> FittedHiddenMarkov {
    let emission = Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]);
    FittedHiddenMarkov::new(array![0.6, 0.4], array![[0.7, 0.3], [0.4, 0.6]], emission).unwrap()
}

fn column(symbols: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn((symbols.len(), 1), |(t, _)| symbols[t] as f64)
}

/// All paths of two states.
fn paths(t: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1usize << t).map(move |c| (0..t).map(|i| c >> i & 1).collect())
}

#[test]
fn forward_and_backward_are_the_numbers_of_the_notes() {
    let x = column(&[0, 1, 2]);
    for s in [weather().smooth(&x).unwrap(), weather().smooth_in_logs(&x).unwrap()] {
        near(s.log_likelihood.exp(), 0.03628, 1e-12);
        for (t, want) in [0.8765160, 0.6229327, 0.2121279].into_iter().enumerate() {
            near(s.states[[t, 0]], want, 1e-7);
            near(s.states.row(t).sum(), 1.0, 1e-12);
        }
        near(s.transitions.sum(), 2.0, 1e-12);
    }
}

#[test]
fn everything_equals_enumeration() {
    let (h, x) = (weather(), column(&[2, 0, 0, 1, 2, 2, 1]));
    let all: Vec<(Vec<usize>, f64)> = paths(7).map(|z| (z.clone(), h.log_joint(&z, &x).unwrap())).collect();
    let likelihood: f64 = all.iter().map(|(_, l)| l.exp()).sum();
    let s = h.smooth(&x).unwrap();
    near(s.log_likelihood, likelihood.ln(), 1e-12);
    for t in 0..7 {
        let share: f64 = all.iter().filter(|(z, _)| z[t] == 1).map(|(_, l)| l.exp()).sum();
        near(s.states[[t, 1]], share / likelihood, 1e-12);
    }
    let moves: f64 =
        all.iter().map(|(z, l)| z.windows(2).filter(|w| *w == [0, 1]).count() as f64 * l.exp()).sum();
    near(s.transitions[[0, 1]], moves / likelihood, 1e-12);
    let best = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let decoded = h.viterbi(&x).unwrap();
    assert_eq!(decoded.states, best.0);
    near(decoded.log_joint, best.1, 1e-12);
    // The joint of all sequences of three symbols sums to one.
    let whole: f64 =
        (0..27).map(|c| h.log_likelihood(&column(&[c % 3, c / 3 % 3, c / 9])).unwrap().exp()).sum();
    near(whole, 1.0, 1e-12);
}

#[test]
fn equal_rows_of_transitions_are_an_independent_mixture() {
    let emission = Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]);
    let h = FittedHiddenMarkov::new(array![0.3, 0.7], array![[0.3, 0.7], [0.3, 0.7]], emission).unwrap();
    let p = [0.3 * 0.5 + 0.7 * 0.1, 0.3 * 0.4 + 0.7 * 0.3, 0.3 * 0.1 + 0.7 * 0.6f64];
    near(h.log_likelihood(&column(&[0, 2, 1])).unwrap(), p[0].ln() + p[2].ln() + p[1].ln(), 1e-12);
}

#[test]
fn a_missing_observation_is_summed_over() {
    let h = weather().allow_missing(true);
    let gap = array![[0.0], [f64::NAN], [2.0]];
    let sum: f64 = (0..3).map(|v| h.log_likelihood(&column(&[0, v, 2])).unwrap().exp()).sum();
    near(h.log_likelihood(&gap).unwrap(), sum.ln(), 1e-12);
    assert!(weather().log_likelihood(&gap).is_err());
}

#[test]
fn a_million_steps_do_not_underflow() {
    let h = weather();
    let (x, z) = h.sample(1_000_000, 1).unwrap();
    let s = h.smooth(&x).unwrap();
    assert!(s.log_likelihood.is_finite() && s.states.iter().all(|p| p.is_finite()));
    // Denoising beats the prior, which is right for 4/7.
    let right = h.denoise(&x).unwrap().iter().zip(&z).filter(|(a, b)| a == b).count() as f64 / 1e6;
    assert!(right > 0.75, "{right}");
    assert!(h.viterbi(&x).unwrap().log_joint <= s.log_likelihood);
}

#[test]
fn an_impossible_observation_is_minus_infinity_and_no_nan() {
    let emission = Emission::Discrete(array![[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]);
    let h = FittedHiddenMarkov::new(array![1.0, 0.0], array![[0.5, 0.5], [0.5, 0.5]], emission).unwrap();
    for x in [column(&[0, 2, 0]), column(&[1, 0])] {
        for s in [h.smooth(&x).unwrap(), h.smooth_in_logs(&x).unwrap()] {
            assert_eq!(s.log_likelihood, f64::NEG_INFINITY);
            assert!(s.states.iter().chain(&s.filtered).all(|p| p.is_finite()));
        }
        assert_eq!(h.viterbi(&x).unwrap().log_joint, f64::NEG_INFINITY);
    }
    assert!(
        HiddenMarkov::new(2, Emissions::Discrete { symbols: 3 }).start(h).learn(&[column(&[0, 2])]).is_err()
    );
}

#[test]
fn states_that_are_known_are_counted() {
    let x = [column(&[0, 1, 2, 0]), column(&[1, 1])];
    let z = [vec![0, 0, 1, 0], vec![1, 1]];
    let model = HiddenMarkov::new(2, Emissions::Discrete { symbols: 3 });
    let h = model.learn_labelled(&x, &z).unwrap();
    assert_eq!(h.initial().to_vec(), [0.5, 0.5]);
    // From 0: to 0 once, to 1 once; from 1: to 0 once, to 1 once (counted over both sequences).
    assert_eq!(*h.transition(), array![[0.5, 0.5], [0.5, 0.5]]);
    let Emission::Discrete(b) = h.emission() else { panic!("symbols") };
    let want = array![[2.0 / 3.0, 1.0 / 3.0, 0.0], [0.0, 2.0 / 3.0, 1.0 / 3.0]];
    assert!((b - &want).iter().all(|v| v.abs() < 1e-12));
    // A state that never occurs is refused, unless pseudo-counts say what it does.
    assert!(model.learn_labelled(&x, &[vec![0; 4], vec![0; 2]]).is_err());
    let flat = model.clone().pseudo_counts(1.0).learn_labelled(&x, &[vec![0; 4], vec![0; 2]]).unwrap();
    assert_eq!(flat.transition().row(1).to_vec(), [0.5, 0.5]);
    assert!(model.learn_labelled(&x, &z[..1]).is_err());
}

#[test]
fn baum_welch_climbs_and_finds_what_made_the_data() {
    let truth = weather();
    let x: Vec<_> = (0..20).map(|s| truth.sample(60, s).unwrap().0).collect();
    let model =
        HiddenMarkov::new(2, Emissions::Discrete { symbols: 3 }).max_iterations(40).tolerance(0.0).seed(3);
    let anywhere = model.learn(&x).unwrap();
    let h = model.start(truth.clone()).learn(&x).unwrap();
    for h in [&anywhere, &h] {
        assert!(h.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-7));
    }
    let log = |m: &FittedHiddenMarkov| x.iter().map(|x| m.log_likelihood(x).unwrap()).sum::<f64>();
    assert!(log(&h) > log(&truth), "what is learned fits its own data at least as well");
    near(h.report().objective(), log(&h), 1e-6);
    // One state is a table of frequencies.
    let one = HiddenMarkov::new(1, Emissions::Discrete { symbols: 3 }).learn(&x).unwrap();
    let Emission::Discrete(b) = one.emission() else { panic!("symbols") };
    let zeros = x.iter().flatten().filter(|v| **v == 0.0).count() as f64 / 1200.0;
    near(b[[0, 0]], zeros, 1e-12);
}

#[test]
fn normal_and_mixed_emissions_are_learned() {
    let covariances =
        Array3::from_shape_fn((2, 2, 2), |(k, i, j)| if i == j { 0.3 + 0.4 * k as f64 } else { 0.1 });
    let emission = Emission::Gaussian { means: array![[0.0, 0.0], [3.0, -2.0]], covariances };
    let truth = FittedHiddenMarkov::new(array![0.5, 0.5], array![[0.9, 0.1], [0.2, 0.8]], emission).unwrap();
    let x: Vec<_> = (0..5).map(|s| truth.sample(200, s).unwrap().0).collect();
    for kind in [Emissions::Gaussian, Emissions::Mixture { components: 2 }] {
        let h = HiddenMarkov::new(2, kind).restarts(3).seed(1).learn(&x).unwrap();
        assert!(h.report().trace.windows(2).all(|w| w[1] >= w[0] - 1e-6));
        let stay = h.transition()[[0, 0]].max(h.transition()[[1, 1]]);
        near(stay, 0.9, 0.05);
        assert!(h.score(&x).unwrap() > truth.score(&x).unwrap() - 0.02);
    }
    // A mixture whose components are equal is a normal distribution.
    let one = Emission::Gaussian { means: array![[1.0]], covariances: Array3::from_elem((1, 1, 1), 2.0) };
    let two = Emission::Mixture {
        weights: array![[0.3, 0.7]],
        means: array![[1.0], [1.0]],
        covariances: Array3::from_elem((2, 1, 1), 2.0),
    };
    let log = |e: Emission| {
        FittedHiddenMarkov::new(array![1.0], array![[1.0]], e).unwrap().log_likelihood(&array![[0.3], [2.0]])
    };
    near(log(one).unwrap(), log(two).unwrap(), 1e-12);
}

#[test]
fn bad_input_is_refused() {
    let b = || Emission::Discrete(array![[0.5, 0.5], [0.1, 0.9]]);
    let new = FittedHiddenMarkov::new;
    assert!(new(array![0.6, 0.5], array![[0.5, 0.5], [0.5, 0.5]], b()).is_err());
    assert!(new(array![0.5, 0.5], array![[0.5, 0.6], [0.5, 0.5]], b()).is_err());
    assert!(new(array![1.0], array![[1.0]], b()).is_err());
    assert!(
        new(
            array![0.5, 0.5],
            array![[1.0, 0.0], [0.0, 1.0]],
            Emission::Discrete(array![[0.5, 0.6], [0.1, 0.9]])
        )
        .is_err()
    );
    let h = weather();
    assert!(h.log_likelihood(&column(&[3])).is_err());
    assert!(h.log_likelihood(&array![[0.5]]).is_err());
    assert!(h.log_likelihood(&array![[0.0, 1.0]]).is_err());
    assert!(h.log_likelihood(&Array2::<f64>::zeros((0, 1))).is_err());
    assert!(h.sample(usize::MAX, 1).is_err());
    assert!(HiddenMarkov::new(0, Emissions::Gaussian).learn(&[column(&[1])]).is_err());
    assert!(HiddenMarkov::new(2, Emissions::Gaussian).learn(&[]).is_err());
}
