use mercer::Result;
use mercer::linalg::eigh;
use mercer::models::cluster::{consistency, richness, scale_invariance};
use mercer::prelude::*;
use ndarray::{Array2, ArrayView2, Axis};

use crate::support::random;

fn distances(x: &Array2<f64>) -> Array2<f64> {
    let n = x.nrows();
    Array2::from_shape_fn((n, n), |(i, j)| (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt())
}

/// Points with these distances, by classical scaling.
fn points(d: ArrayView2<f64>) -> Array2<f64> {
    let n = d.nrows();
    let h = Array2::<f64>::eye(n) - 1.0 / n as f64;
    let b = h.dot(&d.mapv(|v| v * v)).dot(&h) * -0.5;
    let found = eigh(((&b + &b.t()) * 0.5).view()).unwrap();
    &found.vectors * &found.values.mapv(|v| v.max(0.0).sqrt()).insert_axis(Axis(0))
}

/// Two groups on a line.
fn line() -> Array2<f64> {
    distances(&ndarray::array![[0.0], [0.5], [1.1], [6.0], [6.4], [7.1]])
}

fn components(d: ArrayView2<f64>) -> Result<Vec<usize>> {
    let near = d.mapv(|v| f64::from(u8::from(v <= 1.0)));
    Ok(Graph::from_similarities(&near)?.components())
}

fn two_means(d: ArrayView2<f64>) -> Result<Vec<usize>> {
    let x = points(d);
    // Starts that scale with the data.
    let start = KMeansStart::Given(x.select(Axis(0), &[0, x.nrows() - 1]));
    Ok(KMeans::new(2).start(start).fit(&Device::cpu(), &x)?.labels().to_vec())
}

fn dp_means(d: ArrayView2<f64>) -> Result<Vec<usize>> {
    Ok(DpMeans::new(4.0).fit(&Device::cpu(), points(d))?.labels().to_vec())
}

#[test]
fn components_of_an_epsilon_graph_are_rich_and_consistent_but_know_a_scale() {
    assert!(richness(components, 5).unwrap().held());
    for d in [line(), distances(&random(8, 2, 1))] {
        assert!(consistency(components, &d, 40, 0).unwrap().held());
    }
    let found = scale_invariance(components, line(), &[0.1, 0.5, 3.0, 10.0]).unwrap();
    let Axiom::Violated { wanted, found, .. } = found else { panic!("it knows a scale") };
    assert_ne!(wanted, found);
}

#[test]
fn k_means_is_scale_invariant_but_not_rich() {
    assert_eq!(scale_invariance(two_means, line(), &[1e-3, 0.1, 7.0, 1e4]).unwrap(), Axiom::Held(4));
    let Axiom::Violated { wanted, .. } = richness(two_means, 4).unwrap() else {
        panic!("it has two clusters")
    };
    assert_ne!(wanted.iter().max(), Some(&1));
}

#[test]
fn dp_means_is_not_scale_invariant() {
    assert!(!scale_invariance(dp_means, line(), &[1e-3, 1e3]).unwrap().held());
}

/// Single linkage, by how it is cut: K clusters are not rich, a height is not scale invariant, a share of the largest height is
/// not consistent. Each of the three has the other two axioms: none has all.
#[test]
fn single_linkage_has_any_two() {
    let tree = |cut: DendrogramCut| Hierarchical::new(cut).linkage(Linkage::Single);
    let by_count = move |d: ArrayView2<f64>| Ok(tree(2.into()).fit_dissimilarity(d)?.labels().to_vec());
    let by_height = move |d: ArrayView2<f64>| {
        Ok(tree(DendrogramCut::Height(1.0)).fit_dissimilarity(d)?.labels().to_vec())
    };
    let by_share = move |d: ArrayView2<f64>| {
        let top = d.iter().copied().fold(0.0, f64::max);
        Ok(tree(DendrogramCut::Height(0.51 * top)).fit_dissimilarity(d)?.labels().to_vec())
    };
    let factors = [0.01, 100.0];
    assert!(scale_invariance(by_count, line(), &factors).unwrap().held());
    assert!(consistency(by_count, line(), 40, 1).unwrap().held());
    assert!(!richness(by_count, 4).unwrap().held());
    assert!(!scale_invariance(by_height, line(), &factors).unwrap().held());
    assert!(consistency(by_height, line(), 40, 1).unwrap().held());
    assert!(richness(by_height, 4).unwrap().held());
    assert!(scale_invariance(by_share, line(), &factors).unwrap().held());
    let three = distances(&ndarray::array![[0.0], [1.0], [2.9], [5.1]]);
    assert!(!consistency(by_share, &three, 200, 1).unwrap().held());
}

#[test]
fn bad_questions_are_errors() {
    assert!(richness(components, 0).is_err() && richness(components, 9).is_err());
    assert!(scale_invariance(components, line(), &[0.0]).is_err());
    assert!(scale_invariance(components, ndarray::array![[0.0, 1.0]], &[1.0]).is_err());
}
