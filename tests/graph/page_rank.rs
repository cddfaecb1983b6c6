use std::ops::ControlFlow;

use mercer::Progress;
use mercer::matrix::SparseMatrix;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::{close, list, oracle};

fn links(n: usize, from: &[(usize, usize)]) -> SparseMatrix {
    SparseMatrix::from_triplets(n, n, &from.iter().map(|&(i, j)| (i, j, 1.0)).collect::<Vec<_>>()).unwrap()
}

fn golden() -> SparseMatrix {
    links(4, &[(0, 1), (0, 2), (1, 2), (2, 0), (3, 2)])
}

#[test]
fn ranks_are_those_of_the_notes() {
    let found = PageRank::new(0.85).rank(&golden()).unwrap();
    close(&found.mean_one(), &[1.4901074, 0.7832956, 1.5765969, 0.15], 5e-8, "four pages");
    assert!((found.scores().sum() - 1.0).abs() < 1e-12);
    assert_eq!(found.order(), [2, 0, 1, 3]);
}

/// `(I - d M) p = (1 - d) 1`, and each iteration gains the factor d.
#[test]
fn ranks_solve_the_linear_system() {
    let a = golden().to_dense().unwrap();
    let m = (&a / &a.sum_axis(Axis(1)).insert_axis(Axis(1))).reversed_axes();
    for d in [0.0, 0.3, 0.85, 0.99] {
        let found = PageRank::new(d).rank(&golden()).unwrap();
        let p = found.mean_one();
        let left = (Array2::<f64>::eye(4) - &m * d).dot(&p);
        close(&left, &vec![1.0 - d; 4], 1e-10, "the system");
        let trace = &found.report().trace;
        assert!(trace.windows(2).all(|w| w[1] <= d * w[0] + 1e-15), "{d}: {trace:?}");
    }
    close(&PageRank::new(1e-12).rank(&golden()).unwrap().mean_one(), &[1.0; 4], 1e-11, "no links followed");
    let cycle = links(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    close(&PageRank::default().rank(&cycle).unwrap().mean_one(), &[1.0; 5], 1e-12, "a cycle");
}

#[test]
fn ranks_are_those_of_networkx() {
    let all = oracle("pagerank");
    let pairs: Vec<(usize, usize)> = all["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            let l = list(l);
            (l[0] as usize, l[1] as usize)
        })
        .collect();
    let a = links(7, &pairs);
    let found = PageRank::new(0.85).rank(&a).unwrap();
    close(found.scores(), &list(&all["plain"]), 1e-10, "plain");
    assert_eq!(found.dangling(), [4, 6]);
    let to = array![1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0];
    close(
        PageRank::new(0.6).personalised(to).rank(&a).unwrap().scores(),
        &list(&all["personal"]),
        1e-10,
        "personal",
    );
    let weights = list(&all["weights"]);
    let weighted: Vec<_> = pairs.iter().zip(&weights).map(|(&(i, j), w)| (i, j, *w)).collect();
    let weighted = SparseMatrix::from_triplets(7, 7, &weighted).unwrap();
    let found = PageRank::new(0.85).rank(&weighted).unwrap();
    close(found.scores(), &list(&all["weighted"]), 1e-10, "weighted");
    // (I - d M) p = (1 - d) v, with columns of zeros for pages that lose their rank, or ones on the diagonal.
    let a = weighted.to_dense().unwrap();
    let out = a.sum_axis(Axis(1)).mapv(|s| if s > 0.0 { s } else { 1.0 });
    let lose = (&a / &out.insert_axis(Axis(1))).reversed_axes();
    let mut keep = lose.clone();
    keep[[4, 4]] = 1.0;
    keep[[6, 6]] = 1.0;
    for (rule, m) in [(Dangling::Lost, &lose), (Dangling::Stay, &keep)] {
        let p = PageRank::new(0.85).dangling(rule).rank(&weighted).unwrap();
        let left = (Array2::<f64>::eye(7) - &(m * 0.85)).dot(p.scores());
        close(&left, &vec![0.15 / 7.0; 7], 1e-11, &format!("{rule:?}"));
        assert_eq!((p.scores().sum() - 1.0).abs() < 1e-10, rule == Dangling::Stay);
    }
    // A coarser tolerance ends earlier, within its bound; progress can cancel.
    let coarse = PageRank::new(0.85).tolerance(1e-3).rank(&weighted).unwrap();
    let off = (coarse.scores() - found.scores()).mapv(f64::abs).sum();
    assert!(off <= 1e-3 && off > 1e-9 && coarse.report().iterations < found.report().iterations);
    let stop = Progress::new(|s| if s.made < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
    let ended = PageRank::new(0.85).progress(stop).rank(&weighted);
    assert!(matches!(ended, Err(Error::Cancelled { iterations: 3, .. })), "{ended:?}");
}

#[test]
fn links_to_oneself_count_if_asked_for() {
    let with = links(2, &[(0, 0), (0, 1), (1, 0)]);
    let without = links(2, &[(0, 1), (1, 0)]);
    let plain = PageRank::default();
    assert_eq!(plain.rank(&with).unwrap().scores(), plain.rank(&without).unwrap().scores());
    assert!(plain.self_links(true).rank(&with).unwrap().scores()[0] > 0.6);
}

#[test]
fn bad_links_are_errors() {
    let bad = |p: PageRank, a: &SparseMatrix| assert!(p.rank(a).is_err());
    bad(PageRank::new(1.0), &golden());
    bad(PageRank::new(f64::NAN), &golden());
    bad(PageRank::default(), &SparseMatrix::from_triplets(2, 3, &[]).unwrap());
    bad(PageRank::default(), &SparseMatrix::from_triplets(2, 2, &[(0, 1, -1.0)]).unwrap());
    bad(PageRank::default().personalised(Array1::zeros(4)), &golden());
    bad(PageRank::default().personalised(Array1::ones(3)), &golden());
    bad(PageRank::default().max_iterations(2), &golden());
}
