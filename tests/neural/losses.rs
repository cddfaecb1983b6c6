//! Losses paired with output units.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{near, slopes};

#[test]
fn the_slope_by_the_last_layer_is_output_less_target() {
    let a = random(1, 3, 1) * 2.0;
    for (loss, t) in [
        (OutputLoss::Gaussian, array![[0.3, -1.0, 2.0]]),
        (OutputLoss::Bernoulli, array![[1.0, 0.0, 1.0]]),
        (OutputLoss::Softmax, array![[0.0, 1.0, 0.0]]),
        (OutputLoss::Poisson, array![[2.0, 0.0, 5.0]]),
    ] {
        let want = slopes(a.as_slice().unwrap(), 1e-5, |v| {
            loss.row(ndarray::ArrayView1::from(v), t.row(0)).unwrap()
        });
        let got = loss.outputs(a.view()) - &t;
        got.iter().zip(&want).for_each(|(g, w)| near(*g, *w, 1e-8));
        assert_eq!(loss.delta(a.view(), t.view(), None).unwrap(), got);
    }
}

#[test]
fn two_softmax_outputs_are_one_sigmoid() {
    for (a, b) in [(0.3, -1.2), (5.0, 2.0), (-40.0, 40.0)] {
        let two = OutputLoss::Softmax.outputs(array![[a, b]].view());
        let one = OutputLoss::Bernoulli.outputs(array![[b - a]].view());
        near(two[[0, 1]], one[[0, 0]], 1e-15);
        let (l2, l1) = (
            OutputLoss::Softmax.value(array![[a, b]].view(), array![[0.0, 1.0]].view(), None).unwrap(),
            OutputLoss::Bernoulli.value(array![[b - a]].view(), array![[1.0]].view(), None).unwrap(),
        );
        near(l2, l1, 1e-12);
    }
}

#[test]
fn losses_are_negative_log_likelihoods() {
    let (a, t) = (random(4, 2, 2), random(4, 2, 3));
    let beta = 2.5;
    let mut want = 0.0;
    for (a, t) in a.iter().zip(&t) {
        want += 0.5 * (beta / std::f64::consts::TAU).ln() - 0.5 * beta * (a - t) * (a - t);
    }
    near(OutputLoss::Gaussian.log_likelihood(a.view(), t.view(), beta).unwrap(), want, 1e-12);
    let bits = t.mapv(|v| f64::from(u8::from(v > 0.0)));
    let y = OutputLoss::Bernoulli.outputs(a.view());
    let want: f64 = y.iter().zip(&bits).map(|(y, t)| t * y.ln() + (1.0 - t) * (1.0 - y).ln()).sum();
    near(OutputLoss::Bernoulli.log_likelihood(a.view(), bits.view(), 1.0).unwrap(), want, 1e-12);
    // Poisson of mean 2 at 3: 2³ e^-2 / 3!.
    let got =
        OutputLoss::Poisson.log_likelihood(array![[2f64.ln()]].view(), array![[3.0]].view(), 1.0).unwrap();
    near(got, (8.0 * (-2f64).exp() / 6.0).ln(), 1e-12);
}

/// 1/β is the mean squared residual, where the likelihood is highest.
#[test]
fn the_noise_precision_maximises_the_likelihood() {
    let (x, noise) = (random(40, 2, 4), random(40, 2, 5));
    let t = Array2::from_shape_fn((40, 2), |(n, k)| x[[n, k]].sin() + 0.3 * noise[[n, k]]);
    let training = Training::new(Minimiser::new()).epochs(30);
    let fitted = NeuralRegressor::new(&[3]).training(training).fit(&Device::cpu(), &x, &t).unwrap();
    let y = fitted.predict(&x).unwrap();
    let beta = fitted.noise_precision();
    near(1.0 / beta, (&y - &t).mapv(|v| v * v).sum() / 80.0, 1e-12);
    let at = |b: f64| OutputLoss::Gaussian.log_likelihood(y.view(), t.view(), b).unwrap();
    assert!(at(beta) > at(beta * 1.01) && at(beta) > at(beta * 0.99));
}

/// Nothing is cut to the shorter of two: shapes that differ are refused by name.
#[test]
fn shapes_that_do_not_fit() {
    let (a, t) = (array![[0.1, 0.2], [0.3, 0.4]], array![[1.0, 0.0]]);
    let short = array![1.0];
    for loss in [OutputLoss::Gaussian, OutputLoss::Bernoulli, OutputLoss::Softmax, OutputLoss::Poisson] {
        assert!(matches!(loss.value(a.view(), t.view(), None), Err(Error::Shape { .. })));
        assert!(matches!(loss.delta(a.view(), t.view(), None), Err(Error::Shape { .. })));
        assert!(matches!(loss.log_likelihood(a.view(), t.view(), 1.0), Err(Error::Shape { .. })));
        assert!(matches!(loss.row(a.row(0), short.view()), Err(Error::Shape { .. })));
        let few = loss.value(a.view(), a.view(), Some(short.view()));
        assert!(matches!(few, Err(Error::Shape { .. })));
    }
}
