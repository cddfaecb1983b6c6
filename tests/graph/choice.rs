use mercer::prelude::*;
use ndarray::Array2;

use crate::support::random;

/// Four groups in the plane.
fn groups() -> (Array2<f64>, Vec<usize>) {
    let noise = random(60, 2, 1);
    let y: Vec<usize> = (0..60).map(|i| i % 4).collect();
    (
        Array2::from_shape_fn((60, 2), |(i, j)| {
            noise[[i, j]] + if j == 0 { 6.0 * (y[i] / 2) as f64 } else { 6.0 * (y[i] % 2) as f64 }
        }),
        y,
    )
}

#[test]
fn four_groups_are_found_by_every_rule() {
    let (x, y) = groups();
    let by_silhouette = choose_by_silhouette(&x, 2..=6, 0).unwrap();
    assert_eq!(by_silhouette.chosen(), 4);
    assert_eq!(by_silhouette.counts(), [2, 3, 4, 5, 6]);
    let by_gap = choose_by_gap(&x, 1..=6, 8, 0).unwrap();
    assert_eq!(by_gap.chosen(), 4, "{by_gap:?}");
    let by_purity = choose_by_purity(&x, &y, 1..=6, 0.99, 0).unwrap();
    assert_eq!(by_purity.chosen(), 4);
    assert_eq!(choose_by_gap(&x, 1..=3, 5, 7).unwrap(), choose_by_gap(&x, 1..=3, 5, 7).unwrap());
}

#[test]
fn no_groups_are_one_group() {
    assert_eq!(choose_by_gap(random(60, 2, 2), 1..=4, 10, 1).unwrap().chosen(), 1);
}

/// At least the share of the largest class, at most one, and one when every point is its own cluster.
#[test]
fn purity_grows_from_the_largest_class_to_one() {
    let (x, y) = groups();
    let found = choose_by_purity(&x, &y, [1, 2, 4, 60], 2.0, 0).unwrap();
    assert_eq!(found.scores()[0], 0.25);
    assert_eq!((found.scores()[3], found.chosen()), (1.0, 60));
    assert!(found.scores().iter().all(|s| (0.25..=1.0).contains(s)));
}

#[test]
fn bad_choices_are_errors() {
    let x = random(5, 2, 3);
    assert!(choose_by_silhouette(&x, [], 0).is_err());
    assert!(choose_by_silhouette(&x, [1], 0).is_err());
    assert!(choose_by_gap(&x, [6], 5, 0).is_err());
    assert!(choose_by_gap(&x, [2], 1, 0).is_err());
    assert!(choose_by_gap(&x, [2], usize::MAX, 0).is_err());
    assert!(choose_by_purity(&x, [1, 2], [2], 0.9, 0).is_err());
}
