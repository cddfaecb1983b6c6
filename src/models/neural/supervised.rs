//! A network, rows and targets: the loss that supervised training minimises.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::loss::OutputLoss;
use super::network::Network;
use super::pass;
use super::resident::Resident;
use super::training::{Objective, Training};
use crate::{Device, Result};

/// `Σ_n w_n E(f(x_n), t_n)`.
pub(super) struct Supervised<'a> {
    /// Where to train, if there is enough to do.
    pub device: &'a Device,
    pub network: &'a Network,
    pub loss: OutputLoss,
    pub x: ArrayView2<'a, f64>,
    pub targets: ArrayView2<'a, f64>,
    pub weights: Option<ArrayView1<'a, f64>>,
}

impl Supervised<'_> {
    fn rows(&self, rows: &[usize]) -> (Array2<f64>, Array2<f64>, Option<ndarray::Array1<f64>>) {
        let weights = self.weights.map(|w| w.select(Axis(0), rows));
        (self.x.select(Axis(0), rows), self.targets.select(Axis(0), rows), weights)
    }
}

impl Objective for Supervised<'_> {
    fn batch(&self, parameters: &[f64], rows: &[usize], seed: u64) -> Result<(f64, Vec<f64>)> {
        let mut gradient = vec![0.0; parameters.len()];
        let value = self.batch_into(parameters, rows, seed, 1.0, &mut gradient)?;
        Ok((value, gradient))
    }

    fn batch_into(
        &self,
        parameters: &[f64],
        rows: &[usize],
        seed: u64,
        scale: f64,
        gradient: &mut [f64],
    ) -> Result<f64> {
        let (x, t, w) = self.rows(rows);
        let w = w.as_ref().map(|w| w.view());
        let tape = pass::record(self.network, parameters, x, Some(seed));
        let a = tape.output().view();
        let mut delta = self.loss.slope(a, t.view(), w);
        delta *= scale;
        pass::backward_into(self.network, parameters, &tape, delta, gradient);
        Ok(scale * self.loss.total(a, t.view(), w))
    }

    fn resident<'a>(
        &'a self,
        training: &'a Training,
        rows: usize,
        start: &[f64],
    ) -> Result<Option<Resident<'a>>> {
        let data = (self.x, self.targets, self.weights);
        Resident::new(training, self.device, (self.network, self.loss), data, rows, start)
    }

    fn loss(&self, parameters: &[f64], rows: &[usize]) -> Result<f64> {
        let (x, t, w) = self.rows(rows);
        let a = pass::forward(self.network, parameters, x.view());
        Ok(self.loss.total(a.view(), t.view(), w.as_ref().map(|w| w.view())))
    }
}
