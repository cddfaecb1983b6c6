//! Autoencoders: linear, deep, denoising, tied.

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::support::random;
use crate::{all_near, near, slopes};

fn correlated() -> Array2<f64> {
    let loadings = array![[2.0, 1.0, -1.0, 0.3], [0.2, -1.0, 1.5, 0.8]];
    random(60, 2, 4).dot(&loadings) + random(60, 4, 5) * 0.3 + 2.0
}

fn exactly() -> Training {
    Training::new(Minimiser::new().tolerance(1e-10)).epochs(2000)
}

/// The error is the variance left over, and the space that is spanned that of the principal components.
#[test]
fn a_linear_autoencoder_is_principal_component_analysis() {
    let x = correlated();
    let mean = x.mean_axis(Axis(0)).unwrap();
    let centred = &x - &mean;
    for tied in [false, true] {
        let fitted = Autoencoder::new(2).tied(tied).training(exactly()).fit(&Device::cpu(), &x).unwrap();
        let pca = Pca::new(2).fit(&Device::cpu(), &x).unwrap();
        let back = pca.reconstruct(&x).unwrap();
        let least = (&x - &back).mapv(|v| v * v).sum() / 60.0;
        near(fitted.reconstruction_error(&x).unwrap(), least, 1e-6);
        assert!(fitted.reconstruction_error(&x).unwrap() >= least - 1e-12);
        // The same projection, so the same reconstruction of every row.
        let own = fitted.reconstruct(&x).unwrap();
        own.iter().zip(&back).for_each(|(a, b)| near(*a, *b, 1e-3));
        assert_eq!(centred.ncols(), fitted.transform(&x).unwrap().ncols() * 2);
    }
    let whole = Autoencoder::new(4).training(exactly()).fit(&Device::cpu(), &x).unwrap();
    near(whole.reconstruction_error(&x).unwrap(), 0.0, 1e-8);
}

#[test]
fn the_example_of_the_notes() {
    let x = array![[2.0, 1.0], [-2.0, -1.0], [0.4, -0.8], [-0.4, 0.8]];
    let fitted = Autoencoder::new(1).training(exactly()).fit(&Device::cpu(), &x).unwrap();
    near(fitted.reconstruction_error(&x).unwrap() * 4.0, 1.6, 1e-6);
}

/// A tied decoder is the transpose, through every hidden layer.
#[test]
fn tied_weights_are_transposes() {
    let x = correlated();
    let training = Training::default().epochs(20);
    let fitted =
        Autoencoder::new(2).hidden([3]).tied(true).training(training).fit(&Device::cpu(), &x).unwrap();
    let (e, d) = (fitted.encoder_parameters(), fitted.decoder_parameters());
    // Encoder 4-3-2, decoder 2-3-4.
    let second = |code: usize, unit: usize| e[15 + code * 3 + unit];
    (0..3).for_each(|unit| (0..2).for_each(|code| assert_eq!(d[unit * 2 + code], second(code, unit))));
    let first = |unit: usize, input: usize| e[unit * 4 + input];
    (0..4).for_each(|input| (0..3).for_each(|unit| assert_eq!(d[9 + input * 3 + unit], first(unit, input))));
}

/// Of tied weights the gradient is the sum of both paths.
#[test]
fn gradients_agree_with_finite_differences() {
    let x = correlated();
    for (tied, count) in [(false, 23 + 25), (true, 23 + 7)] {
        let model = Autoencoder::new(2).hidden([3]).tied(tied);
        let w: Vec<f64> = random(1, count, 3).iter().copied().collect();
        let (_, got) = model.objective(&w, &x).unwrap();
        all_near(&got, &slopes(&w, 1e-5, |w| model.objective(w, &x).unwrap().0), 1e-7, "reconstruction");
    }
    assert!(Autoencoder::new(2).objective(&[0.0], &x).is_err());
}

#[test]
fn a_deep_autoencoder_follows_a_curve() {
    let t = ndarray::Array::linspace(-1.5, 1.5, 60);
    let x = Array2::from_shape_fn((60, 2), |(n, j)| if j == 0 { t[n] } else { t[n] * t[n] });
    let training = Training::new(Minimiser::new()).epochs(800).restarts(2);
    let deep = Autoencoder::new(1).hidden([8]).training(training).fit(&Device::cpu(), &x).unwrap();
    let flat = Autoencoder::new(1).training(exactly()).fit(&Device::cpu(), &x).unwrap();
    let (deep, flat) = (deep.reconstruction_error(&x).unwrap(), flat.reconstruction_error(&x).unwrap());
    assert!(deep < 0.05 * flat, "{deep} {flat}");
}

/// Noise in training is taken away afterwards.
#[test]
fn a_denoising_autoencoder_takes_noise_away() {
    let x = random(80, 1, 7).dot(&array![[1.0, -1.0, 1.0, 1.0, -1.0, 1.0]]) * 2.0;
    let training = Training::new(Adam::new(0.01)).epochs(400).batch(20);
    let fitted = Autoencoder::new(6).noise(0.5).training(training).fit(&Device::cpu(), &x).unwrap();
    let noisy = &x + &(random(80, 6, 8) * 0.8);
    let error = |a: &Array2<f64>| (a - &x).mapv(|v| v * v).mean().unwrap();
    let cleaned = fitted.reconstruct(&noisy).unwrap();
    assert!(error(&cleaned) < 0.4 * error(&noisy), "{} {}", error(&cleaned), error(&noisy));
}

#[test]
fn bad_settings_are_errors() {
    let x = correlated();
    assert!(Autoencoder::new(0).fit(&Device::cpu(), &x).is_err());
    assert!(Autoencoder::new(1).noise(-1.0).fit(&Device::cpu(), &x).is_err());
    assert!(Autoencoder::new(1).hidden([0]).fit(&Device::cpu(), &x).is_err());
}
