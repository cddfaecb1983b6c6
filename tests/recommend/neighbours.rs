//! User- and item-based neighbours.

use mercer::prelude::*;
use ndarray::Array2;

use crate::{near, notes, planted};

/// NaN wants NaN.
fn same(got: f64, want: f64) {
    if want.is_nan() { assert!(got.is_nan(), "{got}") } else { near(got, want, 1e-8) }
}

#[test]
fn the_similarities_of_the_notes() {
    let no = f64::NAN;
    let all = Neighbours::users(2).fit_ratings(&notes()).unwrap();
    let k = all.similarity();
    let want = [
        ((0, 1), 1.0),
        ((0, 2), -0.67572463),
        ((0, 4), 1.0),
        ((1, 2), -1.0),
        ((1, 4), -0.18898224),
        ((2, 4), 1.0),
        ((0, 3), no),
    ];
    for (at, want) in want {
        same(k[at], want);
    }
    let pearson = Neighbours::users(2).means(SimilarityMeans::CoRated).fit_ratings(&notes()).unwrap();
    let k = pearson.similarity();
    let want = [
        ((0, 1), no),
        ((0, 2), -1.0),
        ((0, 4), no),
        ((1, 2), no),
        ((1, 4), -0.18898224),
        ((2, 4), no),
        ((0, 3), no),
    ];
    for (at, want) in want {
        same(k[at], want);
    }
}

#[test]
fn the_predictions_of_the_notes() {
    let users = Neighbours::users(2).fit_ratings(&notes()).unwrap();
    // (film, user) there, (user, film) here.
    near(users.rating(0, 2), 3.166666667, 1e-9);
    near(users.rating(0, 0), 3.166666667, 1e-9);
    near(users.rating(4, 1), 2.333333333, 1e-9);
    near(users.rating(1, 3), 5.5, 1e-9);
    let items = Neighbours::items(2).fit_ratings(&notes()).unwrap();
    let k = items.similarity();
    for (at, want) in [((0, 1), 1.0), ((0, 2), -1.0), ((0, 4), -0.9486833), ((2, 4), 0.9486833)] {
        near(k[at], want, 1e-7);
    }
    near(items.rating(0, 2), 3.333333333, 1e-9);
    near(items.rating(0, 0), 2.067971811, 1e-9);
}

#[test]
fn items_are_users_of_the_transposed_table() {
    let table = planted(9, 7, 2, 0.3);
    let items = Neighbours::items(3).fit_ratings(&table).unwrap();
    let users = Neighbours::users(3).fit_ratings(&table.transposed()).unwrap();
    for u in 0..9 {
        for i in 0..7 {
            assert_eq!(items.rating(u, i).to_bits(), users.rating(i, u).to_bits());
        }
    }
}

#[test]
fn similarities_are_correlations() {
    let table = planted(9, 7, 2, 0.3);
    for means in [SimilarityMeans::All, SimilarityMeans::CoRated] {
        let fitted = Neighbours::users(3).means(means).fit_ratings(&table).unwrap();
        let k = fitted.similarity();
        for u in 0..9 {
            near(k[[u, u]], 1.0, 1e-12);
            for v in 0..9 {
                same(k[[v, u]], k[[u, v]]);
                assert!(k[[u, v]].is_nan() || k[[u, v]].abs() <= 1.0);
            }
        }
    }
}

/// A user who rates everything higher, or more widely, is as similar as before, and is predicted in kind.
#[test]
fn shifts_and_scales_of_a_user_do_not_matter() {
    let table = planted(6, 8, 2, 0.2);
    let moved = table
        .entries()
        .iter()
        .map(|r| if r.user == 2 { Rating { value: 3.0 * r.value + 5.0, ..*r } } else { *r });
    let other = Ratings::of(6, 8, moved.collect()).unwrap();
    let [a, b] = [&table, &other].map(|t| Neighbours::users(3).fit_ratings(t).unwrap());
    a.similarity().iter().zip(b.similarity()).for_each(|(a, b)| near(*a, *b, 1e-9));
    near(b.rating(2, 0) - b.means()[2], a.rating(2, 0) - a.means()[2], 1e-9);
}

#[test]
fn few_ratings_in_common_may_count_for_less() {
    let fitted = Neighbours::users(2).significance(4.0).fit_ratings(&notes()).unwrap();
    near(fitted.similarity()[[0, 1]], 0.25, 1e-12);
    near(fitted.similarity()[[1, 4]], -0.18898224 * 0.75, 1e-8);
}

#[test]
fn who_has_no_neighbour_is_predicted_the_mean() {
    let table =
        Ratings::from_table(Array2::from_shape_fn((3, 3), |(u, i)| if u == i { 4.0 } else { f64::NAN }))
            .unwrap();
    let larger = Ratings::of(4, 3, table.entries().to_vec()).unwrap();
    let fitted = Neighbours::users(2).fit_ratings(&larger).unwrap();
    near(fitted.rating(0, 1), 4.0, 0.0);
    near(fitted.rating(3, 1), 4.0, 0.0);
}
