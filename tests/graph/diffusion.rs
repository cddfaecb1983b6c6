use mercer::kernel::structures::ObjectKernel;
use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::{close, least, scattered};

fn gram(graph: &Graph, beta: f64) -> Array2<f64> {
    Diffusion::new(graph, beta).unwrap().gram().clone()
}

#[test]
fn the_path_is_that_of_the_notes() {
    let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let k = gram(&path, 0.5);
    close(k.row(0), &[0.6737870232, 0.2589566133, 0.0672563635], 1e-10, "the first row");
    close([&k[[1, 1]]], [&0.4820867734], 1e-10, "the middle");
    let kernel = Diffusion::new(&path, 0.5).unwrap();
    assert_eq!(kernel.value(&0, &2).unwrap(), k[[0, 2]]);
    assert!(kernel.value(&0, &3).is_err());
    assert!(Diffusion::new(&path, -1.0).is_err());
}

#[test]
fn walks_end_somewhere_and_times_add_up() {
    let graph = scattered(10, 7);
    let k = gram(&graph, 0.3);
    close(&k.sum_axis(Axis(1)), &vec![1.0; 10], 1e-12, "rows sum to one");
    assert!(least(&k) > 0.0 && (&k - &k.t()).iter().all(|v| v.abs() < 1e-14));
    close(&gram(&graph, 0.0), &Array2::<f64>::eye(10), 1e-12, "no time");
    close(&gram(&graph, 0.1).dot(&gram(&graph, 0.2)), &k, 1e-12, "the sum of times");
    let steps = 1 << 20;
    let l = graph.laplacian(Laplacian::Unnormalised).unwrap().to_dense().unwrap();
    let mut walk = Array2::<f64>::eye(10) - l * (0.3 / f64::from(steps));
    (0..20).for_each(|_| walk = walk.dot(&walk));
    close(&walk, &k, 1e-5, "many short steps");
}

#[test]
fn complete_and_parted_graphs_have_closed_forms() {
    let (n, beta) = (5, 0.2);
    let complete = Graph::from_similarities(Array2::<f64>::ones((n, n))).unwrap();
    let (k, e) = (gram(&complete, beta), (-(n as f64) * beta).exp());
    let want = |i, j| if i == j { (1.0 + (n as f64 - 1.0) * e) / n as f64 } else { (1.0 - e) / n as f64 };
    close(&k, &Array2::from_shape_fn((n, n), |(i, j)| want(i, j)), 1e-12, "complete");
    let apart = Graph::from_edges(5, &[(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0)]).unwrap();
    let (third, half) = (1.0 / 3.0, 0.5);
    let far = array![
        [half, half, 0.0, 0.0, 0.0],
        [half, half, 0.0, 0.0, 0.0],
        [0.0, 0.0, third, third, third],
        [0.0, 0.0, third, third, third],
        [0.0, 0.0, third, third, third]
    ];
    close(&gram(&apart, 1e3), &far, 1e-12, "for ever");
}

#[test]
fn scales() {
    let graph = scattered(6, 8);
    let scaled = |s| Diffusion::scaled(&graph, 0.4, s).unwrap().gram().clone();
    assert!((scaled(DiffusionScale::UnitTrace).diag().sum() - 1.0).abs() < 1e-14);
    close(scaled(DiffusionScale::UnitDiagonal).diag(), &vec![1.0; 6], 1e-14, "the diagonal");
}
