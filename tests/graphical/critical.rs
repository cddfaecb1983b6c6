//! The critical coupling `½ log(1 + √2) = 0.44069`, estimated with a standard error.

use mercer::models::graphical::{Ising, Spins};
use ndarray::Array2;

const CRITICAL: f64 = 0.440_686_793_509_771_5;

/// Mean and standard error of independent estimates.
fn estimate(each: &[f64]) -> (f64, f64) {
    let n = each.len() as f64;
    let mean = each.iter().sum::<f64>() / n;
    let variance = each.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn lattice(coupling: f64, size: usize) -> Ising {
    Ising::new(coupling, Array2::zeros((size, size))).unwrap().periodic(true).unwrap()
}

/// All spins up: a strong field for one sweep.
fn up(size: usize, seed: u64) -> Spins {
    let strong = Ising::new(0.0, Array2::from_elem((size, size), 50.0)).unwrap();
    strong.sweep(&strong.start(seed), 1).unwrap()
}

/// Agreement and magnetisation of a chain.
type Chain = Vec<(f64, f64)>;

/// `1 - ⟨m⁴⟩ / 3⟨m²⟩²` at another coupling than that of the chains, by the weights `exp(Δη Σ z z)`.
fn cumulant(chains: &[&Chain], by: f64) -> f64 {
    let all = || chains.iter().flat_map(|c| c.iter());
    let centre = all().map(|s| s.0).sum::<f64>() / all().count() as f64;
    let (mut w, mut two, mut four) = (0.0, 0.0, 0.0);
    for (a, m) in all() {
        let p = (by * (a - centre)).exp();
        (w, two, four) = (w + p, two + p * m.powi(2), four + p * m.powi(4));
    }
    1.0 - four * w / (3.0 * two * two)
}

/// Binder's cumulants of two sizes cross where neither size matters: at the critical point.
#[test]
fn cumulants_of_two_sizes_cross_at_the_critical_coupling() {
    let (from, chains) = (0.44, 16);
    let run = |size: usize, every: usize, seed: u64| -> Chain {
        let ising = lattice(from, size);
        let mut spins = ising.sweep(&ising.start(seed), 40 * every).unwrap();
        let mut one = || {
            spins = ising.sweep(&spins, every).unwrap();
            (ising.agreement(spins.sites().view()), spins.magnetisation())
        };
        (0..400).map(|_| one()).collect()
    };
    let small: Vec<Chain> = (0..chains).map(|s| run(8, 10, s)).collect();
    let large: Vec<Chain> = (0..chains).map(|s| run(16, 20, 100 + s)).collect();
    let crossing = |left_out: Option<usize>| {
        let kept =
            |all: &'_ [Chain]| -> Vec<usize> { (0..all.len()).filter(|c| Some(*c) != left_out).collect() };
        let gap = |by: f64| {
            let pick = |all: &[Chain]| cumulant(&kept(all).iter().map(|c| &all[*c]).collect::<Vec<_>>(), by);
            pick(&large) - pick(&small)
        };
        // The larger lattice orders more steeply: the gap rises through zero.
        let (mut low, mut high) = (-0.02, 0.02);
        assert!(gap(low) < 0.0 && gap(high) > 0.0, "{} {}", gap(low), gap(high));
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            if gap(middle) < 0.0 { low = middle } else { high = middle }
        }
        from + low
    };
    // The jackknife over chains, which are independent.
    let whole = crossing(None);
    let n = chains as f64;
    let each: Vec<f64> = (0..chains as usize).map(|c| n * whole - (n - 1.0) * crossing(Some(c))).collect();
    let error = estimate(&each).1;
    println!("critical coupling {whole:.5} +- {error:.5}");
    assert!(error < 0.004, "{error}");
    assert!((whole - CRITICAL).abs() < 3.0 * error, "{whole} +- {error}");
}

/// On 256 x 256 below the critical temperature `m⁸ = 1 - (sinh 2η_c / sinh 2η)⁴`: what chains magnetise to gives `η_c`.
#[test]
fn the_magnetisation_of_a_large_lattice_gives_the_critical_coupling() {
    let coupling = 0.46;
    let ising = lattice(coupling, 256);
    let one = |seed: u64| {
        let mut spins = ising.sweep(&up(256, seed), 150).unwrap();
        let mut sum = 0.0;
        for _ in 0..10 {
            spins = ising.sweep(&spins, 15).unwrap();
            sum += spins.magnetisation() / 10.0;
        }
        0.5 * ((2.0 * coupling).sinh() * (1.0 - sum.powi(8)).powf(0.25)).asinh()
    };
    let each: Vec<f64> = (0..8).map(one).collect();
    let (mean, error) = estimate(&each);
    println!("critical coupling {mean:.5} +- {error:.5}");
    assert!(error < 0.001, "{error}");
    assert!((mean - CRITICAL).abs() < 3.0 * error, "{mean} +- {error}");
}
