//! Block models: groups of users and of items, with and without factors.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{near, planted};

fn small() -> Ratings {
    let no = f64::NAN;
    Ratings::from_table(array![
        [5.0, 5.0, 1.0, 1.0],
        [5.0, 4.0, 1.0, 2.0],
        [1.0, 1.0, 4.0, 5.0],
        [2.0, 1.0, 5.0, no]
    ])
    .unwrap()
}

/// Three groups of users and two of items.
fn blocks(noise: f64) -> Ratings {
    let means = array![[5.0, 1.0], [2.0, 4.0], [0.0, 0.5]];
    let e = random(15, 10, 3) * noise;
    Ratings::from_table(Array2::from_shape_fn((15, 10), |(u, i)| {
        if (u + 2 * i) % 5 == 0 { f64::NAN } else { means[[u % 3, i % 2]] + e[[u, i]] }
    }))
    .unwrap()
}

#[test]
fn the_optimum_of_the_notes() {
    let fitted = BlockModel::new(2, 2).fit_ratings(&small()).unwrap();
    near(fitted.squared_error(), 2.916666667, 1e-8);
    let (u, i) = (fitted.user_groups(), fitted.item_groups());
    assert!(u[0] == u[1] && u[2] == u[3] && u[0] != u[2]);
    assert!(i[0] == i[1] && i[2] == i[3] && i[0] != i[2]);
    near(BlockModel::new(1, 1).fit_ratings(&small()).unwrap().squared_error(), 47.73333333, 1e-7);
    near(BlockModel::new(4, 4).fit_ratings(&small()).unwrap().squared_error(), 0.0, 1e-20);
}

#[test]
fn planted_blocks_are_found() {
    for soft in [false, true] {
        let fitted = BlockModel::new(3, 2).soft(soft).restarts(15).fit_ratings(&blocks(0.3)).unwrap();
        let truth: Vec<usize> = (0..15).map(|u| u % 3).collect();
        near(adjusted_rand(&truth, &fitted.user_groups()).unwrap(), 1.0, 0.0);
        let truth: Vec<usize> = (0..10).map(|i| i % 2).collect();
        near(adjusted_rand(&truth, &fitted.item_groups()).unwrap(), 1.0, 0.0);
        near(fitted.rating(0, 0), 5.0, 0.3);
    }
}

#[test]
fn the_objective_never_falls() {
    for soft in [false, true] {
        for rank in [None, Some(1)] {
            let fitted = BlockModel::new(3, 3)
                .soft(soft)
                .rank(rank)
                .restarts(1)
                .fit_ratings(&planted(12, 9, 2, 0.4))
                .unwrap();
            let trace = &fitted.report().trace;
            assert!(trace.windows(2).all(|t| t[1] >= t[0] - 1e-7 * t[0].abs()), "{soft} {rank:?}: {trace:?}");
        }
    }
}

#[test]
fn the_order_of_users_does_not_matter() {
    let table = blocks(0.3);
    let turned = table.entries().iter().map(|r| Rating { user: 14 - r.user, ..*r }).collect();
    let [a, b] = [table.clone(), Ratings::of(15, 10, turned).unwrap()]
        .map(|t| BlockModel::new(3, 2).restarts(20).fit_ratings(&t).unwrap());
    near(a.squared_error(), b.squared_error(), 1e-9);
    (0..15).for_each(|u| near(a.rating(u, 3), b.rating(14 - u, 3), 1e-9));
}

/// Factors of as many dimensions as there are groups are no restriction.
#[test]
fn factors_of_full_rank_are_block_means() {
    let table = blocks(0.3);
    let free = BlockModel::new(3, 2).restarts(15).fit_ratings(&table).unwrap();
    let full = BlockModel::new(3, 2).rank(2).restarts(15).fit_ratings(&table).unwrap();
    near(full.squared_error(), free.squared_error(), 1e-6);
    let (a, b) = full.group_factors().unwrap();
    assert_eq!((a.dim(), b.dim()), ((3, 2), (2, 2)));
    let one = BlockModel::new(3, 2).rank(1).restarts(15).fit_ratings(&table).unwrap();
    assert!(one.squared_error() > free.squared_error() + 1.0);
}

/// One user and one item a group: a factorisation without penalty.
#[test]
fn groups_of_one_are_alternating_least_squares() {
    let y = random(5, 4, 8);
    let table = Ratings::from_table(&y).unwrap();
    let fitted = BlockModel::new(5, 4).rank(1).restarts(30).fit_ratings(&table).unwrap();
    near(fitted.squared_error(), full_factors(&y, 1).unwrap().error, 1e-6);
}
