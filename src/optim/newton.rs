//! Newton's method with a Hessian that is given. Checked in `tests/optim/others.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::minimiser::{Minimum, Stop};
use crate::check::{positive, require};
use crate::configure::setters;
use crate::linalg::{SpdParams, solve_spd};
use crate::{Device, Error, Progress, Result};

/// Halvings of a step before it is given up.
const HALVINGS: i32 = 40;
/// Share of the expected fall that a step must achieve.
const ARMIJO: f64 = 1e-4;

/// A value, its gradient and its Hessian.
pub type SecondOrder = (f64, Array1<f64>, Array2<f64>);

/// `θ ← θ - t H⁻¹∇f`, the step t halved from one until f falls enough.
///
/// Where H is not positive definite a multiple of the identity is added to it. On a quadratic it ends after one step.
///
/// ```
/// use mercer::optim::Newton;
/// use ndarray::array;
/// let f = |p: &[f64]| Ok((p[0].exp() - 2.0 * p[0], array![p[0].exp() - 2.0], array![[p[0].exp()]]));
/// let found = Newton::new().run(&[0.0], f)?;
/// assert!((found.point[0] - 2f64.ln()).abs() < 1e-12 && found.iterations < 8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Newton {
    max_iterations: usize,
    tolerance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Default for Newton {
    fn default() -> Self {
        Newton { max_iterations: 100, tolerance: 1e-10, progress: Progress::none() }
    }
}

setters!(Newton {
    /// Most iterations; 100 unless said otherwise.
    max_iterations: usize,
    /// The search ends when `√(∇fᵀH⁻¹∇f)`, the length of the step in the metric of H, is below this times `max(1, √|f|)`.
    tolerance: f64,
    /// Callback after every iteration, which can stop the search.
    progress: Progress,
});

impl Newton {
    /// At most 100 iterations to a tolerance of 1e-10.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimises `f`, which gives a value, its gradient and its Hessian, from `start`.
    ///
    /// Values that are not finite count as +∞: a step there is halved.
    ///
    /// # Errors
    /// Those of `f`; [`Error::NotFinite`] if f is not finite at the start; [`Error::Cancelled`]; [`Error::Shape`] or
    /// [`Error::Parameter`] for sizes or settings that do not fit.
    pub fn run(&self, start: &[f64], mut f: impl FnMut(&[f64]) -> Result<SecondOrder>) -> Result<Minimum> {
        positive("tolerance", self.tolerance)?;
        let n = start.len();
        require("Newton::run", n > 0, || "a start of no variables".to_owned())?;
        let mut evaluations = 0;
        let mut at = |point: &[f64]| -> Result<SecondOrder> {
            evaluations += 1;
            let found = f(point)?;
            require("Newton::run", found.1.len() == n && found.2.dim() == (n, n), || {
                format!("{n} variables, a gradient of {}, a Hessian of {:?}", found.1.len(), found.2.dim())
            })?;
            Ok(found)
        };
        let mut point = start.to_vec();
        let (mut value, mut gradient, mut hessian) = at(&point)?;
        if !value.is_finite() {
            return Err(Error::NotFinite { op: "Newton::run", what: "the objective", value, row: 0, col: 0 });
        }
        let (mut trace, mut stop, mut iterations) = (vec![value], Stop::Iterations, 0);
        while iterations < self.max_iterations {
            let step = direction(hessian.view(), &gradient)?;
            let fall = step.dot(&gradient);
            if fall <= (self.tolerance * value.abs().sqrt().max(1.0)).powi(2) {
                stop = Stop::Gradient;
                break;
            }
            if fall <= 4.0 * f64::EPSILON * value.abs() {
                // The values no longer tell: one more step, whose error is the square of this one's.
                let next: Vec<f64> = point.iter().zip(&step).map(|(p, s)| p - s).collect();
                let found = at(&next)?;
                if found.0.is_finite() && found.0 <= value + 8.0 * f64::EPSILON * value.abs() {
                    (point, (value, gradient, _)) = (next, found);
                    iterations += 1;
                    trace.push(value);
                }
                stop = Stop::Gradient;
                break;
            }
            let tried = (0..HALVINGS).find_map(|k| {
                let length = 0.5f64.powi(k);
                let next: Vec<f64> = point.iter().zip(&step).map(|(p, s)| p - length * s).collect();
                match at(&next) {
                    Err(e) => Some(Err(e)),
                    Ok(found) if found.0.is_finite() && found.0 <= value - ARMIJO * length * fall => {
                        Some(Ok((next, found)))
                    }
                    Ok(_) => None,
                }
            });
            let Some(tried) = tried else {
                stop = Stop::Stalled;
                break;
            };
            let (next, found) = tried?;
            (point, (value, gradient, hessian)) = (next, found);
            iterations += 1;
            trace.push(value);
            self.progress.report("Newton::run", iterations, self.max_iterations, value)?;
        }
        let gradient = gradient.to_vec();
        Ok(Minimum { point, value, gradient, iterations, evaluations, trace, stop, ..Minimum::default() })
    }
}

/// `(H + μI)⁻¹ g` with the least μ of a short list that makes it positive definite.
fn direction(h: ArrayView2<f64>, g: &Array1<f64>) -> Result<Array1<f64>> {
    // No eigenvalue is further from zero than the largest sum of a row (Gershgorin): 1.5 times it is enough.
    let size = h.rows().into_iter().fold(0f64, |m, row| m.max(row.iter().map(|v| v.abs()).sum()));
    let size = if size > 0.0 { size } else { 1.0 };
    let mut last = None;
    for shift in [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.5, 1.5, 3.0, 10.0, 1e2] {
        let mut h = h.to_owned();
        h.diag_mut().mapv_inplace(|v| v + shift * size);
        let b = g.view().insert_axis(Axis(1));
        match solve_spd(&Device::cpu(), h.view(), b, &SpdParams::default()) {
            Ok(found) => return Ok(found.x.column(0).to_owned()),
            Err(e @ Error::NotPositiveDefinite { .. }) => last = Some(e),
            Err(e) => return Err(e),
        }
    }
    let none = Error::NotPositiveDefinite { op: "Newton::run", pivot: 0, value: f64::NAN };
    Err(last.unwrap_or(none))
}
