//! Metrics of clusters against scikit-learn, and where they are known.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::{close, counts, iris, number, oracle};

#[test]
fn as_scikit_learn() {
    let (x, species) = iris();
    let v = oracle("clusters");
    let clusters = counts(&v["clusters"]);
    close(purity(&species, &clusters).unwrap(), number(&v["purity"]), 1e-15);
    close(adjusted_rand(&species, &clusters).unwrap(), number(&v["adjusted_rand"]), 1e-13);
    close(mutual_information(&species, &clusters).unwrap(), number(&v["mutual_information"]), 1e-13);
    close(normalised_mutual_information(&species, &clusters).unwrap(), number(&v["normalised"]), 1e-13);
    close(adjusted_mutual_information(&species, &clusters).unwrap(), number(&v["adjusted"]), 1e-12);
    close(silhouette(&x, &clusters).unwrap(), number(&v["silhouette"]), 1e-12);
}

#[test]
fn names_do_not_matter_and_equal_is_one() {
    let (a, b) = ([0, 0, 1, 1, 2], ["z", "z", "a", "a", "m"]);
    assert_eq!(purity(&a, &b), Ok(1.0));
    assert_eq!(adjusted_rand(&a, &b), Ok(1.0));
    close(normalised_mutual_information(&a, &b).unwrap(), 1.0, 1e-15);
    close(adjusted_mutual_information(&a, &b).unwrap(), 1.0, 1e-12);
    // One class, one cluster: nothing to tell apart.
    let same = [7; 5];
    assert_eq!(adjusted_rand(&same, &same), Ok(1.0));
    assert_eq!(normalised_mutual_information(&same, &same), Ok(1.0));
    assert_eq!(adjusted_mutual_information(&same, &same), Ok(1.0));
    assert_eq!(mutual_information(&a, &same), Ok(0.0));
    assert_eq!(adjusted_rand(&[1], &[1]), Ok(1.0));
}

#[test]
fn inertia_is_the_sum_of_squares() {
    let x = array![[0.0, 0.0], [2.0, 0.0], [5.0, 5.0]];
    let centres = array![[1.0, 0.0], [5.0, 4.0]];
    assert_eq!(inertia(&x, &[0, 0, 1], &centres), Ok(3.0));
    assert!(matches!(inertia(&x, &[0, 0, 2], &centres), Err(Error::Shape { .. })));
    assert!(matches!(inertia(&x, &[0, 0], &centres), Err(Error::Shape { .. })));
}

#[test]
fn refused() {
    let x = Array2::from_shape_fn((4, 1), |(i, _)| i as f64);
    for clusters in [[1, 1, 1, 1], [1, 2, 3, 4]] {
        assert!(matches!(silhouette(&x, &clusters), Err(Error::Parameter { .. })));
    }
    assert_eq!(silhouette(&Array2::<f64>::zeros((4, 1)), &[1, 1, 2, 2]), Ok(0.0));
    assert!(matches!(silhouette(&x, &[1, 2]), Err(Error::Shape { .. })));
    assert!(matches!(purity(&[1, 2], &[1]), Err(Error::Shape { .. })));
}

/// CL-01: deviances about means and by pairs are the same, and what is within and between is the whole.
#[test]
fn deviance_within_by_means_and_by_pairs() {
    let x = crate::support::random(40, 3, 9) + 1e3;
    let clusters: Vec<usize> = (0..40).map(|i| (i * i) % 4).collect();
    let (means, pairs) = (within_deviance(&x, &clusters).unwrap(), pairwise_deviance(&x, &clusters).unwrap());
    assert!((means - pairs).abs() < 1e-9 * means, "{means} {pairs}");
    let whole = within_deviance(&x, &[0; 40]).unwrap();
    let centre = x.mean_axis(ndarray::Axis(0)).unwrap();
    let between: f64 = (0..4)
        .filter_map(|k| {
            let rows: Vec<usize> = (0..40).filter(|&i| clusters[i] == k).collect();
            let mean = x.select(ndarray::Axis(0), &rows).mean_axis(ndarray::Axis(0))?;
            Some(rows.len() as f64 * (&mean - &centre).mapv(|v| v * v).sum())
        })
        .sum();
    assert!((whole - means - between).abs() < 1e-9 * whole);
    assert_eq!(within_deviance(&x, &(0..40).collect::<Vec<_>>()), Ok(0.0));
    assert!(within_deviance(&x, &[1, 2]).is_err() && pairwise_deviance(&x, &[1, 2]).is_err());
}
