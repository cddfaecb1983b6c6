//! The nearest rows.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array, s};

use crate::support::random;
use crate::{close, column, matrix, near, oracle, three, vector};

#[test]
fn scikit_learn_agrees() {
    let (all, (x, y)) = (oracle(), three());
    let new = matrix(&all["new"]);
    for (name, vote) in [("knn_uniform", Vote::Uniform), ("knn_distance", Vote::Distance)] {
        let fit = KNearest::new(7).vote(vote).fit(&Device::cpu(), &x, &y).unwrap();
        close(fit.predict_proba(&new).unwrap().view(), matrix(&all[name]["proba"]).view(), 1e-9);
        let (inputs, targets) = (x.slice(s![.., ..3]), x.column(3).to_owned());
        let fit = KNearestRegressor::new(5).vote(vote).fit(&Device::cpu(), inputs, &targets).unwrap();
        let got = fit.predict(new.slice(s![.., ..3])).unwrap();
        close(column(&got).view(), column(&vector(&all[name]["regression"])).view(), 1e-9);
    }
}

/// M.12: one neighbour knows its own rows, all neighbours are the majority, isometries change nothing.
#[test]
fn one_all_and_rotated() {
    let x = random(40, 2, 1);
    let y: Vec<usize> = (0..40).map(|i| usize::from(i % 3 == 0)).collect();
    assert_eq!(KNearest::new(1).fit(&Device::cpu(), &x, &y).unwrap().score(&x, &y).unwrap(), 1.0);
    let everyone = KNearest::new(40).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(everyone.predict(random(5, 2, 2)).unwrap().iter().all(|k| *k == 0));
    let (c, s) = (0.6, 0.8);
    let turn = |x: &Array2<f64>| x.dot(&array![[c, s], [-s, c]]) + 5.0;
    let new = random(30, 2, 3);
    let [a, b] = [(x.clone(), new.clone()), (turn(&x), turn(&new))]
        .map(|(x, new)| KNearest::new(5).fit(&Device::cpu(), &x, &y).unwrap().predict(&new).unwrap());
    assert_eq!(a, b);
}

#[test]
fn ties_go_to_the_lower_index_and_rows_on_the_spot_decide_alone() {
    let x = array![[0.0], [2.0], [2.0], [0.0], [9.0]];
    let fit = KNearest::new(3).fit(&Device::cpu(), &x, [0, 1, 0, 1, 1]).unwrap();
    let (rows, distances) = fit.neighbours(array![[1.0], [2.0]]).unwrap();
    assert_eq!(rows, array![[0, 1, 2], [1, 2, 0]]);
    assert_eq!(distances, array![[1.0, 1.0, 1.0], [0.0, 0.0, 2.0]]);
    let y = array![1.0_f64, 2.0, 4.0, 8.0, 16.0];
    let fit = KNearestRegressor::new(3).vote(Vote::Distance).fit(&Device::cpu(), &x, &y).unwrap();
    near(fit.predict(array![[2.0]]).unwrap()[0], 3.0, 1e-15);
    assert!(KNearest::new(6).fit(&Device::cpu(), &x, [0, 1, 0, 1, 1]).is_err());
    assert!(KNearest::new(0).fit(&Device::cpu(), &x, [0, 1, 0, 1, 1]).is_err());
    let two = KNearestRegressor::new(2).fit(&Device::cpu(), &x, y.clone().insert_axis(Axis(1))).unwrap();
    assert_eq!(two.predict(array![[0.0]]).unwrap(), array![[4.5]]);
}
