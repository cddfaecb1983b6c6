//! Many classes by two, and where they disagree.

use mercer::prelude::*;
use ndarray::{Array2, Axis};

use crate::{near, three};

fn grid() -> Array2<f64> {
    Array2::from_shape_fn((400, 2), |(i, j)| {
        if j == 0 { 4.0 + (i % 20) as f64 * 0.2 } else { 1.5 + (i / 20) as f64 * 0.2 }
    })
}

/// D-07, N.11: k classifiers; regions that none or several claim exist, and are found.
#[test]
fn one_against_the_rest() {
    let (x, y) = three();
    let x = x.select(Axis(1), &[0, 1]);
    let fit = OneVsRest::new(LogisticRegression::new(0.1)).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.fitted().len(), 3);
    let (claims, scores) = (fit.claims(grid()).unwrap(), fit.decision(grid()).unwrap());
    for (claim, row) in claims.iter().zip(scores.rows()) {
        assert_eq!(*claim, row.iter().filter(|s| **s > 0.0).count());
    }
    assert!(claims.contains(&0) || claims.iter().any(|c| *c > 1));
    assert!(claims.contains(&1));
    // The surest decides where several claim.
    let said = fit.predict(grid()).unwrap();
    for (k, row) in said.iter().zip(scores.rows()) {
        assert!(row.iter().all(|s| row[*k as usize] >= *s));
    }
    // Two classes are one classifier.
    let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] > 0).collect();
    let (x, y): (_, Vec<i64>) = (x.select(Axis(0), &rows), rows.iter().map(|&i| y[i]).collect());
    let reduced = OneVsRest::new(LogisticRegression::new(0.1)).fit(&Device::cpu(), &x, &y).unwrap();
    let plain = LogisticRegression::new(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(reduced.fitted().len(), 1);
    assert_eq!(reduced.predict(&x).unwrap(), plain.predict(&x).unwrap());
    assert!(reduced.claims(&x).unwrap().iter().all(|c| *c == 1));
}

/// D-08, N.12: k(k-1)/2 classifiers, whose votes sum to as many; ties are reported.
#[test]
fn one_against_one() {
    let (x, y) = three();
    let x = x.select(Axis(1), &[0, 1]);
    let fit = OneVsOne::new(Perceptron::new().max_passes(30)).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.fitted().len(), 3);
    let (votes, ties) = (fit.votes(grid()).unwrap(), fit.ties(grid()).unwrap());
    votes.sum_axis(Axis(1)).iter().for_each(|s| near(*s as f64, 3.0, 0.0));
    for (row, tie) in votes.rows().into_iter().zip(&ties) {
        assert_eq!(*tie, row.iter().all(|v| *v == 1));
    }
    let said = fit.predict(grid()).unwrap();
    for ((k, row), tie) in said.iter().zip(votes.rows()).zip(&ties) {
        assert!(*tie || row[*k as usize] == 2);
    }
    assert!(fit.score(&x, &y).unwrap() > 0.6);
}
