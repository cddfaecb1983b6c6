//! Recommenders: a row is a user and an item.

use mercer::prelude::*;
use ndarray::{Array1, Array2};

use crate::checks::{column, enough};
use crate::support::random;

/// Ratings of 8 users and 6 items, four fifths of them.
fn ratings() -> (Array2<f64>, Array1<f64>) {
    let truth = random(8, 2, 31).dot(&random(6, 2, 32).t());
    let pairs: Vec<(usize, usize)> =
        (0..48).map(|r| (r / 6, r % 6)).filter(|(u, i)| (3 * u + i) % 5 != 4).collect();
    let x =
        Array2::from_shape_fn((pairs.len(), 2), |(r, c)| if c == 0 { pairs[r].0 } else { pairs[r].1 } as f64);
    (x, pairs.iter().map(|&at| truth[at]).collect())
}

conforms!(als, ratings(), Als::new(2).biases(true), |f, x| Ok(column(f.predict(x)?)); 1e-4, unordered, saved,
    cancel(Als::new(2).progress(enough())));
conforms!(sgd_factorisation, ratings(), SgdFactorisation::new(2, 0.05), |f, x| Ok(column(f.predict(x)?)); 0.0, saved,
    cancel(SgdFactorisation::new(2, 0.05).progress(enough())));
conforms!(probabilistic_factorisation, ratings(), ProbabilisticFactorisation::new(2).posterior(FactorPosterior::Gibbs { draws: 20, warm_up: 5 }),
    |f, x| Ok(column(f.predict(x)?)); 0.0, saved, cancel(ProbabilisticFactorisation::new(2).progress(enough())));
conforms!(content_ridge, ratings(), ContentRidge::new(random(6, 2, 33), 0.1), |f, x| Ok(column(f.predict(x)?)); 0.0, unordered, saved);
conforms!(neighbours_of_users, ratings(), Neighbours::users(3), |f, x| Ok(column(f.predict(x)?)); 0.0, unordered, saved);
conforms!(neighbours_of_items, ratings(), Neighbours::items(3), |f, x| Ok(column(f.predict(x)?)); 0.0, unordered, saved);
conforms!(block_model, ratings(), BlockModel::new(2, 2), |f, x| Ok(column(f.predict(x)?)); 0.0, unordered, saved,
    cancel(BlockModel::new(2, 2).progress(enough())));
