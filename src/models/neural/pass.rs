//! Forward and backward through layers, exact in f64. Checked in `tests/neural/backward.rs` against finite differences.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, CowArray, Ix2};

use super::image::{Folded, fold, pool, spread, unfold};
use super::layer::{Kind, Layer, Pooling};
use super::network::{Gradient, Network};
use crate::host::memory::room;
use crate::ops::product;
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

    /// Whether a forward pass of this network has left it.
    pub(super) fn is_of(&self, network: &Network) -> bool {
        let n = self.output.nrows();
        let one = |(step, layer): (&Step, &Layer)| match (&layer.kind, step) {
            (Kind::Dense { .. } | Kind::Activate { .. }, Step::Input(x)) => x.dim() == (n, layer.inputs()),
            (Kind::Convolution { filters, .. }, Step::Patches(patches)) => {
                let places = layer.outputs() / filters;
                patches.rows.dim() == (n * places, (layer.weights() / filters))
            }
            (Kind::Pool { pooling: Pooling::Max, .. }, Step::Largest(at)) => at.len() == n * layer.outputs(),
            (Kind::Pool { pooling: Pooling::Mean, .. }, Step::Largest(_)) => true,
            (Kind::Dropout { width, .. }, Step::Kept(kept)) => {
                kept.as_ref().is_none_or(|k| k.dim() == (n, *width))
            }
            (Kind::Sum { branches }, Step::Branches(tapes)) => {
                branches.len() == tapes.len() && branches.iter().zip(tapes).all(|(b, t)| t.is_of(b))
            }
            _ => false,
        };
        self.output.ncols() == network.outputs()
            && self.steps.len() == network.layers.len()
            && self.steps.iter().zip(&network.layers).all(one)
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

/// The matrix of a dense layer, outputs x inputs: the parameters themselves unless some are masked.
fn matrix<'a>(
    own: &'a [f64],
    inputs: usize,
    outputs: usize,
    mask: Option<&[bool]>,
) -> CowArray<'a, f64, Ix2> {
    let weights = ArrayView2::from_shape((outputs, inputs), &own[..inputs * outputs]).expect("its weights");
    let Some(mask) = mask else { return weights.into() };
    let mut kept = weights.to_owned();
    kept.iter_mut().zip(mask).filter(|(_, kept)| !**kept).for_each(|(w, _)| *w = 0.0);
    kept.into()
}

/// `A B`.
fn times(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut out = room(a.nrows(), b.ncols());
    product(1.0, a, b, 0.0, out.view_mut());
    out
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
            let mut y = times(x.view(), matrix(own, *inputs, *outputs, mask.as_deref()).t());
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
            let mut y = times(patches.rows.view(), matrix.t());
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
    let inputs = walk(network, parameters, tape, delta.to_owned(), &mut gradient, true);
    Gradient { parameters: gradient, inputs }
}

/// The gradient by parameters alone, in room that is given: what training needs, without the product that finds the
/// gradient by inputs.
pub(super) fn backward_into(
    network: &Network,
    parameters: &[f64],
    tape: &Tape,
    delta: Array2<f64>,
    gradient: &mut [f64],
) {
    walk(network, parameters, tape, delta, gradient, false);
}

/// δ by the inputs, of no meaning unless they are `wanted`; `gradient` becomes that of the parameters.
fn walk(
    network: &Network,
    parameters: &[f64],
    tape: &Tape,
    mut delta: Array2<f64>,
    gradient: &mut [f64],
    wanted: bool,
) -> Array2<f64> {
    let mut end = gradient.len();
    for (at, (layer, step)) in network.layers.iter().zip(&tape.steps).enumerate().rev() {
        let start = end - layer.parameters();
        let go_on = wanted || at > 0;
        delta = back(layer, &parameters[start..end], step, delta, &mut gradient[start..end], go_on);
        end = start;
    }
    delta
}

/// `deltaᵀ x` in place of the weights' gradient.
fn by_weights(delta: ArrayView2<f64>, x: ArrayView2<f64>, gradient: &mut [f64]) {
    let shape = (delta.ncols(), x.ncols());
    let out = ArrayViewMut2::from_shape(shape, gradient).expect("one number a weight");
    product(1.0, delta.t(), x, 0.0, out);
}

fn by_biases(delta: &Array2<f64>, gradient: &mut [f64]) {
    gradient.fill(0.0);
    for row in delta.rows() {
        gradient.iter_mut().zip(row).for_each(|(g, d)| *g += d);
    }
}

/// δ by the input of a layer; `gradient` becomes that of its parameters.
fn back(
    layer: &Layer,
    own: &[f64],
    step: &Step,
    delta: Array2<f64>,
    gradient: &mut [f64],
    wanted: bool,
) -> Array2<f64> {
    match (&layer.kind, step) {
        (Kind::Dense { inputs, outputs, mask, .. }, Step::Input(x)) => {
            let (weights, biases) = gradient.split_at_mut(inputs * outputs);
            by_weights(delta.view(), x.view(), weights);
            if let Some(mask) = mask {
                weights.iter_mut().zip(mask).filter(|(_, kept)| !**kept).for_each(|(g, _)| *g = 0.0);
            }
            if !biases.is_empty() {
                by_biases(&delta, biases);
            }
            if !wanted {
                return delta;
            }
            times(delta.view(), matrix(own, *inputs, *outputs, mask.as_deref()).view())
        }
        (Kind::Activate { activation, .. }, Step::Input(a)) => {
            let mut delta = delta;
            delta.zip_mut_with(a, |d, a| *d *= activation.slope(*a));
            delta
        }
        (Kind::Convolution { filters, .. }, Step::Patches(patches)) => {
            let (weights, biases) = gradient.split_at_mut(layer.weights());
            let by_place = patches.places(&delta);
            by_weights(by_place.view(), patches.rows.view(), weights);
            by_biases(&by_place, biases);
            if !wanted {
                return delta;
            }
            let shape = (*filters, layer.weights() / filters);
            let matrix = ArrayView2::from_shape(shape, &own[..layer.weights()]).expect("its weights");
            fold(layer, &times(by_place.view(), matrix), delta.nrows())
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
                let part = walk(branch, &own[at..end], tape, delta.clone(), &mut gradient[at..end], wanted);
                if wanted {
                    sum += &part;
                }
                at = end;
            }
            sum
        }
        // A layer that left nothing changed nothing.
        _ => delta,
    }
}
