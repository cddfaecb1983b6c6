//! Diagnostics on chains whose answers are known.

use mercer::inference::monte_carlo::Chains;
use mercer::random::Philox;
use ndarray::Array2;

use crate::near;

/// `x_t = a x_{t-1}` and noise, of variance one, around a centre.
fn autoregression(a: f64, n: usize, stream: u64, centre: f64) -> Array2<f64> {
    let mut rng = Philox::new(9, stream);
    let mut x = rng.normal();
    Array2::from_shape_fn((n, 1), |_| {
        x = a * x + (1.0 - a * a).sqrt() * rng.normal();
        x + centre
    })
}

#[test]
fn effective_size_of_an_autoregression() {
    let n = 20_000;
    for a in [0.0, 0.5, 0.9] {
        let chains = Chains::new((0..2).map(|c| autoregression(a, n, c, 0.0)).collect()).unwrap();
        let want = 2.0 * n as f64 * (1.0 - a) / (1.0 + a);
        let got = chains.effective_size()[0];
        near(got / want, 1.0, 0.15);
        near(chains.standard_error()[0], (chains.variance()[0] / got).sqrt(), 1e-12);
        assert!(chains.mean()[0].abs() < 4.0 * chains.standard_error()[0]);
        let rho = chains.autocorrelation(0, 0, 3).unwrap();
        (0..4).for_each(|k| near(rho[k as usize], f64::powi(a, k), 0.05));
        assert!(chains.geweke().iter().all(|z| z[0].abs() < 3.0));
    }
}

#[test]
fn r_hat_tells_chains_that_have_not_met() {
    let together = Chains::new((0..4).map(|c| autoregression(0.3, 1000, c, 0.0)).collect()).unwrap();
    near(together.r_hat()[0], 1.0, 0.01);
    let apart = Chains::new((0..4).map(|c| autoregression(0.3, 1000, c, c as f64)).collect()).unwrap();
    assert!(apart.r_hat()[0] > 1.3);
    // A drift within each chain is seen by their halves.
    let drift = |c: u64| {
        autoregression(0.3, 1000, c, 0.0) + Array2::from_shape_fn((1000, 1), |(t, _)| t as f64 / 250.0)
    };
    let drifting = Chains::new((0..4).map(drift).collect()).unwrap();
    assert!(drifting.r_hat()[0] > 1.3 && drifting.geweke()[0][0].abs() > 3.0);
    assert!(Chains::new(vec![]).is_err());
    assert!(together.autocorrelation(4, 0, 1).is_err());
}
