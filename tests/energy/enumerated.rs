//! Any energy: normalised, blind to constants, its gradient that of differences.

use mercer::models::energy::EnergyModel;

use crate::near;

fn energy(x: usize, eta: &[f64]) -> (f64, Vec<f64>) {
    // Two cliques, one of them not linear in its parameter.
    let v = x as f64;
    let bend = (eta[1] * v).sin();
    (eta[0] * (v - 2.0).powi(2) + bend, vec![(v - 2.0).powi(2), v * (eta[1] * v).cos()])
}

#[test]
fn phases_make_the_gradient() {
    let model = EnergyModel::new(6, energy).unwrap();
    let (data, eta) = ([0, 2, 2, 3, 5], [0.4, 0.7]);
    near(model.probabilities(&eta).unwrap().iter().sum(), 1.0, 1e-12);
    let shifted = EnergyModel::new(6, |x, eta: &[f64]| (energy(x, eta).0 + 7.0, energy(x, eta).1)).unwrap();
    for (a, b) in model.probabilities(&eta).unwrap().iter().zip(shifted.probabilities(&eta).unwrap()) {
        near(*a, b, 1e-12);
    }
    let (_, g) = model.gradient(&data, &eta).unwrap();
    for k in 0..2 {
        let at = |h: f64| {
            let mut e = eta;
            e[k] += h;
            model.gradient(&data, &e).unwrap().0
        };
        near(g[k], (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8);
    }
    assert!(model.gradient(&[6], &eta).is_err() && model.gradient(&[], &eta).is_err());
    assert!(EnergyModel::new(0, energy).is_err());
    assert!(EnergyModel::new(2, |_, _: &[f64]| (f64::NAN, vec![])).unwrap().probabilities(&[]).is_err());
}

/// The likelihood of a state whose probability underflows is finite, and its gradient that of differences.
#[test]
fn improbable_states_have_a_likelihood() {
    let model = EnergyModel::new(2, |x, eta: &[f64]| (eta[0] * x as f64, vec![x as f64])).unwrap();
    let at = |eta: f64| model.gradient(&[1], &[eta]).unwrap();
    near(at(1000.0).0, -1000.0, 1e-12);
    near(at(1000.0).1[0], at(1000.5).0 - at(999.5).0, 1e-9);
    let wall =
        EnergyModel::new(2, |x, _: &[f64]| (if x == 1 { f64::INFINITY } else { 0.0 }, vec![])).unwrap();
    assert!(wall.gradient(&[1], &[]).is_err());
}
