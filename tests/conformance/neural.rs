//! Networks. They run on the CPU in f64, so every adapter has the same bits.

use mercer::prelude::*;

use crate::checks::{beside, column, enough, labels};
use crate::data;

fn quick() -> Training {
    Training::default().epochs(20)
}

conforms!(neural_regressor, data::curve(), NeuralRegressor::new(&[5]).training(quick()), |f, x| Ok(column(f.predict(x)?)); 0.0,
    weights, unordered, saved, cancel(NeuralRegressor::new(&[5]).training(quick().progress(enough()))));
conforms!(neural_regressor_of_several, data::curves(), NeuralRegressor::new(&[5]).skip(true).training(quick()), |f, x| f.predict(x); 0.0,
    weights, unordered, saved);
conforms!(neural_classifier, data::spelt(), NeuralClassifier::new(&[5]).training(quick()),
    |f, x| Ok(beside(&[f.predict_proba(x)?.view(), labels(&f.predict(x)?).view()])); 0.0, weights, unordered, saved,
    cancel(NeuralClassifier::new(&[5]).training(quick().progress(enough()))));
conforms!(autoencoder, data::correlated(), Autoencoder::new(2).training(quick()), |f, x| f.transform(x); 0.0, unordered, saved,
    cancel(Autoencoder::new(2).training(quick().progress(enough()))));
conforms!(vae, data::correlated(), Vae::new(2).hidden([4]).training(quick()), |f, x| f.transform(x); 0.0, saved,
    cancel(Vae::new(2).training(quick().progress(enough()))));
