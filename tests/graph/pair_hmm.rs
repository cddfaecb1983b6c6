use mercer::Error;
use mercer::kernel::structures::{ObjectKernel, PairHmm};
use ndarray::{Array2, array};

use crate::least;

fn notes() -> PairHmm {
    PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.2, 0.4, 0.1).unwrap()
}

/// All strings over a and b of at most this length.
fn strings(longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|s| [format!("{s}a"), format!("{s}b")]).collect();
        all.extend(last.clone());
    }
    all
}

#[test]
fn alignments_are_as_probable_as_in_the_notes() {
    assert!((notes().value("a", "ab").unwrap() - 0.0014544).abs() < 1e-15);
    let all = strings(3);
    let gram: Array2<f64> = ObjectKernel::<str>::gram(&notes(), &all).unwrap();
    assert!((gram.sum() - 0.2310375946).abs() < 1e-10, "{}", gram.sum());
    assert!((&gram - &gram.t()).iter().all(|v| *v == 0.0));
}

/// The recursion is not symmetric in x and y; the probability is.
#[test]
fn the_probability_is_symmetric_and_sums_to_one() {
    let all = strings(4);
    for (a, b) in all.iter().zip(all.iter().rev()) {
        let (one, other) = (notes().value(a, b).unwrap(), notes().value(b, a).unwrap());
        assert!((one - other).abs() < 1e-16 + 1e-12 * one, "{a} and {b}");
    }
    let short = PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.1, 0.1, 0.9).unwrap();
    let total: f64 = ObjectKernel::<str>::gram(&short, &strings(6)).unwrap().sum();
    assert!(total < 1.0 && total > 0.999, "{total}");
}

#[test]
fn the_matrix_is_positive_where_the_usual_model_is_not() {
    let hard = PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.4, 0.05, 0.05).unwrap();
    for hmm in [notes(), hard] {
        let gram: Array2<f64> = ObjectKernel::<str>::gram(&hmm, &strings(3)).unwrap();
        assert!(least(&gram) > -1e-12, "{}", least(&gram));
        let unit: Array2<f64> = ObjectKernel::<str>::gram(&hmm.normalised(), &strings(3)).unwrap();
        assert!(least(&unit) > -1e-12 && unit.diag().iter().all(|v| (v - 1.0).abs() < 1e-12));
    }
}

#[test]
fn long_sequences_do_not_underflow() {
    let (a, b) = ("ab".repeat(600), "aab".repeat(400));
    let hmm = notes();
    assert_eq!(hmm.value(&a, &b).unwrap(), 0.0);
    assert!(hmm.log_value(&a, &b).unwrap() < -1000.0);
    let cosine = hmm.cosine(&a, &a).unwrap();
    assert!((cosine - 1.0).abs() < 1e-9 && hmm.cosine(&a, &b).unwrap() < 1.0);
}

#[test]
fn bad_models_are_errors() {
    let (p, q) = (array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5]);
    let bad = |p: &Array2<f64>, q: &ndarray::Array1<f64>, (open, extend, end): (f64, f64, f64)| {
        let made = PairHmm::new("ab", p.clone(), q.clone(), open, extend, end);
        assert!(matches!(made, Err(Error::Parameter { .. } | Error::Shape { .. })), "{made:?}");
    };
    let fine = (0.2, 0.4, 0.1);
    bad(&array![[0.1, 0.4], [0.4, 0.1]], &q, fine); // indefinite
    bad(&array![[0.0, 0.5], [0.5, 0.0]], &q, fine); // indefinite, with a zero diagonal
    bad(&array![[0.4, 0.2], [0.0, 0.4]], &q, fine); // not symmetric
    bad(&array![[0.4, 0.1], [0.1, 0.3]], &q, fine); // does not sum to one
    bad(&p, &array![0.9, 0.5], fine);
    bad(&p, &array![1.0], fine);
    bad(&p, &q, (1.0, 0.4, 0.1));
    bad(&p, &q, (0.2, -0.1, 0.1));
    bad(&p, &q, (0.2, 0.4, 0.0));
    assert!(PairHmm::new("aa", p, q, 0.2, 0.4, 0.1).is_err());
    assert!(matches!(notes().value("abc", "a"), Err(Error::UnknownName { .. })));
}
