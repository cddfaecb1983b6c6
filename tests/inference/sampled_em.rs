//! EM with a sampled and with a variational E-step, on the one driver: a mixture of two normals with one unknown mean each.

use mercer::inference::em::{Em, EmModel, Statistics};
use mercer::inference::monte_carlo::{CompleteData, MonteCarloEm};
use mercer::random::Philox;

use crate::near;

#[derive(Clone, Default, Debug)]
struct Sums {
    count: [f64; 2],
    total: [f64; 2],
    value: f64,
}

impl Statistics for Sums {
    fn add(&mut self, o: &Self) {
        (0..2).for_each(|k| {
            self.count[k] += o.count[k];
            self.total[k] += o.total[k];
        });
        self.value += o.value;
    }

    fn scale(&mut self, by: f64) {
        self.count.iter_mut().chain(&mut self.total).for_each(|v| *v *= by);
        self.value *= by;
    }

    fn mass(&self) -> f64 {
        self.count.iter().sum()
    }
}

fn means(s: &Sums) -> [f64; 2] {
    [s.total[0] / s.count[0].max(1e-9), s.total[1] / s.count[1].max(1e-9)]
}

/// The posterior of the first component.
fn posterior(m: &[f64; 2], x: f64) -> f64 {
    1.0 / (1.0 + (-0.5 * (x - m[1]).powi(2) + 0.5 * (x - m[0]).powi(2)).exp())
}

struct Mixture;

impl CompleteData for Mixture {
    const NAME: &'static str = "Mixture";
    type Batch = Vec<f64>;
    type Params = [f64; 2];
    type Stats = Sums;

    fn complete(&self, m: &[f64; 2], batch: &Vec<f64>, rng: &mut Philox) -> mercer::Result<Sums> {
        let mut s = Sums::default();
        for &x in batch {
            let k = usize::from(!rng.bernoulli(posterior(m, x)));
            s.count[k] += 1.0;
            s.total[k] += x;
            s.value -= 0.5 * (x - m[k]).powi(2);
        }
        Ok(s)
    }

    fn maximise(&self, _: &[f64; 2], s: &Sums) -> mercer::Result<[f64; 2]> {
        Ok(means(s))
    }

    fn objective(&self, _: &[f64; 2], s: &Sums) -> f64 {
        s.value
    }
}

/// The E-step with probabilities rounded to those of a coarser family of q: exact if `coarse` is false.
struct Variational {
    coarse: bool,
}

impl EmModel for Variational {
    const NAME: &'static str = "Variational";
    type Batch = Vec<f64>;
    type Params = [f64; 2];
    type Stats = Sums;

    fn expect(&self, m: &[f64; 2], batch: &Vec<f64>) -> mercer::Result<Sums> {
        let mut s = Sums::default();
        for &x in batch {
            let joint = [0, 1]
                .map(|k| 0.5f64.ln() - 0.5 * (x - m[k]).powi(2) - 0.5 * (2.0 * std::f64::consts::PI).ln());
            // Of the family {0.05, 0.5, 0.95} that q with the best bound, or the posterior itself.
            let bound = |p: f64| mercer::inference::variational::elbo(&[p, 1.0 - p], &joint).unwrap();
            let p = if self.coarse {
                [0.05, 0.5, 0.95].into_iter().max_by(|a, b| bound(*a).total_cmp(&bound(*b))).unwrap()
            } else {
                posterior(m, x)
            };
            s.count[0] += p;
            s.count[1] += 1.0 - p;
            s.total[0] += p * x;
            s.total[1] += (1.0 - p) * x;
            s.value += bound(p);
        }
        Ok(s)
    }

    fn maximise(&self, _: &[f64; 2], s: &Sums) -> mercer::Result<[f64; 2]> {
        Ok(means(s))
    }

    fn objective(&self, _: &[f64; 2], s: &Sums) -> f64 {
        s.value
    }
}

fn data() -> Vec<f64> {
    let mut rng = Philox::new(8, 0);
    (0..300).map(|i| if i % 2 == 0 { -1.5 } else { 1.5 } + rng.normal()).collect()
}

#[test]
fn many_draws_are_the_exact_step() {
    let parts = [data()];
    let exact =
        Em::new().tolerance(1e-10).run(&Variational { coarse: false }, &parts, |_| Ok([-0.5, 0.5])).unwrap();
    let sampled = MonteCarloEm::new(Mixture, 200, 1).unwrap();
    let found =
        Em::new().max_iterations(30).tolerance(0.0).run(&sampled, &parts, |_| Ok([-0.5, 0.5])).unwrap();
    (0..2).for_each(|k| near(found.params[k], exact.params[k], 0.03));
    assert!(MonteCarloEm::new(Mixture, 0, 1).is_err());
}

#[test]
fn a_variational_step_raises_its_bound_and_stays_below() {
    let parts = [data()];
    let run = |coarse| {
        Em::new().tolerance(1e-10).run(&Variational { coarse }, &parts, |_| Ok([-0.5, 0.5])).unwrap()
    };
    let (exact, coarse) = (run(false), run(true));
    assert!(coarse.report.trace.windows(2).all(|w| w[1] >= w[0] - 1e-9));
    assert!(coarse.objective() < exact.objective());
}

#[test]
fn parts_of_the_data_have_their_own_noise() {
    let sampled = MonteCarloEm::new(Mixture, 1, 1).unwrap();
    let once = Em::new().max_iterations(0);
    let one = once.run(&sampled, &[data()], |_| Ok([-0.5, 0.5])).unwrap();
    let two = once.run(&sampled, &[data(), data()], |_| Ok([-0.5, 0.5])).unwrap();
    near(two.stats.mass(), 2.0 * one.stats.mass(), 1e-12);
    // The same draws for both halves would be exactly twice those of one.
    assert!((two.stats.total[0] - 2.0 * one.stats.total[0]).abs() > 1e-6);
    let again = once.run(&sampled, &[data(), data()], |_| Ok([-0.5, 0.5])).unwrap();
    near(two.stats.total[0], again.stats.total[0], 0.0);
}
