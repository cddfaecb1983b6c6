use mercer::stats::{Among, Collection, KernelFamily, Metric, Spacing, median_distance};
use mercer::{Error, Kernel};

use crate::loops::{column, normal};

#[test]
fn the_median_of_all_distances() {
    // 1, 2, 3, 3, 5, 6: the middle two are equal.
    let x = column(&[0.0, 1.0, 3.0, 6.0]);
    assert_eq!(median_distance(x.view(), Metric::L2, Among::All).unwrap(), 3.0);
    let plane = ndarray::array![[0.0, 0.0], [3.0, 4.0]];
    assert_eq!(median_distance(plane.view(), Metric::L2, Among::All).unwrap(), 5.0);
    assert_eq!(median_distance(plane.view(), Metric::L1, Among::All).unwrap(), 7.0);
}

#[test]
fn equal_points_are_no_distance() {
    let x = column(&[0.0, 0.0, 0.0, 2.0]);
    assert_eq!(median_distance(x.view(), Metric::L2, Among::All).unwrap(), 2.0);
    let same = column(&[1.0, 1.0, 1.0]);
    assert!(matches!(median_distance(same.view(), Metric::L2, Among::All), Err(Error::Parameter { .. })));
}

#[test]
fn a_subsample_is_seeded_and_near() {
    let x = normal(2000, 3, 0.0, 1);
    let exact = median_distance(x.view(), Metric::L2, Among::All).unwrap();
    let some = |seed| median_distance(x.view(), Metric::L2, Among::Subsample { most: 300, seed }).unwrap();
    assert_eq!(some(1), some(1));
    assert_ne!(some(1), some(2));
    assert!((some(1) / exact - 1.0).abs() < 0.05, "{} and {exact}", some(1));
    let all = median_distance(x.view(), Metric::L2, Among::Subsample { most: 2000, seed: 3 }).unwrap();
    assert_eq!(all, exact);
}

#[test]
fn collections_run_between_quantiles() {
    let x = column(&(0..=100).map(f64::from).collect::<Vec<_>>());
    // Of the 5050 distances, d occurs 101 - d times: the 5 % quantile is 3, the 95 % quantile 79.
    let kernels = |families: Vec<KernelFamily>, bandwidths, spacing| {
        let among = Among::All;
        Collection { families, bandwidths, spacing, among }.kernels(x.view()).unwrap()
    };
    let linear = kernels(vec![KernelFamily::Gaussian], 3, Spacing::Linear);
    assert_eq!(linear, [1.5, 79.75, 158.0].map(Kernel::rbf));
    let geometric = kernels(vec![KernelFamily::Laplace, KernelFamily::Gaussian], 2, Spacing::Geometric);
    assert_eq!(geometric.len(), 4);
    // exp(-√2 |x - x'| / λ) falls to exp(-√2) at λ.
    let at = geometric[0].value(&[0.0], &[1.5]).unwrap();
    assert!((at - (-2f64.sqrt()).exp()).abs() < 1e-12);
}
