use mercer::linalg::eigh;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{close, scattered, triangles};

fn six() -> Array2<f64> {
    array![[0.0], [1.0], [1.8], [5.0], [5.5], [9.0]]
}

fn pairs(graph: &Graph) -> Vec<(usize, usize)> {
    graph.edges().iter().map(|(i, j, _)| (*i, *j)).collect()
}

#[test]
fn epsilon_graphs_join_whoever_is_near() {
    let graph = Neighbourhood::epsilon(1.0).graph(six()).unwrap();
    assert_eq!(pairs(&graph), [(0, 1), (1, 2), (3, 4)]);
    let x = random(30, 2, 1);
    let edges = |e: f64| pairs(&Neighbourhood::epsilon(e).graph(&x).unwrap());
    let (few, many) = (edges(0.3), edges(0.6));
    assert!(few.len() < many.len() && few.iter().all(|e| many.contains(e)));
    // Equality counts, and zero joins duplicates alone.
    let twice = array![[1.0], [2.0], [1.0]];
    assert_eq!(pairs(&Neighbourhood::epsilon(0.0).graph(&twice).unwrap()), [(0, 2)]);
}

#[test]
fn nearest_graphs_join_either_or_both() {
    let (either, both) =
        (Neighbourhood::nearest(2).graph(six()).unwrap(), Neighbourhood::mutual(2).graph(six()).unwrap());
    assert_eq!(pairs(&either), [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]);
    assert_eq!(pairs(&both), [(0, 1), (0, 2), (1, 2), (3, 4), (4, 5)]);
    let x = random(40, 3, 2);
    let (either, both) =
        (Neighbourhood::nearest(4).graph(&x).unwrap(), Neighbourhood::mutual(4).graph(&x).unwrap());
    assert!(pairs(&both).iter().all(|e| pairs(&either).contains(e)));
    assert!(either.degrees().iter().all(|d| *d >= 4.0) && both.degrees().iter().all(|d| *d <= 4.0));
    let lonely = Neighbourhood::mutual(1).graph(array![[0.0], [1.0], [2.5]]).unwrap();
    assert_eq!(lonely.isolated(), [2]);
}

#[test]
fn gaussian_weights_are_those_of_the_kernel() {
    let x = random(12, 2, 3);
    let graph = Neighbourhood::gaussian(0.7).graph(&x).unwrap();
    let kernel =
        mercer::ops::gram(&Kernel::rbf(0.7), &Matrix::from_array(&Device::cpu(), x.view()).unwrap(), None);
    let want = kernel.unwrap().to_array().unwrap() - Array2::<f64>::eye(12);
    close(&graph.weights().to_dense().unwrap(), &want, 1e-14, "the weights, without a diagonal");
    let some = Neighbourhood::nearest(3).weighted(0.7).graph(&x).unwrap();
    assert!(some.edges().iter().all(|&(i, j, w)| (w - want[[i, j]]).abs() < 1e-14));
}

#[test]
fn laplacians_have_the_spectra_of_the_notes() {
    let path = Graph::from_edges(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
    let values = |g: &Graph, which| spectrum(g, which, g.order()).unwrap().values().clone();
    let five = [0.0, 0.3819660113, 1.381966011, 2.618033989, 3.618033989];
    close(&values(&path, Laplacian::Unnormalised), &five, 1e-9, "a path");
    let two = [0.0, 0.06377085043, 3.0, 3.0, 3.0, 3.13622915];
    close(&values(&triangles(), Laplacian::Unnormalised), &two, 1e-9, "two triangles");
    let normalised = [0.0, 0.03140657963, 1.452380952, 1.5, 1.5, 1.516212468];
    close(&values(&triangles(), Laplacian::Symmetric), &normalised, 1e-9, "two triangles, normalised");
    close(&values(&triangles(), Laplacian::RandomWalk), &normalised, 1e-9, "two triangles, a walk");
}

#[test]
fn laplacians_are_positive_and_their_null_spaces_are_components() {
    let graph = scattered(15, 4);
    let f = random(15, 1, 5).column(0).to_owned();
    let dense = |which| graph.laplacian(which).unwrap().to_dense().unwrap();
    let l = dense(Laplacian::Unnormalised);
    close(&l.sum_axis(Axis(1)), &vec![0.0; 15], 1e-12, "row sums");
    close([&graph.smoothness(f.view()).unwrap()], [&f.dot(&l.dot(&f))], 1e-12, "the quadratic form");
    close(&graph.smoothness_gradient(f.view()).unwrap(), &(2.0 * l.dot(&f)), 1e-12, "its gradient");
    assert_eq!(graph.smoothness(Array1::from_elem(15, 3.0).view()).unwrap(), 0.0);
    let (rw, sym) = (dense(Laplacian::RandomWalk), dense(Laplacian::Symmetric));
    close(&rw.sum_axis(Axis(1)), &vec![0.0; 15], 1e-12, "a walk goes somewhere");
    close(&sym.dot(&graph.degrees().mapv(f64::sqrt)), &vec![0.0; 15], 1e-12, "its null vector");
    assert!(eigh(sym.view()).unwrap().values.iter().all(|v| (-1e-12..=2.0 + 1e-12).contains(v)));
    for (u, value) in [(1, 0), (4, 3)].map(|(c, _)| {
        let found = spectrum(&graph, Laplacian::RandomWalk, 5).unwrap();
        (found.vectors().column(c).to_owned(), found.values()[c])
    }) {
        close(&rw.dot(&u), &(&u * value), 1e-10, "L_rw u = λ u");
    }
    // Three components: two triangles without the bridge, and a vertex alone.
    let apart = Graph::from_edges(
        7,
        &triangles().edges()[..].iter().filter(|e| e.2 == 1.0).copied().collect::<Vec<_>>(),
    );
    let apart = apart.unwrap();
    assert_eq!((apart.component_count(), apart.isolated()), (3, vec![6]));
    assert_eq!(apart.components(), [0, 0, 0, 1, 1, 1, 2]);
    for which in [Laplacian::Unnormalised, Laplacian::Symmetric, Laplacian::RandomWalk] {
        let zeros = spectrum(&apart, which, 7).unwrap().values().iter().filter(|v| **v < 1e-12).count();
        assert_eq!(zeros, 3, "{which:?}");
    }
}

#[test]
fn the_diagonal_of_the_weights_does_not_matter() {
    let w = array![[5.0, 1.0], [1.0, 7.0]];
    assert_eq!(Graph::from_similarities(&w).unwrap(), Graph::from_edges(2, &[(0, 1, 1.0)]).unwrap());
}

#[test]
fn cuts_are_those_of_the_notes() {
    let graph = triangles();
    assert!((graph.cut(&[0, 1, 2], &[3, 4, 5]).unwrap() - 0.1).abs() < 1e-15);
    let ratio = |inside: &[usize]| {
        let parts: Vec<usize> = (0..6).map(|i| usize::from(inside.contains(&i))).collect();
        graph.ratio_cut(&parts).unwrap()
    };
    close(
        [&ratio(&[0, 1, 2]), &ratio(&[0]), &ratio(&[0, 1])],
        &[0.06666666667, 2.4, 1.5],
        1e-10,
        "ratio cuts",
    );
    let parts = [0, 0, 0, 1, 1, 1];
    assert!((graph.total_cut(&parts).unwrap() - 0.2).abs() < 1e-15);
    assert!((graph.normalised_cut(&parts).unwrap() - 0.03278688525).abs() < 1e-11);
    assert!(graph.ratio_cut(&parts).unwrap() >= 0.06377085043);
}

/// Lemma 17, and the relaxation below every partition.
#[test]
fn ratio_cuts_are_quadratic_forms() {
    let graph = scattered(8, 6);
    let l = graph.laplacian(Laplacian::Unnormalised).unwrap().to_dense().unwrap();
    let values = spectrum(&graph, Laplacian::Unnormalised, 3).unwrap().values().clone();
    let mut best = [f64::INFINITY; 4];
    for code in 0..3usize.pow(8) {
        let parts: Vec<usize> = (0..8).map(|i| code / 3usize.pow(i) % 3).collect();
        let k = (0..3).filter(|c| parts.contains(c)).count();
        let cut = graph.ratio_cut(&parts).unwrap();
        best[k] = best[k].min(cut);
        if code % 97 == 0 {
            let mut sum = 0.0;
            for c in (0..3).filter(|c| parts.contains(c)) {
                let size = parts.iter().filter(|p| **p == c).count() as f64;
                let h: Array1<f64> =
                    parts.iter().map(|p| f64::from(u8::from(*p == c)) / size.sqrt()).collect();
                assert!((h.dot(&h) - 1.0).abs() < 1e-12);
                sum += h.dot(&l.dot(&h));
            }
            assert!((cut - sum).abs() < 1e-10, "{parts:?}");
        }
    }
    assert!(values[0] + values[1] <= best[2] + 1e-10 && values.sum() <= best[3] + 1e-10);
}
