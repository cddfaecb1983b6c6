//! One step of an optimiser, fused: gradient, decay, moments and parameters are read and written once.
//!
//! Checked in `tests/ops/descend.rs` against the rules of `optim`, step by step.

use ndarray::{Array2, Zip};

use super::map::grid;
use super::reduce::GROUP;
use super::require;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::{Error, Matrix, Result};

const SHADER: &str = include_str!("../../shaders/descend.wgsl");

/// The rule of one step, by the gradient g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Descent {
    /// `m ← ρm - γ(g + κp)`, `p ← p + m`.
    Momentum {
        /// γ.
        rate: f64,
        /// ρ.
        momentum: f64,
        /// κ.
        decay: f64,
    },
    /// `s ← s + g²`, `p ← p - γ g/(√s + ε)`.
    AdaGrad {
        /// γ.
        rate: f64,
        /// ε.
        epsilon: f64,
    },
    /// `s ← ρs + (1 - ρ)g²`, `p ← p - γ g/(√s + ε)`.
    RmsProp {
        /// γ.
        rate: f64,
        /// ρ.
        memory: f64,
        /// ε.
        epsilon: f64,
    },
    /// `m ← β₁m + (1 - β₁)g`, `s ← β₂s + (1 - β₂)g²`, `p ← p - γ(m̂/(√ŝ + ε) + κp)`.
    Adam {
        /// γ.
        rate: f64,
        /// β₁.
        first: f64,
        /// β₂.
        second: f64,
        /// ε.
        epsilon: f64,
        /// κ.
        decay: f64,
        /// How many steps there will have been after this one: m̂ and ŝ are corrected by it.
        step: usize,
    },
}

/// The numbers of one step, in f64.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    code: u32,
    rate: f64,
    decay: f64,
    first: f64,
    second: f64,
    /// What a squared gradient counts in s.
    share: f64,
    epsilon: f64,
    m_scale: f64,
    s_scale: f64,
}

impl Descent {
    fn numbers(self) -> Numbers {
        let plain = Numbers {
            code: 0,
            rate: 0.0,
            decay: 0.0,
            first: 0.0,
            second: 1.0,
            share: 1.0,
            epsilon: 0.0,
            m_scale: 1.0,
            s_scale: 1.0,
        };
        match self {
            Descent::Momentum { rate, momentum, decay } => Numbers { rate, first: momentum, decay, ..plain },
            Descent::AdaGrad { rate, epsilon } => Numbers { code: 1, rate, epsilon, ..plain },
            Descent::RmsProp { rate, memory, epsilon } => {
                Numbers { code: 2, rate, epsilon, second: memory, share: 1.0 - memory, ..plain }
            }
            Descent::Adam { rate, first, second, epsilon, decay, step } => Numbers {
                code: 3,
                rate,
                decay,
                first,
                second,
                share: 1.0 - second,
                epsilon,
                m_scale: 1.0 / (1.0 - first.powf(step as f64)),
                s_scale: 1.0 / (1.0 - second.powf(step as f64)),
            },
        }
    }
}

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

/// Mirrors `Params` in `shaders/descend.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    vec4s: u32,
    columns: u32,
    at: u32,
    kappa: f32,
    rate: f32,
    decay: f32,
    first: f32,
    one_less_first: f32,
    second: f32,
    one_less_second: f32,
    epsilon: f32,
    m_scale: f32,
    s_scale: f32,
    note: f32,
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

fn on_gpu(
    gpu: &Gpu,
    n: &Numbers,
    shrinkage: Shrinkage,
    at: &Descending,
    gradient: &Matrix,
    note: Option<Note>,
) -> Result<()> {
    let count = at.parameters.rows() * at.parameters.vec4s();
    let (grid, stride) = grid(count);
    let params = Params {
        count: count as u32,
        stride,
        vec4s: at.parameters.vec4s() as u32,
        columns: shrinkage.columns as u32,
        at: note.as_ref().map_or(0, |note| note.at) as u32,
        kappa: shrinkage.decay as f32,
        rate: n.rate as f32,
        decay: n.decay as f32,
        first: n.first as f32,
        one_less_first: (1.0 - n.first) as f32,
        second: n.second as f32,
        one_less_second: n.share as f32,
        epsilon: n.epsilon as f32,
        m_scale: n.m_scale as f32,
        s_scale: n.s_scale as f32,
        note: note.as_ref().map_or(0.0, |note| note.scale) as f32,
    };
    let all = [&at.parameters, gradient, &at.first, &at.second];
    let mut binds: Vec<_> = all.iter().map(|m| m.bind()).collect();
    binds.extend(note.as_ref().map(|note| note.losses.bind()));
    gpu.run(&Pass {
        op: "descend",
        shader: Shader::new("descend", &[SHADER]),
        entry: if note.is_some() { "noted" } else { "moved" },
        constants: &[("RULE", f64::from(n.code))],
        binds: &binds,
        params: bytemuck::bytes_of(&params),
        grid,
        work: 0.0,
    })
}
