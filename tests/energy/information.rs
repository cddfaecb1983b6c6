//! Codes: bounds that rise, what they cannot exceed, and what is forgotten.

use mercer::models::energy::{bottleneck, info_max};
use ndarray::{Array2, array};

use crate::near;

#[test]
fn the_bound_of_info_max_rises_to_the_information() {
    let p = [0.3, 0.25, 0.2, 0.15, 0.1];
    // Three symbols, received wrongly one time in ten.
    let channel = Array2::from_shape_fn((3, 3), |(a, b)| if a == b { 0.9 } else { 0.05 });
    let mut best = f64::MIN;
    for seed in 0..8 {
        let found = info_max(&p, &channel, seed).unwrap();
        assert!(found.trace.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{:?}", found.trace);
        // Tight at the posterior.
        near(found.trace[found.trace.len() - 1], found.information, 1e-12);
        best = best.max(found.information);
    }
    // Enumeration of all codes: nothing is better than the best found.
    let value = |code: &[usize]| {
        let joint = Array2::from_shape_fn((5, 3), |(x, z)| p[x] * channel[[code[x], z]]);
        let (px, pz) = (joint.sum_axis(ndarray::Axis(1)), joint.sum_axis(ndarray::Axis(0)));
        joint.indexed_iter().map(|((x, z), j)| j * (j / (px[x] * pz[z])).ln()).sum::<f64>()
    };
    let top =
        (0..243).map(|c| value(&[c % 3, c / 3 % 3, c / 9 % 3, c / 27 % 3, c / 81])).fold(f64::MIN, f64::max);
    assert!(best <= top + 1e-12 && best > top - 0.02, "{best} {top}");
    assert!(info_max(&[0.5, 0.6], &channel, 0).is_err());
    assert!(info_max(&p, &array![[0.5, 0.6]], 0).is_err());
}

#[test]
fn a_bottleneck_keeps_what_matters() {
    // x0, x1 say the same of y, x2, x3 the other thing.
    let joint = array![[0.22, 0.03], [0.21, 0.04], [0.05, 0.2], [0.02, 0.23]];
    let information = |j: &Array2<f64>| {
        let (a, b) = (j.sum_axis(ndarray::Axis(1)), j.sum_axis(ndarray::Axis(0)));
        j.indexed_iter().map(|((x, y), p)| p * (p / (a[x] * b[y])).ln()).sum::<f64>()
    };
    let whole = information(&joint);
    for beta in [0.02, 0.1, 0.3] {
        let found = bottleneck(&joint, 3, beta, 1).unwrap();
        assert!(found.trace.windows(2).all(|w| w[1] >= w[0] - 1e-10), "beta {beta}");
        assert!(found.relevant <= whole + 1e-12 && found.relevant <= found.cost + 1e-12);
        assert!(found.encoder.rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-12));
    }
    let fine = bottleneck(&joint, 3, 0.02, 1).unwrap();
    assert!(fine.relevant > 0.9 * whole);
    // Beyond I(y; z) <= I(x; z) a large β pays for nothing: the code collapses.
    let none = bottleneck(&joint, 3, 1.5, 1).unwrap();
    near(none.cost, 0.0, 1e-6);
    assert!(bottleneck(&(joint.clone() * 2.0), 2, 0.1, 1).is_err());
    assert!(bottleneck(&joint, 0, 0.1, 1).is_err() && bottleneck(&joint, 2, 0.0, 1).is_err());
}
