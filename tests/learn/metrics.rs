//! Metrics against scikit-learn; what they refuse.

use mercer::prelude::*;
use ndarray::{Array1, array, s};

use crate::{close, counts, matrix, number, oracle, vector, words};

#[test]
fn of_numbers_as_scikit_learn() {
    let v = oracle("regression");
    let (y, p) = (matrix(&v["y"]), matrix(&v["p"]));
    let (y1, p1) = (y.column(0), p.column(0));
    macro_rules! same {
        ($name:literal, $metric:expr) => {
            close($metric(&y1, &p1).unwrap(), number(&v[$name]["one"]), 1e-13);
            close($metric(&y, &p).unwrap(), number(&v[$name]["two"]), 1e-13);
        };
    }
    same!("mse", mse);
    same!("rmse", rmse);
    same!("mae", mae);
    same!("r2", r2);
    same!("explained_variance", explained_variance);
    close(pinball(0.8)(&y1, &p1).unwrap(), number(&v["pinball"]["one"]), 1e-13);
    close(pinball(0.8)(&y, &p).unwrap(), number(&v["pinball"]["two"]), 1e-13);
    let density = gaussian_log_density(&y1, &p1, &vector(&v["v"])).unwrap();
    close(density, number(&v["log_density"]), 1e-13);
}

#[test]
fn r2_as_by_hand() {
    let y = array![[3.0, 1.0], [-0.5, 1.0], [2.0, 1.0], [7.0, 1.0]];
    let p = array![[2.5, 1.0], [0.0, 1.0], [2.0, 1.0], [8.0, 1.0]];
    let one = r2(&y.slice(s![.., ..1]), &p.slice(s![.., ..1])).unwrap();
    close(one, 1.0 - 1.5 / 29.1875, 1e-15);
    close(r2(&y, &p).unwrap(), 0.5 * (one + 1.0), 1e-15);
    assert!(r2(&y, &(&p + 1.0)).unwrap() < 0.5 * one);
    // The mean of ten tenths is not a tenth.
    let tenths = Array1::from_elem(10, 0.1);
    assert_eq!(r2(&tenths, &(&tenths + 1.0)), Ok(0.0));
    assert_eq!(r2(&tenths, &tenths), Ok(1.0));
    // A bias is forgiven by one and not by the other.
    close(explained_variance(&y, &(&y + 5.0)).unwrap(), 1.0, 1e-12);
}

#[test]
fn numbers_that_are_refused() {
    let y = array![1.0, 2.0, 3.0];
    assert!(matches!(mse(&y, &array![1.0, 2.0]), Err(Error::Shape { .. })));
    assert!(matches!(mse(&array![f64::NAN], &array![1.0]), Err(Error::NotFinite { .. })));
    assert!(matches!(mae(&array![1.0], &array![f64::INFINITY]), Err(Error::NotFinite { .. })));
    assert!(matches!(r2(&array![1.0], &array![1.0]), Err(Error::Shape { .. })));
    assert!(matches!(explained_variance(&array![1.0], &array![1.0]), Err(Error::Shape { .. })));
    let none = Array1::<f64>::zeros(0);
    assert!(matches!(rmse(&none, &none), Err(Error::Shape { .. })));
    // A sum of squares that is no number is an error, not infinity.
    assert!(matches!(mse(&array![1e200], &array![-1e200]), Err(Error::Parameter { .. })));
    assert!(matches!(pinball(1.0)(&y, &y), Err(Error::Parameter { .. })));
    assert!(matches!(gaussian_log_density(&y, &y, &array![1.0, 0.0, 1.0]), Err(Error::Parameter { .. })));
}

#[test]
fn of_labels_as_scikit_learn() {
    let v = oracle("classification");
    let (truth, said) = (words(&v["truth"]), words(&v["said"]));
    let c = ConfusionMatrix::of(&truth, &said).unwrap();
    assert_eq!(c.classes(), ["fern", "oak", "rose", "thyme"]);
    for (row, wanted) in c.counts().rows().into_iter().zip(v["confusion"].as_array().unwrap()) {
        assert_eq!(row.to_vec(), counts(wanted));
    }
    close(accuracy(&truth, &said).unwrap(), number(&v["accuracy"]), 1e-15);
    close(c.accuracy(), number(&v["accuracy"]), 1e-15);
    close(balanced_accuracy(&truth, &said).unwrap(), number(&v["balanced"]), 1e-15);
    let is = |y: &[String]| y.iter().map(|y| y == "rose").collect::<Vec<bool>>();
    let (two, guess) = (is(&truth), is(&said));
    for average in [ClassAverage::Macro, ClassAverage::Micro, ClassAverage::Weighted] {
        let name = format!("{average:?}");
        let metrics: [(&str, f64); 4] = [
            ("precision", precision(average)(&truth, &said).unwrap()),
            ("recall", recall(average)(&truth, &said).unwrap()),
            ("f1", f_score(1.0, average)(&truth, &said).unwrap()),
            ("f2", f_score(2.0, average)(&truth, &said).unwrap()),
        ];
        for (metric, value) in metrics {
            close(value, number(&v[metric][&name]), 1e-15);
        }
    }
    let b = ClassAverage::Binary;
    close(precision(b)(&two, &guess).unwrap(), number(&v["precision"]["Binary"]), 1e-15);
    close(recall(b)(&two, &guess).unwrap(), number(&v["recall"]["Binary"]), 1e-15);
    close(f_score(1.0, b)(&two, &guess).unwrap(), number(&v["f1"]["Binary"]), 1e-15);
    close(f_score(2.0, b)(&two, &guess).unwrap(), number(&v["f2"]["Binary"]), 1e-15);
    assert!(matches!(precision(b)(&truth, &said), Err(Error::Shape { .. })));
    assert!(matches!(f_score(-1.0, b)(&two, &guess), Err(Error::Parameter { .. })));
}

#[test]
fn of_probabilities_as_scikit_learn() {
    let v = oracle("classification");
    let (truth, p) = (words(&v["truth"]), matrix(&v["proba"]));
    close(log_loss(&truth, &p).unwrap(), number(&v["log_loss"]), 1e-14);
    close(brier(&truth, &p).unwrap(), number(&v["brier"]), 1e-14);
    let two: Vec<bool> = truth.iter().map(|y| y == "rose").collect();
    let q = p.column(2);
    let both = ndarray::stack![ndarray::Axis(1), q.mapv(|q| 1.0 - q), q];
    close(brier(&two, &both).unwrap(), number(&v["brier_binary"]), 1e-14);
    // A class that does not occur has its column all the same, if the classes are given.
    let classes: Vec<String> = ["fern", "oak", "rose"].map(str::to_owned).to_vec();
    let (some, rows) = (&truth[..1], p.slice(s![..1, ..]));
    assert!(matches!(log_loss(some, &rows), Err(Error::Shape { .. })));
    let column = classes.iter().position(|c| *c == truth[0]).unwrap();
    close(log_loss_of(&classes, some, &rows).unwrap(), -p[[0, column]].ln(), 1e-15);
    // What never was to be is finite.
    let sure = array![[1.0, 0.0], [1.0, 0.0]];
    close(log_loss(&[false, true], &sure).unwrap(), 0.5 * -f64::EPSILON.ln(), 1e-12);
    for bad in [array![[0.5, 0.6], [0.5, 0.5]], array![[1.5, -0.5], [0.5, 0.5]]] {
        assert!(matches!(log_loss(&[false, true], &bad), Err(Error::Parameter { .. })));
    }
    assert!(matches!(
        brier(&[false, true], &array![[f64::NAN, 1.0], [0.5, 0.5]]),
        Err(Error::NotFinite { .. })
    ));
    assert!(matches!(log_loss_of(&[1, 2], &[1, 3], &sure), Err(Error::Parameter { .. })));
    assert!(matches!(log_loss_of(&[2, 1], &[1, 2], &sure), Err(Error::Shape { .. })));
}

#[test]
fn a_confusion_matrix_is_a_table() {
    let c = ConfusionMatrix::of(&["oak", "rose", "oak"], &["oak", "oak", "oak"]).unwrap();
    let lines: Vec<String> = c.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines, ["true \\ said  oak  rose", "oak            2     0", "rose           1     0"]);
    assert_eq!((c.precision(1), c.recall(1), c.f_score(1, 1.0)), (0.0, 0.0, 0.0));
    assert_eq!((c.count(7, 0), c.support(7), c.predicted(7)), (0, 0, 0));
    assert!(matches!(ConfusionMatrix::of(&[1, 2], &[1]), Err(Error::Shape { .. })));
    let none: [u8; 0] = [];
    assert!(matches!(accuracy(&none, &none), Err(Error::Shape { .. })));
    assert!(matches!(ConfusionMatrix::of(&none, &none), Err(Error::Shape { .. })));
}

/// D-10: the table of the notes, read as 3 x 3.
#[test]
fn the_confusion_of_the_notes() {
    let table = [[6, 1, 0], [5, 3, 0], [2, 0, 8]];
    let pairs = (0..3).flat_map(|t| (0..3).flat_map(move |p| std::iter::repeat_n((t, p), table[t][p])));
    let (truth, said): (Vec<usize>, Vec<usize>) = pairs.unzip();
    let c = ConfusionMatrix::of(&truth, &said).unwrap();
    close(c.accuracy(), 0.68, 1e-15);
    for (i, (recall, precision)) in
        [(0.857_143, 0.461_538), (0.375, 0.75), (0.8, 1.0)].into_iter().enumerate()
    {
        close(c.recall(i), recall, 1e-6);
        close(c.precision(i), precision, 1e-6);
    }
}

/// D-11: sums and counts beside their means.
#[test]
fn sums_and_counts() {
    let (y, p) = (array![[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], array![[1.5, 2.0], [2.0, 4.0], [0.0, 3.0]]);
    close(sum_of_squares(&y, &p).unwrap(), 5.25, 1e-14);
    close(sum_of_squares(&y, &p).unwrap(), 6.0 * mse(&y, &p).unwrap(), 1e-14);
    let (truth, said) = (["a", "b", "b", "c"], ["a", "c", "b", "a"]);
    assert_eq!(error_count(&truth, &said), Ok(2));
    close(1.0 - 2.0 / 4.0, accuracy(&truth, &said).unwrap(), 1e-15);
    assert!(error_count(&truth, &["a"]).is_err() && sum_of_squares(&y, &array![[1.0, 2.0]]).is_err());
}
