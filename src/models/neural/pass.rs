//! Forward and backward through layers, exact in f64. Checked in `tests/neural/backward.rs` against finite differences.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::image::{Folded, fold, pool, spread, unfold};
use super::layer::{Kind, Layer, Pooling};
use super::network::{Gradient, Network};
use crate::random::uniforms;

/// What a forward pass leaves for the backward one.
#[derive(Debug, Clone)]
pub struct Tape {
    steps: Vec<Step>,
    output: Array2<f64>,
}

impl Tape {
    /// The outputs of the network, n x outputs.
    pub fn output(&self) -> &Array2<f64> {
        &self.output
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// The input.
    Input(Array2<f64>),
    /// The patches of all pictures.
    Patches(Folded),
    /// Where the largest of each window was.
    Largest(Vec<usize>),
    /// What each number was multiplied by; none where nothing happened.
    Kept(Option<Array2<f64>>),
    Branches(Vec<Tape>),
}

/// The matrix and the biases of a dense layer.
fn dense(parameters: &[f64], inputs: usize, outputs: usize, mask: Option<&[bool]>) -> Array2<f64> {
    let weight = |(o, i): (usize, usize)| {
        let at = o * inputs + i;
        if mask.is_none_or(|m| m[at]) { parameters[at] } else { 0.0 }
    };
    Array2::from_shape_fn((outputs, inputs), weight)
}

fn add_bias(y: &mut Array2<f64>, bias: &[f64]) {
    for mut row in y.rows_mut() {
        row.iter_mut().zip(bias).for_each(|(v, b)| *v += b);
    }
}

pub(super) fn forward(network: &Network, parameters: &[f64], x: ArrayView2<f64>) -> Array2<f64> {
    record(network, parameters, x.to_owned(), None).output
}

pub(super) fn record(network: &Network, parameters: &[f64], x: Array2<f64>, training: Option<u64>) -> Tape {
    let mut stream = 0;
    run(network, parameters, x, training, &mut stream)
}

fn run(
    network: &Network,
    parameters: &[f64],
    x: Array2<f64>,
    training: Option<u64>,
    stream: &mut u64,
) -> Tape {
    let (mut now, mut steps, mut at) = (x, Vec::with_capacity(network.layers.len()), 0);
    for layer in &network.layers {
        let own = &parameters[at..at + layer.parameters()];
        let (next, step) = one(layer, own, now, training, stream);
        steps.push(step);
        now = next;
        at += layer.parameters();
    }
    Tape { steps, output: now }
}

fn one(
    layer: &Layer,
    own: &[f64],
    x: Array2<f64>,
    training: Option<u64>,
    stream: &mut u64,
) -> (Array2<f64>, Step) {
    match &layer.kind {
        Kind::Dense { inputs, outputs, bias, mask } => {
            let mut y = x.dot(&dense(own, *inputs, *outputs, mask.as_deref()).t());
            if *bias {
                add_bias(&mut y, &own[inputs * outputs..]);
            }
            (y, Step::Input(x))
        }
        Kind::Activate { activation, .. } => (x.mapv(|a| activation.value(a)), Step::Input(x)),
        Kind::Convolution { filters, .. } => {
            let patches = unfold(layer, &x);
            let weights = layer.weights();
            let matrix =
                ArrayView2::from_shape((*filters, weights / filters), &own[..weights]).expect("its weights");
            let mut y = patches.rows.dot(&matrix.t());
            add_bias(&mut y, &own[weights..]);
            (patches.pictures(&y), Step::Patches(patches))
        }
        Kind::Pool { picture, size, pooling } => {
            let (y, largest) = pool(*picture, *size, *pooling, &x);
            (y, Step::Largest(largest))
        }
        Kind::Dropout { share, .. } => {
            *stream += 1;
            let Some(seed) = training.filter(|_| *share > 0.0) else { return (x, Step::Kept(None)) };
            let mut uniform = uniforms(seed, *stream);
            let kept = x.mapv(|_| if uniform() < *share { 0.0 } else { 1.0 / (1.0 - share) });
            (&x * &kept, Step::Kept(Some(kept)))
        }
        Kind::Sum { branches } => {
            let mut sum: Option<Array2<f64>> = None;
            let (mut tapes, mut at) = (Vec::new(), 0);
            for branch in branches {
                let tape = run(branch, &own[at..at + branch.parameters()], x.clone(), training, stream);
                sum = Some(match sum {
                    None => tape.output.clone(),
                    Some(sum) => sum + &tape.output,
                });
                tapes.push(tape);
                at += branch.parameters();
            }
            (sum.unwrap_or(x), Step::Branches(tapes))
        }
    }
}

pub(super) fn backward(
    network: &Network,
    parameters: &[f64],
    tape: &Tape,
    delta: ArrayView2<f64>,
) -> Gradient {
    let mut gradient = vec![0.0; network.parameters()];
    let (mut delta, mut end) = (delta.to_owned(), gradient.len());
    for (layer, step) in network.layers.iter().zip(&tape.steps).rev() {
        let start = end - layer.parameters();
        delta = back(layer, &parameters[start..end], step, delta, &mut gradient[start..end]);
        end = start;
    }
    Gradient { parameters: gradient, inputs: delta }
}

/// δ by the input of a layer; its parameters' gradient is added to `gradient`.
fn back(layer: &Layer, own: &[f64], step: &Step, delta: Array2<f64>, gradient: &mut [f64]) -> Array2<f64> {
    match (&layer.kind, step) {
        (Kind::Dense { inputs, outputs, bias, mask }, Step::Input(x)) => {
            let by_weights = delta.t().dot(x);
            for (at, (g, d)) in gradient.iter_mut().zip(&by_weights).enumerate() {
                if mask.as_ref().is_none_or(|m| m[at]) {
                    *g += d;
                }
            }
            if *bias {
                let sums = delta.sum_axis(Axis(0));
                gradient[inputs * outputs..].iter_mut().zip(&sums).for_each(|(g, d)| *g += d);
            }
            delta.dot(&dense(own, *inputs, *outputs, mask.as_deref()))
        }
        (Kind::Activate { activation, .. }, Step::Input(a)) => {
            let mut delta = delta;
            delta.zip_mut_with(a, |d, a| *d *= activation.slope(*a));
            delta
        }
        (Kind::Convolution { filters, .. }, Step::Patches(patches)) => {
            let weights = layer.weights();
            let matrix =
                ArrayView2::from_shape((*filters, weights / filters), &own[..weights]).expect("its weights");
            let by_place = patches.places(&delta);
            let by_weights = by_place.t().dot(&patches.rows);
            gradient[..weights].iter_mut().zip(&by_weights).for_each(|(g, d)| *g += d);
            let sums = by_place.sum_axis(Axis(0));
            gradient[weights..].iter_mut().zip(&sums).for_each(|(g, d)| *g += d);
            fold(layer, &by_place.dot(&matrix), delta.nrows())
        }
        (Kind::Pool { picture, size, pooling }, Step::Largest(largest)) => {
            spread(*picture, *size, (*pooling == Pooling::Max).then_some(largest), &delta)
        }
        (Kind::Dropout { .. }, Step::Kept(Some(kept))) => delta * kept,
        (Kind::Sum { branches }, Step::Branches(tapes)) => {
            let mut sum = Array2::zeros((delta.nrows(), layer.inputs()));
            let mut at = 0;
            for (branch, tape) in branches.iter().zip(tapes) {
                let end = at + branch.parameters();
                let part = backward(branch, &own[at..end], tape, delta.slice(s![.., ..]));
                gradient[at..end].iter_mut().zip(&part.parameters).for_each(|(g, d)| *g += d);
                sum += &part.inputs;
                at = end;
            }
            sum
        }
        // A layer that left nothing changed nothing.
        _ => delta,
    }
}
