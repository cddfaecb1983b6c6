//! Learners made of learners: what holds a model that can be saved can be saved.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Ix1};

use crate::support::random;
use crate::{refused, same, through};

fn data() -> (Array2<f64>, Vec<usize>, Array1<f64>) {
    let x = random(40, 2, 5) * 2.0;
    let y = x.rows().into_iter().map(|r| usize::from(r[0] + 0.3 * r[1] > 0.1)).collect();
    (x.clone(), y, x.column(0).mapv(f64::sin))
}

#[test]
fn composed_learners_come_back() {
    let ((x, y, t), cpu) = (data(), Device::cpu());
    let trees = Bagging::new(GaussianNaiveBayes::new(), 4).fit(&cpu, &x, &y).unwrap();
    for read in through(&trees) {
        same(&read.predict_proba(&x).unwrap(), &trees.predict_proba(&x).unwrap());
        assert_eq!(read.classes(), trees.classes());
    }
    refused(&trees, "/models", serde_json::json!([]));
    let means = Bagging::new(Ridge::new(0.1), 3).fit(&cpu, &x, &t).unwrap();
    let read: [FittedBaggingRegressor<FittedRidge<Ix1>, Ix1>; 2] = through(&means);
    for r in &read {
        same(&r.predict(&x).unwrap(), &means.predict(&x).unwrap());
    }
    let calibrated =
        Calibrated::new(LogisticRegression::new(1.0), CalibrationMap::Isotonic).fit(&cpu, &x, &y).unwrap();
    for read in through(&calibrated) {
        same(&read.predict_proba(&x).unwrap(), &calibrated.predict_proba(&x).unwrap());
    }
    refused(&calibrated, "/pairs", serde_json::json!([]));
    let vote = PrivateVote::new(GaussianNaiveBayes::new(), 4).fit(&cpu, &x, &y).unwrap();
    for read in through(&vote) {
        assert_eq!(read.predict(&x).unwrap(), vote.predict(&x).unwrap());
    }
    refused(&vote, "/noise", -1.0);
    let density = GaussianMixture::new(1);
    let classifier = GenerativeClassifier::new(density.clone()).fit(&cpu, &x, &y).unwrap();
    for read in through(&classifier) {
        same(&read.predict_proba(&x).unwrap(), &classifier.predict_proba(&x).unwrap());
    }
    refused(&classifier, "/densities", serde_json::json!([]));
    let novelty = Novelty::new(density, 0.1).fit(&cpu, &x).unwrap();
    for read in through(&novelty) {
        assert_eq!(read.predict(&x).unwrap(), novelty.predict(&x).unwrap());
    }
}
