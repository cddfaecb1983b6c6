//! Lists, errors, and what is held out.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::{near, notes, planted};

#[test]
fn lists_are_judged_by_their_definitions() {
    let (list, relevant) = ([3, 1, 4, 0, 5], [1, 5, 9]);
    near(precision_at(2, &list, &relevant).unwrap(), 0.5, 0.0);
    near(recall_at(5, &list, &relevant).unwrap(), 2.0 / 3.0, 1e-15);
    let gain = |r: f64| 1.0 / (r + 1.0).log2();
    let want = (gain(2.0) + gain(5.0)) / (gain(1.0) + gain(2.0) + gain(3.0));
    near(ndcg_at(5, &list, &relevant).unwrap(), want, 1e-15);
    near(ndcg_at(2, &[1, 5, 9], &relevant).unwrap(), 1.0, 1e-15);
    near(precision_at(4, &[1], &relevant).unwrap(), 0.25, 0.0);
    assert!(ndcg_at(0, &list, &relevant).is_err());
    near(recall_at(3, &list, &[]).unwrap(), 0.0, 0.0);
}

#[test]
fn a_model_that_knows_the_truth_has_the_best_lists() {
    let table = planted(20, 15, 2, 0.0);
    let (train, test) = PerUser::new(0.3).seed(4).split(&table).unwrap();
    let (train, test) = (table.select(&train).unwrap(), table.select(&test).unwrap());
    let good = Als::new(2).penalty(1e-3).max_iterations(500).fit_ratings(&train).unwrap();
    let worse = Als::new(1).penalty(50.0).fit_ratings(&train).unwrap();
    let [good, worse] = [good, worse].map(|m| ranking(&m, &train, &test, 3, 0.2).unwrap());
    assert!(good.ndcg > worse.ndcg && good.recall > worse.recall, "{good:?} {worse:?}");
    assert!(good.users <= 20 && good.precision <= 1.0);
}

/// Predictions that are given: users x items.
struct Given(Array2<f64>);

impl Recommend for Given {
    fn size(&self) -> (usize, usize) {
        self.0.dim()
    }

    fn rating(&self, user: usize, item: usize) -> f64 {
        self.0[[user, item]]
    }
}

/// Four users and five items by hand, k = 2, relevant from 4 on: lists, who counts, and the means.
#[test]
fn means_over_users_are_those_by_hand() {
    let no = f64::NAN;
    let train = Ratings::from_table(array![
        [5.0, no, no, no, no],
        [no, no, 1.0, no, no],
        [no, 2.0, no, no, no],
        [no, no, no, 3.0, no],
    ])
    .unwrap();
    let test = Ratings::from_table(array![
        [no, 4.0, no, 5.0, 2.0], // relevant: 1 and 3
        [4.0, no, no, 3.9, no],  // relevant: 0 alone, 3.9 is below the threshold
        [3.0, no, 1.0, no, no],  // nothing
        [no, 4.0, 5.0, no, 4.5], // relevant: 1, 2 and 4
    ])
    .unwrap();
    let model = Given(array![
        [9.0, 1.0, 5.0, 4.0, 2.0], // 0 was seen: 2, 3
        [3.0, 1.0, 9.0, 2.0, 0.0], // 2 was seen: 0, 3
        [1.0, 2.0, 3.0, 4.0, 5.0],
        [1.0, 4.0, 1.0, 9.0, 5.0], // 3 was seen: 4, 1
    ]);
    let second = 1.0 / 3f64.log2();
    let found = ranking(&model, &train, &test, 2, 4.0).unwrap();
    assert_eq!(found.users, 3);
    near(found.precision, (0.5 + 0.5 + 1.0) / 3.0, 1e-15);
    near(found.recall, (0.5 + 1.0 + 2.0 / 3.0) / 3.0, 1e-15);
    near(found.ndcg, (second / (1.0 + second) + 1.0 + 1.0) / 3.0, 1e-15);
    // One of a list of one: of the first user 2, of the second 0, of the last 4.
    let one = ranking(&model, &train, &test, 1, 4.0).unwrap();
    near(one.precision, 2.0 / 3.0, 1e-15);
    near(one.recall, (0.0 + 1.0 + 1.0 / 3.0) / 3.0, 1e-15);
    near(one.ndcg, 2.0 / 3.0, 1e-15);
    // From 3 on the third user counts too: it is shown 4 and 3, and likes 0.
    let low = ranking(&model, &train, &test, 2, 3.0).unwrap();
    assert_eq!(low.users, 4);
    near(low.precision, (0.5 + 1.0 + 0.0 + 1.0) / 4.0, 1e-15);
    assert!(ranking(&model, &train, &test, 2, 6.0).is_err(), "nobody likes anything");
    assert!(ranking(&model, &train, &test, 0, 4.0).is_err());
    assert!(ranking(&Given(Array2::zeros((4, 4))), &train, &test, 2, 4.0).is_err());
}

#[test]
fn what_is_held_out_is_disjoint_and_leaves_nobody_cold() {
    let table = notes();
    let (train, test) = PerUser::new(0.4).split(&table).unwrap();
    assert_eq!(train.len() + test.len(), 13);
    assert!(train.iter().all(|e| !test.contains(e)));
    let held = table.select(&test).unwrap();
    let kept = table.select(&train).unwrap();
    assert!(kept.cold_users().is_empty());
    assert!(held.entries().iter().all(|r| kept.get(r.user, r.item).is_none()));
    // Dan has one rating, which stays.
    assert!(held.of_user(3).is_empty() && (0..5).filter(|&u| u != 3).all(|u| !held.of_user(u).is_empty()));
}

#[test]
fn by_time_what_is_learned_lies_before_what_is_judged() {
    let table = notes();
    let times: Vec<f64> = (0..13).map(|e| f64::from((e * 5) % 13)).collect();
    let (train, test) = ByTime::new(0.25, &times).split(&table).unwrap();
    assert_eq!((train.len(), test.len()), (9, 4));
    let last = train.iter().map(|&e| times[e]).fold(0.0, f64::max);
    assert!(test.iter().all(|&e| times[e] > last));
    assert!(ByTime::new(0.25, &times[1..]).split(&table).is_err());
    assert!(ByTime::new(0.25, &[1.0; 13]).split(&table).is_err(), "all at one moment");
}

#[test]
fn errors_of_ratings_are_those_of_regressions() {
    let table = planted(10, 8, 1, 0.2);
    let (x, y) = table.to_pairs();
    let fitted = Als::new(1).penalty(0.1).fit(&Device::cpu(), &x, &y).unwrap();
    let p = fitted.predict(&x).unwrap();
    let square =
        table.entries().iter().map(|r| (r.value - fitted.rating(r.user, r.item)).powi(2)).sum::<f64>();
    near(rmse(&y, &p).unwrap(), (square / table.len() as f64).sqrt(), 1e-12);
    let absolute =
        table.entries().iter().map(|r| (r.value - fitted.rating(r.user, r.item)).abs()).sum::<f64>();
    near(mae(&y, &p).unwrap(), absolute / table.len() as f64, 1e-12);
}
