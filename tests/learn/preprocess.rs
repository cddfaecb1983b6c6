//! Transformations against scikit-learn; weights as repeated rows; constant columns, one row, far from the origin.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, s};

use crate::{all_close, close, iris, matrix, oracle, vector};

const CPU: fn() -> Device = Device::cpu;

#[test]
fn as_scikit_learn() {
    let v = oracle("transforms");
    let raw = matrix(&v["raw"]);
    let (x, _) = iris();
    let fit = Standardise::new().fit(&CPU(), &raw).unwrap();
    assert_eq!(fit.constant(), [4]);
    // scikit-learn divides a column that rounding alone makes vary; the last one is at a million.
    all_close(&fit.transform(&raw).unwrap(), &matrix(&v["standardised"]), 1e-9);
    let weighted = Standardise::new().fit_weighted(&CPU(), &raw, vector(&v["weights"])).unwrap();
    all_close(weighted.mean(), &vector(&v["weighted_mean"]), 1e-13);
    all_close(weighted.scale(), &vector(&v["weighted_scale"]), 1e-8);
    let fit = MinMax::new().onto(-1.0, 2.0).fit(&CPU(), &raw).unwrap();
    assert_eq!(fit.constant(), [4]);
    all_close(&fit.transform(&raw).unwrap(), &matrix(&v["min_max"]), 1e-9);
    let some = x.slice(s![..4, ..3]);
    let fit = Polynomial::new(3).fit(&CPU(), some).unwrap();
    all_close(&fit.transform(some).unwrap(), &matrix(&v["polynomial"]), 1e-14);
    let some = x.slice(s![..4, ..]);
    let fit = Polynomial::new(3).interactions_only(true).bias(false).fit(&CPU(), some).unwrap();
    all_close(&fit.transform(some).unwrap(), &matrix(&v["interactions"]), 1e-14);
    // Axes are the same but for their signs.
    let z = Whiten::new().fit(&CPU(), &x).unwrap().transform(x.slice(s![..6, ..])).unwrap();
    let sizes = |z: &Array2<f64>| z.mapv(f64::abs);
    all_close(&sizes(&z), &sizes(&matrix(&v["whitened"])), 1e-11);
    let z = Whiten::new().zca(true).fit(&CPU(), &x).unwrap().transform(x.slice(s![..6, ..])).unwrap();
    all_close(&z, &matrix(&v["zca"]), 1e-11);
}

/// Fits all of them to x, or to weighted rows, and says what they make of `new`.
fn all(x: &Array2<f64>, w: Option<&Array1<f64>>, new: &Array2<f64>) -> Vec<Array2<f64>> {
    macro_rules! made {
        ($($model:expr),+) => { vec![$({
            let model = $model;
            let fit = match w {
                None => model.fit(&CPU(), x).unwrap(),
                Some(w) => model.fit_weighted(&CPU(), x, w).unwrap(),
            };
            fit.transform(new).unwrap()
        }),+] };
    }
    made!(
        Standardise::new(),
        MinMax::new(),
        Whiten::new(),
        Whiten::new().zca(true).components(2),
        Polynomial::new(2),
        Basis::gaussian(4),
        Basis::sigmoidal(3).width(0.5),
        BiasColumn
    )
}

#[test]
fn a_weight_of_two_is_that_row_twice() {
    let (x, _) = iris();
    let x = x.slice(s![..9, ..3]).to_owned();
    let w = array![2.0, 0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 1.0, 1.0];
    let rows: Vec<usize> = (0..9).flat_map(|i| std::iter::repeat_n(i, w[i] as usize)).collect();
    let (weighed, repeated) = (all(&x, Some(&w), &x), all(&x.select(Axis(0), &rows), None, &x));
    weighed.iter().zip(&repeated).for_each(|(a, b)| all_close(a, b, 1e-11));
    let bad = [array![1.0], Array1::zeros(9), Array1::from_elem(9, -1.0), Array1::from_elem(9, f64::NAN)];
    for w in bad {
        assert!(Standardise::new().fit_weighted(&CPU(), &x, &w).is_err());
        assert!(MinMax::new().fit_weighted(&CPU(), &x, &w).is_err());
        assert!(Whiten::new().fit_weighted(&CPU(), &x, &w).is_err());
    }
}

#[test]
fn there_and_back() {
    let (x, _) = iris();
    let device = CPU();
    macro_rules! undone {
        ($($model:expr),+) => { $({
            let fit = $model.fit(&device, &x).unwrap();
            all_close(&fit.inverse_transform(fit.transform(&x).unwrap()).unwrap(), &x, 1e-11);
        })+ };
    }
    undone!(
        Standardise::new(),
        MinMax::new().onto(-3.0, 5.0),
        Whiten::new(),
        Whiten::new().zca(true),
        BiasColumn
    );
}

#[test]
fn whitened_has_unit_covariance() {
    let (x, _) = iris();
    // Far from the origin, and with a column that is the sum of two others.
    let sum = &x.column(0) + &x.column(1);
    let x = ndarray::concatenate![Axis(1), x, sum.insert_axis(Axis(1))] + 1e6;
    for whiten in [Whiten::new(), Whiten::new().components(3)] {
        let fit = whiten.fit(&CPU(), &x).unwrap();
        let z = fit.transform(&x).unwrap();
        assert!(fit.rank() <= 4, "a fifth direction has no variance: {}", fit.deviations());
        let covariance = z.t().dot(&z) / 149.0;
        all_close(&covariance, &Array2::eye(fit.rank()), 1e-6);
    }
}

#[test]
fn one_row_and_constant_columns() {
    let x = array![[3.0, -1.0]];
    assert_eq!(Standardise::new().fit(&CPU(), &x).unwrap().transform(&x).unwrap(), array![[0.0, 0.0]]);
    assert_eq!(Standardise::new().fit(&CPU(), &x).unwrap().constant(), [0, 1]);
    assert_eq!(MinMax::new().fit(&CPU(), &x).unwrap().transform(&x).unwrap(), array![[0.0, 0.0]]);
    assert!(matches!(Whiten::new().fit(&CPU(), &x), Err(Error::Shape { .. })));
    assert!(matches!(Whiten::new().fit(&CPU(), array![[1.0], [1.0]]), Err(Error::Shape { .. })));
    let basis = Basis::gaussian(2).fit(&CPU(), &x).unwrap();
    assert_eq!(basis.widths(), array![1.0, 1.0]);
    assert_eq!(basis.transform(&x).unwrap(), Array2::<f64>::ones((1, 4)));
    // Ten tenths have no deviation, whatever the rounding of their mean.
    let tenths = Array2::from_elem((10, 1), 0.1);
    let fit = Standardise::new().fit(&CPU(), &tenths).unwrap();
    assert_eq!((fit.mean()[0], fit.scale()[0]), (0.1, 1.0));
    // A small deviation beside a large mean is one all the same.
    let far = Array2::from_shape_fn((10, 1), |(i, _)| 1e9 + i as f64);
    close(Standardise::new().fit(&CPU(), &far).unwrap().scale()[0], 8.25f64.sqrt(), 1e-15);
    let kept = Standardise::new().centre(false).scale(false).fit(&CPU(), &far).unwrap();
    assert_eq!(kept.transform(&far).unwrap(), far);
}

#[test]
fn basis_functions_as_defined() {
    let x = array![[0.0, 10.0], [4.0, 30.0], [1.0, 15.0]];
    let fit = Basis::gaussian(3).fit(&CPU(), &x).unwrap();
    assert_eq!(fit.centres(), array![[0.0, 2.0, 4.0], [10.0, 20.0, 30.0]]);
    assert_eq!(fit.widths(), array![2.0, 10.0]);
    let z = fit.transform(&x).unwrap();
    close(z[[2, 1]], (-0.125f64).exp(), 1e-15);
    close(z[[2, 4]], (-0.125f64).exp(), 1e-15);
    let z = Basis::sigmoidal(3).width(1.0).fit(&CPU(), &x).unwrap().transform(&x).unwrap();
    close(z[[2, 1]], 1.0 / (1.0 + 1f64.exp()), 1e-15);
    assert_eq!(z.dim(), (3, 6));
    assert_eq!(Basis::gaussian(1).fit(&CPU(), &x).unwrap().centres(), array![[2.0], [20.0]]);
    // F-02, F-03: centres and widths of one's own.
    let (centres, widths) = (array![[0.0, 3.0], [1.0, -1.0]], array![[1.0, 2.0], [0.5, 4.0]]);
    let at = array![[1.0, 2.0]];
    let bumps = Basis::gaussian(2).given(centres.clone(), widths.clone()).unwrap().transform(&at).unwrap();
    let steps = Basis::sigmoidal(2).given(centres.clone(), widths.clone()).unwrap().transform(&at).unwrap();
    for (c, u) in [1.0f64, -1.0, 2.0, 0.75].into_iter().enumerate() {
        close(bumps[[0, c]], (-0.5 * u * u).exp(), 1e-15);
        close(steps[[0, c]], 1.0 / (1.0 + (-u).exp()), 1e-15);
    }
    assert!(Basis::gaussian(3).given(centres.clone(), widths).is_err());
    assert!(Basis::gaussian(2).given(centres, array![[1.0, 2.0], [0.0, 1.0]]).is_err());
    let ones = BiasColumn.fit(&CPU(), &x).unwrap().transform(&x).unwrap();
    assert_eq!(ones, array![[1.0, 0.0, 10.0], [1.0, 4.0, 30.0], [1.0, 1.0, 15.0]]);
}

#[test]
fn refused() {
    let (device, none) = (CPU(), Array2::<f64>::zeros((0, 2)));
    let (good, bad) = (array![[1.0, 2.0], [3.0, 5.0]], array![[1.0, f64::NAN], [3.0, 4.0]]);
    macro_rules! refuses {
        ($($model:expr),+) => { $({
            let model = $model;
            assert!(matches!(model.fit(&device, &none), Err(Error::Shape { .. })));
            assert!(matches!(model.fit(&device, &bad), Err(Error::NotFinite { .. })));
            let fit = model.fit(&device, &good).unwrap();
            assert!(matches!(fit.transform(array![[1.0]]), Err(Error::Shape { .. })));
            assert!(matches!(fit.transform(&bad), Err(Error::NotFinite { .. })));
            assert_eq!(fit.transform(&none).unwrap().nrows(), 0);
        })+ };
    }
    refuses!(
        Standardise::new(),
        MinMax::new(),
        Whiten::new(),
        Polynomial::new(2),
        Basis::gaussian(2),
        BiasColumn
    );
    for count in [0, usize::MAX] {
        assert!(matches!(Basis::gaussian(count).fit(&device, &good), Err(Error::Parameter { .. })));
    }
    assert!(matches!(Basis::sigmoidal(2).width(0.0).fit(&device, &good), Err(Error::Parameter { .. })));
    for degree in [10_000_000, usize::MAX] {
        assert!(matches!(Polynomial::new(degree).fit(&device, &good), Err(Error::Parameter { .. })));
    }
    assert!(matches!(Polynomial::new(0).bias(false).fit(&device, &good), Err(Error::Parameter { .. })));
    assert!(matches!(Whiten::new().components(3).fit(&device, &good), Err(Error::Parameter { .. })));
    assert!(matches!(Whiten::new().components(0).fit(&device, &good), Err(Error::Parameter { .. })));
    assert!(matches!(MinMax::new().onto(1.0, 1.0).fit(&device, &good), Err(Error::Parameter { .. })));
    // Squares that are no numbers.
    let huge = array![[1e308, 0.0], [-1e308, 1.0]];
    assert!(Standardise::new().fit(&device, &huge).is_err());
    assert!(MinMax::new().fit(&device, &huge).is_err());
    let fit = Polynomial::new(2).fit(&device, &good).unwrap();
    assert!(matches!(fit.transform(array![[1e200, 1.0]]), Err(Error::NotFinite { .. })));
}
