//! DP-means: the notes' examples, and what must hold.

use mercer::Device;
use mercer::models::cluster::DpMeans;
use ndarray::{Array2, Axis};

use crate::support::random;
use crate::{same, x1};

/// Oxford (1.19) on six points, for four prices.
#[test]
fn the_examples_of_the_notes() {
    let fit = DpMeans::new(1.0).fit(&Device::cpu(), x1().view()).unwrap();
    assert_eq!(fit.labels(), [1, 1, 1, 0, 0, 2]);
    same(fit.centres(), &[1.25, -1.5, 2.5], 1e-12, "centres");
    same(&[fit.objective()], &[3.625], 1e-12, "objective");
    let fit = DpMeans::new(4.0).fit(&Device::cpu(), x1().view()).unwrap();
    assert_eq!(fit.labels(), [1, 1, 1, 0, 0, 2]);
    same(&[fit.objective()], &[12.625], 1e-12, "a local optimum");
    let fit = DpMeans::new(9.0).fit(&Device::cpu(), x1().view()).unwrap();
    same(&[fit.objective()], &[25.708_333_33], 1e-8, "one cluster");
    let fit = DpMeans::new(0.1).fit(&Device::cpu(), x1().view()).unwrap();
    assert_eq!(fit.centres().nrows(), 6);
    same(&[fit.objective()], &[0.6], 1e-12, "singletons");
}

#[test]
fn what_must_hold() {
    let x = random(80, 2, 1);
    for penalty in [0.01, 0.1, 0.5, 2.0, 100.0] {
        let fit = DpMeans::new(penalty).fit(&Device::cpu(), x.view()).unwrap();
        assert!(
            fit.report().trace.windows(2).all(|w| w[1] <= w[0] + 1e-12),
            "{penalty}: {:?}",
            fit.report().trace
        );
        let cost = |i: usize| (&x.row(i) - &fit.centres().row(fit.labels()[i])).mapv(|v| v * v).sum();
        assert!((0..80).all(|i| cost(i) <= penalty + 1e-12), "every row lies within the price of its centre");
        let total = (0..80).map(cost).sum::<f64>() + penalty * fit.centres().nrows() as f64;
        same(&[fit.objective()], &[total], 1e-10, "objective");
        assert!(fit.report().converged());
        // Units: twice the data, four times the price.
        let twice = DpMeans::new(4.0 * penalty).fit(&Device::cpu(), (2.0 * &x).view()).unwrap();
        assert_eq!(twice.labels(), fit.labels());
    }
    assert_eq!(DpMeans::new(1e6).fit(&Device::cpu(), x.view()).unwrap().centres().nrows(), 1);
    let doubled = Array2::from_shape_fn((20, 1), |(i, _)| (i % 7) as f64);
    assert_eq!(
        DpMeans::new(1e-9).fit(&Device::cpu(), doubled.view()).unwrap().centres().nrows(),
        7,
        "as many as rows that differ"
    );
    let one = DpMeans::new(1e6).fit(&Device::cpu(), x.view()).unwrap();
    same(one.centres().row(0), &x.mean_axis(Axis(0)).unwrap(), 1e-12, "λ to infinity is the mean");
}
