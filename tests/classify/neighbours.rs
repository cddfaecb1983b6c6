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

/// Many rows are searched by scores in f32: the neighbours and distances are still those of all distances, sorted, with
/// copies of rows, queries on rows, and queries so far away that all rows look alike from there.
#[test]
fn many_rows_have_the_neighbours_of_the_definition() {
    for (m, d, k) in [(900, 5, 7), (1201, 1, 3), (700, 19, 1)] {
        let mut x = random(m, d, 41);
        for i in 0..m / 3 {
            let copy = x.row(i).to_owned();
            x.row_mut(m - 1 - i).assign(&copy);
        }
        let mut new = random(67, d, 42);
        for (i, mut row) in new.rows_mut().into_iter().enumerate() {
            match i % 8 {
                0 => row.assign(&x.row(i)),
                1 => row.mapv_inplace(|v| 1e6 * v),
                2 => row.fill(1e25),
                _ => {}
            }
        }
        let y: Vec<usize> = (0..m).map(|i| i % 2).collect();
        let fit = KNearest::new(k).fit(&Device::cpu(), &x, &y).unwrap();
        let (rows, distances) = fit.neighbours(&new).unwrap();
        for (i, q) in new.rows().into_iter().enumerate() {
            let square = |j: usize| q.iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let mut all: Vec<(f64, usize)> = (0..m).map(|j| (square(j), j)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (place, want) in all[..k].iter().enumerate() {
                assert_eq!(
                    (rows[[i, place]], distances[[i, place]]),
                    (want.1, want.0.sqrt()),
                    "{i}, {place}"
                );
            }
        }
    }
}
