//! Points that were asked for and not yet told.

use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::gp::GpRegressor;
use mercer::{Device, Error, Kernel};
use ndarray::{ArrayView2, s};

use crate::{BRANIN, branin};

fn open(seed: u64) -> BayesOptimiser {
    BayesOptimiser::new(&Device::cpu(), &BRANIN).unwrap().seed(seed)
}

/// One in each slice along every axis.
fn is_latin(x: ArrayView2<f64>) -> bool {
    let n = x.nrows();
    BRANIN.into_iter().enumerate().all(|(f, (low, high))| {
        let slice = |v: &f64| ((v - low) / (high - low) * n as f64) as usize;
        let mut slices: Vec<usize> = x.column(f).iter().map(slice).collect();
        slices.sort_unstable();
        slices == (0..n).collect::<Vec<_>>()
    })
}

/// While nothing is told there is nothing to learn from: one hypercube after the other.
#[test]
fn a_first_batch_may_be_larger_than_the_hypercube() {
    let mut search = open(1).initial(4);
    let batch = search.ask_batch(10).unwrap();
    assert!(is_latin(batch.slice(s![..4, ..])) && is_latin(batch.slice(s![4..8, ..])), "{batch}");
    for i in 0..10 {
        assert!((0..i).all(|j| batch.row(i) != batch.row(j)), "{batch}");
    }
    assert_eq!(search.pending().len(), 10);
    for x in batch.rows() {
        search.tell(&x.to_vec(), branin(&x.to_vec())).unwrap();
    }
    assert!(search.pending().is_empty());
    search.ask().unwrap();
}

#[test]
fn a_point_whose_evaluation_failed_can_be_forgotten() {
    let mut search = open(2).initial(3);
    let lost = search.ask().unwrap();
    let other = search.ask().unwrap();
    assert_eq!(search.pending(), [lost.clone(), other.clone()]);
    assert!(search.forget(&lost) && !search.forget(&lost));
    assert_eq!(search.pending(), std::slice::from_ref(&other));
    // What comes next is new, although as many are known as before.
    let next = search.ask().unwrap();
    assert!(next != lost && next != other);
    for x in [other, next] {
        search.tell(&x, branin(&x)).unwrap();
    }
    // A proposal that is forgotten leaves no trace in the next: no longer believed in, it is asked for again.
    search.tell(&[3.0, 3.0], branin(&[3.0, 3.0])).unwrap();
    let proposed = search.ask().unwrap();
    search.forget(&proposed);
    let again = search.ask().unwrap();
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0f64, |s, (a, b)| s.max((a - b).abs()));
    assert!(apart(&proposed, &again) < 0.01, "{proposed:?}, then {again:?}");
    assert!(apart(&again, &search.ask().unwrap()) > 0.1);
}

/// A model that cannot be fitted: the error leaves nothing pending, and the hypercube goes on where it was.
#[test]
fn a_batch_that_fails_was_not_asked_for() {
    let broken = GpRegressor::new(Kernel::rbf(0.3)).noise(-1.0);
    let mut search = open(3).initial(3).model(broken.clone());
    search.tell(&[0.0, 0.0], 1.0).unwrap();
    assert!(matches!(search.ask_batch(4), Err(Error::Parameter { .. })));
    assert!(search.pending().is_empty());
    let mut other = open(3).initial(3).model(broken);
    other.tell(&[0.0, 0.0], 1.0).unwrap();
    assert_eq!(search.ask().unwrap(), other.ask().unwrap());
}
