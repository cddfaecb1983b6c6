//! Support vector regression: a tube around the function, and a price for what lies outside.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::certificate::{SvmCertificate, report};
use super::classifier::{CACHE, TOLERANCE};
use super::fitted_regressor::FittedSvmRegressor;
use super::problem::{Constraint, Optimum, Problem, Unit};
use super::rows::Rows;
use super::smo::{Settings, solve};
use crate::check::{not_negative, pairs, parameter, positive};
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// How wide the tube is within which an error costs nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tube {
    /// This ε.
    Epsilon(f64),
    /// The ε that leaves at most a share ν of the observations outside.
    Nu(f64),
}

/// Support vector regression: `min ½‖f‖² + C Σ_i s_i max(0, |y_i - f(x_i) - b| - ε)`.
///
/// [`SvmRegressor::nu`] finds ε too: it minimises `½‖f‖² + C (ν S ε + Σ_i s_i max(0, |y_i - f(x_i) - b| - ε))`, S the sum of
/// the weights s. Several targets are fitted one after another, on the same kernel rows. The solver is that of
/// [`SvmClassifier`](super::SvmClassifier), also on a GPU; predictions are computed on the CPU unless
/// [`FittedSvmRegressor::on`] says otherwise.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
/// let y = x.column(0).mapv(f64::sin);
/// let fitted = SvmRegressor::new(Kernel::rbf(1.0), 10.0, 0.05).fit(&Device::cpu(), &x, &y)?;
/// assert!((fitted.predict(ndarray::array![[1.55]])?[0] - 1.0).abs() < 0.06);
/// assert!(fitted.support().len() < 20); // the rest is within the tube
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SvmRegressor {
    kernel: Kernel,
    c: f64,
    tube: Tube,
    offset: bool,
    tolerance: f64,
    max_iterations: Option<usize>,
    cache_bytes: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl SvmRegressor {
    /// With the price C > 0 of an error beyond ε ≥ 0.
    pub fn new(kernel: Kernel, c: f64, epsilon: f64) -> Self {
        Self::with_tube(kernel, c, Tube::Epsilon(epsilon))
    }

    /// With the tube that leaves at most a share ν of the observations outside.
    pub fn nu(kernel: Kernel, c: f64, nu: f64) -> Self {
        Self::with_tube(kernel, c, Tube::Nu(nu))
    }

    fn with_tube(kernel: Kernel, c: f64, tube: Tube) -> Self {
        SvmRegressor {
            kernel,
            c,
            tube,
            offset: true,
            tolerance: TOLERANCE,
            max_iterations: None,
            cache_bytes: CACHE,
            progress: Progress::none(),
        }
    }
}

setters!(SvmRegressor {
    /// The kernel.
    kernel: Kernel,
    /// The price C > 0 of an error.
    c: f64,
    /// The width of the tube.
    tube: Tube,
    /// Whether there is an offset b; there is one by default.
    offset: bool,
    /// Largest violation of the optimality conditions that is allowed, in standard deviations of y; 1e-3 by default.
    tolerance: f64,
    /// Most iterations for a target; by default a hundred for each observation, and ten million at least.
    max_iterations: into Option<usize>,
    /// Bytes of kernel rows that are kept; 200 MiB by default.
    cache_bytes: usize,
    /// Callback every 64 iterations, which can cancel the fit.
    progress: Progress,
});

fits!(SvmRegressor: Regression -> FittedSvmRegressor);

const OP: &str = "SvmRegressor::fit";

/// The machine of one target.
struct Machine {
    coefficients: Vec<f64>,
    offset: f64,
    epsilon: f64,
    certificate: SvmCertificate,
    found: Optimum,
}

impl SvmRegressor {
    fn run<D: TargetDim>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedSvmRegressor<D>> {
        pairs(OP, x, y)?;
        positive("C", self.c)?;
        positive("tolerance", self.tolerance)?;
        match self.tube {
            Tube::Epsilon(epsilon) => not_negative("epsilon", epsilon)?,
            Tube::Nu(nu) => parameter("nu", nu, nu > 0.0 && nu <= 1.0, "must be above 0 and at most 1")?,
        }
        let rows: Vec<usize> = (0..x.nrows()).filter(|&i| w.is_none_or(|w| w[i] > 0.0)).collect();
        let weights: Vec<f64> = rows.iter().map(|&i| w.map_or(1.0, |w| w[i])).collect();
        let (x, y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
        let (n, t) = y.dim();
        let mut kernel_rows = Rows::new(OP, &self.kernel, x.clone(), self.cache_bytes)?.on(device)?;
        let mut coefficients = Array2::zeros((n, t));
        let (mut offsets, mut widths) = (Array1::zeros(t), Array1::zeros(t));
        let (mut certificates, mut ends, mut trace) = (Vec::new(), Vec::new(), Vec::new());
        for (j, y) in y.columns().into_iter().enumerate() {
            let machine = self.machine(&mut kernel_rows, &y.to_vec(), &weights)?;
            coefficients.column_mut(j).assign(&Array1::from(machine.coefficients));
            (offsets[j], widths[j]) = (machine.offset, machine.epsilon);
            ends.push((machine.found.iterations, machine.found.stalled));
            certificates.push(machine.certificate);
            trace.extend(machine.found.trace);
        }
        let report = report(&ends, &certificates, trace);
        let mut support: Vec<usize> =
            (0..n).filter(|&i| coefficients.row(i).iter().any(|c| *c != 0.0)).collect();
        if support.is_empty() {
            // All is within the tube: the function is its offset, which needs a point to stand on all the same.
            support.push(0);
        }
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            points: x.select(Axis(0), &support),
            coefficients: coefficients.select(Axis(0), &support),
        };
        let support = support.into_iter().map(|i| rows[i]).collect();
        Ok(FittedSvmRegressor {
            format: Format,
            expansion,
            offsets,
            widths,
            support,
            certificates,
            report,
            device: Device::cpu(),
            targets: PhantomData,
        })
    }

    fn machine(&self, rows: &mut Rows, y: &[f64], weights: &[f64]) -> Result<Machine> {
        let n = y.len();
        let mean = y.iter().sum::<f64>() / n as f64;
        let spread = (y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64).sqrt();
        let unit = if spread > 0.0 { spread } else { mean.abs().max(1.0) };
        let upper: Vec<f64> = weights.iter().map(|w| self.c * w).collect();
        let total: f64 = upper.iter().sum();
        let epsilon = if let Tube::Epsilon(epsilon) = self.tube { epsilon } else { 0.0 };
        let signs: Vec<f64> = (0..2 * n).map(|t| if t < n { 1.0 } else { -1.0 }).collect();
        let mut start = vec![0.0; 2 * n];
        let constraint = match (self.tube, self.offset) {
            (Tube::Epsilon(_), false) => Constraint::None,
            (Tube::Nu(_), true) => Constraint::SumOfEachSide,
            (Tube::Epsilon(_), true) | (Tube::Nu(_), false) => Constraint::Sum,
        };
        if let Tube::Nu(nu) = self.tube {
            let mut left = 0.5 * nu * total;
            for t in 0..n {
                let share = upper[t].min(left);
                (start[t], start[n + t]) = (share, share);
                left -= share;
            }
        }
        let side =
            if matches!(self.tube, Tube::Nu(_)) && !self.offset { vec![1.0; 2 * n] } else { signs.clone() };
        let p = Problem {
            point: (0..n).chain(0..n).collect(),
            linear: (0..2 * n).map(|t| epsilon - signs[t] * y[t % n]).collect(),
            upper: upper.iter().chain(&upper).copied().collect(),
            sign: signs,
            side,
            start,
            constraint,
            unit: Unit::Fixed(unit),
        };
        let settings = Settings {
            op: OP,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            progress: self.progress.clone(),
        };
        let found = solve(&p, rows, &settings)?;
        let (b, epsilon) = match (self.tube, self.offset) {
            (Tube::Epsilon(_), true) => (-p.multiplier(&found, |_| true), epsilon),
            (Tube::Epsilon(_), false) => (0.0, epsilon),
            (Tube::Nu(_), true) => {
                let (r1, r2) = (p.multiplier(&found, |t| t < n), -p.multiplier(&found, |t| t >= n));
                (-0.5 * (r1 - r2), (-0.5 * (r1 + r2)).max(0.0))
            }
            (Tube::Nu(_), false) => (0.0, (-p.multiplier(&found, |_| true)).max(0.0)),
        };
        // g = σ f + p, so that f at point i is g_i - p_i of its first variable.
        let norm = p.quadratic(&found);
        let short = |i: usize| ((y[i] - (found.gradient[i] - p.linear[i]) - b).abs() - epsilon).max(0.0);
        let loss: f64 = (0..n).map(|i| upper[i] * short(i)).sum();
        let price = if let Tube::Nu(nu) = self.tube { nu * total * epsilon } else { 0.0 };
        let linear: f64 = p.linear.iter().zip(&found.a).map(|(p, a)| p * a).sum();
        let coefficients = p.by_point(&found.a, n);
        let certificate = SvmCertificate {
            primal: 0.5 * norm + loss + price,
            dual: -0.5 * norm - linear,
            violation: found.violation,
            support: coefficients.iter().filter(|c| **c != 0.0).count(),
            bounded: coefficients.iter().zip(&upper).filter(|(c, u)| c.abs() >= **u).count(),
            stalled: found.stalled,
        };
        Ok(Machine { coefficients, offset: b, epsilon, certificate, found })
    }
}
