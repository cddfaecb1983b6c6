use mercer::prelude::*;
use ndarray::{Axis, array};

use crate::support::random;
use crate::{close, moons, oracle, scattered, table, triangles, whole};

const ALL: [Laplacian; 3] = [Laplacian::Unnormalised, Laplacian::Symmetric, Laplacian::RandomWalk];

#[test]
fn the_fiedler_vector_is_that_of_the_notes() {
    let found = spectrum(&triangles(), Laplacian::Unnormalised, 2).unwrap();
    let v = found.vectors().column(1);
    let want = [0.4169182673, 0.4169182673, 0.3903310348];
    close(&v.mapv(f64::abs), want.iter().chain(want.iter().rev()), 1e-9, "its size");
    assert!(v[0] * v[5] < 0.0 && v[0] * v[2] > 0.0);
}

#[test]
fn components_are_clusters_in_every_variant() {
    // Three cliques of four.
    let pairs = (0..12).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|(i, j)| i / 4 == j / 4);
    let graph = Graph::from_edges(12, &pairs.map(|(i, j)| (i, j, 1.0)).collect::<Vec<_>>()).unwrap();
    for which in ALL {
        let fit = SpectralClustering::new(3).laplacian(which).fit_graph(&graph).unwrap();
        assert_eq!(fit.labels(), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], "{which:?}");
        let gap =
            SpectralClustering::new(ClusterCount::Eigengap(6)).laplacian(which).fit_graph(&graph).unwrap();
        assert_eq!(gap.clusters(), 3, "{which:?}: {:?}", gap.eigenvalues());
    }
}

#[test]
fn moons_are_told_apart_where_k_means_cannot() {
    let (x, y) = moons(120);
    let means = KMeans::new(2).fit(&Device::cpu(), &x).unwrap();
    assert!(adjusted_rand(&y, means.labels()).unwrap() < 0.6);
    for which in ALL {
        let model = SpectralClustering::new(2).laplacian(which).neighbourhood(Neighbourhood::nearest(5));
        let fit = model.fit(&Device::cpu(), &x).unwrap();
        assert_eq!(adjusted_rand(&y, fit.labels()).unwrap(), 1.0, "{which:?}");
        assert_eq!(fit.predict(&x).unwrap(), fit.labels());
        // New points vote by their five nearest, equally.
        let new = random(20, 2, 77) * 1.5;
        for (row, said) in new.rows().into_iter().zip(fit.predict(&new).unwrap()) {
            let d2 = |i: &usize| (&x.row(*i) - &row).mapv(|v| v * v).sum();
            let mut order: Vec<usize> = (0..120).collect();
            order.sort_by(|a, b| d2(a).total_cmp(&d2(b)));
            let ones = order[..5].iter().filter(|i| fit.labels()[**i] == 1).count();
            assert_eq!(said, usize::from(ones > 2), "{which:?}");
        }
        // More starts are never worse, and seeds decide where they are.
        let again = model.clone().restarts(3).seed(9).fit(&Device::cpu(), &x).unwrap();
        assert_eq!(adjusted_rand(&y, again.labels()).unwrap(), 1.0, "{which:?}");
        assert_eq!(
            again.labels(),
            model.clone().restarts(3).seed(9).fit(&Device::cpu(), &x).unwrap().labels()
        );
        assert_eq!(again.report().starts.len(), 3, "{which:?}");
        let relaxed: f64 = spectrum(fit.graph(), Laplacian::Unnormalised, 2).unwrap().values().sum();
        assert!(relaxed <= fit.graph().ratio_cut(fit.labels()).unwrap() + 1e-9);
    }
}

#[test]
fn the_clusters_are_those_of_scikit_learn() {
    let moons = oracle("moons");
    let (x, want) = (table(&moons["x"]), whole(&moons["spectral"]));
    let rule = Neighbourhood::gaussian(moons["width"].as_f64().unwrap());
    let model = SpectralClustering::new(2).laplacian(Laplacian::RandomWalk).neighbourhood(rule);
    let fit = model.fit(&Device::cpu(), &x).unwrap();
    assert_eq!(adjusted_rand(&want, fit.labels()).unwrap(), 1.0);
}

/// A ring: d-regular with d = 2.
#[test]
fn regular_graphs_have_one_spectrum() {
    let edges: Vec<_> = (0..9).map(|i| (i, (i + 1) % 9, 1.0)).collect();
    let ring = Graph::from_edges(9, &edges).unwrap();
    let values = |which| spectrum(&ring, which, 9).unwrap().values().clone();
    close(&(values(Laplacian::Unnormalised) / 2.0), &values(Laplacian::Symmetric), 1e-12, "L / d");
    close(&values(Laplacian::RandomWalk), &values(Laplacian::Symmetric), 1e-12, "the walk");
    let fit = SpectralClustering::new(3).fit_graph(&ring).unwrap();
    let lengths = fit.embedding().map_axis(Axis(1), |r| r.dot(&r).sqrt());
    close(&lengths, &vec![1.0; 9], 1e-12, "rows of length one");
}

#[test]
fn the_order_of_vertices_does_not_matter() {
    let (x, _) = moons(60);
    let order: Vec<usize> = (0..60).map(|i| (i * 7 + 3) % 60).collect();
    let model = SpectralClustering::new(2).neighbourhood(Neighbourhood::nearest(5));
    let fit = model.fit(&Device::cpu(), &x).unwrap();
    let moved = model.fit(&Device::cpu(), x.select(Axis(0), &order)).unwrap();
    let back: Vec<usize> = order.iter().map(|&i| fit.labels()[i]).collect();
    assert_eq!(adjusted_rand(&back, moved.labels()).unwrap(), 1.0);
}

/// Weak bridges move the eigenvectors little: the clusters stay.
#[test]
fn clusters_survive_a_perturbation() {
    for bridge in [0.3, 0.1, 0.01, 0.0] {
        let edges = triangles().edges().into_iter().map(|(i, j, w)| (i, j, if w < 1.0 { bridge } else { w }));
        let graph = Graph::from_edges(6, &edges.collect::<Vec<_>>()).unwrap();
        let fit = SpectralClustering::new(2).laplacian(Laplacian::Unnormalised).fit_graph(&graph).unwrap();
        assert_eq!(fit.labels(), [0, 0, 0, 1, 1, 1], "{bridge}");
    }
}

/// Above 600 vertices the eigenpairs come from products with the sparse matrix.
#[test]
fn large_graphs_have_the_same_eigenvalues() {
    let n = 620;
    let edges: Vec<_> = (0..n).flat_map(|i| (1..=5).map(move |s| (i, (i + s) % n, 1.0))).collect();
    let graph = Graph::from_edges(n, &edges).unwrap();
    let found = spectrum(&graph, Laplacian::Unnormalised, 4).unwrap();
    // A circulant: λ_m = 2 Σ_s (1 - cos(2π m s / n)).
    let want = |m: f64| {
        (1..=5)
            .map(|s| 2.0 - 2.0 * (2.0 * std::f64::consts::PI * m * f64::from(s) / n as f64).cos())
            .sum::<f64>()
    };
    close(found.values(), &[0.0, want(1.0), want(1.0), want(2.0)], 1e-8, "a circulant");
    let l = graph.laplacian(Laplacian::Unnormalised).unwrap();
    let image = l.times(found.vectors().view()).unwrap();
    close(&image, &(found.vectors() * found.values()), 1e-6, "L v = λ v");
    assert!(scattered(20, 1).component_count() >= 1);
}

/// A long path, whose eigenvalues crowd at zero, and a random graph, whose second one stands far from it.
#[test]
fn large_graphs_of_every_kind_converge() {
    let n = 650;
    let path = Graph::from_edges(n, &(1..n).map(|i| (i - 1, i, 1.0)).collect::<Vec<_>>()).unwrap();
    let found = spectrum(&path, Laplacian::Unnormalised, 3).unwrap();
    let want = |m: f64| 2.0 - 2.0 * (std::f64::consts::PI * m / n as f64).cos();
    close(found.values(), &[0.0, want(1.0), want(2.0)], 1e-10, "a path");
    let two =
        Graph::from_edges(n, &(1..n).filter(|i| *i != 400).map(|i| (i - 1, i, 1.0)).collect::<Vec<_>>())
            .unwrap();
    let fit = SpectralClustering::new(2).laplacian(Laplacian::RandomWalk).fit_graph(&two).unwrap();
    assert!((0..n).all(|i| fit.labels()[i] == usize::from(i >= 400)));
    let edges: Vec<_> = (0..n)
        .flat_map(|i| (1..9).map(move |s| (i, (i * i * s + 7 * s * s * s + 31 * i) % n, 1.0)))
        .collect();
    let wild =
        Graph::from_edges(n, &edges.into_iter().filter(|(i, j, _)| i != j).collect::<Vec<_>>()).unwrap();
    let found = spectrum(&wild, Laplacian::Symmetric, 3).unwrap();
    let image = wild.laplacian(Laplacian::Symmetric).unwrap().times(found.vectors().view()).unwrap();
    close(&image, &(found.vectors() * found.values()), 1e-6, "L v = λ v");
}

#[test]
fn graphs_without_points_predict_nothing() {
    let fit = SpectralClustering::new(2).fit_graph(&triangles()).unwrap();
    assert!(fit.predict(array![[0.0]]).is_err());
}
