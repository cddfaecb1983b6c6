use mercer::prelude::*;
use ndarray::Array2;

use crate::{close, oracle, table, triangles};

#[test]
fn a_path_is_put_in_order() {
    let order = [4, 0, 6, 2, 7, 1, 5, 3];
    let edges: Vec<_> = order.windows(2).map(|w| (w[0], w[1], 1.0)).collect();
    let path = Graph::from_edges(8, &edges).unwrap();
    let found = spectral_ranking(&path).unwrap();
    let back: Vec<usize> = found.order().iter().rev().copied().collect();
    assert!(found.order() == order || back == order, "{:?}", found.order());
    assert!((found.connectivity() - (2.0 - 2.0 * (std::f64::consts::PI / 8.0).cos())).abs() < 1e-12);
    assert!(found.scores().sum().abs() < 1e-12);
    let apart = Graph::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    assert!(matches!(spectral_ranking(&apart), Err(Error::Parameter { .. })));
}

/// `Zᵀ D 1 = 0` and `Zᵀ D Z = I`.
#[test]
fn coordinates_are_orthonormal_by_degrees() {
    let graph = triangles();
    let fit = LaplacianEigenmaps::new(3).fit_graph(&graph).unwrap();
    let (z, d) = (fit.embedding(), graph.degrees());
    close(&z.t().dot(d), &vec![0.0; 3], 1e-12, "to the constant");
    let weighed = Array2::from_diag(d).dot(z);
    close(&z.t().dot(&weighed), &Array2::<f64>::eye(3), 1e-12, "to each other");
    close([&fit.eigenvalues()[0]], [&0.03140657963], 1e-10, "the first eigenvalue");
    assert_eq!(fit.components(), 1);
}

/// scikit-learn's columns have another length and sign.
#[test]
fn coordinates_are_those_of_scikit_learn() {
    let moons = oracle("moons");
    let (x, want) = (table(&moons["x"]), table(&moons["embedding"]));
    let rule = Neighbourhood::gaussian(moons["width"].as_f64().unwrap());
    let fit = LaplacianEigenmaps::new(2).neighbourhood(rule).fit(&Device::cpu(), &x).unwrap();
    for (ours, theirs) in fit.embedding().columns().into_iter().zip(want.columns()) {
        let cosine = ours.dot(&theirs) / (ours.dot(&ours) * theirs.dot(&theirs)).sqrt();
        assert!((cosine.abs() - 1.0).abs() < 1e-8, "{cosine}");
    }
    close(&fit.transform(&x).unwrap(), fit.embedding(), 0.0, "the points of the fit stay");
    let between = (&x.row(0) + &x.row(1)).insert_axis(ndarray::Axis(0)) * 0.5;
    // A new point: the mean of the coordinates by the weights of its edges.
    let d2 = x.rows().into_iter().map(|r| (&r - &between.row(0)).mapv(|v| v * v).sum());
    let width = moons["width"].as_f64().unwrap();
    let w: ndarray::Array1<f64> = d2.map(|d2| (-0.5 * d2 / (width * width)).exp()).collect();
    let want = w.dot(fit.embedding()) / w.sum();
    close(fit.transform(&between).unwrap().row(0), &want, 1e-12, "a weighted mean");
}
