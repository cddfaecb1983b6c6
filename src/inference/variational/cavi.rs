//! Coordinate ascent variational inference over factors with exponential-family conditionals. Checked in
//! `tests/inference/cavi.rs`.

use std::ops::Range;

use rayon::prelude::*;

use super::family::Family;
use crate::check::{not_negative, parameter, require};
use crate::configure::{getters, setters};
use crate::learn::Report;
use crate::{Progress, Result};

/// A model whose complete conditionals are in exponential families: `p(z_j | z_{-j}, x) ∝ exp(η_j(z_{-j}, x)·u(z_j))`, with
/// `η_j` linear in the statistics of every other block.
pub trait Conditionals: Sync {
    /// The family of each block.
    fn families(&self) -> Vec<Family>;

    /// `E[η_j]` under the factors of all other blocks, whose `E[u]` are in `expected`.
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn natural(&self, block: usize, expected: &[Vec<f64>]) -> Result<Vec<f64>>;

    /// `E_q[log p(x, z)]` from the expected statistics of all blocks.
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn expected_log_joint(&self, expected: &[Vec<f64>]) -> Result<f64>;

    /// Blocks that are updated together, in order: those of one range must be independent of each other given the rest
    /// (local variables given the global ones), and are computed in parallel. Each block alone by default.
    fn groups(&self) -> Vec<Range<usize>> {
        (0..self.families().len()).map(|j| j..j + 1).collect()
    }
}

/// Mean-field coordinate ascent: `q_j ← exp(E_{-j}[log p(z_j | z_{-j}, x)])` in turn, which never lowers the ELBO.
///
/// ```
/// use mercer::inference::variational::{Cavi, Conditionals, Family};
///
/// /// A pair of normal variables with this precision and mean (1, -1).
/// struct Pair([[f64; 2]; 2]);
///
/// impl Conditionals for Pair {
///     fn families(&self) -> Vec<Family> { vec![Family::Normal; 2] }
///     fn natural(&self, j: usize, e: &[Vec<f64>]) -> mercer::Result<Vec<f64>> {
///         let mean = [1.0, -1.0];
///         let shift = self.0[j][j] * mean[j] - self.0[j][1 - j] * (e[1 - j][0] - mean[1 - j]);
///         Ok(vec![shift, -0.5 * self.0[j][j]])
///     }
///     fn expected_log_joint(&self, e: &[Vec<f64>]) -> mercer::Result<f64> {
///         let p = self.0;
///         let square = |j: usize, m: f64| e[j][1] - 2.0 * m * e[j][0] + m * m;
///         Ok(-0.5 * (p[0][0] * square(0, 1.0) + p[1][1] * square(1, -1.0)
///             + 2.0 * p[0][1] * (e[0][0] - 1.0) * (e[1][0] + 1.0)))
///     }
/// }
///
/// let pair = Pair([[2.0, 1.2], [1.2, 1.5]]);
/// let found = Cavi::new().run(&pair, vec![vec![0.0, -0.5]; 2])?;
/// assert!((found.expected()[0][0] - 1.0).abs() < 1e-3); // the mean is exact, the variance too small
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cavi {
    max_sweeps: usize,
    tolerance: f64,
    progress: Progress,
}

impl Default for Cavi {
    fn default() -> Self {
        Cavi { max_sweeps: 500, tolerance: 1e-9, progress: Progress::none() }
    }
}

impl Cavi {
    /// At most 500 sweeps, until one gains no more than 1e-9 of the ELBO.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(Cavi {
    /// The most sweeps over all blocks: 500.
    max_sweeps: usize,
    /// A sweep that gains no more than this, relative to the ELBO's size, is the last one: 1e-9.
    tolerance: f64,
    /// Called after every sweep with the ELBO; it can cancel the ascent.
    progress: Progress,
});

/// A product of factors, `q(z) = Π_j q_j(z_j)`, and how it was found.
#[derive(Debug, Clone)]
pub struct MeanField {
    families: Vec<Family>,
    natural: Vec<Vec<f64>>,
    expected: Vec<Vec<f64>>,
    report: Report,
}

getters!(MeanField {
    /// The family of each factor.
    families: &[Family],
    /// The natural parameters of each factor.
    natural: &[Vec<f64>],
    /// The expected statistics of each factor.
    expected: &[Vec<f64>],
    /// Sweeps and the ELBO after each, the start's first; it never falls.
    report: &Report,
});

impl MeanField {
    /// The evidence lower bound at the end.
    pub fn elbo(&self) -> f64 {
        self.report.objective()
    }
}

/// `E_q[log p(x, z)] + Σ_j H(q_j)`.
fn bound<M: Conditionals>(
    model: &M,
    families: &[Family],
    natural: &[Vec<f64>],
    expected: &[Vec<f64>],
) -> Result<f64> {
    let entropies: Result<f64> = families.iter().zip(natural).map(|(f, v)| f.entropy(v)).sum();
    let value = model.expected_log_joint(expected)? + entropies?;
    parameter(
        "elbo",
        value,
        value.is_finite(),
        "must be finite: the start excludes the data, or the model overflows",
    )?;
    Ok(value)
}

impl Cavi {
    /// Raises the ELBO of `model` from factors with these natural parameters on.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a start that does not fit, [`Error::Parameter`](crate::Error::Parameter)
    /// for parameters out of their families' domains, [`Error::Cancelled`](crate::Error::Cancelled); those of the model.
    pub fn run<M: Conditionals>(&self, model: &M, start: Vec<Vec<f64>>) -> Result<MeanField> {
        const OP: &str = "Cavi::run";
        not_negative("tolerance", self.tolerance)?;
        let families = model.families();
        require(OP, !families.is_empty() && families.len() == start.len(), || {
            format!("{} blocks, {} starts", families.len(), start.len())
        })?;
        let groups = model.groups();
        require(OP, groups.iter().all(|g| g.end <= families.len()), || {
            "a group beyond the blocks".to_owned()
        })?;
        let mut natural = start;
        let mut expected: Vec<Vec<f64>> =
            families.iter().zip(&natural).map(|(f, v)| f.expected(v)).collect::<Result<_>>()?;
        let mut trace = vec![bound(model, &families, &natural, &expected)?];
        let (mut sweeps, mut converged) = (0, false);
        while sweeps < self.max_sweeps && !converged {
            for group in &groups {
                let found: Vec<(Vec<f64>, Vec<f64>)> = group
                    .clone()
                    .into_par_iter()
                    .map(|j| {
                        let v = model.natural(j, &expected)?;
                        let u = families[j].expected(&v)?;
                        Ok((v, u))
                    })
                    .collect::<Result<_>>()?;
                for (j, (v, u)) in group.clone().zip(found) {
                    (natural[j], expected[j]) = (v, u);
                }
            }
            sweeps += 1;
            let value = bound(model, &families, &natural, &expected)?;
            converged = value - trace[trace.len() - 1] <= self.tolerance * value.abs();
            trace.push(value);
            self.progress.report(OP, sweeps, self.max_sweeps, value)?;
        }
        let end = trace[trace.len() - 1];
        let report = Report::new(trace, sweeps, converged, vec![end]);
        Ok(MeanField { families, natural, expected, report })
    }
}
