//! Sequences, graphical models, machines, topics and latent classes.

use mercer::Device;
use mercer::models::energy::Rbm;
use mercer::models::graphical::{BayesNet, Factor, MarkovField, Node};
use mercer::models::mixture::LatentClass;
use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov, LinearGaussian};
use mercer::models::topics::TopicModel;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{damaged, refused, same, through};

#[test]
fn hidden_states_are_the_same() {
    let weather = FittedHiddenMarkov::new(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        Emission::Discrete(array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    )
    .unwrap()
    .allow_missing(true);
    let seen = array![[0.0], [f64::NAN], [2.0], [1.0]];
    for back in through(&weather) {
        same(&back.smooth(&seen).unwrap().states, &weather.smooth(&seen).unwrap().states);
        assert_eq!(back.viterbi(&seen).unwrap().states, weather.viterbi(&seen).unwrap().states);
    }
    damaged(&weather);
    assert!(refused(&weather, "/transition/data/0", 0.9).contains("transition"));
    assert!(refused(&weather, "/initial/0", -0.6).contains("initial"));
    let x = random(60, 2, 1);
    for emissions in [Emissions::Gaussian, Emissions::Mixture { components: 2 }] {
        let learned = HiddenMarkov::new(2, emissions)
            .seed(1)
            .max_iterations(5)
            .learn(std::slice::from_ref(&x))
            .unwrap();
        for back in through(&learned) {
            same(&back.smooth(&x).unwrap().states, &learned.smooth(&x).unwrap().states);
            assert_eq!(back.report().trace, learned.report().trace);
        }
        damaged(&learned);
    }
}

#[test]
fn state_spaces_are_the_same() {
    let (one, noise) = (array![[1.0]], array![[0.5]]);
    let walk = LinearGaussian::new(array![0.0], one.clone(), one.clone(), array![[0.1]], one, noise).unwrap();
    let x = walk.sample(30, 1).unwrap().0;
    for back in through(&walk) {
        same(&back.smooth(&x).unwrap().means, &walk.smooth(&x).unwrap().means);
    }
    damaged(&walk);
    assert!(refused(&walk, "/emission_noise/data/0", -1.0).contains("noise"));
}

#[test]
fn networks_and_fields_are_the_same() {
    let net = BayesNet::new(&[
        Node::new("rain", 2).table(&[0.8, 0.2]),
        Node::new("wet", 2).given(&["rain"], &[1.0, 0.0, 0.2, 0.8]),
    ])
    .unwrap();
    for back in through(&net) {
        assert_eq!(back.query("rain", &[("wet", 1)]).unwrap(), net.query("rain", &[("wet", 1)]).unwrap());
        assert_eq!(back.sample(20, 3).unwrap(), net.sample(20, 3).unwrap());
    }
    damaged(&net);
    assert!(refused(&net, "/tables/1/log_values/0", -5.0).contains("sum to one"));
    assert!(refused(&net, "/dag/parents/0", vec![1]).contains("cycle"));
    assert!(refused(&net, "/sizes/0", 3).contains("rain"));
    let like = |a, b| Factor::new(&[a, b], &[2, 2], &[2.0, 0.0, 1.0, 2.0]).unwrap();
    let field = MarkovField::new(&[2; 3], vec![like(0, 1), like(1, 2)]).unwrap();
    for back in through(&field) {
        assert_eq!(back.enumerate().unwrap().marginals, field.enumerate().unwrap().marginals);
    }
    damaged(&field);
    assert!(refused(&field, "/sizes/0", 3).contains("table"));
    assert!(refused(&field, "/factors/0/log_values/0", "inf").contains("log entry"));
}

#[test]
fn machines_topics_and_classes_are_the_same() {
    let x = Array2::from_shape_fn((20, 6), |(i, j)| f64::from(u8::from((i % 2 == 0) == (j < 3))));
    let rbm = Rbm::new(2).passes(3).fit(&Device::cpu(), &x).unwrap();
    for back in through(&rbm) {
        same(&back.transform(&x).unwrap(), &rbm.transform(&x).unwrap());
    }
    let topics = TopicModel::new(2).max_iterations(3).fit(&Device::cpu(), &x).unwrap();
    for back in through(&topics) {
        same(&back.transform(&x).unwrap(), &topics.transform(&x).unwrap());
    }
    let classes = LatentClass::new(2).allow_missing(true).fit(&Device::cpu(), &x).unwrap();
    let holes = x.mapv(|v| if v == 0.0 { f64::NAN } else { v });
    for back in through(&classes) {
        same(&back.predict_proba(&holes).unwrap(), &classes.predict_proba(&holes).unwrap());
    }
    damaged(&classes);
    assert!(refused(&classes, "/params/probabilities/data/0", 0.5).contains("probabilities"));
}
