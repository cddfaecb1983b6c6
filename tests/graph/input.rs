//! What is refused, and what is not.

use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::triangles;

#[track_caller]
fn parameter<T: std::fmt::Debug>(r: Result<T>) {
    assert!(matches!(r, Err(Error::Parameter { .. })), "{r:?}");
}

#[track_caller]
fn shape<T: std::fmt::Debug>(r: Result<T>) {
    assert!(matches!(r, Err(Error::Shape { .. })), "{r:?}");
}

#[test]
fn bad_neighbourhoods() {
    let x = random(5, 2, 1);
    parameter(Neighbourhood::epsilon(-1.0).graph(&x));
    parameter(Neighbourhood::epsilon(f64::NAN).graph(&x));
    parameter(Neighbourhood::nearest(0).graph(&x));
    parameter(Neighbourhood::nearest(5).graph(&x));
    parameter(Neighbourhood::mutual(usize::MAX).graph(&x));
    parameter(Neighbourhood::gaussian(0.0).graph(&x));
    parameter(Neighbourhood::nearest(2).weighted(f64::INFINITY).graph(&x));
    shape(Neighbourhood::epsilon(1.0).graph(Array2::<f64>::zeros((0, 2))));
    assert!(matches!(Neighbourhood::epsilon(1.0).graph(array![[f64::NAN]]), Err(Error::NotFinite { .. })));
    parameter(Neighbourhood::nearest(1).graph(array![[1e200], [-1e200], [0.0]]));
}

#[test]
fn bad_graphs() {
    shape(Graph::from_edges(2, &[(0, 2, 1.0)]));
    parameter(Graph::from_edges(2, &[(0, 1, -1.0)]));
    parameter(Graph::from_similarities(array![[0.0, 1.0], [2.0, 0.0]]));
    parameter(Graph::from_similarities(array![[0.0, -1.0], [-1.0, 0.0]]));
    parameter(Graph::from_edges(3, &[(0, 1, 1e308), (0, 2, 1e308)]));
    shape(Graph::from_edges(0, &[]));
    shape(triangles().cut(&[0], &[6]));
    shape(triangles().ratio_cut(&[0, 1]));
    shape(triangles().smoothness(Array1::zeros(5).view()));
    let alone = Graph::from_edges(3, &[(0, 1, 1.0)]).unwrap();
    parameter(alone.normalised_cut(&[0, 0, 1]));
    assert_eq!(alone.ratio_cut(&[0, 0, usize::MAX]).unwrap(), 0.0);
    parameter(spectrum(&alone, Laplacian::Symmetric, 4));
    parameter(spectrum(&alone, Laplacian::Symmetric, 0));
}

#[test]
fn isolated_vertices_and_disconnected_graphs_are_told() {
    let x = array![[0.0], [0.1], [0.2], [9.0]];
    let model = SpectralClustering::new(2).neighbourhood(Neighbourhood::epsilon(1.0));
    let fit = model.fit(&Device::cpu(), &x).unwrap();
    assert_eq!(fit.graph().isolated(), [3]);
    assert_eq!(fit.labels(), [0, 0, 0, 1]);
    let maps = LaplacianEigenmaps::new(2)
        .neighbourhood(Neighbourhood::epsilon(1.0))
        .fit(&Device::cpu(), &x)
        .unwrap();
    assert_eq!((maps.components(), maps.isolated()), (2, &[3][..]));
    assert!(maps.embedding().iter().all(|v| v.is_finite()));
    // Nobody near: all are alone, and still nothing is NaN.
    let empty = Neighbourhood::epsilon(0.0).graph(&x).unwrap();
    assert_eq!(empty.component_count(), 4);
    for which in [Laplacian::Unnormalised, Laplacian::Symmetric, Laplacian::RandomWalk] {
        let fit = SpectralClustering::new(2).laplacian(which).fit_graph(&empty).unwrap();
        assert!(fit.embedding().iter().all(|v| v.is_finite()));
    }
}

#[test]
fn bad_models() {
    let (x, cpu) = (random(8, 2, 2), Device::cpu());
    let y = [0, 1, 0, 1, 0, 1, 0, 1];
    parameter(SpectralClustering::new(0).fit(&cpu, &x));
    parameter(SpectralClustering::new(9).fit(&cpu, &x));
    parameter(SpectralClustering::new(ClusterCount::Eigengap(0)).fit(&cpu, &x));
    parameter(LaplacianEigenmaps::new(0).fit(&cpu, &x));
    parameter(LaplacianEigenmaps::new(8).fit(&cpu, &x));
    parameter(LabelSpreading::new(1.0).fit(&cpu, &x, y));
    parameter(LabelSpreading::new(0.0).fit(&cpu, &x, y));
    parameter(LabelSpreading::new(0.5).fit(&cpu, &x, [1; 8]));
    shape(LabelSpreading::new(0.5).fit(&cpu, &x, [0, 1]));
    shape(LabelSpreading::new(0.5).unlabelled(random(3, 3, 1)).fit(&cpu, &x, y));
    let kernel = Kernel::rbf(1.0);
    parameter(LaplacianRls::new(kernel.clone(), 0.0, 1.0).fit(&cpu, &x, Array1::<f64>::zeros(8)));
    parameter(LaplacianRls::new(kernel.clone(), 1.0, -1.0).fit(&cpu, &x, Array1::<f64>::zeros(8)));
    shape(LaplacianRls::new(kernel.clone(), 1.0, 1.0).graph(triangles()).fit(
        &cpu,
        &x,
        Array1::<f64>::zeros(8),
    ));
    parameter(LaplacianSvm::new(kernel.clone(), 1.0, 1.0).fit(&cpu, &x, ["one"; 8]));
    shape(LaplacianLogistic::new(kernel, 1.0, 1.0).fit(&cpu, &x, [0, 1]));
}
