//! What is refused, and what is said.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::notes;

#[test]
fn settings_out_of_their_domain_are_errors() {
    let t = notes();
    assert!(Als::new(0).fit_ratings(&t).is_err());
    assert!(Als::new(1).penalty(-1.0).fit_ratings(&t).is_err());
    assert!(Als::new(1).max_iterations(0).fit_ratings(&t).is_err());
    assert!(Als::new(usize::MAX / 64).fit_ratings(&t).is_err());
    assert!(Als::new(2).start(Array2::zeros((5, 1))).fit_ratings(&t).is_err());
    assert!(Als::new(2).feedback(Feedback::Implicit { alpha: 0.0 }).fit_ratings(&t).is_err());
    assert!(Als::new(2).feedback(Feedback::Implicit { alpha: 1.0 }).biases(true).fit_ratings(&t).is_err());
    assert!(SgdFactorisation::new(1, 0.0).fit_ratings(&t).is_err());
    assert!(SgdFactorisation::new(1, f64::NAN).fit_ratings(&t).is_err());
    assert!(Neighbours::users(0).fit_ratings(&t).is_err());
    assert!(BlockModel::new(6, 1).fit_ratings(&t).is_err());
    assert!(BlockModel::new(1, 0).fit_ratings(&t).is_err());
    assert!(ProbabilisticFactorisation::new(1).noise(0.0).fit_ratings(&t).is_err());
    let none = FactorPosterior::Gibbs { draws: 0, warm_up: 1 };
    assert!(ProbabilisticFactorisation::new(1).posterior(none).fit_ratings(&t).is_err());
    assert!(PerUser::new(1.0).split(&t).is_err());
    let clicks = Ratings::from_table(array![[1.0, -1.0]]).unwrap();
    assert!(Als::new(1).feedback(Feedback::Implicit { alpha: 1.0 }).fit_ratings(&clicks).is_err());
}

#[test]
fn an_item_without_ratings_is_said_and_does_no_harm() {
    let no = f64::NAN;
    let t = Ratings::from_table(array![[5.0, no, 3.0], [4.0, no, 2.0], [1.0, no, 5.0]]).unwrap();
    let als = Als::new(2).fit_ratings(&t).unwrap();
    assert_eq!(als.cold_items(), [1]);
    assert!(als.item_factors().row(1).iter().all(|v| *v == 0.0));
    for rating in [
        als.rating(0, 1),
        Neighbours::items(2).fit_ratings(&t).unwrap().rating(0, 1),
        Neighbours::users(2).fit_ratings(&t).unwrap().rating(0, 1),
        BlockModel::new(2, 2).fit_ratings(&t).unwrap().rating(0, 1),
        BlockModel::new(2, 2).soft(true).fit_ratings(&t).unwrap().rating(0, 1),
        ProbabilisticFactorisation::new(1).fit_ratings(&t).unwrap().rating(0, 1),
    ] {
        assert!(rating.is_finite(), "{rating}");
    }
}

#[test]
fn a_user_beyond_the_table_is_an_error() {
    let fitted = Als::new(1).fit_ratings(&notes()).unwrap();
    assert!(matches!(fitted.predict(array![[5.0, 0.0]]), Err(Error::Parameter { .. })));
    assert!(fitted.predict(array![[0.5, 0.0]]).is_err());
    assert!(fitted.recommend(5, &notes(), 2).is_err());
    let list = fitted.recommend(3, &notes(), 10).unwrap();
    assert_eq!(list.len(), 4, "Dan has seen one of five");
    assert!(list.windows(2).all(|w| w[0].1 >= w[1].1));
}

#[test]
fn ratings_without_a_weight_are_refused() {
    let one = |weight| Rating { user: 0, item: 0, value: 3.0, weight };
    assert!(Ratings::of(1, 1, vec![one(0.0)]).is_err() && Ratings::of(1, 1, vec![one(1.0)]).is_ok());
}

/// Equal ratings have no spread, though their mean is rounded: 3.3 three times has the mean 3.3 - 4e-16.
#[test]
fn equal_ratings_have_no_similarity() {
    let table = ndarray::array![[3.3, 3.3, 3.3], [1.0, 2.0, 5.0]];
    let fit = Neighbours::users(1).fit_ratings(&Ratings::from_table(&table).unwrap()).unwrap();
    assert!(fit.similarity()[[0, 1]].is_nan(), "{}", fit.similarity());
}
