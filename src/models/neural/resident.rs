//! Training where the data live: parameters, activations and the optimiser's state stay on the device, batches are gathered
//! there by a list of rows, and of epochs only their losses come back, when somebody wants to know them. Checked in
//! `tests/neural/devices.rs` against the CPU.
//!
//! A layer `W x + b` is one matrix `[W, b]`, outputs x (inputs + 1), and rows end with a 1: a product then adds the biases,
//! and the product that finds the gradient finds theirs.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};

use super::activation::Activation;
use super::layer::Kind;
use super::loss::OutputLoss;
use super::network::Network;
use super::training::Training;
use crate::matrix::{Origin, Points};
use crate::ops::{
    Along, Descending, Note, Output, Reduction, RowList, Shrinkage, Trans, Unit, gather_listed, gemm,
    output_loss_into, places, reduce, step, units, units_back,
};
use crate::{Device, Matrix, Result};

/// Columns of the matrix that holds an epoch's losses.
const WIDE: usize = 64;

/// A dense layer and the units after it.
struct Dense {
    at: Descending,
    unit: Unit,
}

/// A network on a device, with the rows that it learns from.
pub(super) struct Resident<'a> {
    training: &'a Training,
    weights: Option<ArrayView1<'a, f64>>,
    x: Matrix,
    targets: Matrix,
    output: Output,
    layers: Vec<Dense>,
    /// Zeros, as many as an epoch has losses.
    nothing: Matrix,
    best: Option<Vec<Matrix>>,
    steps: usize,
}

/// The widths and units of a network that is dense layers with biases and units between them; none for any other.
fn plain(network: &Network) -> Option<Vec<(usize, usize, Unit)>> {
    let mut found: Vec<(usize, usize, Unit)> = Vec::new();
    let mut open = false;
    for layer in &network.layers {
        match &layer.kind {
            Kind::Dense { inputs, outputs, bias: true, mask: None } => {
                found.push((*inputs, *outputs, Unit::Identity));
                open = true;
            }
            Kind::Activate { activation, .. } if open => {
                found.last_mut()?.2 = match activation {
                    Activation::Identity => Unit::Identity,
                    Activation::Sigmoid => Unit::Sigmoid,
                    Activation::Tanh => Unit::Tanh,
                    Activation::Relu => Unit::Relu,
                    Activation::Softplus => Unit::Softplus,
                    Activation::Step => Unit::Step,
                    Activation::Erf => return None,
                };
                open = false;
            }
            _ => return None,
        }
    }
    // Numbers of the last layer go to the loss as they are.
    found.last().filter(|last| last.2 == Unit::Identity)?;
    Some(found)
}

/// One more column.
fn with_column(a: ArrayView2<f64>, column: ArrayView1<f64>) -> Array2<f64> {
    concatenate![Axis(1), a, column.insert_axis(Axis(1))]
}

/// What a fit is of: inputs, targets and weights.
pub(super) type Data<'a> = (ArrayView2<'a, f64>, ArrayView2<'a, f64>, Option<ArrayView1<'a, f64>>);

impl<'a> Resident<'a> {
    /// The network on the device, at these parameters; none if the device has no verb for a layer or for the optimiser, if
    /// the work is too little for it or if f32 does not hold the data.
    pub fn new(
        training: &'a Training,
        device: &Device,
        (network, loss): (&Network, OutputLoss),
        (x, targets, weights): Data<'a>,
        rows: usize,
        start: &[f64],
    ) -> Result<Option<Self>> {
        let (Some(plain), Some(_)) = (plain(network), training.optimiser.verb(1)?) else { return Ok(None) };
        let n = x.nrows();
        // Two products back for each one ahead.
        let flops = 6.0 * start.len() as f64 * rows as f64 * training.epochs as f64;
        if !device.is_gpu() || start.iter().any(|v| v.abs() > f64::from(f32::MAX)) {
            return Ok(None);
        }
        let ones = ndarray::Array1::ones(n);
        let counted = weights.map_or(ones.view(), |w| w);
        let place = |a: ArrayView2<f64>, column: ArrayView1<f64>| {
            Points::new("network", device, with_column(a, column).view(), Origin::Fixed, flops)
        };
        let (x, targets) = (place(x, ones.view())?, place(targets, counted)?);
        if !x.device().is_gpu() || !targets.device().is_gpu() {
            return Ok(None);
        }
        let (mut layers, mut at) = (Vec::new(), 0);
        for (inputs, outputs, unit) in plain {
            let (weights, biases) = (at, at + inputs * outputs);
            let joined = Array2::from_shape_fn((outputs, inputs + 1), |(o, i)| {
                start[if i < inputs { weights + o * inputs + i } else { biases + o }]
            });
            at = biases + outputs;
            let up = |a: &Array2<f64>| Matrix::upload("network", device, a.view());
            let zero = Array2::zeros(joined.raw_dim());
            let at = Descending { parameters: up(&joined)?, first: up(&zero)?, second: up(&zero)? };
            layers.push(Dense { at, unit });
        }
        let nothing = zeros(device, 1)?;
        let output = match loss {
            OutputLoss::Gaussian => Output::Gaussian,
            OutputLoss::Bernoulli => Output::Bernoulli,
            OutputLoss::Softmax => Output::Softmax,
            OutputLoss::Poisson => Output::Poisson,
        };
        let (x, targets) = (x.matrix()?.clone(), targets.matrix()?.clone());
        let (best, steps) = (None, 0);
        Ok(Some(Resident { training, weights, x, targets, output, layers, nothing, best, steps }))
    }

    fn weight(&self, rows: &[usize]) -> f64 {
        self.weights.map_or(rows.len() as f64, |w| rows.iter().map(|&r| w[r]).sum())
    }

    /// The inputs of each layer, and the numbers of the last.
    fn forward(&self, x: Matrix) -> Result<(Vec<Matrix>, Matrix)> {
        let (mut inputs, mut now) = (Vec::with_capacity(self.layers.len()), x);
        for (i, layer) in self.layers.iter().enumerate() {
            let a = gemm(1.0, &now, Trans::No, &layer.at.parameters, Trans::Yes)?;
            inputs.push(now);
            if i + 1 == self.layers.len() {
                return Ok((inputs, a));
            }
            now = units(&a, layer.unit)?;
        }
        Ok((inputs, now))
    }

    /// One epoch over these batches: its mean loss with the penalty, as on the CPU, which stays on the device.
    pub fn epoch(&mut self, batches: &[Vec<usize>]) -> Result<Pending> {
        let (mut list, mut parts) = (Vec::new(), Vec::new());
        for rows in batches {
            let weight = self.weight(rows);
            if weight > 0.0 {
                parts.push((list.len()..list.len() + rows.len(), weight));
                list.extend(rows);
                list.resize(list.len().next_multiple_of(RowList::ALIGN), 0);
            }
        }
        let total: f64 = parts.iter().map(|(_, weight)| weight).sum();
        let list = RowList::new(&self.x, list)?;
        let need = list.rows().len() + self.layers.iter().map(|l| places(&l.at.parameters)).sum::<usize>();
        if need > self.nothing.rows() * WIDE {
            self.nothing = zeros(&self.x.device(), need)?;
        }
        let mut losses = self.nothing.copied()?;
        for (part, weight) in parts {
            let (x, t) = (
                gather_listed(&self.x, &list, part.clone())?,
                gather_listed(&self.targets, &list, part.clone())?,
            );
            self.batch(x, &t, (part.start, list.rows().len()), weight, &mut losses)?;
        }
        Ok(Pending { sums: sums(&losses)?, total })
    }

    /// One step by the rows of a batch, whose losses go to place `at` on and the penalties to place `notes` on.
    fn batch(
        &mut self,
        x: Matrix,
        t: &Matrix,
        (at, mut notes): (usize, usize),
        weight: f64,
        losses: &mut Matrix,
    ) -> Result<()> {
        self.steps += 1;
        let (inputs, a) = self.forward(x)?;
        let mut delta = output_loss_into(&a, t, self.output, 1.0 / weight, (losses, at))?;
        let kappa = self.training.weight_decay;
        let Some(rule) = self.training.optimiser.verb(self.steps)? else { return Ok(()) };
        for (i, z) in inputs.iter().enumerate().rev() {
            let gradient = gemm(1.0, &delta, Trans::Yes, z, Trans::No)?;
            if i > 0 {
                let back = gemm(1.0, &delta, Trans::No, &self.layers[i].at.parameters, Trans::No)?;
                delta = units_back(&back, z, self.layers[i - 1].unit)?;
            }
            let layer = &mut self.layers[i];
            let shrinkage = Shrinkage { decay: kappa, columns: z.cols() - 1 };
            let own = places(&layer.at.parameters);
            let note = Note { losses: &mut *losses, at: notes, scale: 0.5 * kappa * weight };
            step(rule, shrinkage, &mut layer.at, &gradient, (kappa > 0.0).then_some(note))?;
            notes += own;
        }
        Ok(())
    }

    /// The mean loss of rows that are held out.
    pub fn validate(&self, held: &[usize]) -> Result<f64> {
        let mut list = held.to_vec();
        list.resize(held.len().next_multiple_of(RowList::ALIGN), 0);
        let list = RowList::new(&self.x, list)?;
        let part = || 0..held.len();
        let (_, a) = self.forward(gather_listed(&self.x, &list, part())?)?;
        let (_, losses) =
            crate::ops::output_loss(&a, &gather_listed(&self.targets, &list, part())?, self.output, 0.0)?;
        let total = self.weight(held).max(1e-300);
        Ok(read(&[Pending { sums: sums(&losses)?, total }])?[0])
    }

    /// Keeps the parameters as they are now, on the device.
    pub fn keep(&mut self) -> Result<()> {
        self.best = Some(self.layers.iter().map(|l| l.at.parameters.copied()).collect::<Result<_>>()?);
        Ok(())
    }

    /// The parameters as the CPU orders them: those that were kept, if any were, or those of now.
    pub fn parameters(&self) -> Result<Vec<f64>> {
        let now: Vec<&Matrix> = match &self.best {
            Some(best) => best.iter().collect(),
            None => self.layers.iter().map(|l| &l.at.parameters).collect(),
        };
        let mut all = Vec::new();
        for joined in Matrix::to_arrays(&now)? {
            let (weights, bias) = joined.view().split_at(Axis(1), joined.ncols() - 1);
            all.extend(weights.iter().chain(bias));
        }
        Ok(all)
    }
}

/// Zeros, at least so many.
fn zeros(device: &Device, count: usize) -> Result<Matrix> {
    Matrix::upload("network", device, Array2::<f64>::zeros((count.div_ceil(WIDE), WIDE)).view())
}

/// A mean loss that is still on the device: sums of parts of it, and what their sum is divided by.
pub(super) struct Pending {
    sums: Matrix,
    total: f64,
}

/// These losses, in one read-back.
pub(super) fn read(pending: &[Pending]) -> Result<Vec<f64>> {
    let sums = Matrix::to_arrays(&pending.iter().map(|p| &p.sums).collect::<Vec<_>>())?;
    Ok(sums.iter().zip(pending).map(|(s, p)| s.sum() / p.total).collect())
}

/// Sums of all entries over columns, or of a single row; the rest is summed in f64.
fn sums(losses: &Matrix) -> Result<Matrix> {
    let along = if losses.rows() == 1 { Along::EachRow } else { Along::EachColumn };
    reduce(losses, along, Reduction::Sum)
}
