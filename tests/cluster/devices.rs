//! Wherever the origin of the data is and whatever their units are: the CPU's clusters, on every adapter.

use mercer::models::cluster::{DpMeans, KMeans, KMedoids};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::clouds;
use crate::support::eager;

/// Four clusters of unit size whose middle is where Unix seconds are today, and the same in other units.
fn moved(by: f64, unit: f64) -> Array2<f64> {
    let mut x = clouds(400, 3, 8);
    x.rows_mut().into_iter().enumerate().for_each(|(i, mut row)| row += 30.0 * (i % 4) as f64);
    (x + by) * unit
}

#[test]
fn origin_and_units_change_no_label() {
    let model = KMeans::new(4).restarts(2).seed(3);
    let want = model.fit(&Device::cpu(), moved(0.0, 1.0)).unwrap();
    for (by, unit) in [(0.0, 1.0), (1.7e9, 1.0), (1e6, 1.0), (0.0, 1e-25), (0.0, 1e25)] {
        let x = moved(by, unit);
        let here = model.fit(&Device::cpu(), &x).unwrap();
        assert_eq!(here.labels(), want.labels(), "{by} {unit} on the CPU");
        for device in eager() {
            let got = model.fit(device, &x).unwrap();
            assert_eq!(got.labels(), want.labels(), "{by} {unit} on {device}");
            assert_eq!(got.predict(&x).unwrap(), want.labels(), "{by} {unit} on {device}");
            assert!(got.empty().is_empty() && got.report().converged());
            let gap = (got.cost() - here.cost()).abs();
            assert!(gap <= 1e-12 * here.cost(), "{} {} on {device}", got.cost(), here.cost());
            assert_eq!(got.device().is_gpu(), unit == 1.0, "{unit} ran on {}", got.device());
        }
    }
}

#[test]
fn points_have_medoids_and_rows_have_weights() {
    let (cpu, x) = (Device::cpu(), moved(0.0, 1.0));
    let fit = KMedoids::new(4).fit(&cpu, &x).unwrap();
    let means = KMeans::new(4).fit(&cpu, &x).unwrap();
    let same = |a: &[usize], b: &[usize]| (0..400).all(|i| (a[i] == a[0]) == (b[i] == b[0]));
    assert!(same(fit.labels(), means.labels()));
    assert_eq!(fit.predict(&x).unwrap(), fit.labels());
    assert!((fit.score(&x).unwrap() + fit.cost()).abs() < 1e-9 * fit.cost());
    assert_eq!(fit.transform(&x).unwrap()[[fit.medoids()[1], 1]], 0.0);
    assert_eq!(fit.centres().unwrap().row(2), x.row(fit.medoids()[2]));
    assert!((means.score(&x).unwrap() + means.cost()).abs() < 1e-9 * means.cost());
    let distances = means.transform(&x).unwrap();
    let nearest = |i: usize| (0..4).min_by(|&a, &b| distances[[i, a]].total_cmp(&distances[[i, b]])).unwrap();
    assert!((0..400).all(|i| nearest(i) == means.labels()[i]));
    let weights: Vec<f64> = (0..400).map(|i| f64::from(u8::from(i % 4 != 1))).collect();
    let three = DpMeans::new(600.0).fit_weighted(&cpu, &x, &weights).unwrap();
    let all = DpMeans::new(600.0).fit(&cpu, &x).unwrap();
    assert!(three.centres().nrows() < all.centres().nrows(), "rows of no weight found no cluster");
    let medoids = KMedoids::new(3).fit_weighted(&cpu, &x, &weights).unwrap();
    assert!(medoids.medoids().iter().all(|m| m % 4 != 1), "{:?}", medoids.medoids());
    // A fit to dissimilarities has no space to predict in.
    let plain = KMedoids::new(1).fit_dissimilarity(Array2::<f64>::zeros((3, 3))).unwrap();
    assert!(matches!(plain.predict(&x), Err(Error::Shape { .. })));
}

#[test]
fn absurd_counts_are_refused() {
    let (cpu, x) = (Device::cpu(), moved(0.0, 1.0));
    for k in [1 << 40, usize::MAX] {
        assert!(matches!(KMeans::new(k).fit(&cpu, &x), Err(Error::Parameter { .. })));
        assert!(matches!(KMedoids::new(k).fit(&cpu, &x), Err(Error::Parameter { .. })));
    }
    let starts = KMeans::new(2).restarts(usize::MAX);
    assert!(matches!(starts.fit(&cpu, &x), Err(Error::Parameter { .. })));
    assert!(matches!(KMeans::new(2).restarts(0).fit(&cpu, &x), Err(Error::Parameter { .. })));
}
