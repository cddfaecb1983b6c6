//! The minimum of a function drawn from the posterior.

use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::gp::GpRegressor;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, concatenate};

use crate::support::adapters;
use crate::{BRANIN, branin};

/// After the hypercube.
fn begun(device: &Device, seed: u64) -> BayesOptimiser {
    let mut search = BayesOptimiser::new(device, &BRANIN).unwrap().thompson_sampling().seed(seed);
    for x in search.ask_batch(6).unwrap().rows() {
        search.tell(x.as_slice().unwrap(), branin(x.as_slice().unwrap())).unwrap();
    }
    search
}

/// The scores are the function that is drawn, and no point of a grid is below what is asked for.
#[test]
fn what_is_asked_for_is_the_minimum_of_what_was_drawn() {
    for seed in 0..5 {
        let x = begun(&Device::cpu(), seed).ask().unwrap();
        let grid = Array2::from_shape_fn((961, 2), |(i, f)| {
            let at = if f == 0 { i / 31 } else { i % 31 } as f64 / 30.0;
            BRANIN[f].0 + at * (BRANIN[f].1 - BRANIN[f].0)
        });
        let asked = Array2::from_shape_fn((1, 2), |(_, f)| x[f]);
        let all = concatenate(Axis(0), &[asked.view(), grid.view()]).unwrap();
        let scores = begun(&Device::cpu(), seed).scores(all.view()).unwrap();
        let least = scores[1..].iter().fold(f64::MAX, |m, v| m.min(*v));
        // A climb into a corner of the box ends a millionth before it.
        assert!(scores[0] <= least + 1e-4, "seed {seed}: {} at {x:?}, {least} on a grid", scores[0]);
        // In the units of the observations: on Branin they go from 0 to 300.
        assert!(scores.iter().any(|s| *s > 20.0) && scores[0] < 20.0, "{:?}", scores[0]);
    }
}

/// Every point of a batch is the minimum of another function, and none of them depends on those that are pending.
#[test]
fn a_batch_needs_no_believer() {
    let batch = begun(&Device::cpu(), 3).ask_batch(8).unwrap();
    let mut one = begun(&Device::cpu(), 3);
    for (i, row) in batch.rows().into_iter().enumerate() {
        let x = one.ask().unwrap();
        assert_eq!(x, row.to_vec(), "the same seed, the same points");
        assert!(one.forget(&x));
        for other in batch.rows().into_iter().skip(i + 1) {
            let apart = row.iter().zip(other).any(|(a, b)| (a - b).abs() > 1e-6);
            assert!(apart, "{row} twice");
        }
    }
    assert_ne!(begun(&Device::cpu(), 4).ask().unwrap(), batch.row(0).to_vec());
}

#[test]
fn a_kernel_without_frequencies_is_refused() {
    let model = GpRegressor::new(Kernel::linear() + Kernel::rbf(0.5)).noise(1e-3);
    let mut search = BayesOptimiser::new(&Device::cpu(), &[(0.0, 1.0)]).unwrap().model(model).initial(1);
    search = search.thompson_sampling();
    search.tell(&[0.5], 1.0).unwrap();
    search.tell(&[0.7], 2.0).unwrap();
    let e = search.ask();
    assert!(matches!(e, Err(Error::Unsupported { .. })), "{e:?}");
    assert!(search.pending().is_empty());
}

/// The function of the CPU: its minimum is found to what the climbs stop at.
#[test]
fn every_adapter_asks_for_the_same_point() {
    // Nothing is left to learn.
    let kernel = 1.0 * Kernel::matern52([0.4, 0.6]);
    let fixed = kernel.params().iter().fold(kernel.clone(), |k, p| k.fixed(&p.name).unwrap());
    let model = GpRegressor::new(fixed).noise(1e-3).fixed_noise();
    let ask = |device: &Device| {
        let mut search = BayesOptimiser::new(device, &BRANIN).unwrap().model(model.clone());
        search = search.thompson_sampling().seed(5);
        for x in search.ask_batch(6).unwrap().rows() {
            search.tell(x.as_slice().unwrap(), branin(x.as_slice().unwrap())).unwrap();
        }
        search.ask().unwrap()
    };
    let want = ask(&Device::cpu());
    for device in adapters() {
        let got = ask(device);
        let off = got.iter().zip(&want).fold(0f64, |m, (g, w)| m.max((g - w).abs()));
        assert!(off < 1e-3, "{got:?} instead of {want:?} on {device}");
    }
}
