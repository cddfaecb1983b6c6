//! Weights of fields by gradients: positive less negative phase.

use mercer::models::graphical::LogLinear;
use mercer::random::Philox;

use crate::{grid, near};

/// Agreement of neighbours, and agreement with a picture, on a 2 x 3 lattice of spins.
fn lattice() -> LogLinear {
    let edges = grid(2, 3);
    let spin = |v: usize| 2.0 * v as f64 - 1.0;
    let seen = [1.0, -1.0, 1.0, 1.0, 1.0, -1.0];
    LogLinear::new(&[2; 6], 2, move |x| {
        let agree = edges.iter().map(|&(a, b)| spin(x[a]) * spin(x[b])).sum();
        vec![agree, x.iter().zip(seen).map(|(v, s)| spin(*v) * s).sum()]
    })
    .unwrap()
}

fn data() -> Vec<Vec<usize>> {
    let mut rng = Philox::new(6, 0);
    (0..60)
        .map(|_| {
            let first = usize::from(rng.bernoulli(0.6));
            (0..6).map(|i| if rng.bernoulli(0.75) { first } else { i % 2 }).collect()
        })
        .collect()
}

#[test]
fn gradients_are_differences() {
    let (model, data) = (lattice(), data());
    let at = [0.3, -0.2];
    let (_, g) = model.gradient(&data, &at).unwrap();
    for k in 0..2 {
        let moved = |h: f64| {
            let mut w = at;
            w[k] += h;
            model.gradient(&data, &w).unwrap().0
        };
        near(g[k], (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-7);
    }
}

#[test]
fn what_is_learned_has_the_moments_of_the_data() {
    let (model, data) = (lattice(), data());
    let w = model.learn(&data, &[0.0, 0.0]).unwrap();
    let (seen, expected) = (model.observed(&data).unwrap(), model.expected(&w).unwrap());
    (0..2).for_each(|k| near(seen[k], expected[k], 1e-8));
    assert!(model.observed(&[]).is_err() && model.observed(&[vec![2; 6]]).is_err());
    assert!(model.log_partition(&[0.0]).is_err() && model.log_partition(&[f64::NAN, 0.0]).is_err());
    assert!(LogLinear::new(&[2; 30], 1, |_| vec![0.0]).is_err());
}
