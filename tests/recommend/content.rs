//! Content-based recommendation: a ridge regression for each user.

use mercer::prelude::*;
use ndarray::{Array2, Axis, concatenate};

use crate::support::random;
use crate::{near, planted};

#[test]
fn a_user_is_a_ridge_regression() {
    let table = planted(7, 9, 2, 0.2);
    let features = random(9, 3, 4);
    let fitted = ContentRidge::new(features.clone(), 0.7).fit_ratings(&table).unwrap();
    for u in 0..7 {
        let own = table.of_user(u);
        let phi = features.select(Axis(0), &own.iter().map(|r| r.item).collect::<Vec<_>>());
        let y: ndarray::Array1<f64> = own.iter().map(|r| r.value).collect();
        let ridge = Ridge::new(0.7).intercept(false).fit(&Device::cpu(), &phi, &y).unwrap();
        let all = ridge.predict(&features).unwrap();
        all.iter().enumerate().for_each(|(i, want)| near(fitted.rating(u, i), *want, 1e-9));
    }
}

#[test]
fn a_user_without_ratings_has_no_taste() {
    let table = planted(4, 6, 1, 0.1);
    let larger = Ratings::of(5, 6, table.entries().to_vec()).unwrap();
    let fitted = ContentRidge::new(random(6, 2, 1), 0.5).fit_ratings(&larger).unwrap();
    assert_eq!(fitted.cold_users(), [4]);
    assert!(fitted.user_factors().row(4).iter().all(|v| *v == 0.0));
}

#[test]
fn features_of_users_serve_on_the_transposed_table() {
    let truth = random(8, 2, 5);
    let weights = random(6, 2, 6);
    let table = Ratings::from_table(truth.dot(&weights.t())).unwrap();
    let fitted = ContentRidge::new(truth, 1e-10).fit_ratings(&table.transposed()).unwrap();
    fitted.user_factors().iter().zip(&weights).for_each(|(got, want)| near(*got, *want, 1e-7));
}

#[test]
fn too_few_ratings_without_a_penalty_are_an_error() {
    let features = concatenate![Axis(1), Array2::ones((6, 1)), random(6, 6, 2)];
    let table = planted(4, 6, 1, 0.1);
    assert!(matches!(
        ContentRidge::new(features, 0.0).fit_ratings(&table),
        Err(Error::NotPositiveDefinite { .. })
    ));
    assert!(ContentRidge::new(random(5, 2, 1), 1.0).fit_ratings(&table).is_err(), "features of fewer items");
}
