//! Known minima in a stated number of evaluations, against random search. The example `bayes_opt` does it over 20 seeds.

use mercer::Device;
use mercer::models::bayes_opt::BayesOptimiser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{BRANIN, branin, hartmann};

fn best(bounds: &[(f64, f64)], f: impl Fn(&[f64]) -> f64, evaluations: usize, seed: u64) -> f64 {
    let mut search = BayesOptimiser::new(&Device::cpu(), bounds).unwrap().seed(seed);
    for _ in 0..evaluations {
        let x = search.ask().unwrap();
        search.tell(&x, f(&x)).unwrap();
    }
    search.best().unwrap().1
}

fn by_chance(bounds: &[(f64, f64)], f: impl Fn(&[f64]) -> f64, evaluations: usize, seed: u64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || bounds.iter().map(|(l, h)| l + (h - l) * rng.random::<f64>()).collect::<Vec<_>>();
    (0..evaluations).map(|_| f(&draw())).fold(f64::INFINITY, f64::min)
}

#[test]
fn branin_in_thirty_evaluations() {
    for seed in 0..3 {
        let found = best(&BRANIN, branin, 30, seed) - 0.397_887;
        assert!(found < 0.01, "seed {seed}: {found} above the minimum");
        let chance = by_chance(&BRANIN, branin, 30, seed) - 0.397_887;
        assert!(found < 0.2 * chance, "{found} against {chance}");
    }
}

/// Six dimensions, where chance is lost: sixty points find the valley of the minimum or the one next to it, 0.12 above.
#[test]
fn hartmann_in_sixty_evaluations() {
    let cube = [(0.0, 1.0); 6];
    for seed in 0..3 {
        let found = best(&cube, hartmann, 60, seed) + 3.322_368;
        let chance = by_chance(&cube, hartmann, 60, seed) + 3.322_368;
        println!("seed {seed}: {found:.4} above the minimum, {chance:.4} by chance");
        assert!(found < 0.15, "seed {seed}: {found} above the minimum");
        assert!(found < 0.2 * chance, "{found} against {chance}");
    }
}

/// A bowl of depth one under noise of standard deviation 0.3.
#[test]
fn a_noisy_bowl_in_forty_evaluations() {
    let f = |x: &[f64]| (x[0] - 0.6).powi(2) + (x[1] + 0.4).powi(2) - 1.0;
    for seed in 0..3 {
        let mut noise = ChaCha8Rng::seed_from_u64(100 + seed);
        let mut search = BayesOptimiser::new(&Device::cpu(), &[(-2.0, 2.0); 2]).unwrap().seed(seed);
        for _ in 0..40 {
            let x = search.ask().unwrap();
            let e: f64 = StandardNormal.sample(&mut noise);
            search.tell(&x, f(&x) + 0.3 * e).unwrap();
        }
        let found = search.recommend().unwrap();
        let truth = f(&found.x);
        assert!(truth < -0.9, "seed {seed}: {truth} at {:?}", found.x);
        // The lowest observation is luck; the recommendation knows better what it has found.
        assert!((found.mean - truth).abs() < (search.best().unwrap().1 - truth).abs());
        assert!((found.mean - truth).abs() < 4.0 * found.deviation);
    }
}
