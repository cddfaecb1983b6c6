//! The driver of EM with a model that is no part of the crate: a mixture of Poisson distributions, in parts.

use mercer::inference::em::{Em, EmModel, Mode, Statistics};
use mercer::learn::ranks::Ranks;
use mercer::saved::Wire;
use mercer::{Error, Result};

use super::{near, noise, shares};

struct Poisson;

/// For each component `Σ r`, `Σ r x`; then the log-likelihood.
#[derive(Clone)]
struct Sums(Vec<f64>);

impl Wire for Sums {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Wire::read(from).map(Sums)
    }
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += b);
    }

    fn scale(&mut self, by: f64) {
        self.0.iter_mut().for_each(|v| *v *= by);
    }

    fn mass(&self) -> f64 {
        self.0[0] + self.0[2]
    }
}

impl EmModel for Poisson {
    const NAME: &'static str = "Poisson";
    type Batch = Vec<f64>;
    /// A weight and a rate for each component.
    type Params = Vec<f64>;
    type Stats = Sums;

    fn expect(&self, at: &Vec<f64>, rows: &Vec<f64>) -> Result<Sums> {
        let mut sums = vec![0.0; 5];
        for x in rows {
            let p = [0, 2].map(|k| at[k] * (x * at[k + 1].ln() - at[k + 1]).exp());
            for k in [0, 2] {
                sums[k] += p[k / 2] / (p[0] + p[1]);
                sums[k + 1] += p[k / 2] / (p[0] + p[1]) * x;
            }
            sums[4] += (p[0] + p[1]).ln();
        }
        Ok(Sums(sums))
    }

    fn maximise(&self, _: &Vec<f64>, s: &Sums) -> Result<Vec<f64>> {
        let n = s.mass();
        Ok(vec![s.0[0] / n, s.0[1] / s.0[0], s.0[2] / n, s.0[3] / s.0[2]])
    }

    fn objective(&self, _: &Vec<f64>, s: &Sums) -> f64 {
        s.0[4]
    }
}

pub fn a_model_of_ones_own(ranks: &dyn Ranks) {
    let x: Vec<f64> = (0..80).map(|i| ((1 + 5 * (i % 2)) as f64 * (1.0 + noise(i, 80))).floor()).collect();
    let start = || Ok(vec![0.5, 1.5, 0.5, 6.0]);
    let em = Em::new().tolerance(1e-12);
    let whole = em.run(&Poisson, std::slice::from_ref(&x), |_| start()).unwrap();
    for own in shares(ranks, 80) {
        // Parts of ten rows: some ranks have many, one has none.
        let parts: Vec<Vec<f64>> = x[own].chunks(10).map(<[f64]>::to_vec).collect();
        let found = em.run_across(ranks, &Poisson, &parts, |_| start()).unwrap();
        near("rates", &found.params, &whole.params);
        near("objectives", &found.report.trace, &whole.report.trace);
        near("statistics", &found.stats.0, &whole.stats.0);
        // A part of every rank at a time: fewer steps, the same place to end at.
        let stepwise = em.clone().mode(Mode::Stepwise { delay: 2.0, decay: 0.7 }).max_iterations(3);
        let found = stepwise.run_across(ranks, &Poisson, &parts, |_| start()).unwrap();
        assert_eq!(found.report.iterations, 3);
    }
    // All begin where the first rank does, and what fails there fails on all.
    let parts = [x[shares(ranks, 80).remove(0)].to_vec()];
    let lead = ranks.rank() == 0;
    let elsewhere = |_| if lead { start() } else { Ok(vec![0.9, 3.0, 0.1, 3.1]) };
    near("one start", &em.run_across(ranks, &Poisson, &parts, elsewhere).unwrap().params, &whole.params);
    let fails = |_| if lead { Err(Error::Separable { op: "start" }) } else { start() };
    let error = em.run_across(ranks, &Poisson, &parts, fails).err().unwrap();
    let met = match &error {
        Error::OnRank { rank: 0, error } if ranks.size() > 1 => error,
        error => error,
    };
    assert!(matches!(met, Error::Separable { .. }), "{error}");
}
