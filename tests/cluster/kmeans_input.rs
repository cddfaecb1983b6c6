//! What k-means and its relatives refuse, and what they survive.

use mercer::models::cluster::{DpMeans, KMeans, KMeansStart, KMedoids, plus_plus};
use mercer::models::mixture::SoftKMeans;
use mercer::{Device, Error};
use ndarray::Array2;

use crate::x1;

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    for k in [0, 7] {
        assert!(matches!(KMeans::new(k).fit(&cpu, x1().view()), Err(Error::Parameter { .. })));
        assert!(matches!(plus_plus(x1(), k, 0), Err(Error::Parameter { .. })));
        assert!(matches!(SoftKMeans::new(k, 1.0).fit(&cpu, x1().view()), Err(Error::Parameter { .. })));
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let mut x = x1();
        x[[2, 0]] = bad;
        assert!(matches!(KMeans::new(2).fit(&cpu, x.view()), Err(Error::NotFinite { row: 2, .. })));
        assert!(matches!(DpMeans::new(1.0).fit(&cpu, x.view()), Err(Error::NotFinite { row: 2, .. })));
        assert!(matches!(plus_plus(&x, 2, 0), Err(Error::NotFinite { row: 2, .. })));
    }
    assert!(matches!(
        KMeans::new(1).fit(&cpu, Array2::<f64>::zeros((0, 3)).view()),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        DpMeans::new(1.0).fit(&cpu, Array2::<f64>::zeros((0, 3)).view()),
        Err(Error::Shape { .. })
    ));
    for penalty in [0.0, -1.0, f64::NAN] {
        assert!(matches!(DpMeans::new(penalty).fit(&cpu, x1().view()), Err(Error::Parameter { .. })));
        assert!(matches!(SoftKMeans::new(2, penalty).fit(&cpu, x1().view()), Err(Error::Parameter { .. })));
    }
    let given = KMeans::new(2).start(KMeansStart::Given(Array2::zeros((2, 3))));
    assert!(matches!(given.fit(&cpu, x1().view()), Err(Error::Shape { .. })));
    let weights = [1.0, 1.0, -1.0, 1.0, 1.0, 1.0];
    assert!(matches!(KMeans::new(2).fit_weighted(&cpu, x1(), weights), Err(Error::Parameter { .. })));
    let mut fit = KMeans::new(2).fit(&cpu, x1().view()).unwrap();
    assert!(matches!(fit.predict(Array2::<f64>::zeros((1, 2)).view()), Err(Error::Shape { .. })));
    assert!(matches!(fit.update(Array2::<f64>::zeros((1, 2)).view()), Err(Error::Shape { .. })));
    assert!(matches!(fit.update(ndarray::array![[f64::NAN]].view()), Err(Error::NotFinite { .. })));

    let medoids = KMedoids::new(2);
    assert!(matches!(
        medoids.fit_dissimilarity(Array2::<f64>::zeros((3, 2)).view()),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        medoids.fit_dissimilarity(Array2::<f64>::zeros((0, 0)).view()),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        medoids.fit_dissimilarity(Array2::from_elem((3, 3), -1.0).view()),
        Err(Error::Parameter { .. })
    ));
    assert!(matches!(
        medoids.fit_dissimilarity(Array2::from_elem((3, 3), 1.0).view()),
        Err(Error::Parameter { .. })
    ));
    assert!(matches!(
        medoids.fit_dissimilarity(Array2::from_elem((3, 3), f64::NAN).view()),
        Err(Error::NotFinite { .. })
    ));
    assert!(matches!(
        KMedoids::new(4).fit_dissimilarity(Array2::<f64>::zeros((3, 3)).view()),
        Err(Error::Parameter { .. })
    ));
}

/// Fewer different rows than clusters: those without rows are named, and nothing costs anything.
#[test]
fn duplicates_leave_clusters_empty() {
    let x = Array2::from_shape_fn((10, 2), |(i, _)| (i % 2) as f64);
    let fit = KMeans::new(4).fit(&Device::cpu(), x.view()).unwrap();
    assert_eq!((fit.cost(), fit.empty().len()), (0.0, 2));
    let constant = KMeans::new(3).fit(&Device::cpu(), Array2::<f64>::ones((5, 2)).view()).unwrap();
    assert_eq!((constant.cost(), constant.empty().len()), (0.0, 2));
    let one = KMeans::new(1).fit(&Device::cpu(), ndarray::array![[3.0]].view()).unwrap();
    assert_eq!(one.centres(), &ndarray::array![[3.0]]);
    let medoids = KMedoids::new(3).fit_dissimilarity(Array2::<f64>::zeros((5, 5)).view()).unwrap();
    assert_eq!(medoids.cost(), 0.0);
}
