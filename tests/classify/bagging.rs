//! Bootstrap aggregation.

use mercer::prelude::*;
use ndarray::{Array1, array};

use crate::support::random;
use crate::{near, three};

/// B.12: samples have n rows, of which 1 - 1/e are different.
#[test]
fn samples_leave_out_a_share_of_the_rows() {
    let x = random(400, 2, 1);
    let y = x.column(0).to_owned();
    let fit = Bagging::new(Ridge::new(1.0), 50).seed(2).fit(&Device::cpu(), &x, &y).unwrap();
    let out: usize = fit.outside().iter().map(Vec::len).sum();
    near(out as f64 / (400.0 * 50.0), (-1.0f64).exp(), 0.01);
    assert_eq!(fit.models().len(), 50);
}

/// B.12: the mean of predictions loses no more than predictions do in the mean.
#[test]
fn the_mean_loses_less_than_the_models() {
    let x = random(80, 1, 3) * 3.0;
    let noise = random(80, 1, 4);
    let y: Array1<f64> = (0..80).map(|i| x[[i, 0]].sin() + 0.3 * noise[[i, 0]]).collect();
    let fit = Bagging::new(KNearestRegressor::new(2), 25).seed(1).fit(&Device::cpu(), &x, &y).unwrap();
    let new = random(60, 1, 5) * 3.0;
    let truth = new.column(0).mapv(f64::sin);
    let whole = mse(&truth, &fit.predict(&new).unwrap()).unwrap();
    let each: f64 =
        fit.models().iter().map(|m| mse(&truth, &m.predict(&new).unwrap()).unwrap()).sum::<f64>() / 25.0;
    assert!(whole < each, "{whole} and {each}");
    // Rows outside of a sample judge as new rows do.
    let score = r2(&truth, &fit.predict(&new).unwrap()).unwrap();
    assert!((fit.out_of_bag_score().unwrap() - score).abs() < 0.25);
    assert!(fit.out_of_bag_score().unwrap() < fit.score(&x, &y).unwrap());
}

#[test]
fn classifiers_vote() {
    let (x, y) = three();
    let model = Bagging::new(KNearest::new(1), 15).seed(4);
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let p = fit.predict_proba(&x).unwrap();
    p.rows().into_iter().for_each(|row| near(row.sum(), 1.0, 1e-12));
    assert!(fit.out_of_bag_score().unwrap() > 0.9 && fit.score(&x, &y).unwrap() > 0.95);
    assert_eq!(model.fit(&Device::cpu(), &x, &y).unwrap().predict_proba(&x).unwrap(), p);
    // Models of the same data are one model.
    let same = array![[1.0], [1.0], [1.0]];
    let fit =
        Bagging::new(Ridge::new(1.0), 4).fit(&Device::cpu(), &same, &array![2.0_f64, 2.0, 2.0]).unwrap();
    near(fit.predict(&same).unwrap()[0], 2.0, 1e-12);
    assert!(Bagging::new(KNearest::new(1), 0).fit(&Device::cpu(), &x, &y).is_err());
}
