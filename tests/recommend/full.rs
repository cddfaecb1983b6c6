//! Low-rank factors of a table without gaps.

use mercer::prelude::*;
use ndarray::array;

use crate::near;
use crate::support::random;

#[test]
fn the_numbers_of_the_notes() {
    let y = array![[4.0, 2.0, 1.0], [3.0, 3.0, 0.0], [1.0, 2.0, 5.0], [2.0, 0.0, 1.0]];
    let one = full_factors(&y, 1).unwrap();
    let values = [7.301202883, 4.231214423, 1.67010807];
    one.values.iter().zip(values).for_each(|(got, want)| near(*got, want, 1e-8));
    near(one.error, 20.69243646, 1e-7);
    let two = full_factors(&y, 2).unwrap();
    near(two.error, 2.789260965, 1e-8);
    let off = &y - &two.left.dot(&two.right.t());
    near(off.iter().map(|v| v * v).sum(), two.error, 1e-9);
}

#[test]
fn no_other_product_of_that_rank_is_nearer() {
    let y = random(7, 5, 1);
    let best = full_factors(&y, 2).unwrap();
    for seed in 0..20 {
        let other = (&best.left + &(random(7, 2, seed + 50) * 0.1))
            .dot(&(&best.right + &(random(5, 2, seed) * 0.1)).t());
        assert!((&y - &other).iter().map(|v| v * v).sum::<f64>() >= best.error);
    }
    assert!(full_factors(&y, 0).is_err() && full_factors(&y, 6).is_err());
    near(full_factors(&y, 5).unwrap().error, 0.0, 1e-20);
}
