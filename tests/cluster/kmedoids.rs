//! K-medoids: brute force on few points, an outlier, and what must hold.

use mercer::Device;
use mercer::models::cluster::{KMeans, KMedoids};
use ndarray::Array2;

use crate::support::random;
use crate::{clouds, same};

fn distances(x: &Array2<f64>, squared: bool) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let d: f64 = (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum();
        if squared { d } else { d.sqrt() }
    })
}

/// The least cost over all pairs of medoids.
#[test]
fn the_best_pair_of_few_points() {
    for seed in 0..8 {
        let v = distances(&random(12, 2, seed), false);
        let cost = |a: usize, b: usize| (0..12).map(|i| v[[i, a]].min(v[[i, b]])).sum::<f64>();
        let best = (0..12)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| cost(a, b))
            .fold(f64::INFINITY, f64::min);
        let fit = KMedoids::new(2).restarts(40).fit_dissimilarity(&v).unwrap();
        same(&[fit.cost()], &[best], 1e-12, "brute force");
    }
}

#[test]
fn what_must_hold() {
    let x = clouds(90, 2, 2);
    let v = distances(&x, true);
    let fit = KMedoids::new(3).fit_dissimilarity(v.view()).unwrap();
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0]), "{:?}", fit.report().trace);
    for (k, &m) in fit.medoids().iter().enumerate() {
        assert_eq!(fit.labels()[m], k, "a medoid stands for itself");
    }
    let near = |i: usize| fit.medoids().iter().map(|&m| v[[i, m]]).fold(f64::INFINITY, f64::min);
    same(&[fit.cost()], &[(0..90).map(near).sum()], 1e-12, "cost");
    let means = KMeans::new(3).fit(&Device::cpu(), x.view()).unwrap();
    assert!(fit.cost() >= means.cost(), "a mean costs no more than a medoid");
    assert_eq!(KMedoids::new(90).fit_dissimilarity(v.view()).unwrap().cost(), 0.0);
}

/// One row far away moves a mean and not a medoid.
#[test]
fn an_outlier_is_not_a_centre() {
    let mut x = Array2::from_shape_fn((21, 1), |(i, _)| f64::from(i as u32) / 20.0);
    x[[20, 0]] = 100.0;
    let medoid = KMedoids::new(1).fit_dissimilarity(distances(&x, false).view()).unwrap().medoids()[0];
    assert!((x[[medoid, 0]] - 0.5).abs() < 0.06);
    let mean = KMeans::new(1).fit(&Device::cpu(), x.view()).unwrap().centres()[[0, 0]];
    assert!(mean > 5.0);
}

/// Costs that are not symmetric: standing in for an unlike observation may be cheap one way only.
#[test]
fn dissimilarities_need_not_be_symmetric() {
    let v = ndarray::array![[0.0, 1.0, 9.0], [5.0, 0.0, 9.0], [9.0, 9.0, 0.0]];
    let fit = KMedoids::new(2).fit_dissimilarity(v.view()).unwrap();
    assert_eq!(fit.cost(), 1.0);
    assert!(fit.medoids().contains(&1) && fit.medoids().contains(&2));
}
