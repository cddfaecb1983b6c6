//! The smallest ball around points of a feature space.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::classifier::CACHE;
use super::problem::{Constraint, Problem, Unit};
use super::rows::Rows;
use super::smo::{Settings, solve};
use crate::check::{finite, inputs, positive};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, Predict};
use crate::models::kernel_methods::expansion::Expansion;
use crate::ops::gram_diagonal;
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Progress, Result};

/// The smallest ball that holds all points of a feature space: `min R` with `‖φ(x_i) - c‖ ≤ R`.
///
/// Its centre is `c = Σ_i β_i φ(x_i)`, where β maximises `Σ β_i k(x_i, x_i) - βᵀKβ` over the simplex, and the maximum is
/// R². With [`Kernel::linear`] it is the smallest ball around the points themselves. The solver is that of
/// [`SvmClassifier`](super::SvmClassifier) and runs on the CPU whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]];
/// let ball = EnclosingBall::new(Kernel::linear()).fit(&Device::cpu(), &x)?;
/// assert!((ball.radius() - 1.0).abs() < 1e-9);
/// assert!((ball.centre().unwrap()[0] - 1.0).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EnclosingBall {
    kernel: Kernel,
    tolerance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl EnclosingBall {
    /// The ball in the feature space of this kernel.
    pub fn new(kernel: Kernel) -> Self {
        EnclosingBall { kernel, tolerance: 1e-10, progress: Progress::none() }
    }
}

setters!(EnclosingBall {
    /// Largest violation of the optimality conditions that is allowed, relative to the largest `k(x, x)`; 1e-10 by default.
    tolerance: f64,
    /// Callback every 64 iterations, which can cancel the fit.
    progress: Progress,
});

fits!(EnclosingBall: Fit -> FittedEnclosingBall);

impl Fit for EnclosingBall {
    type Fitted = FittedEnclosingBall;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedEnclosingBall> {
        const OP: &str = "EnclosingBall::fit";
        finite(OP, "x", x)?;
        positive("tolerance", self.tolerance)?;
        let (n, x) = (x.nrows(), x.to_owned());
        let mut rows = Rows::new(OP, &self.kernel, x.clone(), CACHE)?;
        let diagonal: Vec<f64> = (0..n).map(|i| rows.diagonal(i)).collect();
        let mut start = vec![0.0; n];
        start[0] = 1.0;
        let largest = diagonal.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let p = Problem {
            point: (0..n).collect(),
            sign: vec![1.0; n],
            side: vec![1.0; n],
            linear: diagonal.iter().map(|k| -0.5 * k).collect(),
            upper: vec![f64::INFINITY; n],
            start,
            constraint: Constraint::Sum,
            unit: Unit::Fixed(largest),
        };
        let settings = Settings {
            op: OP,
            tolerance: self.tolerance,
            max_iterations: None,
            progress: self.progress.clone(),
        };
        let found = solve(&p, &mut rows, &settings)?;
        let norm = p.quadratic(&found);
        let mean: f64 = found.a.iter().zip(&diagonal).map(|(b, k)| b * k).sum();
        let support: Vec<usize> = (0..n).filter(|&i| found.a[i] > 0.0).collect();
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            points: x.select(Axis(0), &support),
            coefficients: Array2::from_shape_fn((support.len(), 1), |(i, _)| found.a[support[i]]),
        };
        Ok(FittedEnclosingBall {
            format: Format,
            expansion,
            support,
            norm,
            radius: (mean - norm).max(0.0).sqrt(),
        })
    }
}

/// A fitted [`EnclosingBall`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedEnclosingBall {
    format: Format,
    expansion: Expansion,
    support: Vec<usize>,
    norm: f64,
    radius: f64,
}

getters!(FittedEnclosingBall {
    /// The radius R.
    radius: f64,
    /// The rows of the data that hold the ball, ascending.
    support: &[usize],
    /// Their coefficients β, m x 1; they sum to one.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
});

inherent!(FittedEnclosingBall: Predict -> Vec<bool>);

impl FittedEnclosingBall {
    /// The centre, if the kernel is linear: then it is a point of the inputs' space.
    pub fn centre(&self) -> Option<Array1<f64>> {
        self.expansion.kernel.linear_scales(self.expansion.points.ncols())?;
        Some(self.expansion.coefficients.column(0).dot(&self.expansion.points))
    }

    /// The distance of each row of `x` from the centre, in the feature space.
    ///
    /// # Errors
    /// As `predict`.
    pub fn distance(&self, x: impl Inputs) -> Result<Array1<f64>> {
        const OP: &str = "FittedEnclosingBall::distance";
        let x = x.inputs();
        inputs(OP, x.view(), self.expansion.points.ncols())?;
        let own = gram_diagonal(&self.expansion.kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        let to = self.expansion.at(OP, &Device::cpu(), x.view())?;
        let square = own - 2.0 * to + self.norm;
        Ok(square.column(0).mapv(|d| d.max(0.0).sqrt()))
    }
}

impl Predict for FittedEnclosingBall {
    type Output = Vec<bool>;

    /// Whether each row is inside, to 1e-6 of the radius.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<bool>> {
        Ok(self.distance(x)?.iter().map(|d| *d <= self.radius * (1.0 + 1e-6)).collect())
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedEnclosingBall);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedEnclosingBall {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        crate::check::not_negative("radius", self.radius)?;
        crate::check::not_negative("norm", self.norm)
    }
}
