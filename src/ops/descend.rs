//! One step of an optimiser, fused: gradient, decay, moments and parameters are read and written once.
//!
//! Checked in `tests/ops/descend.rs` against the rules of `optim`, step by step.

mod on_gpu;
mod rule;

use ndarray::{Array2, Zip};

use super::reduce::GROUP;
use super::require;
use crate::matrix::Shared;
use crate::{Error, Matrix, Result};
use on_gpu::on_gpu;
pub use rule::Descent;
use rule::Numbers;

/// Parameters on their way down, with the two numbers that a rule keeps of each; both begin at zero.
#[derive(Debug, Clone)]
pub struct Descending {
    /// p.
    pub parameters: Matrix,
    /// m: velocities, or means of gradients.
    pub first: Matrix,
    /// s: sums or means of squared gradients.
    pub second: Matrix,
}

/// What is added to the gradient: `κp` in the leading columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shrinkage {
    /// κ.
    pub decay: f64,
    /// How many columns decay; biases are those after them.
    pub columns: usize,
}

/// Parameters after one step, in the memory of those before it on a GPU: hand over the only handles on them.
///
/// All matrices are `n x m`, and on a GPU each fits one binding.
///
/// # Errors
/// [`Error::Shape`] if the shapes differ, [`Error::Parameter`] for a number of the rule that is not finite,
/// [`Error::DeviceMismatch`] if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Descending, Descent, Shrinkage, descend}};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let zero = on(ndarray::array![[0.0, 0.0]])?;
/// let at = Descending { parameters: on(ndarray::array![[1.0, 2.0]])?, first: zero.clone(), second: zero };
/// let rule = Descent::Momentum { rate: 0.5, momentum: 0.0, decay: 0.0 };
/// let none = Shrinkage { decay: 0.0, columns: 0 };
/// let at = descend(rule, none, at, &on(ndarray::array![[2.0, -2.0]])?)?;
/// assert_eq!(at.parameters.to_array()?, ndarray::array![[0.0, 3.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn descend(
    rule: Descent,
    shrinkage: Shrinkage,
    mut at: Descending,
    gradient: &Matrix,
) -> Result<Descending> {
    // Somebody else's handle would see its matrix change.
    for own in [&mut at.parameters, &mut at.first, &mut at.second] {
        own.make_own()?;
    }
    step(rule, shrinkage, &mut at, gradient, None)?;
    Ok(at)
}

/// Where the squares of decaying parameters are added up: a place of its own for each workgroup.
pub(crate) struct Note<'a> {
    pub losses: &'a mut Matrix,
    pub at: usize,
    /// What a square counts.
    pub scale: f64,
}

/// Places that the notes of parameters of this shape need.
pub(crate) fn places(parameters: &Matrix) -> usize {
    (parameters.rows() * parameters.vec4s()).div_ceil(GROUP)
}

/// [`descend`] in place; with a note, `scale Σ p²` over the decaying columns is added to `losses` before the step.
pub(crate) fn step(
    rule: Descent,
    shrinkage: Shrinkage,
    at: &mut Descending,
    gradient: &Matrix,
    note: Option<Note>,
) -> Result<()> {
    let shape = at.parameters.shape();
    let fit = [&at.first, &at.second, gradient].iter().all(|m| m.shape() == shape);
    require("descend", fit, || format!("parameters of {shape:?}, a gradient of {:?}", gradient.shape()))?;
    let numbers = rule.numbers();
    let Numbers { rate, decay, first, second, epsilon, m_scale, s_scale, .. } = numbers;
    for value in [rate, decay, first, second, epsilon, m_scale, s_scale, shrinkage.decay] {
        if !value.is_finite() {
            return Err(Error::Parameter { name: format!("{rule:?}"), value, requirement: "must be finite" });
        }
    }
    match at.parameters.shared("descend", &[&at.first, &at.second, gradient])? {
        Shared::Cpu => {
            if let Some(note) = note {
                let p = at.parameters.cpu();
                let own = p.columns().into_iter().take(shrinkage.columns);
                let mut all = note.losses.clone().into_array()?;
                let slot = all.iter_mut().nth(note.at);
                let sum = own.map(|c| c.dot(&c)).sum::<f64>();
                if let Some(to) = slot {
                    *to += note.scale * sum;
                }
                *note.losses = Matrix::from_host(all);
            }
            cpu(&numbers, shrinkage, at, gradient.cpu());
            Ok(())
        }
        Shared::Gpu(gpu) => gpu.guard("descend", || on_gpu(gpu, &numbers, shrinkage, at, gradient, note)),
    }
}

fn cpu(n: &Numbers, shrinkage: Shrinkage, at: &mut Descending, gradient: &Array2<f64>) {
    let host = |m: &Matrix| m.cpu().clone();
    let (mut p, mut m, mut s) = (host(&at.parameters), host(&at.first), host(&at.second));
    let mut slope = gradient.clone();
    Zip::indexed(&mut slope).and(&p).for_each(|(_, j), g, p| {
        if j < shrinkage.columns {
            *g += shrinkage.decay * p;
        }
    });
    Zip::from(&mut p).and(&mut m).and(&mut s).and(&slope).for_each(|p, m, s, &g| {
        if n.code == 0 {
            *m = n.first * *m - n.rate * (g + n.decay * *p);
            *p += *m;
            return;
        }
        *s = n.second * *s + n.share * g * g;
        let mut pull = g;
        if n.code == 3 {
            *m = n.first * *m + (1.0 - n.first) * g;
            pull = *m;
        }
        let moved = if pull == 0.0 { 0.0 } else { pull * n.m_scale / ((*s * n.s_scale).sqrt() + n.epsilon) };
        *p -= n.rate * (moved + n.decay * *p);
    });
    (at.parameters, at.first, at.second) = (Matrix::from_host(p), Matrix::from_host(m), Matrix::from_host(s));
}
