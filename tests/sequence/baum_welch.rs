//! One step of Baum-Welch against enumeration of paths, components and fillings: with gaps, with pseudo-counts, with
//! mixtures; draws of mixtures against their moments.

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array1, Array2, Array3, array};

use crate::near;

fn weather() -> FittedHiddenMarkov {
    let emission = Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]);
    FittedHiddenMarkov::new(array![0.6, 0.4], array![[0.7, 0.3], [0.4, 0.6]], emission).unwrap()
}

fn column(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((values.len(), 1), |(t, _)| values[t])
}

/// The digits of a number, so many to this base.
fn digits(number: usize, base: usize, count: usize) -> Vec<usize> {
    (0..count).map(|i| number / base.pow(i as u32) % base).collect()
}

/// Expected first states, moves, and symbols that were seen, over every path and every symbol in place of each gap.
fn expected(h: &FittedHiddenMarkov, x: &[f64]) -> (Array1<f64>, Array2<f64>, Array2<f64>) {
    let gaps: Vec<usize> = (0..x.len()).filter(|t| x[*t].is_nan()).collect();
    let (mut first, mut moves) = (Array1::zeros(2), Array2::zeros((2, 2)));
    let (mut seen, mut all) = (Array2::zeros((2, 3)), 0.0);
    for filling in 0..3usize.pow(gaps.len() as u32) {
        let mut whole = x.to_vec();
        gaps.iter().zip(digits(filling, 3, gaps.len())).for_each(|(t, v)| whole[*t] = v as f64);
        for z in (0..1 << x.len()).map(|c| digits(c, 2, x.len())) {
            let p = h.log_joint(&z, &column(&whole)).unwrap().exp();
            all += p;
            first[z[0]] += p;
            z.windows(2).for_each(|w| moves[[w[0], w[1]]] += p);
            x.iter().zip(&z).filter(|(v, _)| v.is_finite()).for_each(|(v, s)| seen[[*s, *v as usize]] += p);
        }
    }
    (first / all, moves / all, seen / all)
}

/// Rows of counts with so much added, as shares.
fn shares(counts: &Array2<f64>, added: f64) -> Array2<f64> {
    let p = counts + added;
    let sums = p.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    p / sums
}

#[test]
fn a_step_is_the_expected_counts_and_the_pseudo_counts() {
    let gap = f64::NAN;
    let sequences = [vec![0.0, gap, 2.0, 1.0, gap], vec![gap, 2.0, 2.0], vec![1.0, 0.0, 0.0, gap]];
    let (mut first, mut moves, mut seen) = (Array1::zeros(2), Array2::zeros((2, 2)), Array2::zeros((2, 3)));
    for x in &sequences {
        let (f, m, s) = expected(&weather(), x);
        (first, moves, seen) = (first + f, moves + m, seen + s);
    }
    near(seen.sum(), 8.0, 1e-12);
    let x: Vec<_> = sequences.iter().map(|x| column(x)).collect();
    for added in [0.0, 2.0] {
        let model = HiddenMarkov::new(2, Emissions::Discrete { symbols: 3 }).allow_missing(true);
        let model = model.pseudo_counts(added).start(weather()).tolerance(0.0);
        let one = model.clone().max_iterations(1).learn(&x).unwrap();
        let Emission::Discrete(b) = one.emission() else { panic!("symbols") };
        let initial = shares(&first.clone().insert_axis(ndarray::Axis(0)), added);
        let off = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().fold(0.0, |m, v| f64::max(m, v.abs()));
        assert!(off(&one.initial().clone().insert_axis(ndarray::Axis(0)), &initial) < 1e-12);
        assert!(off(one.transition(), &shares(&moves, added)) < 1e-12);
        assert!(off(b, &shares(&seen, added)) < 1e-12);
    }
}

#[test]
fn the_posterior_of_the_tables_never_falls() {
    let mut x: Vec<_> = (0..6).map(|s| weather().sample(30, s).unwrap().0).collect();
    x.iter_mut().enumerate().for_each(|(i, x)| x.row_mut(3 * i).fill(f64::NAN));
    let model = HiddenMarkov::new(2, Emissions::Discrete { symbols: 3 }).allow_missing(true).seed(2);
    let h = model.pseudo_counts(2.0).max_iterations(60).tolerance(0.0).learn(&x).unwrap();
    let trace = &h.report().trace;
    assert!(trace.len() > 20 && trace.windows(2).all(|w| w[1] >= w[0] - 1e-9), "{trace:?}");
    // log p(x | θ) + Σ 2 log θ.
    let Emission::Discrete(b) = h.emission() else { panic!("symbols") };
    let logs: f64 = h.initial().iter().chain(h.transition()).chain(b).map(|p| p.ln()).sum();
    let likelihood: f64 = x.iter().map(|x| h.log_likelihood(x).unwrap()).sum();
    near(h.report().objective(), likelihood + 2.0 * logs, 1e-6);
}

/// Two states of two normal components each.
fn mixed() -> FittedHiddenMarkov {
    let emission = Emission::Mixture {
        weights: array![[0.3, 0.7], [0.6, 0.4]],
        means: array![[-1.0], [0.5], [1.5], [3.0]],
        covariances: Array3::from_shape_vec((4, 1, 1), vec![0.5, 0.8, 0.6, 1.2]).unwrap(),
    };
    FittedHiddenMarkov::new(array![0.6, 0.4], array![[0.7, 0.3], [0.4, 0.6]], emission).unwrap()
}

#[test]
fn a_step_of_mixtures_with_gaps_is_that_of_all_components() {
    let h = mixed().allow_missing(true);
    let Emission::Mixture { weights, means, covariances } = h.emission() else { panic!("mixtures") };
    let sequences = [vec![-0.5, f64::NAN, 2.0, 1.0, 0.2], vec![2.5, 3.5, f64::NAN, 0.0, -1.5]];
    // A component of four at each time: 2 z + c.
    let (mut first, mut moves) = (Array1::<f64>::zeros(2), Array2::<f64>::zeros((2, 2)));
    let mut mass: Vec<Vec<(f64, f64)>> = vec![vec![]; 4];
    for x in &sequences {
        let joint = |parts: &[usize]| {
            let mut p = h.initial()[parts[0] / 2];
            p *= parts.windows(2).map(|w| h.transition()[[w[0] / 2, w[1] / 2]]).product::<f64>();
            for (c, x) in parts.iter().zip(x) {
                let v = covariances[[*c, 0, 0]];
                let density =
                    (-0.5 * (x - means[[*c, 0]]).powi(2) / v).exp() / (2.0 * std::f64::consts::PI * v).sqrt();
                p *= weights[[c / 2, c % 2]] * if x.is_nan() { 1.0 } else { density };
            }
            p
        };
        let every: Vec<(Vec<usize>, f64)> =
            (0..1024).map(|c| digits(c, 4, 5)).map(|c| (c.clone(), joint(&c))).collect();
        let all: f64 = every.iter().map(|e| e.1).sum();
        near(h.log_likelihood(&column(x)).unwrap(), all.ln(), 1e-12);
        for (parts, p) in &every {
            first[parts[0] / 2] += p / all;
            parts.windows(2).for_each(|w| moves[[w[0] / 2, w[1] / 2]] += p / all);
            parts
                .iter()
                .zip(x)
                .filter(|(_, x)| x.is_finite())
                .for_each(|(c, x)| mass[*c].push((p / all, *x)));
        }
    }
    let x: Vec<_> = sequences.iter().map(|x| column(x)).collect();
    let model = HiddenMarkov::new(2, Emissions::Mixture { components: 2 }).allow_missing(true).floor(0.0);
    let one = model.start(h.clone()).max_iterations(1).tolerance(0.0).learn(&x).unwrap();
    let Emission::Mixture { weights, means, covariances } = one.emission() else { panic!("mixtures") };
    (0..2).for_each(|s| near(one.initial()[s], first[s] / 2.0, 1e-12));
    assert!((one.transition() - &shares(&moves, 0.0)).iter().all(|v| v.abs() < 1e-12));
    let count: Vec<f64> = mass.iter().map(|m| m.iter().map(|(p, _)| p).sum()).collect();
    for c in 0..4 {
        let mean = mass[c].iter().map(|(p, x)| p * x).sum::<f64>() / count[c];
        let variance = mass[c].iter().map(|(p, x)| p * (x - mean).powi(2)).sum::<f64>() / count[c];
        near(weights[[c / 2, c % 2]], count[c] / (count[c / 2 * 2] + count[c / 2 * 2 + 1]), 1e-12);
        near(means[[c, 0]], mean, 1e-11);
        near(covariances[[c, 0, 0]], variance, 1e-11);
    }
}

#[test]
fn gaps_do_not_let_the_likelihood_fall() {
    let mut x: Vec<_> = (0..4).map(|s| mixed().sample(80, s).unwrap().0).collect();
    for x in &mut x {
        (5..80).step_by(7).for_each(|t| x.row_mut(t).fill(f64::NAN));
    }
    for kind in [Emissions::Gaussian, Emissions::Mixture { components: 2 }] {
        let model = HiddenMarkov::new(2, kind).allow_missing(true).seed(1).max_iterations(40).tolerance(0.0);
        let h = model.learn(&x).unwrap();
        let trace = &h.report().trace;
        assert!(trace.len() > 20 && trace.windows(2).all(|w| w[1] >= w[0] - 1e-7), "{kind:?}: {trace:?}");
        assert!(trace[trace.len() - 1] > trace[0] + 1.0);
        assert!(HiddenMarkov::new(2, kind).learn(&x).is_err());
    }
}

#[test]
fn draws_of_mixtures_have_their_moments() {
    let covariances = Array3::from_shape_fn((4, 2, 2), |(c, i, j)| {
        let (own, shared) = (0.3 + 0.2 * (c + i) as f64, [0.1, -0.2, 0.25, 0.0][c]);
        if i == j { own } else { shared }
    });
    let (weights, means) =
        (array![[0.3, 0.7], [0.9, 0.1]], array![[0.0, 1.0], [2.0, -1.0], [-3.0, 0.5], [4.0, 4.0]]);
    let emission = Emission::Mixture {
        weights: weights.clone(),
        means: means.clone(),
        covariances: covariances.clone(),
    };
    let h = FittedHiddenMarkov::new(array![0.5, 0.5], array![[0.6, 0.4], [0.3, 0.7]], emission).unwrap();
    let (x, z) = h.sample(40_000, 5).unwrap();
    for s in 0..2 {
        let own: Vec<usize> = (0..z.len()).filter(|t| z[*t] == s).collect();
        let n = own.len() as f64;
        // Four standard errors of a mean of products of f.
        let check = |f: &dyn Fn(usize) -> f64, want: f64| {
            let mean = own.iter().map(|t| f(*t)).sum::<f64>() / n;
            let spread = own.iter().map(|t| (f(*t) - mean).powi(2)).sum::<f64>() / n;
            near(mean, want, 4.0 * (spread / n).sqrt());
        };
        for i in 0..2 {
            let mean = |c: usize| means[[2 * s + c, i]];
            check(&|t| x[[t, i]], weights[[s, 0]] * mean(0) + weights[[s, 1]] * mean(1));
            for j in 0..=i {
                let second = |c: usize| covariances[[2 * s + c, i, j]] + mean(c) * means[[2 * s + c, j]];
                check(&|t| x[[t, i]] * x[[t, j]], weights[[s, 0]] * second(0) + weights[[s, 1]] * second(1));
            }
        }
    }
}
