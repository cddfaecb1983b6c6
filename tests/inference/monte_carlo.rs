//! Chains: Kolmogorov and Smirnov's distance to the target, Geweke's z, detailed balance, and steps that fail.

use std::ops::ControlFlow;

use mercer::inference::monte_carlo::{
    HmcParams, McmcParams, Path, SliceParams, gibbs, hamiltonian, metropolis, metropolis_hastings,
    parallel_tempering, slice_chains,
};
use mercer::{Error, Progress};
use ndarray::{Array2, array};

use crate::{distance, near, normal_cdf};

/// Two correlated normal variables of variance one.
const R: f64 = 0.6;

fn pair(x: &[f64]) -> (f64, Vec<f64>) {
    let g = vec![-(x[0] - R * x[1]) / (1.0 - R * R), -(x[1] - R * x[0]) / (1.0 - R * R)];
    (0.5 * (x[0] * g[0] + x[1] * g[1]), g)
}

/// Every tenth sample of the first variable, which are nearly independent, and both tests on them.
fn passes(chains: &mercer::inference::monte_carlo::Chains, thin: usize) {
    for j in 0..2 {
        let x: Vec<f64> = chains.pooled().column(j).iter().step_by(thin).copied().collect();
        let gap = distance(&x, normal_cdf) * (x.len() as f64).sqrt();
        assert!(gap < 1.63, "variable {j}: {gap}");
    }
    assert!(chains.r_hat().iter().all(|r| *r < 1.02), "{}", chains.r_hat());
    assert!(chains.geweke().iter().flatten().all(|z| z.abs() < 4.0));
}

#[test]
fn gibbs_passes_both_tests() {
    let params = McmcParams::new().samples(8000).seed(3);
    let starts = array![[0.0, 0.0], [3.0, -3.0]];
    let chains = gibbs(&starts, 2, &params, |b, x, rng| {
        x[b] = R * x[1 - b] + (1.0 - R * R).sqrt() * rng.normal();
        Ok(())
    })
    .unwrap();
    passes(&chains, 8);
    let x = chains.pooled();
    near(x.column(0).dot(&x.column(1)) / x.nrows() as f64, R, 0.05);
    let again = gibbs(&starts, 2, &params, |b, x, rng| {
        x[b] = R * x[1 - b] + (1.0 - R * R).sqrt() * rng.normal();
        Ok(())
    });
    assert_eq!(again.unwrap().pooled(), x);
}

#[test]
fn hamiltonian_passes_both_tests() {
    let starts = array![[0.0, 0.0], [2.0, -2.0]];
    for (path, step, thin) in [(Path::Steps(8), 0.25, 5), (Path::NoUTurn { depth: 6 }, 0.1, 3)] {
        let params = HmcParams::new().path(path).step(step).mcmc(McmcParams::new().samples(4000).seed(5));
        let chains = hamiltonian(&starts, &params, |x| Ok(pair(x))).unwrap();
        passes(&chains, thin);
        assert!(chains.acceptance().iter().all(|a| *a > 0.6 && *a <= 1.0), "{:?}", chains.acceptance());
    }
}

#[test]
fn metropolis_slice_and_tempering_pass_too() {
    let starts = array![[0.0, 0.0], [2.0, -2.0]];
    let chains =
        metropolis(&starts, 1.5, &McmcParams::new().samples(20_000).seed(1), |x| Ok(pair(x).0)).unwrap();
    passes(&chains, 40);
    let slices = SliceParams::new().samples(4000).burn_in(100).thin(1).seed(2);
    let bounds = [(f64::NEG_INFINITY, f64::INFINITY); 2];
    passes(&slice_chains(&starts, &bounds, &slices, |x| Ok(pair(x).0)).unwrap(), 8);
    let params = McmcParams::new().samples(12_000).seed(4);
    let t = parallel_tempering(&starts, &[1.0, 2.0, 4.0], 1.5, &params, |x| Ok(pair(x).0)).unwrap();
    passes(&t.chains, 30);
    assert!(t.exchanges.iter().all(|e| *e > 0.2 && *e < 1.0));
}

#[test]
fn metropolis_hastings_is_in_detailed_balance_on_a_small_chain() {
    // Three states of weights 1, 2, 5, by a lopsided proposal.
    let weights = [1.0, 2.0, 5.0];
    let q = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.3, 0.3, 0.4f64]];
    let params = McmcParams::new().samples(60_000).seed(6);
    let chains = metropolis_hastings(
        &array![[0.0]],
        &params,
        |x, rng| {
            let from = x[0] as usize;
            let to = rng.categorical(&q[from]);
            (vec![to as f64], (q[to][from] / q[from][to]).ln())
        },
        |x| Ok(f64::ln(weights[x[0] as usize])),
    )
    .unwrap();
    let x = chains.pooled();
    let mut flow = Array2::<f64>::zeros((3, 3));
    let mut share = [0.0; 3];
    let path: Vec<usize> = x.iter().map(|v| *v as usize).collect();
    path.windows(2).for_each(|w| flow[[w[0], w[1]]] += 1.0);
    for s in &path {
        share[*s] += 1.0 / path.len() as f64;
    }
    for i in 0..3 {
        near(share[i], weights[i] / 8.0, 0.01);
        for j in 0..i {
            let (a, b) = (flow[[i, j]], flow[[j, i]]);
            assert!((a - b).abs() < 4.0 * (a + b).sqrt(), "{i} and {j}: {a} and {b}");
        }
    }
}

#[test]
fn what_fails_is_said() {
    let params = McmcParams::new().samples(50).burn_in(10);
    let narrow = |x: &[f64]| Ok(if x[0].abs() < 1e-9 { 0.0 } else { f64::NEG_INFINITY });
    let failed = metropolis(&array![[0.0]], 1.0, &params, narrow).unwrap_err();
    assert!(failed.to_string().contains("smaller step"), "{failed}");
    let wild = HmcParams::new().adapt(false).step(1e6).path(Path::Steps(3)).mcmc(params.clone());
    let failed = hamiltonian(&array![[0.0, 0.1]], &wild, |x| Ok(pair(x))).unwrap_err();
    assert!(failed.to_string().contains("smaller step"), "{failed}");
    assert!(metropolis(&array![[0.0]], 0.0, &params, |_| Ok(0.0)).is_err());
    assert!(metropolis(&array![[f64::NAN]], 1.0, &params, |_| Ok(0.0)).is_err());
    assert!(metropolis(&array![[0.0]], 1.0, &params, |_| Ok(f64::NEG_INFINITY)).is_err());
    assert!(metropolis(&array![[0.0]], 1.0, &params.clone().samples(0), |_| Ok(0.0)).is_err());
    assert!(metropolis(&array![[0.0]], 1.0, &params.clone().samples(usize::MAX), |_| Ok(0.0)).is_err());
    assert!(parallel_tempering(&array![[0.0]], &[1.0, 0.5], 1.0, &params, |_| Ok(0.0)).is_err());
    let stop = Progress::new(|s| if s.made < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
    let stopped = metropolis(&array![[0.0]], 1.0, &params.progress(stop), |_| Ok(0.0));
    assert!(matches!(stopped, Err(Error::Cancelled { .. })));
}

/// Neal's funnel: its neck is too narrow for the step that suits its mouth. A normal distribution has nowhere to diverge.
#[test]
fn divergences_are_counted() {
    let funnel = |x: &[f64]| {
        let (v, rest) = (x[0], &x[1..]);
        let squares: f64 = rest.iter().map(|x| x * x).sum();
        let n = rest.len() as f64;
        let mut gradient = vec![-v / 9.0 - 0.5 * n + 0.5 * (-v).exp() * squares];
        gradient.extend(rest.iter().map(|x| -x * (-v).exp()));
        Ok((-v * v / 18.0 - 0.5 * n * v - 0.5 * (-v).exp() * squares, gradient))
    };
    let short = McmcParams::new().samples(300).burn_in(50).seed(5);
    let params = HmcParams::new().mcmc(short.clone()).adapt(false).step(0.9);
    let starts = Array2::from_elem((2, 6), 1.0);
    let chains = hamiltonian(&starts, &params, funnel).unwrap();
    assert_eq!(chains.divergences().len(), 2);
    assert!(chains.divergences().iter().sum::<usize>() > 0, "{:?}", chains.divergences());
    let fixed = params.clone().path(Path::Steps(20));
    assert!(hamiltonian(&starts, &fixed, funnel).unwrap().divergences().iter().sum::<usize>() > 0);
    let round = |x: &[f64]| Ok((-0.5 * x.iter().map(|v| v * v).sum::<f64>(), x.iter().map(|v| -v).collect()));
    let chains = hamiltonian(&starts, &HmcParams::new().mcmc(short), round).unwrap();
    assert_eq!(chains.divergences(), [0, 0]);
}
