//! The rating matrix with its exposure mask.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::{near, notes, planted};

#[test]
fn the_table_of_the_notes() {
    let table = notes();
    assert_eq!((table.users(), table.items(), table.len()), (5, 5, 13));
    let users = [3.666666667, 3.666666667, 3.333333333, 1.0, 3.333333333];
    let items = [3.0, 2.5, 3.0, 3.0, 4.666666667];
    table.user_means().iter().zip(users).for_each(|(got, want)| near(*got, want, 1e-9));
    table.item_means().iter().zip(items).for_each(|(got, want)| near(*got, want, 1e-9));
    assert_eq!(table.exposure().iter().filter(|e| **e).count(), 13);
    assert_eq!((table.get(0, 0), table.get(0, 1)), (None, Some(1.0)));
}

#[test]
fn both_ways_of_reading_hold_the_same() {
    let table = planted(11, 7, 2, 0.1);
    let turned = table.transposed();
    for u in 0..11 {
        let by_item: Vec<_> = turned.of_item(u).map(|r| (r.user, r.value)).collect();
        let by_user: Vec<_> = table.of_user(u).iter().map(|r| (r.item, r.value)).collect();
        assert_eq!(by_item, by_user);
    }
    assert_eq!(turned.transposed(), table);
    let (x, y) = table.to_pairs();
    assert_eq!(Ratings::new(11, 7, &x, &y).unwrap(), table);
}

#[test]
fn who_has_no_ratings_is_said() {
    let table = Ratings::new(3, 3, array![[0.0, 1.0], [2.0, 1.0]], array![1.0_f64, 2.0]).unwrap();
    assert_eq!((table.cold_users(), table.cold_items()), (vec![1], vec![0, 2]));
    assert!(table.user_means()[1].is_nan());
}

#[test]
fn bad_tables_are_errors() {
    let y = array![1.0_f64, 2.0];
    assert!(Ratings::new(2, 2, array![[0.0, 0.0], [0.0, 0.0]], &y).is_err(), "rated twice");
    assert!(Ratings::new(2, 2, array![[0.0, 0.0], [0.0, 2.0]], &y).is_err(), "beyond the table");
    assert!(Ratings::new(2, 2, array![[0.0, 0.0], [0.5, 1.0]], &y).is_err(), "half a user");
    assert!(Ratings::new(2, 2, array![[0.0, 0.0], [-1.0, 1.0]], &y).is_err(), "a negative user");
    assert!(Ratings::new(2, 2, array![[0.0], [1.0]], &y).is_err(), "no item");
    assert!(Ratings::from_table(Array2::from_elem((2, 2), f64::NAN)).is_err(), "no ratings at all");
    assert!(Ratings::from_table(array![[1.0, f64::INFINITY]]).is_err(), "infinite");
}
