//! Mini-batches: unbiased, and one whole batch with a whole step is coordinate ascent.

use mercer::inference::variational::{Cavi, Family, KnownVarianceMixture, Stepwise, StochasticVi};

use crate::near;

const X: [f64; 6] = [-2.0, -1.5, -0.5, 1.0, 1.8, 2.5];

#[test]
fn batches_are_unbiased() {
    let model = KnownVarianceMixture::new(&X, 2, 4.0).unwrap();
    let at = vec![vec![-1.0, -0.5], vec![1.0, -0.5]];
    let whole = StochasticVi::estimate(&model, &at, &[0, 1, 2, 3, 4, 5]).unwrap();
    // Every batch of two, each as probable as the others.
    let mut mean = vec![vec![0.0; 2]; 2];
    for i in 0..6 {
        for j in 0..i {
            let part = StochasticVi::estimate(&model, &at, &[i, j]).unwrap();
            (0..4).for_each(|k| mean[k / 2][k % 2] += part[k / 2][k % 2] / 15.0);
        }
    }
    (0..4).for_each(|k| near(mean[k / 2][k % 2], whole[k / 2][k % 2], 1e-12));
}

#[test]
fn a_whole_batch_and_a_whole_step_are_coordinate_ascent() {
    let model = KnownVarianceMixture::new(&X, 2, 4.0).unwrap();
    let steps = Stepwise { scale: 1.0, delay: 0.0, decay: 0.0 };
    let start = vec![vec![-1.0, -0.5], vec![1.0, -0.5]];
    let found = StochasticVi::new(6).passes(3).steps(steps).run(&model, start).unwrap();
    let cavi = Cavi::new()
        .max_sweeps(3)
        .tolerance(0.0)
        .run(&model, model.start(&[-1.0, 1.0], 1.0).unwrap())
        .unwrap();
    for (a, b) in found.iter().zip(cavi.natural()) {
        (0..2).for_each(|k| near(a[k], b[k], 1e-10));
    }
    // Small steps on small batches come to the same place.
    let steps = Stepwise { scale: 1.0, delay: 4.0, decay: 0.7 };
    let slow = StochasticVi::new(2)
        .passes(600)
        .steps(steps)
        .run(&model, vec![vec![-1.0, -0.5], vec![1.0, -0.5]])
        .unwrap();
    let end = Cavi::new().run(&model, model.start(&[-1.0, 1.0], 1.0).unwrap()).unwrap();
    for j in 0..2 {
        near(Family::Normal.expected(&slow[j]).unwrap()[0], end.expected()[j][0], 0.05);
    }
    assert!(StochasticVi::new(0).run(&model, vec![vec![0.0, -0.5]; 2]).is_err());
}

#[test]
fn observations_that_are_not_there_are_refused() {
    let model = KnownVarianceMixture::new(&X, 2, 4.0).unwrap();
    let at = vec![vec![-1.0, -0.5], vec![1.0, -0.5]];
    assert!(StochasticVi::estimate(&model, &at, &[6]).is_err());
    assert!(StochasticVi::estimate(&model, &at[..1], &[0]).is_err());
}
