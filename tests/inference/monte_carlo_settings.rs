//! Settings of chains by what they do: thinning, the acceptance that steps adapt to, temperatures that cross between modes.

use mercer::inference::monte_carlo::{
    HmcParams, McmcParams, Path, gibbs, hamiltonian, metropolis, parallel_tempering,
};
use ndarray::{Array2, Axis, array};

use crate::near;

fn normal(x: &[f64]) -> f64 {
    -0.5 * x.iter().map(|v| v * v).sum::<f64>()
}

/// Of every three sweeps after the burn-in the last is kept: the third, sixth, ... of the chain that keeps all.
#[test]
fn thinning_keeps_every_third_sweep() {
    let starts = array![[0.5, -1.0], [2.0, 0.0]];
    let all = McmcParams::new().samples(60).burn_in(7).seed(3);
    let few = all.clone().samples(20).thin(3);
    let walk = |p: &McmcParams| metropolis(&starts, 0.8, p, |x| Ok(normal(x))).unwrap();
    let draw = |p: &McmcParams| {
        gibbs(&starts, 2, p, |b, x, rng| {
            x[b] = 0.9 * x[1 - b] + rng.normal();
            Ok(())
        })
        .unwrap()
    };
    let temper =
        |p: &McmcParams| parallel_tempering(&starts, &[1.0, 3.0], 0.8, p, |x| Ok(normal(x))).unwrap().chains;
    for (whole, thin) in [(walk(&all), walk(&few)), (draw(&all), draw(&few)), (temper(&all), temper(&few))] {
        for (a, b) in whole.draws().iter().zip(thin.draws()) {
            assert_eq!(a.select(Axis(0), &(0..20).map(|i| 3 * i + 2).collect::<Vec<_>>()), b);
        }
    }
    assert_eq!(walk(&few).log_density()[0].len(), 20);
    assert!(metropolis(&starts, 0.8, &all.thin(0), |x| Ok(normal(x))).is_err());
}

/// Steps adapt until proposals of one leapfrog step are accepted as often as was asked for; those of paths that turn by
/// themselves, at least as often, and the more the higher the target.
#[test]
fn the_acceptance_is_the_target() {
    let density = |x: &[f64]| Ok((normal(x), x.iter().map(|v| -v).collect()));
    for path in [Path::Steps(1), Path::NoUTurn { depth: 5 }] {
        let mut before = 0.0;
        for target in [0.5, 0.7, 0.9] {
            let mcmc = McmcParams::new().samples(1500).burn_in(1500).seed(2);
            let params = HmcParams::new().path(path).target(target).mcmc(mcmc);
            let chains = hamiltonian(&Array2::<f64>::zeros((2, 20)), &params, density).unwrap();
            let share = 0.5 * (chains.acceptance()[0] + chains.acceptance()[1]);
            assert!(share > target - 0.05 && share > before, "{path:?}: {share} for {target}");
            if path == Path::Steps(1) {
                near(share, target, 0.05);
            }
            before = share;
        }
    }
    for target in [0.0, 1.0, f64::NAN] {
        assert!(hamiltonian(&array![[0.0]], &HmcParams::new().target(target), density).is_err());
    }
}

/// Weights 0.3 and 0.7 on two modes that are twelve standard deviations apart: a walk stays in the mode it starts in.
#[test]
fn temperatures_cross_between_modes() {
    let log = |x: &[f64]| {
        let part = |w: f64, m: f64| w.ln() - 0.5 * (x[0] - m).powi(2);
        let (a, b) = (part(0.3, -6.0), part(0.7, 6.0));
        Ok(a.max(b) + (-(a - b).abs()).exp().ln_1p())
    };
    let params = McmcParams::new().samples(20_000).burn_in(1000).seed(4);
    let right = |x: &Array2<f64>| x.iter().filter(|v| **v > 0.0).count() as f64 / x.len() as f64;
    let walk = metropolis(&array![[-6.0]], 1.0, &params, log).unwrap();
    assert_eq!(right(&walk.pooled()), 0.0);
    let starts = array![[-6.0], [-6.0]];
    let t = parallel_tempering(&starts, &[1.0, 3.0, 9.0, 27.0], 1.0, &params, log).unwrap();
    near(right(&t.chains.pooled()), 0.7, 0.06);
    // E x = 0.4 · 6, E x² = 37.
    near(t.chains.pooled().mean().unwrap(), 2.4, 0.7);
    near(t.chains.pooled().mapv(|v| v * v).mean().unwrap(), 37.0, 1.0);
}

/// A cold chain that stays where it was is said, though hotter ones move.
#[test]
fn a_cold_chain_that_never_moves_is_said() {
    let params = McmcParams::new().samples(50).burn_in(20).seed(1);
    // A needle in a plain: e⁻⁵⁰ at temperature 1, e^-½ at temperature 100.
    let needle = |x: &[f64]| Ok(if x[0].abs() < 1e-9 { 0.0 } else { -50.0 });
    let failed = parallel_tempering(&array![[0.0]], &[1.0, 100.0], 1.0, &params, needle).unwrap_err();
    assert!(failed.to_string().contains("smaller step"), "{failed}");
    assert!(parallel_tempering(&array![[0.0]], &[1.0, 100.0], 1e-9, &params, needle).is_ok());
}
