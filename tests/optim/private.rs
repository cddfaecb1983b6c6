//! AA.1: clipping, noise, the accountant.

use mercer::optim::{Batches, FirstOrder, Order, PrivateGradient, Sgd};

use crate::data::{design, least_squares, loss_of_rows};

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn no_row_moves_the_mean_by_more_than_the_clip() {
    let gradients: Vec<Vec<f64>> = (0..10).map(|i| vec![f64::from(i) - 4.0, 2.0 * f64::from(i)]).collect();
    let mut clipped = PrivateGradient::new(1.5, 0.0);
    for g in &gradients {
        let one = clipped.of(std::slice::from_ref(g), 1.0).unwrap();
        assert!(length(&one) <= 1.5 + 1e-12);
        if length(g) <= 1.5 {
            assert_eq!(&one, g);
        } else {
            assert!((one[0] * g[1] - one[1] * g[0]).abs() < 1e-9);
        }
    }
    // Without noise it is the mean of the clipped gradients, whoever asks.
    let all = clipped.of(&gradients, 10.0).unwrap();
    let sum = gradients.iter().fold([0.0, 0.0], |s, g| {
        let one = PrivateGradient::new(1.5, 0.0).of(std::slice::from_ref(g), 1.0).unwrap();
        [s[0] + one[0] / 10.0, s[1] + one[1] / 10.0]
    });
    assert!((all[0] - sum[0]).abs() < 1e-14 && (all[1] - sum[1]).abs() < 1e-14);
    // Noise: seeded, new at every call, of the size that was asked for.
    let (mut a, mut b) = (PrivateGradient::new(1.5, 2.0).seed(4), PrivateGradient::new(1.5, 2.0).seed(4));
    let zero = vec![vec![0.0; 5000]];
    let (first, second) = (a.of(&zero, 1.0).unwrap(), a.of(&zero, 1.0).unwrap());
    assert!(first == b.of(&zero, 1.0).unwrap() && first != second);
    assert!((length(&first) / 5000f64.sqrt() - 3.0).abs() < 0.1);
    assert!(
        a.of(&[vec![1.0], vec![1.0, 2.0]], 1.0).is_err()
            && PrivateGradient::new(1.5, 2.0).of(&[], 1.0).is_err()
            && a.of(&[vec![f64::NAN]], 1.0).is_err()
    );
    assert!(length(&PrivateGradient::new(1.0, 0.0).of(&[vec![1e300, 1e300]], 1.0).unwrap()) <= 1.0 + 1e-12);
}

/// The sum over integers is the integral that it stands for, and the bound is that of the moments accountant.
#[test]
fn the_accountant() {
    let of = |noise: f64| PrivateGradient::new(1.0, noise);
    // Every row in every batch: R(α) = α/(2z²), whose best order has a closed form.
    let (noise, steps, delta) = (5.0, 10, 1e-5f64);
    let want = (2..=256)
        .map(|a| {
            let a = f64::from(a);
            10.0 * a / (2.0 * noise * noise) + ((a - 1.0) / a).ln() - (delta.ln() + a.ln()) / (a - 1.0)
        })
        .fold(f64::INFINITY, f64::min);
    assert!((of(noise).epsilon(1.0, steps, delta).unwrap() - want).abs() < 1e-10);
    // One order by quadrature: E_{x ~ N(0, z²)} [(1 - q + q exp((2x - 1)/(2z²)))^α].
    let (q, z) = (0.05, 1.3);
    let divergence = |a: i32| {
        let h = 1e-3;
        let sum: f64 = (-60_000..60_000)
            .map(|i| {
                let x = f64::from(i) * h;
                let p = (-x * x / (2.0 * z * z)).exp() / (z * std::f64::consts::TAU.sqrt());
                p * (1.0 - q + q * ((2.0 * x - 1.0) / (2.0 * z * z)).exp()).powi(a) * h
            })
            .sum();
        sum.ln() / f64::from(a - 1)
    };
    let bound = |a: i32| {
        200.0 * divergence(a) + (f64::from(a - 1) / f64::from(a)).ln()
            - (delta.ln() + f64::from(a).ln()) / f64::from(a - 1)
    };
    let want = (2..30).map(bound).fold(f64::INFINITY, f64::min);
    let got = of(z).epsilon(q, 200, delta).unwrap();
    assert!((got - want).abs() < 1e-6, "{got} {want}");
    // The published example, q = 0.01, z = 4, 10,000 steps, δ = 1e-5: 1.26 by the older conversion, less by this one.
    let example = of(4.0).epsilon(0.01, 10_000, 1e-5).unwrap();
    assert!((0.9..1.26).contains(&example), "{example}");
    // More steps, more rows, less noise: less private.
    let base = of(2.0).epsilon(0.02, 100, 1e-5).unwrap();
    assert!(
        of(2.0).epsilon(0.02, 200, 1e-5).unwrap() > base && of(2.0).epsilon(0.04, 100, 1e-5).unwrap() > base
    );
    assert!(
        of(1.5).epsilon(0.02, 100, 1e-5).unwrap() > base && of(2.0).epsilon(0.02, 100, 1e-6).unwrap() > base
    );
    assert_eq!(of(2.0).epsilon(0.02, 0, 1e-5).unwrap(), 0.0);
    assert!(
        of(0.0).epsilon(0.1, 1, 1e-5).is_err()
            && of(1.0).epsilon(0.0, 1, 1e-5).is_err()
            && of(1.0).epsilon(0.1, 1, 1.0).is_err()
    );
}

#[test]
fn private_descent_learns_all_the_same() {
    let (x, y) = design();
    let mut private = PrivateGradient::new(5.0, 0.3).seed(1);
    let batches = Batches::new(40, 20).order(Order::Poisson).seed(2);
    let found = FirstOrder::new(Sgd::new(0.05))
        .max_iterations(200)
        .run_batches(&[0.0; 3], &batches, |w, rows| {
            let each: Vec<Vec<f64>> = rows.iter().map(|&i| loss_of_rows(&x, &y, w, &[i]).1).collect();
            Ok((loss_of_rows(&x, &y, w, rows).0, private.of(&each, 20.0)?))
        })
        .unwrap();
    let want = least_squares(&x, &y);
    assert!(
        found.parameters.iter().zip(&want).all(|(a, b)| (a - b).abs() < 0.2),
        "{:?} {want}",
        found.parameters
    );
}

/// Batches of Poisson may be empty: their step is noise alone, of the same size as any other.
#[test]
fn an_empty_batch_is_noise() {
    let mut private = PrivateGradient::new(1.5, 2.0).seed(4);
    assert!(private.of(&[], 1.0).is_err(), "of how many parameters?");
    private.of(&[vec![0.0; 5000]], 1.0).unwrap();
    let noise = private.of(&[], 1.0).unwrap();
    assert_eq!(noise.len(), 5000);
    assert!((length(&noise) / 5000f64.sqrt() - 3.0).abs() < 0.1);
    assert_eq!(PrivateGradient::new(1.0, 1.0).parameters(3).of(&[], 1.0).unwrap().len(), 3);
    assert!(PrivateGradient::new(1.0, 1.0).parameters(usize::MAX).of(&[], 1.0).is_err());
}
