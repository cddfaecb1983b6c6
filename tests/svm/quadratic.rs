//! Quadratic programs.

use mercer::Error;
use mercer::optim::{QuadraticProgram, on_equalities};
use ndarray::{Array1, Array2, array};

use crate::support::{random, spd};
use crate::{all_near, near};

#[test]
fn equality_constraints_are_one_linear_system() {
    // Nearest to the origin on x + 2y = 5: x = (1, 2), and ∇f + ν∇h = 0.
    let (x, nu) = on_equalities(Array2::eye(2), array![0.0, 0.0], array![[1.0, 2.0]], array![5.0]).unwrap();
    all_near(&x, &[1.0, 2.0], 1e-12, "x");
    near(nu[0], -1.0, 1e-12, "the multiplier");
}

#[test]
fn random_programs_satisfy_their_conditions() {
    for seed in 0..8 {
        let (n, m) = (12, 20);
        let (p, a, e) = (spd(n, seed), random(m, n, seed + 100), random(2, n, seed + 200));
        let q = random(n, 1, seed + 300).column(0).to_owned() * 5.0;
        let inside = random(n, 1, seed + 400).column(0).to_owned() * 0.3;
        let b = a.dot(&inside) + 0.2;
        let d = e.dot(&inside);
        let program = QuadraticProgram::new(p, q)
            .at_most(a, b)
            .equal(e, d)
            .bounds(Array1::from_elem(n, -0.5), Array1::from_elem(n, 0.5));
        let found = program.solve().unwrap();
        assert!(found.kkt.worst() < 1e-8, "{:?}", found.kkt);
        near(found.gap(), 0.0, 1e-8, "strong duality");
        let g = program.dual_function(found.inequality.view(), found.equality.view()).unwrap();
        near(g, found.primal, 1e-7, "the dual function at its maximum");
        // Weak duality: every feasible point is above every dual one.
        for s in 0..10 {
            let lambda = random(found.inequality.len(), 1, s).column(0).mapv(|v| v.max(0.0));
            let nu = random(2, 1, s + 50).column(0).to_owned();
            let below = program.dual_function(lambda.view(), nu.view()).unwrap();
            assert!(below <= program.objective(inside.view()).unwrap() + 1e-9);
            assert!(below <= found.primal + 1e-9);
        }
    }
}

#[test]
fn redundant_and_impossible_constraints() {
    let free = QuadraticProgram::new(Array2::eye(2), array![-1.0, -1.0]);
    let doubled = free.clone().equal(array![[1.0, 1.0], [2.0, 2.0]], array![1.0, 2.0]).solve().unwrap();
    all_near(&doubled.x, &[0.5, 0.5], 1e-6, "a redundant equality");
    let nowhere = free.clone().at_most(array![[1.0, 0.0], [-1.0, 0.0]], array![-1.0, -1.0]).solve();
    assert!(matches!(nowhere, Err(Error::NoConvergence { .. })), "{nowhere:?}");
    let crossed = free.clone().bounds(array![1.0, 0.0], array![0.0, 1.0]).solve();
    assert!(matches!(crossed, Err(Error::Shape { .. })), "{crossed:?}");
    assert!(free.clone().equal(array![[1.0]], array![1.0]).solve().is_err());
    assert!(QuadraticProgram::new(array![[f64::NAN]], array![0.0]).solve().is_err());
    // A linear program: min -x - y on the triangle.
    let linear = QuadraticProgram::new(Array2::zeros((2, 2)), array![-1.0, -2.0])
        .at_most(array![[1.0, 1.0]], array![1.0])
        .bounds(array![0.0, 0.0], array![f64::INFINITY, f64::INFINITY]);
    all_near(&linear.solve().unwrap().x, &[0.0, 1.0], 1e-8, "a linear program");
}

/// A stationary point is no minimum where P falls away; on the line of an equality it may be one.
#[test]
fn programs_that_are_not_convex_are_refused() {
    let falling = QuadraticProgram::new(-Array2::<f64>::eye(2), array![0.0, 0.0]);
    assert!(matches!(falling.solve(), Err(Error::Parameter { .. })), "{:?}", falling.solve());
    let boxed = falling.clone().bounds(array![-1.0, -1.0], array![1.0, 1.0]);
    assert!(matches!(boxed.solve(), Err(Error::Parameter { .. })));
    let saddle = || array![[1.0, 0.0], [0.0, -1.0]];
    assert!(on_equalities(saddle(), array![0.0, 0.0], array![[1.0, 0.0]], array![1.0]).is_err());
    let (x, _) = on_equalities(saddle(), array![0.0, 0.0], array![[0.0, 1.0]], array![3.0]).unwrap();
    all_near(&x, &[0.0, 3.0], 1e-9, "along x it rises");
    assert!(falling.objective(array![1.0].view()).is_err());
    near(falling.objective(array![1.0, 1.0].view()).unwrap(), -1.0, 1e-15, "objective");
}
