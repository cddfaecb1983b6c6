//! Sum-product and max-product on factor graphs: exact on trees, iterated on loops. Checked in
//! `tests/graphical/belief_propagation.rs`.

use super::factor::Factor;
use super::field::MarkovField;
use crate::check::{not_negative, parameter};
use crate::configure::{getters, setters};
use crate::inference::logs::log_sum_exp;
use crate::{Progress, Result};

/// What messages compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Messages {
    /// Sums: marginals.
    #[default]
    Sum,
    /// Maxima: the most probable assignment.
    Max,
}

/// `m_{f→v}(x_v) = Σ_{x_f \ x_v} ψ_f(x_f) Π_{w ≠ v} m_{w→f}(x_w)` and `m_{v→f} = Π_{g ≠ f} m_{g→v}`, all at once in every
/// iteration, until none changes. On a tree that takes as many iterations as it is deep and is exact; on loops it may not end,
/// and says so.
///
/// ```
/// use mercer::models::graphical::{BeliefPropagation, Factor, MarkovField};
/// let like = |a, b| Factor::new(&[a, b], &[2, 2], &[2.0, 1.0, 1.0, 2.0]);
/// let chain = MarkovField::new(&[2; 3], vec![like(0, 1)?, like(1, 2)?])?.observe(&[(0, 1)])?;
/// let beliefs = BeliefPropagation::new().run(&chain)?;
/// assert!(beliefs.converged() && (beliefs.marginals()[2][1] - 5.0 / 9.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BeliefPropagation {
    messages: Messages,
    max_iterations: usize,
    tolerance: f64,
    damping: f64,
    progress: Progress,
}

impl Default for BeliefPropagation {
    fn default() -> Self {
        let (messages, progress) = (Messages::Sum, Progress::none());
        BeliefPropagation { messages, max_iterations: 1000, tolerance: 1e-12, damping: 0.0, progress }
    }
}

impl BeliefPropagation {
    /// Sum-product, at most a thousand iterations, to a change of 1e-12.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(BeliefPropagation {
    /// Sums or maxima.
    messages: Messages,
    /// The most iterations: 1000.
    max_iterations: usize,
    /// The largest change of a message's probabilities that counts as none: 1e-12.
    tolerance: f64,
    /// The share of the old message that is kept, in [0, 1): 0. Loops that oscillate need some.
    damping: f64,
    /// Called after every iteration with the largest change; it can cancel.
    progress: Progress,
});

/// What belief propagation ended with.
#[derive(Debug, Clone)]
pub struct Beliefs {
    marginals: Vec<Vec<f64>>,
    factors: Vec<Vec<f64>>,
    mode: Vec<usize>,
    log_partition: f64,
    iterations: usize,
    converged: bool,
}

getters!(Beliefs {
    /// The belief of each variable; of max-product, the max-marginals, divided by their sum.
    marginals: &[Vec<f64>],
    /// The belief of each table, in its own order.
    factors: &[Vec<f64>],
    /// The best value of each variable by its own belief.
    mode: &[usize],
    /// Minus the Bethe free energy, exact on a tree: `log Z`. Of max-product, the log potential of the mode.
    log_partition: f64,
    /// Iterations made.
    iterations: usize,
    /// Whether the messages stopped changing.
    converged: bool,
});

/// Logarithms less their largest, or less that of their sum.
fn scaled(mut v: Vec<f64>, messages: Messages) -> Vec<f64> {
    let by = match messages {
        Messages::Sum => log_sum_exp(&v),
        Messages::Max => v.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    if by > f64::NEG_INFINITY {
        for x in &mut v {
            *x -= by;
        }
    }
    v
}

impl BeliefPropagation {
    /// Passes messages on the field's factor graph.
    ///
    /// # Errors
    /// Settings out of their domain, observations that exclude each other, [`Error::Cancelled`](crate::Error::Cancelled).
    /// Messages that still change at the last iteration are no error: see [`Beliefs::converged`].
    pub fn run(&self, field: &MarkovField) -> Result<Beliefs> {
        const OP: &str = "BeliefPropagation";
        parameter("damping", self.damping, (0.0..1.0).contains(&self.damping), "must lie in [0, 1)")?;
        not_negative("tolerance", self.tolerance)?;
        let (sizes, factors) = (field.sizes(), field.factors());
        // Messages of tables to their variables, in the tables' order.
        let mut to: Vec<Vec<Vec<f64>>> =
            factors.iter().map(|f| f.sizes().iter().map(|s| vec![-(*s as f64).ln(); *s]).collect()).collect();
        let belief = |to: &[Vec<Vec<f64>>], v: usize, without: usize| {
            let mut sum = vec![0.0; sizes[v]];
            for (f, factor) in factors.iter().enumerate().filter(|(f, _)| *f != without) {
                if let Some(i) = factor.variables().iter().position(|w| *w == v) {
                    sum.iter_mut().zip(&to[f][i]).for_each(|(s, m)| *s += m);
                }
            }
            sum
        };
        let tilted = |to: &[Vec<Vec<f64>>], f: usize, without: Option<usize>| -> Result<Factor> {
            let mut product = factors[f].clone();
            for (v, s) in factors[f].variables().iter().zip(factors[f].sizes()) {
                if Some(*v) != without {
                    product = product.times(&Factor::of_logs(
                        &[*v],
                        &[*s],
                        scaled(belief(to, *v, f), self.messages),
                    )?)?;
                }
            }
            Ok(product)
        };
        let (mut iterations, mut converged) = (0, factors.is_empty());
        while iterations < self.max_iterations && !converged {
            let mut next = to.clone();
            let mut change = 0f64;
            for (f, factor) in factors.iter().enumerate() {
                for (i, &v) in factor.variables().iter().enumerate() {
                    let message = tilted(&to, f, Some(v))?.onto(&[v], self.messages == Messages::Max)?;
                    let mut message = scaled(message.log_values().to_vec(), self.messages);
                    let alive = message.iter().any(|m| *m > f64::NEG_INFINITY);
                    parameter(
                        "log weight of a message",
                        f64::NEG_INFINITY,
                        alive,
                        "what was observed is impossible",
                    )?;
                    for (m, old) in message.iter_mut().zip(&to[f][i]) {
                        change = change.max((m.exp() - old.exp()).abs());
                        if self.damping > 0.0 {
                            *m = (self.damping * old.exp() + (1.0 - self.damping) * m.exp()).ln();
                        }
                    }
                    next[f][i] = message;
                }
            }
            to = next;
            iterations += 1;
            converged = change <= self.tolerance;
            self.progress.report(OP, iterations, self.max_iterations, change)?;
        }
        let marginals: Vec<Vec<f64>> = (0..sizes.len())
            .map(|v| {
                let logs = belief(&to, v, usize::MAX);
                let all = log_sum_exp(&logs);
                let name = format!("log weight of variable {v}");
                parameter(&name, all, all > f64::NEG_INFINITY, "what was observed is impossible")?;
                Ok(logs.iter().map(|l| (l - all).exp()).collect())
            })
            .collect::<Result<_>>()?;
        let mode: Vec<usize> =
            marginals.iter().map(|m| (0..m.len()).fold(0, |a, b| if m[b] > m[a] { b } else { a })).collect();
        let joint: Vec<Vec<f64>> = (0..factors.len())
            .map(|f| {
                let (p, all) = tilted(&to, f, None)?.normalised();
                let name = format!("log weight of table {f}");
                parameter(&name, all, all > f64::NEG_INFINITY, "what was observed is impossible")?;
                Ok(p)
            })
            .collect::<Result<_>>()?;
        let log_partition = match self.messages {
            Messages::Max => field.log_potential(&mode)?,
            Messages::Sum => bethe(field, &marginals, &joint),
        };
        Ok(Beliefs { marginals, factors: joint, mode, log_partition, iterations, converged })
    }
}

/// `Σ_f Σ b_f (log ψ_f - log b_f) + Σ_v (d_v - 1) Σ b_v log b_v`, d the number of tables of a variable.
fn bethe(field: &MarkovField, marginals: &[Vec<f64>], joint: &[Vec<f64>]) -> f64 {
    let mut sum = 0.0;
    for (f, b) in field.factors().iter().zip(joint) {
        sum += f
            .log_values()
            .iter()
            .zip(b)
            .filter(|(_, b)| **b > 0.0)
            .map(|(l, b)| b * (l - b.ln()))
            .sum::<f64>();
    }
    for (v, b) in marginals.iter().enumerate() {
        let count = field.factors().iter().filter(|f| f.variables().contains(&v)).count() as f64;
        // A variable of no table is uniform: its entropy is what remains of (0 - 1) times minus it.
        sum += (count - 1.0) * b.iter().map(|p| crate::inference::logs::xlogx(*p)).sum::<f64>();
    }
    sum
}
