//! A network, rows and targets: the loss that supervised training minimises.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::loss::OutputLoss;
use super::network::Network;
use super::pass;
use super::training::Objective;
use crate::Result;

/// `Σ_n w_n E(f(x_n), t_n)`.
pub(super) struct Supervised<'a> {
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
        let (x, t, w) = self.rows(rows);
        let w = w.as_ref().map(|w| w.view());
        let tape = pass::record(self.network, parameters, x, Some(seed));
        let a = tape.output().view();
        let delta = self.loss.delta(a, t.view(), w);
        let gradient = pass::backward(self.network, parameters, &tape, delta.view()).parameters;
        Ok((self.loss.value(a, t.view(), w), gradient))
    }

    fn loss(&self, parameters: &[f64], rows: &[usize]) -> Result<f64> {
        let (x, t, w) = self.rows(rows);
        let a = pass::forward(self.network, parameters, x.view());
        Ok(self.loss.value(a.view(), t.view(), w.as_ref().map(|w| w.view())))
    }
}
