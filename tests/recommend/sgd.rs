//! Factorisation by stochastic gradients.

use mercer::prelude::*;
use ndarray::array;

use crate::{near, notes, planted};

#[test]
fn the_step_of_the_notes() {
    let (item, user) = (array![0.5, -0.2], array![1.0, 0.3]);
    let (phi, psi) = sgd_step(item.view(), user.view(), 4.0, 0.1, (0.05, 0.05)).unwrap();
    near(phi[0], 0.8535, 1e-12);
    near(phi[1], -0.0922, 1e-12);
    near(psi[0], 1.173, 1e-12);
    near(psi[1], 0.2273, 1e-12);
    // The sequential variant, by a second step from the new φ with no move of it.
    let e = 4.0 - phi.dot(&user);
    near(user[0] * 0.995 + 0.1 * phi[0] * e, 1.265914556, 1e-8);
}

#[test]
fn a_step_is_half_the_gradient() {
    let (item, user, y, rate, l) = (array![0.5, -0.2], array![1.0, 0.3], 4.0, 1e-3, 0.05);
    let loss = |i: &ndarray::Array1<f64>| (y - i.dot(&user)).powi(2) + l * i.dot(i);
    let (phi, _) = sgd_step(item.view(), user.view(), y, rate, (l, l)).unwrap();
    for j in 0..2 {
        let (mut up, mut down) = (item.clone(), item.clone());
        up[j] += 1e-6;
        down[j] -= 1e-6;
        let slope = (loss(&up) - loss(&down)) / 2e-6;
        near((phi[j] - item[j]) / rate, -0.5 * slope, 1e-6);
    }
}

/// With small steps the end is a stationary point of the penalty that the steps have.
#[test]
fn the_fixed_point_is_that_of_its_own_penalty() {
    let table = notes();
    for per in [RatingPenalty::PerRating, RatingPenalty::PerFactor] {
        let model = SgdFactorisation::new(1, 0.02).penalty(0.5).per(per).epochs(1500).decay(0.01).seed(3);
        let fitted = model.fit_ratings(&table).unwrap();
        for u in 0..5 {
            let own = table.of_user(u);
            let n = if per == RatingPenalty::PerRating { own.len() as f64 } else { 1.0 };
            let psi = fitted.user_factors()[[u, 0]];
            let pull: f64 = own
                .iter()
                .map(|r| (r.value - fitted.rating(u, r.item)) * fitted.item_factors()[[r.item, 0]])
                .sum();
            near(pull - 0.5 * n * psi, 0.0, 0.02);
        }
        if per == RatingPenalty::PerFactor {
            let als = Als::new(1).penalty(0.5).max_iterations(2000).fit_ratings(&table).unwrap();
            near(fitted.rating(0, 0), als.rating(0, 0), 0.05);
        }
    }
}

#[test]
fn new_ratings_leave_other_rows_alone() {
    let table = planted(8, 6, 1, 0.1);
    let model = SgdFactorisation::new(2, 0.05).epochs(5);
    let before = model.fit_ratings(&table).unwrap();
    let new = Ratings::new(8, 6, array![[2.0, 3.0]], array![1.5_f64]).unwrap();
    let after = model.learn(before.clone(), &new).unwrap();
    for u in 0..8 {
        assert_eq!(u == 2, before.user_factors().row(u) != after.user_factors().row(u), "user {u}");
    }
    for i in 0..6 {
        assert_eq!(i == 3, before.item_factors().row(i) != after.item_factors().row(i), "item {i}");
    }
}

#[test]
fn a_rate_that_is_too_large_is_said() {
    let table = planted(8, 6, 2, 0.1);
    let scaled =
        Ratings::of(8, 6, table.entries().iter().map(|r| Rating { value: 100.0 * r.value, ..*r }).collect())
            .unwrap();
    let fitted = SgdFactorisation::new(2, 5.0).epochs(50).fit_ratings(&scaled);
    assert!(matches!(fitted, Err(Error::NoConvergence { .. })), "{fitted:?}");
}
