//! Splits: partitions, balance, groups that stay whole, seeds; scikit-learn where nothing is shuffled.

use std::collections::BTreeSet;

use mercer::learn::Fold;
use mercer::prelude::*;
use proptest::prelude::*;

use crate::{counts, oracle, words};

/// Train and test have all rows, each once; the tests of k folds, too.
fn partitions(folds: &[Fold], n: usize) {
    let mut tested: Vec<usize> = vec![];
    for (train, test) in folds {
        let mut all: Vec<usize> = train.iter().chain(test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>());
        assert!(!train.is_empty() && !test.is_empty());
        tested.extend(test);
    }
    tested.sort_unstable();
    assert_eq!(tested, (0..n).collect::<Vec<_>>());
}

fn tests(folds: &[Fold]) -> Vec<Vec<usize>> {
    folds.iter().map(|fold| fold.1.clone()).collect()
}

#[test]
fn as_scikit_learn() {
    let v = oracle("splits");
    let all = |v: &serde_json::Value| v.as_array().unwrap().iter().map(counts).collect::<Vec<_>>();
    assert_eq!(tests(&KFold::new(5).split(43).unwrap()), all(&v["kfold"]));
    let labels = words(&v["labels"]);
    assert_eq!(tests(&KFold::new(4).stratified(&labels).split(43).unwrap()), all(&v["stratified"]));
    let folds = KFold::new(4).grouped(&counts(&v["groups"])).split(43).unwrap();
    let mut sizes: Vec<usize> = folds.iter().map(|fold| fold.1.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, counts(&v["grouped_sizes"]));
    let pairs = |v: &serde_json::Value| {
        v.as_array().unwrap().iter().map(|v| (counts(&v[0]), counts(&v[1]))).collect::<Vec<Fold>>()
    };
    assert_eq!(TimeSeries::new(4).split(43).unwrap(), pairs(&v["time"]));
    let gap = TimeSeries::new(3).gap(2).test_rows(5).max_train(12);
    assert_eq!(gap.split(43).unwrap(), pairs(&v["time_gap"]));
}

proptest! {
    #[test]
    fn folds_are_partitions_of_even_sizes(n in 2usize..80, k in 2usize..9, seed in proptest::option::of(0u64..9)) {
        prop_assume!(k <= n);
        let folds = KFold::new(k).shuffled(seed).split(n).unwrap();
        partitions(&folds, n);
        prop_assert!(folds.iter().all(|f| f.1.len() == n / k || f.1.len() == n / k + 1));
    }

    #[test]
    fn strata_are_shared_out(labels in proptest::collection::vec(0u8..4, 8..90), k in 2usize..5, seed in 0u64..9) {
        let n = labels.len();
        let count = |rows: &[usize], c: u8| rows.iter().filter(|&&i| labels[i] == c).count();
        let all: Vec<usize> = (0..n).collect();
        prop_assume!((0..4).any(|c| count(&all, c) >= k));
        let folds = KFold::new(k).shuffled(seed).stratified(&labels).split(n).unwrap();
        partitions(&folds, n);
        for c in 0..4 {
            let each: Vec<usize> = folds.iter().map(|f| count(&f.1, c)).collect();
            prop_assert!(each.iter().max().unwrap() - each.iter().min().unwrap() <= 1);
        }
        let sizes: Vec<usize> = folds.iter().map(|f| f.1.len()).collect();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
    }

    #[test]
    fn groups_are_not_torn(groups in proptest::collection::vec(0u8..9, 10..60), seed in proptest::option::of(0u64..9)) {
        let distinct: BTreeSet<u8> = groups.iter().copied().collect();
        prop_assume!(distinct.len() >= 3);
        let mut folds = KFold::new(3).shuffled(seed).grouped(&groups).split(groups.len()).unwrap();
        partitions(&folds, groups.len());
        folds.push(Holdout::new(0.4).grouped(&groups).seed(seed.unwrap_or(1)).split(groups.len()).unwrap());
        for (train, test) in &folds {
            let of = |rows: &[usize]| rows.iter().map(|&i| groups[i]).collect::<BTreeSet<u8>>();
            prop_assert!(of(train).is_disjoint(&of(test)));
        }
    }

    #[test]
    fn held_out_is_the_share(n in 4usize..200, seed in 0u64..9) {
        let (train, test) = Holdout::new(0.25).seed(seed).split(n).unwrap();
        prop_assert_eq!(test.len(), n.div_ceil(4));
        prop_assert_eq!(train.len() + test.len(), n);
        prop_assert!(train.is_sorted() && test.is_sorted());
        let mut all = [train, test].concat();
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..n));
        let labels: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
        let (_, test) = Holdout::new(0.25).stratified(&labels).seed(seed).split(n).unwrap();
        prop_assert_eq!(test.len(), n.div_ceil(4));
        let share = labels.iter().filter(|l| **l).count() as f64 * test.len() as f64 / n as f64;
        let held = test.iter().filter(|&&i| labels[i]).count() as f64;
        prop_assert!((held - share).abs() < 1.0);
    }

    #[test]
    fn nothing_is_learned_from_the_future(n in 6usize..90, k in 1usize..5) {
        for (train, test) in TimeSeries::new(k).split(n).unwrap() {
            prop_assert!(train.last() < test.first());
        }
    }
}

#[test]
fn seeds_decide() {
    let by = |seed| KFold::new(3).shuffled(seed).split(30).unwrap();
    assert_eq!(by(1), by(1));
    assert_ne!(by(1), by(2));
    let held = |seed| Holdout::new(0.5).seed(seed).split(30).unwrap();
    assert_eq!(held(1), held(1));
    assert_ne!(held(1), held(2));
    let labels: Vec<usize> = (0..30).map(|i| i % 2).collect();
    let strata = |seed| KFold::new(3).shuffled(seed).stratified(&labels).split(30).unwrap();
    assert_eq!(strata(1), strata(1));
    assert_ne!(strata(1), strata(2));
    // Every repetition is a partition, and another one.
    let repeated = KFold::new(3).shuffled(1).repeated(4).split(30).unwrap();
    assert_eq!(repeated.len(), 12);
    repeated.chunks(3).for_each(|folds| partitions(folds, 30));
    assert_ne!(repeated[..3], repeated[3..6]);
    assert_eq!(repeated[..3], by(1)[..]);
    // Classes are not all dealt by the same shuffle.
    let rotated = KFold::new(3).shuffled(1).stratified(&labels).repeated(2).split(30).unwrap();
    assert_ne!(rotated[..3], rotated[3..]);
}

#[test]
fn one_at_a_time() {
    let folds = LeaveOneOut.split(5).unwrap();
    partitions(&folds, 5);
    assert!(folds.iter().enumerate().all(|(i, fold)| fold.1 == [i]));
}

#[test]
fn refused() {
    fn parameter<S: Split>(split: S, n: usize) {
        assert!(matches!(split.split(n), Err(Error::Parameter { .. })), "{:?}", split.split(n));
    }
    fn shape<S: Split>(split: S, n: usize) {
        assert!(matches!(split.split(n), Err(Error::Shape { .. })), "{:?}", split.split(n));
    }
    for k in [0, 1, 11, usize::MAX] {
        parameter(KFold::new(k), 10);
    }
    parameter(KFold::new(2).repeated(0), 10);
    parameter(KFold::new(2).repeated(2), 10);
    parameter(KFold::new(2).shuffled(0).repeated(usize::MAX), 10);
    parameter(KFold::new(3).stratified(&[1, 1, 2, 2]), 4);
    parameter(KFold::new(3).grouped(&[1, 1, 2, 2]), 4);
    shape(KFold::new(2).stratified(&[1, 1, 2, 2]), 5);
    shape(KFold::new(2).grouped::<u8>(&[]), 5);
    for share in [0.0, 1.0, -0.1, f64::NAN, 0.99] {
        parameter(Holdout::new(share), 10);
    }
    parameter(Holdout::new(0.5), 1);
    parameter(Holdout::new(0.5), 0);
    parameter(LeaveOneOut, 1);
    for series in
        [TimeSeries::new(0), TimeSeries::new(10), TimeSeries::new(usize::MAX), TimeSeries::new(2).gap(4)]
    {
        parameter(series, 10);
    }
    parameter(TimeSeries::new(2).test_rows(5), 10);
    parameter(TimeSeries::new(2).test_rows(usize::MAX), 10);
    parameter(TimeSeries::new(2).max_train(0), 10);
    shape(vec![(vec![0], vec![7])], 5);
}

/// S-01: three parts, disjoint, that cover the rows; strata and groups in all of them.
#[test]
fn three_parts() {
    let classes: Vec<usize> = (0..100).map(|i| usize::from(i % 5 == 0)).collect();
    let groups: Vec<usize> = (0..100).map(|i| i / 5).collect();
    let plain = Holdout::new(0.1).seed(3);
    for (holdout, exact) in [
        (plain.clone(), true),
        (plain.clone().stratified(&classes), true),
        (plain.clone().grouped(&groups), false),
    ] {
        let (train, validation, test) = holdout.split_in_three(100, 0.1).unwrap();
        let mut all = [train.clone(), validation.clone(), test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>(), "disjoint, and all of them");
        assert_eq!(test, holdout.split(100).unwrap().1);
        if exact {
            assert_eq!((train.len(), validation.len(), test.len()), (80, 10, 10));
        }
    }
    let (train, validation, test) = plain.clone().stratified(&classes).split_in_three(100, 0.1).unwrap();
    let share = |rows: &[usize]| rows.iter().filter(|&&i| classes[i] == 1).count();
    assert_eq!((share(&train), share(&validation), share(&test)), (16, 2, 2));
    let (train, validation, test) = plain.clone().grouped(&groups).split_in_three(100, 0.1).unwrap();
    let of = |rows: &[usize]| rows.iter().map(|&i| groups[i]).collect::<std::collections::BTreeSet<_>>();
    assert!(of(&train).is_disjoint(&of(&validation)) && of(&validation).is_disjoint(&of(&test)));
    assert!(plain.split_in_three(100, 0.95).is_err() && plain.split_in_three(100, f64::NAN).is_err());
}
