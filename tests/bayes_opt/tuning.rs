//! Tuning by Bayesian optimisation: the cross-validated risk of an estimator, minimised over its hyper-parameters.

use mercer::Device;
use mercer::models::bayes_opt::BayesOptimiser;
use mercer::models::linear::RidgeCv;

use crate::support::random;

/// Twelve evaluations of the leave-one-out risk of a ridge regression come as low as a grid of 161 penalties.
#[test]
fn the_penalty_of_a_ridge_is_that_of_a_fine_grid() {
    let x = random(40, 30, 1);
    let y = x.dot(&random(30, 1, 2)) + random(40, 1, 3) * 3.0;
    let risk = |exponent: f64| {
        let fit =
            RidgeCv::new(&[10f64.powf(exponent)]).fit(&mercer::Device::cpu(), x.view(), y.view()).unwrap();
        fit.scores()[[0, 0]]
    };
    let grid = (0..=160).map(|i| risk(-4.0 + 0.05 * f64::from(i))).fold(f64::INFINITY, f64::min);
    // The minimum is inside, and worth looking for.
    assert!(grid < 0.9 * risk(-4.0).min(risk(4.0)), "{grid}, {}, {}", risk(-4.0), risk(4.0));
    for seed in 0..5 {
        let mut search = BayesOptimiser::new(&Device::cpu(), &[(-4.0, 4.0)]).unwrap().seed(seed);
        for _ in 0..12 {
            let at = search.ask().unwrap();
            search.tell(&at, risk(at[0])).unwrap();
        }
        let (_, best) = search.best().unwrap();
        assert!(best <= 1.001 * grid, "seed {seed}: {best}, the grid {grid}");
    }
}
