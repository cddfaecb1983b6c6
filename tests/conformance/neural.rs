//! Networks. Plain regressors and classifiers train on the device, and sparse codes are found there: those lines allow 1e-4.
//! The others run on the CPU in f64 whatever the device, and have the same bits.

use mercer::prelude::*;

use crate::checks::{beside, column, enough, labels};
use crate::data;

fn quick() -> Training {
    Training::default().epochs(20)
}

conforms!(neural_regressor, data::curve(), NeuralRegressor::new(&[5]).training(quick()), |f, x| Ok(column(f.predict(x)?)); 1e-4,
    weights, unordered, saved, cancel(NeuralRegressor::new(&[5]).training(quick().progress(enough()))));
conforms!(neural_regressor_of_several, data::curves(), NeuralRegressor::new(&[5]).skip(true).training(quick()), |f, x| f.predict(x); 0.0,
    weights, unordered, saved);
conforms!(neural_classifier, data::spelt(), NeuralClassifier::new(&[5]).training(quick()),
    |f, x| Ok(beside(&[f.predict_proba(x)?.view(), labels(&f.predict(x)?).view()])); 1e-4, weights, unordered, saved,
    cancel(NeuralClassifier::new(&[5]).training(quick().progress(enough()))));
conforms!(autoencoder, data::correlated(), Autoencoder::new(2).training(quick()), |f, x| f.transform(x); 0.0, unordered, saved,
    cancel(Autoencoder::new(2).training(quick().progress(enough()))));
conforms!(vae, data::correlated(), Vae::new(2).hidden([4]).training(quick()), |f, x| f.transform(x); 0.0, saved,
    cancel(Vae::new(2).training(quick().progress(enough()))));
conforms!(bayesian_network, data::curve(), BayesianNetwork::new(&[3], 1.0, 20.0),
    |f, x| { let (m, v) = f.predict_distribution(x)?; Ok(beside(&[column(m).view(), column(v).view()])) }; 0.0, saved,
    cancel(BayesianNetwork::new(&[3], 1.0, 20.0).training(quick().progress(enough()))));
conforms!(normalising_flow, data::blobs(), NormalisingFlow::new(2, FlowKind::Coupling(vec![4])).training(quick()),
    |f, x| Ok(beside(&[f.transform(x)?.view(), column(f.score_samples(x)?).view()])); 0.0, unordered, saved,
    cancel(NormalisingFlow::new(2, FlowKind::Planar).training(quick().progress(enough()))));
conforms!(gan, data::blobs(), Gan::new(2).rounds(20), |f, x| Ok(column(f.criticise(x)?)); 0.0, saved,
    cancel(Gan::new(2).progress(enough())));
conforms!(dictionary_learning, data::correlated(), DictionaryLearning::new(3, Sparsity::L1(0.1)).max_iterations(10), |f, x| f.transform(x); 1e-4, saved,
    cancel(DictionaryLearning::new(3, Sparsity::L1(0.1)).progress(enough())));
conforms!(nmf, data::counts(), Nmf::new(2), |f, x| f.transform(x); 0.0, saved, cancel(Nmf::new(2).progress(enough())));
