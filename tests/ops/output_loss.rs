use mercer::ops::{Output, output_loss};
use mercer::{Device, Error};
use ndarray::{Array2, Axis, concatenate};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

const ALL: [Output; 4] = [Output::Gaussian, Output::Bernoulli, Output::Softmax, Output::Poisson];

/// E of one row by its plain formula.
fn loss(output: Output, a: &[f64], t: &[f64]) -> f64 {
    let log_sum = a.iter().map(|a| a.exp()).sum::<f64>().ln();
    let one = |(a, t): (&f64, &f64)| match output {
        Output::Gaussian => 0.5 * (a - t) * (a - t),
        Output::Bernoulli => (1.0 + a.exp()).ln() - t * a,
        Output::Softmax => t * (log_sum - a),
        Output::Poisson => a.exp() - t * a,
    };
    a.iter().zip(t).map(one).sum()
}

#[test]
fn losses_and_where_they_lead() {
    let mut shapes: Vec<(usize, usize)> = edges(8).into_iter().map(|m| (6, m)).collect();
    shapes.extend([(1, 1), (65, 10), (131, 3), (3000, 2)]);
    for (n, m) in shapes {
        let (a, t) = (random(n, m, 1) * 3.0, random(n, m, 2).mapv(f64::abs));
        let w = random(n, 1, 3).mapv(f64::abs);
        let joined = concatenate![Axis(1), t, w];
        // One class is certain: its loss is zero but for rounding.
        for output in ALL.into_iter().filter(|o| m > 1 || *o != Output::Softmax) {
            let row =
                |a: &Array2<f64>, i: usize| w[[i, 0]] * loss(output, &a.row(i).to_vec(), &t.row(i).to_vec());
            let want = Array2::from_shape_fn((1, n), |(_, i)| row(&a, i));
            let slope = |(i, j): (usize, usize)| {
                let (mut up, mut down) = (a.clone(), a.clone());
                up[[i, j]] += 1e-5;
                down[[i, j]] -= 1e-5;
                0.5 * (row(&up, i) - row(&down, i)) / 2e-5
            };
            // Differences of every entry are many copies: those of the first rows, and the last.
            let seen: Vec<usize> = (0..n.min(4)).chain([n - 1]).collect();
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let what = format!("{output:?} of {n} x {m} on {device}");
                let (delta, losses) =
                    output_loss(&on(&device, &a), &on(&device, &joined), output, 0.5).unwrap();
                assert_close(&losses, &want, 5e-6, &what);
                let delta = delta.to_array().unwrap();
                for &i in &seen {
                    for j in 0..m.min(12) {
                        let (got, want) = (delta[[i, j]], slope((i, j)));
                        assert!((got - want).abs() < 2e-5 * (1.0 + want.abs()), "{what}: {got} {want}");
                    }
                }
            }
        }
    }
}

/// Logits of a thousand neither overflow nor lose the loss.
#[test]
fn large_logits_are_no_trouble() {
    let (a, t) = (ndarray::array![[1000.0, 0.0, -1000.0]], ndarray::array![[0.0, 1.0, 0.0, 2.0]]);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (delta, losses) = output_loss(&on(&device, &a), &on(&device, &t), Output::Softmax, 1.0).unwrap();
        assert_close(&losses, &ndarray::array![[2000.0]], 1e-6, "softmax");
        assert_close(&delta, &ndarray::array![[2.0, -2.0, 0.0]], 1e-6, "softmax");
        let (delta, losses) =
            output_loss(&on(&device, &a), &on(&device, &t), Output::Bernoulli, 1.0).unwrap();
        assert_close(&losses, &ndarray::array![[2.0 * (1000.0 + 2f64.ln() + 0.0)]], 1e-6, "Bernoulli");
        assert_close(&delta, &ndarray::array![[2.0, -1.0, 0.0]], 1e-6, "Bernoulli");
    }
}

#[test]
fn shapes_that_do_not_fit_are_errors() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let up = |n, m| on(&device, &random(n, m, 1));
        assert!(matches!(output_loss(&up(2, 3), &up(2, 3), Output::Gaussian, 1.0), Err(Error::Shape { .. })));
        assert!(matches!(output_loss(&up(2, 3), &up(3, 4), Output::Gaussian, 1.0), Err(Error::Shape { .. })));
    }
}
