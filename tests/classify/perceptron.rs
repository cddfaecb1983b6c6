//! The perceptron and its bound.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::xor;

/// C-12: the example of the notes.
#[test]
fn the_example_of_the_notes() {
    let x = array![[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 1.0], [0.0, -2.0]];
    let y = [true, true, false, false, false];
    let fit = Perceptron::new().fit(&Device::cpu(), &x, y).unwrap();
    assert_eq!(fit.coefficients(), &array![[1.0], [1.0]]);
    assert_eq!(fit.intercept(), &array![-1.0]);
    assert_eq!((fit.mistakes(), fit.report().trace[0]), (1, 1.0));
    assert_eq!(fit.predict(&x).unwrap(), y);
    // The step only rescales.
    let slow = Perceptron::new().rate(0.25).fit(&Device::cpu(), &x, y).unwrap();
    assert_eq!(slow.coefficients(), &(0.25 * fit.coefficients()));
    assert_eq!(slow.mistakes(), fit.mistakes());
}

/// C-12, M.5: rows with margin γ about a plane cost at most (R/γ)² mistakes, in every order.
#[test]
fn mistakes_stay_within_novikoffs_bound() {
    for seed in 0..10 {
        let all = random(200, 3, seed);
        let (w, b) = (array![0.6_f64, -0.7, 0.2], 0.1_f64);
        let length = (w.dot(&w) + b * b).sqrt();
        let margin = 0.05;
        let kept: Vec<usize> =
            (0..200).filter(|&i| ((all.row(i).dot(&w) + b) / length).abs() > margin).collect();
        let x = all.select(ndarray::Axis(0), &kept);
        let y: Vec<bool> = x.rows().into_iter().map(|r| r.dot(&w) + b > 0.0).collect();
        let largest = x.rows().into_iter().map(|r| r.dot(&r) + 1.0).fold(0.0, f64::max);
        let fit = Perceptron::new().shuffled(seed).max_passes(10_000).fit(&Device::cpu(), &x, &y).unwrap();
        assert!(fit.report().converged() && fit.score(&x, &y).unwrap() == 1.0);
        let bound = largest / (margin * margin);
        assert!((fit.mistakes() as f64) <= bound, "{} mistakes, at most {bound}", fit.mistakes());
    }
}

/// M.5: XOR never ends, and does with the product of the features; a step lowers the loss of its own row.
#[test]
fn xor_needs_a_product() {
    let (x, y) = xor();
    let never = Perceptron::new().max_passes(500).fit(&Device::cpu(), &x, y).unwrap();
    assert_eq!((never.report().converged(), never.report().iterations), (false, 500));
    let phi = Array2::from_shape_fn((4, 3), |(i, j)| if j < 2 { x[[i, j]] } else { x[[i, 0]] * x[[i, 1]] });
    let fit = Perceptron::new().fit(&Device::cpu(), &phi, y).unwrap();
    assert!(fit.report().converged());
    assert_eq!(fit.predict(&phi).unwrap(), y);
    // A pass over one row of each class makes at most two steps, and what has moved is the sum of ±φ of its mistakes.
    let one = Perceptron::new().max_passes(1).fit(&Device::cpu(), &phi, y).unwrap();
    let steps = |signs: [f64; 4]| {
        let mut w = [0.0; 4];
        for (i, s) in signs.into_iter().enumerate() {
            let t = if y[i] { s } else { -s };
            phi.row(i).iter().chain([&1.0]).zip(&mut w).for_each(|(p, w)| *w += t * p);
        }
        w
    };
    let found: Vec<f64> = one.coefficients().iter().chain(one.intercept()).copied().collect();
    let subsets = (0..16u32).map(|bits| [0, 1, 2, 3].map(|i| f64::from((bits >> i) & 1)));
    let made: Vec<[f64; 4]> = subsets.filter(|s| steps(*s).to_vec() == found).collect();
    assert!(
        made.iter().any(|s| s.iter().sum::<f64>() == one.mistakes() as f64),
        "{found:?}, {}",
        one.mistakes()
    );
}
