//! Lagrangians, dual functions, saddle points, optimality conditions.

use mercer::optim::{ConvexProgram, QuadraticProgram, max_min};
use ndarray::{Array2, array};

use crate::near;
use crate::support::{random, spd};

fn program() -> QuadraticProgram {
    QuadraticProgram::new(spd(3, 1), array![1.0, -2.0, 0.5])
        .at_most(array![[1.0, 1.0, 0.0], [0.0, -1.0, 2.0]], array![0.5, 1.0])
        .equal(array![[1.0, 0.0, 1.0]], array![0.3])
}

#[test]
fn the_dual_function_is_the_infimum_and_concave() {
    let p = program();
    let at = |l: &ndarray::Array1<f64>, n: f64| p.dual_function(l.view(), array![n].view()).unwrap();
    for seed in 0..20 {
        let r = random(4, 3, seed);
        let (l, k) = (array![r[[0, 0]].abs(), r[[0, 1]].abs()], array![r[[1, 0]].abs(), r[[1, 1]].abs()]);
        let (n, m) = (r[[0, 2]], r[[1, 2]]);
        let g = at(&l, n);
        // Below the Lagrangian everywhere: a pointwise infimum of functions that are affine in the multipliers.
        for x in [r.row(2), r.row(3)] {
            assert!(p.lagrangian(x, l.view(), array![n].view()).unwrap() >= g - 1e-12);
        }
        let middle = at(&(0.5 * (&l + &k)), 0.5 * (n + m));
        assert!(middle >= 0.5 * (g + at(&k, m)) - 1e-12, "concave");
    }
}

#[test]
fn multipliers_bound_indicators_from_below() {
    // λu ≤ I₋(u) for λ ≥ 0, νu ≤ I₀(u): where the indicator is zero the line is not above it, elsewhere it is infinite.
    let line = ConvexProgram::new(1, |_| (0.0, array![0.0])).inequality(|x| (x[0], array![1.0]));
    for u in [-2.0, -0.5, 0.0, 0.5] {
        for lambda in [0.0, 0.3, 4.0] {
            let (value, _) =
                line.lagrangian(array![u].view(), array![lambda].view(), array![].view()).unwrap();
            assert!(value <= line.supremum(array![u].view(), 0.0));
        }
    }
    assert_eq!(line.supremum(array![0.5].view(), 0.0), f64::INFINITY);
}

#[test]
fn weak_and_strong_duality_of_a_convex_program() {
    // min (x - 2)² + y² with x² + y² ≤ 1 and x = y + ½.
    let p = ConvexProgram::new(2, |v| {
        ((v[0] - 2.0).powi(2) + v[1] * v[1], array![2.0 * (v[0] - 2.0), 2.0 * v[1]])
    })
    .inequality(|v| (v.dot(&v) - 1.0, array![2.0 * v[0], 2.0 * v[1]]))
    .equality(|v| (v[0] - v[1] - 0.5, array![1.0, -1.0]));
    // On the line x = y + ½ the circle is met at y = (√7 - 1)/4.
    let y = (7f64.sqrt() - 1.0) / 4.0;
    let x = y + 0.5;
    // 2(x - 2) + 2λx + ν = 0 and 2y + 2λy - ν = 0.
    let lambda = (4.0 - 2.0 * x - 2.0 * y) / (2.0 * x + 2.0 * y);
    let nu = 2.0 * y * (1.0 + lambda);
    let at = array![x, y];
    let kkt = p.kkt(at.view(), array![lambda].view(), array![nu].view()).unwrap();
    assert!(kkt.worst() < 1e-12, "{kkt:?}");
    let best = p.supremum(at.view(), 1e-12);
    let g = |l: f64, n: f64| {
        p.dual_function(array![l].view(), array![n].view(), array![0.0, 0.0].view()).unwrap()
    };
    near(g(lambda, nu), best, 1e-9, "no gap at the optimum");
    for (l, n) in [(0.0, 0.0), (1.0, 0.5), (lambda, 0.0), (2.0, -1.0)] {
        assert!(g(l, n) <= best + 1e-9, "weak duality");
    }
    // A saddle: L(x*, ·) is largest at the multipliers, L(·, multipliers) least at x*.
    let l = |v: &ndarray::Array1<f64>, a: f64, b: f64| {
        p.lagrangian(v.view(), array![a].view(), array![b].view()).unwrap().0
    };
    for r in random(20, 4, 2).rows() {
        assert!(l(&(&at + &array![r[0], r[1]]), lambda, nu) >= best - 1e-12);
        assert!(l(&at, (lambda + r[2]).max(0.0), nu + r[3]) <= best + 1e-12);
    }
}

#[test]
fn the_order_of_players_matters() {
    for seed in 0..30 {
        let (low, high) = max_min(random(4, 5, seed).view()).unwrap();
        assert!(low <= high);
    }
    assert_eq!(max_min(array![[3.0, 1.0], [4.0, 2.0]].view()).unwrap(), (2.0, 2.0));
    assert!(max_min(Array2::zeros((0, 2)).view()).is_err());
}

#[test]
fn a_perturbation_breaks_a_condition() {
    let p = program();
    let found = p.solve().unwrap();
    assert!(found.kkt.worst() < 1e-9);
    let (x, l, n) = (found.x, found.inequality, found.equality);
    let worst =
        |x: &ndarray::Array1<f64>, l: &ndarray::Array1<f64>| p.kkt(x.view(), l.view(), n.view()).unwrap();
    assert!(worst(&(&x + 0.01), &l).worst() > 1e-3);
    assert!(worst(&x, &(&l + 0.01)).stationarity > 1e-3);
    assert!(worst(&x, &(&l - 1.0)).sign > 0.0);
    assert!(p.kkt(x.view(), array![0.0].view(), n.view()).is_err());
}

/// `x + λ(0 - 2x)` falls forever unless λ = ½: there is no infimum to return.
#[test]
fn a_lagrangian_that_falls_forever_has_no_dual_value() {
    let p = ConvexProgram::new(1, |x| (x[0], array![1.0])).inequality(|x| (-2.0 * x[0], array![-2.0]));
    let at = |l: f64| p.dual_function(array![l].view(), array![].view(), array![1.0].view());
    assert!(at(0.1).is_err(), "{:?}", at(0.1));
    assert!(at(0.5).unwrap().abs() < 1e-12);
    let short = ConvexProgram::new(2, |_| (0.0, array![1.0]));
    assert!(short.lagrangian(array![0.0, 0.0].view(), array![].view(), array![].view()).is_err());
}

#[test]
fn slater_s_condition_and_multipliers_without_it() {
    // The disc of radius one on the line x = y + 1/2 has an interior; x² ≤ 0 has none.
    let disc = ConvexProgram::new(2, |v| {
        ((v[0] - 2.0).powi(2) + v[1] * v[1], array![2.0 * (v[0] - 2.0), 2.0 * v[1]])
    })
    .inequality(|v| (v.dot(&v) - 1.0, array![2.0 * v[0], 2.0 * v[1]]))
    .equality(|v| (v[0] - v[1] - 0.5, array![1.0, -1.0]));
    let inside = disc.slater(array![3.0, -4.0].view()).unwrap().expect("an interior");
    assert!(inside.dot(&inside) < 1.0 && (inside[0] - inside[1] - 0.5).abs() < 1e-10, "{inside}");
    let y = (7f64.sqrt() - 1.0) / 4.0;
    let x = y + 0.5;
    let lambda = (4.0 - 2.0 * x - 2.0 * y) / (2.0 * x + 2.0 * y);
    let found = disc.fritz_john(array![x, y].view(), 1e-9).unwrap();
    assert!(found.residual < 1e-6 && found.objective > 0.1, "{found:?}");
    near(found.inequality[0] / found.objective, lambda, 1e-5, "the multiplier under Slater's condition");
    near(found.equality[0] / found.objective, 2.0 * y * (1.0 + lambda), 1e-5, "that of the equality");

    let point =
        ConvexProgram::new(1, |v| (v[0], array![1.0])).inequality(|v| (v[0] * v[0], array![2.0 * v[0]]));
    assert_eq!(point.slater(array![1.0].view()).unwrap(), None);
    let found = point.fritz_john(array![0.0].view(), 1e-9).unwrap();
    // The program behind it minimises λ₀² here: λ₀ is known to the root of that program's tolerance.
    assert!(found.objective < 1e-4 && (found.inequality[0] - 1.0).abs() < 1e-4, "{found:?}");
    // No multiplier makes the Lagrangian stationary there.
    assert!(point.kkt(array![0.0].view(), array![1e6].view(), array![].view()).unwrap().stationarity >= 1.0);
    // Inequalities that contradict each other, and a point that is strictly inside already.
    let none = ConvexProgram::new(1, |_| (0.0, array![0.0])).inequality(|v| (v[0] + 1.0, array![1.0]));
    let none = none.inequality(|v| (1.0 - v[0], array![-1.0]));
    assert_eq!(none.slater(array![0.0].view()).unwrap(), None);
}
