//! Alternating least squares: the numbers of the notes, theorems, and dense solves.

use mercer::linalg::{SpdParams, solve_spd};
use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{near, notes, planted};

/// Where the notes start.
fn start(rank: usize) -> Array2<f64> {
    Array2::from_shape_fn((5, rank), |(i, j)| {
        let sign = if i % 2 == 1 { 0.5 } else { -0.5 };
        1.0 + 0.1 * i as f64 + if j == 0 { 0.0 } else { sign }
    })
}

#[test]
fn the_numbers_of_the_notes() {
    let fitted =
        Als::new(1).start(start(1)).max_iterations(3000).tolerance(0.0).fit_ratings(&notes()).unwrap();
    let trace = &fitted.report().trace;
    let want = [60.12593392, 52.72677426, 50.82195705, 49.71617618];
    trace.iter().zip(want).for_each(|(got, want)| near(*got, want, 1e-7));
    near(fitted.report().objective(), 48.16896131, 1e-7);
    let alice = [3.8700681, 2.242089, 3.1668282, 2.726869, 4.8222747];
    alice.iter().enumerate().for_each(|(i, want)| near(fitted.rating(0, i), *want, 1e-6));
    let square = |a: &Array2<f64>| a.iter().map(|v| v * v).sum::<f64>();
    near(square(fitted.item_factors()), 14.21860286, 1e-6);
    near(square(fitted.user_factors()), 14.21860286, 1e-6);

    let two = Als::new(2).start(start(2)).max_iterations(3000).tolerance(0.0).fit_ratings(&notes()).unwrap();
    near(two.report().trace[0], 62.87549315, 1e-7);
    near(two.report().trace[1], 48.72793392, 1e-7);
    near(two.report().objective(), 37.74082643, 1e-6);
}

#[test]
fn the_objective_never_rises() {
    let table = planted(15, 12, 2, 0.3);
    for model in [
        Als::new(3).penalty(0.1),
        Als::new(2).penalty(0.5).biases(true),
        Als::new(2).user_penalty(0.2).item_penalty(2.0),
    ] {
        let fitted = model.max_iterations(30).fit_ratings(&table).unwrap();
        let trace = &fitted.report().trace;
        assert!(trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-12)), "{trace:?}");
    }
    let counts =
        Ratings::from_table(random(10, 8, 5).mapv(|v| if v > 0.0 { (4.0 * v).ceil() } else { f64::NAN }));
    let model = Als::new(2).penalty(0.1).feedback(Feedback::Implicit { alpha: 10.0 }).max_iterations(30);
    let fitted = model.fit_ratings(&counts.unwrap()).unwrap();
    assert!(fitted.report().trace.windows(2).all(|t| t[1] <= t[0] * (1.0 + 1e-12)));
}

#[test]
fn penalties_balance_the_sides_at_the_end() {
    let (lu, li) = (0.3, 1.2);
    let model = Als::new(2).user_penalty(lu).item_penalty(li).max_iterations(5000).tolerance(0.0);
    let fitted = model.fit_ratings(&planted(12, 9, 2, 0.2)).unwrap();
    let (u, i) = (fitted.user_factors(), fitted.item_factors());
    let off = u.t().dot(u) * lu - i.t().dot(i) * li;
    assert!(off.iter().all(|v| v.abs() < 1e-6), "{off}");
}

#[test]
fn factors_are_those_of_a_dense_solve() {
    let table = planted(9, 6, 2, 0.1);
    let fitted = Als::new(2).penalty(0.4).max_iterations(3).fit_ratings(&table).unwrap();
    // The last half step solved for the items.
    for i in 0..6 {
        let rows: Vec<_> = table.of_item(i).collect();
        let phi = Array2::from_shape_fn((rows.len(), 2), |(r, j)| fitted.user_factors()[[rows[r].user, j]]);
        let y = Array2::from_shape_fn((rows.len(), 1), |(r, _)| rows[r].value);
        let a = phi.t().dot(&phi) + Array2::<f64>::eye(2) * 0.4;
        let b = phi.t().dot(&y);
        let want = solve_spd(&Device::cpu(), a.view(), b.view(), &SpdParams::default()).unwrap().x;
        (0..2).for_each(|j| near(fitted.item_factors()[[i, j]], want[[j, 0]], 1e-10));
    }
}

#[test]
fn implicit_factors_are_those_of_a_dense_weighted_solve() {
    let table =
        Ratings::from_table(array![[3.0, f64::NAN, 1.0], [f64::NAN, 2.0, f64::NAN], [1.0, f64::NAN, 0.0]])
            .unwrap();
    let (alpha, penalty) = (5.0, 0.2);
    let model = Als::new(2).penalty(penalty).feedback(Feedback::Implicit { alpha }).max_iterations(2);
    let fitted = model.fit_ratings(&table).unwrap();
    let phi = fitted.user_factors();
    for i in 0..3 {
        let c = |u: usize| 1.0 + alpha * table.get(u, i).unwrap_or(0.0);
        let p = |u: usize| f64::from(u8::from(table.get(u, i).unwrap_or(0.0) > 0.0));
        let a = Array2::from_shape_fn((2, 2), |(j, k)| {
            (0..3).map(|u| c(u) * phi[[u, j]] * phi[[u, k]]).sum::<f64>() + if j == k { penalty } else { 0.0 }
        });
        let b = Array2::from_shape_fn((2, 1), |(j, _)| (0..3).map(|u| c(u) * p(u) * phi[[u, j]]).sum());
        let want = solve_spd(&Device::cpu(), a.view(), b.view(), &SpdParams::default()).unwrap().x;
        (0..2).for_each(|j| near(fitted.item_factors()[[i, j]], want[[j, 0]], 1e-10));
    }
    // The objective by its definition, over all pairs.
    let mut sum = 0.0;
    for u in 0..3 {
        for i in 0..3 {
            let r = table.get(u, i).unwrap_or(0.0);
            sum += (1.0 + alpha * r) * (f64::from(u8::from(r > 0.0)) - fitted.rating(u, i)).powi(2);
        }
    }
    sum += penalty * fitted.user_factors().iter().chain(fitted.item_factors()).map(|v| v * v).sum::<f64>();
    near(model.objective(&table, &fitted), sum, 1e-9);
}

#[test]
fn a_full_table_without_penalty_is_the_singular_value_decomposition() {
    let y = random(8, 6, 9);
    let table = Ratings::from_table(&y).unwrap();
    let fitted = Als::new(2).penalty(1e-12).max_iterations(3000).tolerance(0.0).fit_ratings(&table).unwrap();
    near(fitted.report().objective(), full_factors(&y, 2).unwrap().error, 1e-8);
}

#[test]
fn planted_factors_are_recovered() {
    let (truth, table) = (random(30, 2, 1).dot(&random(20, 2, 2).t()), planted(30, 20, 2, 0.0));
    let fitted = Als::new(2).penalty(1e-6).max_iterations(3000).tolerance(0.0).fit_ratings(&table).unwrap();
    for ((u, i), want) in truth.indexed_iter() {
        near(fitted.rating(u, i), *want, 1e-3);
    }
}

#[test]
fn a_weight_of_two_is_a_penalty_of_half() {
    let (x, y) = planted(8, 6, 1, 0.2).to_pairs();
    let start = random(6, 2, 4);
    let model =
        |penalty: f64| Als::new(2).penalty(penalty).start(start.clone()).max_iterations(20).tolerance(0.0);
    let twice = model(0.6).fit_weighted(&Device::cpu(), &x, &y, vec![2.0; y.len()]).unwrap();
    let half = model(0.3).fit(&Device::cpu(), &x, &y).unwrap();
    let (a, b) = (twice.predict(&x).unwrap(), half.predict(&x).unwrap());
    a.iter().zip(&b).for_each(|(a, b)| near(*a, *b, 1e-9));
}

#[test]
fn biases_find_an_additive_table() {
    let table = Ratings::from_table(Array2::from_shape_fn((6, 5), |(u, i)| {
        if (u + i) % 4 == 3 { f64::NAN } else { 3.0 + 0.3 * u as f64 - 0.5 * i as f64 }
    }))
    .unwrap();
    let fitted = Als::new(1)
        .penalty(1e-6)
        .biases(true)
        .max_iterations(2000)
        .tolerance(0.0)
        .fit_ratings(&table)
        .unwrap();
    near(fitted.rating(3, 0), 3.9, 1e-2);
    near(fitted.rating(1, 2), 2.3, 1e-2);
}

#[test]
fn cold_users_are_said_and_predicted_by_the_item_alone() {
    let (x, y) = planted(6, 5, 1, 0.1).to_pairs();
    let fitted = Als::new(1).biases(true).table(8, 5).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fitted.cold_users(), [6, 7]);
    near(fitted.rating(7, 2), fitted.mean() + fitted.item_biases()[2], 1e-12);
    assert!(fitted.predict(array![[8.0, 0.0]]).is_err(), "beyond the table");
}

#[test]
fn ratings_are_observations_for_splits_and_searches() {
    let (x, y) = planted(30, 25, 2, 0.05).to_pairs();
    let folds = KFold::new(4).shuffled(1);
    let errors = |penalty: f64| {
        let model = Als::new(2).penalty(penalty).table(30, 25);
        let scores = cross_validate(&model, &Device::cpu(), &x, &y, &folds, rmse).unwrap();
        scores.mean()
    };
    assert!(errors(0.05) < 0.5 * errors(20.0));
}
