//! Deep machines: one hidden layer is a restricted machine, conditionals and bounds against enumeration, pre-training.

use mercer::Device;
use mercer::models::energy::{DeepAutoencoder, DeepBoltzmann, FittedRbm, Rbm, Visible};
use ndarray::{Array1, array};

use crate::{all_states, near, patterns};

fn machine() -> DeepBoltzmann {
    DeepBoltzmann::new(
        vec![array![[0.8, -0.5], [0.3, 0.6], [-0.7, 0.2]], array![[0.9, -0.4], [-0.6, 1.1]]],
        vec![array![0.1, -0.2, 0.3], array![0.2, -0.1], array![-0.3, 0.4]],
    )
    .unwrap()
}

/// The log weight of a state of all three layers.
fn log_weight(m: &DeepBoltzmann, layers: &[Array1<f64>]) -> f64 {
    let biases: f64 = layers.iter().zip(m.biases()).map(|(z, b)| z.dot(b)).sum();
    biases + m.weights().iter().enumerate().map(|(l, w)| layers[l].dot(&w.dot(&layers[l + 1]))).sum::<f64>()
}

#[test]
fn one_hidden_layer_is_a_restricted_machine() {
    let (w, a, b) = (array![[0.5, -0.1], [-0.4, 0.3], [0.2, 0.6]], array![0.1, -0.2], array![0.2, -0.3, 0.4]);
    let rbm = FittedRbm::new(Visible::Bernoulli, w.clone(), a.clone(), b.clone()).unwrap();
    let deep = DeepBoltzmann::new(vec![w], vec![b, a]).unwrap();
    near(deep.log_partition().unwrap(), 4.0063741597, 1e-9);
    let x = array![1.0, 0.0, 1.0];
    near(deep.log_probability(x.view()).unwrap(), -1.3809182493, 1e-9);
    // Given x its hidden units are independent: mean field is exact.
    near(deep.elbo(x.view(), 1).unwrap(), -1.3809182493, 1e-9);
    let stacked = DeepBoltzmann::stacked(&[rbm]).unwrap();
    near(stacked.log_partition().unwrap(), 4.0063741597, 1e-9);
}

#[test]
fn sums_conditionals_and_bounds_are_those_of_enumeration() {
    let m = machine();
    let bits = all_states(7);
    let split = |r: ndarray::ArrayView1<f64>| {
        [(0, 3), (3, 5), (5, 7)].map(|(a, b)| r.slice(ndarray::s![a..b]).to_owned()).to_vec()
    };
    let states: Vec<(Vec<Array1<f64>>, f64)> =
        bits.rows().into_iter().map(split).map(|l| (l.clone(), log_weight(&m, &l).exp())).collect();
    let z: f64 = states.iter().map(|s| s.1).sum();
    near(m.log_partition().unwrap(), z.ln(), 1e-10);
    for x in all_states(3).rows() {
        let p: f64 = states.iter().filter(|(l, _)| l[0] == x).map(|s| s.1).sum::<f64>() / z;
        near(m.log_probability(x).unwrap(), p.ln(), 1e-10);
        // Mean field never lowers its bound, and stays below.
        let bounds: Vec<f64> = (0..6).map(|s| m.elbo(x, s).unwrap()).collect();
        assert!(bounds.windows(2).all(|w| w[1] >= w[0] - 1e-12) && bounds[5] <= p.ln());
    }
    let at = vec![array![1.0, 0.0, 1.0], array![0.0, 1.0], array![1.0, 1.0]];
    for l in 0..3 {
        let p = m.conditional(&at, l).unwrap();
        for i in 0..at[l].len() {
            let weight = |v: f64| {
                let mut own = at.clone();
                own[l][i] = v;
                log_weight(&m, &own).exp()
            };
            near(p[i], weight(1.0) / (weight(0.0) + weight(1.0)), 1e-12);
        }
    }
    // Gibbs sampling has the exact mean.
    let drawn = m.sample(8000, 40, 3).unwrap();
    for i in 0..3 {
        let want: f64 = states.iter().filter(|(l, _)| l[0][i] == 1.0).map(|s| s.1).sum::<f64>() / z;
        near(drawn.column(i).mean().unwrap(), want, 0.025);
    }
    assert!(DeepBoltzmann::new(vec![array![[1.0]]], vec![array![0.0]]).is_err());
    assert!(m.log_probability(array![1.0].view()).is_err());
}

/// Two machines, the second learned from the hidden units of the first: weights are halved, the bias of the layer that both
/// have is their mean.
#[test]
fn machines_are_stacked() {
    let (x, cpu) = (patterns(), Device::cpu());
    let below = Rbm::new(4).passes(300).seed(1).fit(&cpu, &x).unwrap();
    let above = Rbm::new(3).passes(300).seed(2).fit(&cpu, &below.transform(&x).unwrap()).unwrap();
    let deep = DeepBoltzmann::stacked(&[below.clone(), above.clone()]).unwrap();
    let half = |m: &FittedRbm| m.weights() * 0.5;
    assert_eq!(deep.weights(), [half(&below), half(&above)]);
    let shared = (below.hidden_bias() + above.visible_bias()) * 0.5;
    assert_eq!(deep.biases(), [below.visible_bias().clone(), shared, above.hidden_bias().clone()]);
    // What was learned is more probable than under random weights, or none.
    let log = |m: &DeepBoltzmann| -> f64 {
        x.rows().into_iter().map(|r| m.log_probability(r).unwrap()).sum::<f64>() / 40.0
    };
    let shapes = [(6, 4), (4, 3)];
    for (seed, size) in [(1, 0.0), (2, 0.1), (3, 1.0), (4, 1.0)] {
        let mut rng = mercer::random::Philox::new(seed, 0);
        let weights = shapes.map(|s| ndarray::Array2::from_shape_fn(s, |_| size * rng.normal()));
        let random = DeepBoltzmann::new(weights.to_vec(), deep.biases().to_vec()).unwrap();
        assert!(log(&deep) > log(&random), "{} {}", log(&deep), log(&random));
    }
    assert!(DeepBoltzmann::stacked(&[]).is_err());
    assert!(DeepBoltzmann::stacked(&[above.clone(), below]).is_err(), "three hidden units below six");
    let numbers = Rbm::new(2).visible(Visible::Gaussian).passes(1).fit(&cpu, &x).unwrap();
    assert!(DeepBoltzmann::stacked(&[numbers]).is_err(), "visible units are numbers");
}

#[test]
fn layers_that_were_trained_one_by_one_are_trained_together() {
    let (x, cpu) = (patterns(), Device::cpu());
    let deep = DeepAutoencoder::new(&[4, 2])
        .pretraining(Rbm::new(1).passes(300).rate(0.3))
        .iterations(300)
        .seed(3)
        .fit(&cpu, &x)
        .unwrap();
    let trace = &deep.report().trace;
    assert!(trace.windows(2).all(|w| w[1] <= w[0]) && deep.report().objective() < trace[0]);
    // The variance of six fair coins is 1.5: the two patterns are most of it.
    assert!(deep.report().objective() < 0.5, "{} to {}", trace[0], deep.report().objective());
    assert_eq!(deep.transform(&x).unwrap().dim(), (40, 2));
    let off = (deep.reconstruct(&x).unwrap() - &x).mapv(|v| v * v).sum() / 40.0;
    near(off, deep.report().objective(), 1e-9);
    // Pre-trained layers begin lower than random ones.
    let random = DeepAutoencoder::new(&[4, 2]).pretrain(false).iterations(0).seed(3).fit(&cpu, &x).unwrap();
    let ready = DeepAutoencoder::new(&[4, 2])
        .pretraining(Rbm::new(1).passes(300).rate(0.3))
        .iterations(0)
        .seed(3)
        .fit(&cpu, &x)
        .unwrap();
    assert!(ready.report().trace[0] < random.report().trace[0]);
    assert!(
        DeepAutoencoder::new(&[]).fit(&cpu, &x).is_err() && DeepAutoencoder::new(&[0]).fit(&cpu, &x).is_err()
    );
}
