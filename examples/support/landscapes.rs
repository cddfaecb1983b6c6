//! Functions to be minimised, as the literature has them, and two ways of doing it: `examples/bayes_opt.rs` shows how
//! they get on, `tests/bayes_opt/minima.rs` holds the first to it.

use std::f64::consts::PI;

use mercer::models::bayes_opt::BayesOptimiser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Branin's on `[-5, 10] x [0, 15]`: three minima of 0.397887.
pub fn branin(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    let bowl = b - 5.1 / (4.0 * PI * PI) * a * a + 5.0 / PI * a - 6.0;
    bowl * bowl + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * a.cos() + 10.0
}

/// Hartmann's on the unit cube of six dimensions: a minimum of -3.322368, and in another valley one of -3.203.
pub fn hartmann(x: &[f64]) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let bump = |i: usize| ALPHA[i] * (-(0..6).map(|j| A[i][j] * (x[j] - P[i][j]).powi(2)).sum::<f64>()).exp();
    -(0..4).map(bump).sum::<f64>()
}

/// A function to be minimised, in how many evaluations, and what counts as found.
pub struct Problem {
    pub name: &'static str,
    pub bounds: Vec<(f64, f64)>,
    pub f: fn(&[f64]) -> f64,
    pub minimum: f64,
    /// The standard deviation of what is added to each evaluation.
    pub noise: f64,
    pub evaluations: usize,
    /// Above the minimum.
    pub goal: f64,
}

pub fn problems() -> [Problem; 3] {
    let square = vec![(-5.0, 10.0), (0.0, 15.0)];
    let (name, f, minimum) = ("Branin", branin as fn(&[f64]) -> f64, 0.397_887_357_7);
    let plain = Problem { name, bounds: square.clone(), f, minimum, noise: 0.0, evaluations: 30, goal: 0.01 };
    let name = "Branin, noise of deviation 2";
    let noisy = Problem { name, bounds: square, f, minimum, noise: 2.0, evaluations: 40, goal: 1.0 };
    // Sixty points find the valley of the minimum or the one next to it, 0.12 above.
    let (name, f, minimum) = ("Hartmann 6", hartmann as fn(&[f64]) -> f64, -3.322_368_011_4);
    let bounds = vec![(0.0, 1.0); 6];
    let six = Problem { name, bounds, f, minimum, noise: 0.0, evaluations: 60, goal: 0.15 };
    [plain, six, noisy]
}

impl Problem {
    /// f at the point that a search in these bounds thinks best after each evaluation, less the minimum.
    pub fn regrets(&self, search: BayesOptimiser, seed: u64) -> mercer::Result<Vec<f64>> {
        let mut noise = ChaCha8Rng::seed_from_u64(1000 + seed);
        let mut search = search.seed(seed);
        let mut regrets = Vec::new();
        for _ in 0..self.evaluations {
            let x = search.ask()?;
            let e: f64 = StandardNormal.sample(&mut noise);
            search.tell(&x, (self.f)(&x) + self.noise * e)?;
            // The lowest of noisy observations is mostly luck; the posterior knows.
            let best =
                if self.noise > 0.0 { search.recommend()?.x } else { search.best().map_or(x, |(x, _)| x) };
            regrets.push((self.f)(&best) - self.minimum);
        }
        Ok(regrets)
    }

    /// The same for uniform points, of which the lowest observation is thought best.
    pub fn by_chance(&self, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(2000 + seed);
        let mut best = (f64::INFINITY, f64::INFINITY);
        let mut next = || {
            let x: Vec<f64> = self.bounds.iter().map(|(l, h)| l + (h - l) * rng.random::<f64>()).collect();
            let e: f64 = StandardNormal.sample(&mut rng);
            let truth = (self.f)(&x);
            if truth + self.noise * e < best.0 {
                best = (truth + self.noise * e, truth);
            }
            best.1 - self.minimum
        };
        (0..self.evaluations).map(|_| next()).collect()
    }
}

/// The middle value, or the upper one of the two.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
