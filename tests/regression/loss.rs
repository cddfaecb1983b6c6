//! Losses: goldens of the notes, derivatives, conjugates, likelihoods.

use mercer::learn::loss::{Loss, log_loss_of_logits};
use mercer::probability::information::{cross_entropy, entropy};
use mercer::probability::special::softmax;
use ndarray::array;

const MARGINS: [Loss; 7] = [
    Loss::ZeroOne,
    Loss::Perceptron,
    Loss::Hinge,
    Loss::SquaredHinge,
    Loss::Logistic,
    Loss::Exponential,
    Loss::Probit,
];
const RESIDUALS: [Loss; 8] = [
    Loss::Squared,
    Loss::Absolute,
    Loss::Huber(0.8),
    Loss::Pinball(0.3),
    Loss::EpsilonInsensitive(0.5),
    Loss::Power(1.5),
    Loss::Power(3.0),
    Loss::Power(0.5),
];

fn all() -> impl Iterator<Item = Loss> {
    MARGINS.into_iter().chain(RESIDUALS)
}

#[track_caller]
fn is(got: f64, want: f64, digits: f64) {
    assert!((got - want).abs() <= digits * want.abs().max(1.0), "{got} should be {want}");
}

/// LS-03 and A.6.
#[test]
fn margins_as_the_notes_print_them() {
    let rows = [
        (-0.5, 1.5, 1.648721271, 0.9740769842),
        (0.5, 0.5, 0.6065306597, 0.4740769842),
        (2.0, 0.0, 0.1353352832, 0.126928011),
    ];
    for (m, hinge, exponential, logistic) in rows {
        is(Loss::Hinge.value(1.0, m), hinge, 1e-15);
        is(Loss::Exponential.value(-1.0, -m), exponential, 1e-9);
        is(Loss::Logistic.value(1.0, m), logistic, 1e-9);
    }
    let golden = [
        (-1.0, 1.0, 2.0, 1.3132617, 2.7182818),
        (0.0, 0.0, 1.0, 0.6931472, 1.0),
        (0.5, 0.0, 0.5, 0.4740770, 0.6065307),
        (1.0, 0.0, 0.0, 0.3132617, 0.3678794),
        (2.0, 0.0, 0.0, 0.1269280, 0.1353353),
    ];
    for (m, perceptron, hinge, logistic, exponential) in golden {
        is(Loss::Perceptron.at(m), perceptron, 1e-15);
        is(Loss::Hinge.at(m), hinge, 1e-15);
        is(Loss::Logistic.at(m), logistic, 1e-7);
        is(Loss::Exponential.at(m), exponential, 1e-7);
    }
    // A margin of zero is an error, and all surrogates are one there, the logistic loss in bits.
    assert_eq!(Loss::ZeroOne.at(0.0), 1.0);
    is(Loss::Logistic.at(0.0) / 2f64.ln(), 1.0, 1e-15);
    // Far out nothing overflows and nothing is lost.
    is(Loss::Logistic.at(-1e4), 1e4, 1e-15);
    is(Loss::Logistic.at(50.0), (-50f64).exp(), 1e-15 * 1e-20);
    assert!((-1.0..=0.0).contains(&Loss::Hinge.slope(1.0)));
}

#[test]
fn surrogates_bound_errors_from_above() {
    for i in -400..=400 {
        let m = f64::from(i) / 100.0;
        let wrong = Loss::ZeroOne.at(m);
        assert!(
            Loss::Hinge.at(m) >= wrong
                && Loss::Exponential.at(m) >= wrong
                && Loss::SquaredHinge.at(m) >= wrong
        );
        assert!(Loss::Logistic.at(m) / 2f64.ln() >= wrong - 1e-15);
        is(Loss::Logistic.at(m) - Loss::Logistic.at(-m), -m, 1e-14);
        for loss in MARGINS.into_iter().filter(Loss::convex) {
            assert!(
                loss.at(m + 0.01) <= loss.at(m)
                    && loss.at(m + 0.01) + loss.at(m - 0.01) >= 2.0 * loss.at(m) - 1e-13
            );
        }
    }
}

/// LS-05 to LS-07, A.1.
#[test]
fn residuals_as_the_notes_print_them() {
    is(Loss::Pinball(0.3).at(-2.0), 2.8, 1e-15);
    is(Loss::Pinball(0.3).at(1.5), 0.9, 1e-15);
    is(Loss::EpsilonInsensitive(0.5).at(-2.0), 1.5, 1e-15);
    assert_eq!(Loss::EpsilonInsensitive(0.5).at(0.2), 0.0);
    assert_eq!(Loss::EpsilonInsensitive(0.5).slope(0.2), 0.0);
    for i in -30..=30 {
        let r = f64::from(i) / 10.0;
        is(Loss::Pinball(0.5).at(r), Loss::Absolute.at(r), 1e-15);
        is(Loss::EpsilonInsensitive(0.0).at(r), r.abs(), 1e-15);
        is(Loss::Power(2.0).at(r), Loss::Squared.at(r), 1e-14);
        is(Loss::Power(1.0).at(r), r.abs(), 1e-14);
        assert_eq!(Loss::Power(0.0).at(r), f64::from(u8::from(i != 0)));
        assert!(Loss::Power(0.7).at(r) >= 0.0 && (Loss::Power(0.7).at(r) == 0.0) == (i == 0));
    }
}

/// The minimiser over a constant: mean, median, quantile; LS-06's table.
#[test]
fn the_best_constant() {
    let y = [1.0, 2.0, 4.0, 7.0, 11.0];
    let mean = |loss: Loss, c: f64| y.iter().map(|y| loss.value(*y, c)).sum::<f64>() / 5.0;
    let best = |loss: Loss| {
        let at = (0..=1200).map(|i| f64::from(i) / 100.0);
        at.fold((0.0, f64::INFINITY), |b, c| if mean(loss, c) < b.1 - 1e-12 { (c, mean(loss, c)) } else { b })
    };
    assert_eq!(best(Loss::Squared).0, 5.0);
    assert_eq!(best(Loss::Absolute).0, 4.0);
    for (tau, at, least) in
        [(0.1, 1.0, 0.8), (0.3, 2.0, 2.2), (0.5, 4.0, 3.0), (0.7, 7.0, 2.8), (0.9, 11.0, 1.2)]
    {
        let found = best(Loss::Pinball(tau));
        assert_eq!(found.0, at);
        is(found.1, least, 1e-12);
    }
    // An outlier moves the mean, not the median.
    let far = [1.0, 2.0, 4.0, 7.0, 1100.0];
    let sum = |c: f64| far.iter().map(|y| Loss::Absolute.value(*y, c)).sum::<f64>();
    assert!(sum(4.0) < sum(3.9) && sum(4.0) < sum(4.1));
}

#[test]
fn derivatives_are_differences() {
    let h = 1e-5;
    for loss in all() {
        for z in [-2.3, -0.71, 0.13, 0.37, 1.9, 3.3] {
            if loss == Loss::ZeroOne {
                continue;
            }
            let slope = (loss.at(z + h) - loss.at(z - h)) / (2.0 * h);
            is(loss.slope(z), slope, 1e-7);
            is(loss.curvature(z), (loss.slope(z + h) - loss.slope(z - h)) / (2.0 * h), 1e-6);
            for y in [-1.0, 1.0] {
                let (f, at) = (z, |f: f64| loss.value(y, f));
                is(loss.derivative(y, f), (at(f + h) - at(f - h)) / (2.0 * h), 1e-7);
            }
        }
    }
}

/// φ*(u) is the largest of u z - φ(z), and φ(z) + φ*(φ'(z)) = z φ'(z).
#[test]
fn conjugates_are_suprema() {
    for loss in all().filter(Loss::convex) {
        for z in [-2.0, -0.6, 0.2, 0.9, 1.7] {
            let u = loss.slope(z);
            is(loss.at(z) + loss.conjugate(u), u * z, 1e-9);
            for other in -40..=40 {
                let other = f64::from(other) / 8.0;
                assert!(u * other - loss.at(other) <= loss.conjugate(u) + 1e-9, "{loss:?} {u} {other}");
            }
            for y in [-1.0, 1.0] {
                let (f, u) = (z, loss.derivative(y, z));
                is(loss.value(y, f) + loss.conjugate_at(y, u), u * f, 1e-9);
            }
        }
    }
    assert_eq!(Loss::Absolute.conjugate(1.5), f64::INFINITY);
    assert_eq!(Loss::Hinge.conjugate(0.5), f64::INFINITY);
}

/// LS-09: logistic is -ln σ, densities integrate to one, the hinge has none.
#[test]
fn likelihoods_are_normalised() {
    for loss in RESIDUALS {
        for scale in [0.5, 1.0, 2.0] {
            let h: f64 = 1e-3;
            // Powers below one have long tails: a change of variable would hide nothing, so a wide range is summed.
            let wide = if loss == Loss::Power(0.5) { 4000.0 } else { 40.0 };
            let count = (wide / h) as i64;
            let sum: f64 = (-count..count)
                .map(|i| loss.log_density((i as f64 + 0.5) * h, 0.0, scale).unwrap().exp() * h)
                .sum();
            is(sum, 1.0, 1e-4);
        }
    }
    for f in [-3.0, 0.0, 0.7] {
        is(Loss::Logistic.log_density(1.0, f, 1.0).unwrap(), -(1.0 + f64::exp(-f)).ln(), 1e-14);
        for loss in [Loss::Logistic, Loss::Probit] {
            let sum = [-1.0, 1.0].map(|y| loss.log_density(y, f, 1.0).unwrap().exp()).iter().sum::<f64>();
            is(sum, 1.0, 1e-14);
        }
    }
    assert!(Loss::Hinge.log_density(1.0, 0.3, 1.0).is_none());
    let sum = |f: f64| (-Loss::Hinge.value(1.0, f)).exp() + (-Loss::Hinge.value(-1.0, f)).exp();
    assert!((sum(0.0) - sum(2.0)).abs() > 0.2);
    // The normal law: scale 2σ².
    let (y, f, variance) = (1.3, 0.4, 0.7);
    let want = -0.5 * ((y - f) * (y - f) / variance + (std::f64::consts::TAU * variance).ln());
    is(Loss::Squared.log_density(y, f, 2.0 * variance).unwrap(), want, 1e-14);
}

/// A.7: from logits, equal to cross-entropy, at least the entropy.
#[test]
fn log_loss_from_logits() {
    let logits = array![[2.0, 0.5, -1.0], [0.0, 0.0, 0.0], [-3.0, 1.0, 800.0]];
    let got = log_loss_of_logits(&[0, 2, 1], &logits).unwrap();
    let first = (2f64.exp() + 0.5f64.exp() + (-1f64).exp()).ln() - 2.0;
    is(got, (first + 3f64.ln() + 799.0) / 3.0, 1e-14);
    // The mean over labels drawn as p has them is the cross-entropy, which is never less than the entropy of p.
    let (p, counts) = ([0.5, 0.3, 0.2], [5, 3, 2]);
    let truth: Vec<usize> = (0..3).flat_map(|k| vec![k; counts[k]]).collect();
    for eta in [[2.0, 0.5, -1.0], [0.5f64.ln(), 0.3f64.ln(), 0.2f64.ln()]] {
        let rows = ndarray::Array2::from_shape_fn((10, 3), |(_, k)| eta[k]);
        let loss = log_loss_of_logits(&truth, &rows).unwrap();
        is(loss, cross_entropy(&p, &softmax(&eta)).unwrap(), 1e-14);
        assert!(loss >= entropy(&p).unwrap() - 1e-15);
    }
    // One column is the log-odds of class 1: the logistic loss of ±1 labels.
    let odds = array![[0.3], [-1.2]];
    let want = 0.5 * (Loss::Logistic.value(1.0, 0.3) + Loss::Logistic.value(-1.0, -1.2));
    is(log_loss_of_logits(&[1, 0], &odds).unwrap(), want, 1e-15);
    assert!(log_loss_of_logits(&[3, 0, 0], &logits).is_err() && log_loss_of_logits(&[0], &logits).is_err());
}
