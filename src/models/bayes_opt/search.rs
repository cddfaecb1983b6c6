//! Bayesian optimisation of the settings of a model: what [`Guided`](crate::learn::Guided) asks. Checked in
//! `tests/learn/search.rs`.

use super::BayesOptimiser;
use crate::Result;
use crate::learn::Ask;

impl Ask for BayesOptimiser {
    fn ask(&mut self) -> Result<Vec<f64>> {
        BayesOptimiser::ask(self)
    }

    fn tell(&mut self, point: &[f64], cost: f64) -> Result<()> {
        BayesOptimiser::tell(self, point, cost)
    }

    fn forget(&mut self, point: &[f64]) {
        BayesOptimiser::forget(self, point);
    }
}
