//! The support of a distribution: a region that holds all but a share of the data.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::certificate::{SvmCertificate, counts, report};
use super::classifier::{CACHE, TOLERANCE};
use super::problem::{Constraint, Problem, Unit};
use super::rows::Rows;
use super::smo::{Settings, solve};
use crate::check::{finite, parameter, positive, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Decision, Fit, FitWeighted, Inputs, Predict, Report, Reported};
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Progress, Result};

/// Novelty detection: the region `f(x) = Σ_i a_i k(x_i, x) ≥ ρ` with f of the least norm.
///
/// f minimises `½‖f‖² - νSρ + Σ_i s_i max(0, ρ - f(x_i))`, S the sum of the weights s: at most a share ν of the observations is
/// outside, and at least a share ν has a coefficient. The solver is that of [`SvmClassifier`](super::SvmClassifier): a GPU sums
/// kernel rows of many points, and decisions are computed on the CPU unless [`FittedOneClassSvm::on`] says otherwise.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((50, 2), |(i, j)| ((i * (3 + j)) as f64).sin());
/// let fitted = OneClassSvm::new(Kernel::rbf(1.0), 0.1).fit(&Device::cpu(), &x)?;
/// assert_eq!(fitted.predict(ndarray::array![[0.1, 0.0], [5.0, 5.0]])?, [true, false]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OneClassSvm {
    kernel: Kernel,
    nu: f64,
    tolerance: f64,
    max_iterations: Option<usize>,
    cache_bytes: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl OneClassSvm {
    /// With at most a share ν of the observations outside, `0 < ν ≤ 1`.
    pub fn new(kernel: Kernel, nu: f64) -> Self {
        OneClassSvm {
            kernel,
            nu,
            tolerance: TOLERANCE,
            max_iterations: None,
            cache_bytes: CACHE,
            progress: Progress::none(),
        }
    }
}

setters!(OneClassSvm {
    /// The kernel.
    kernel: Kernel,
    /// The largest share ν of observations outside.
    nu: f64,
    /// Largest violation of the optimality conditions that is allowed, relative to ρ; 1e-3 by default.
    tolerance: f64,
    /// Most iterations; by default a hundred for each observation, and ten million at least.
    max_iterations: into Option<usize>,
    /// Bytes of kernel rows that are kept; 200 MiB by default.
    cache_bytes: usize,
    /// Callback every 64 iterations, which can cancel the fit.
    progress: Progress,
});

fits!(OneClassSvm: Fit -> FittedOneClassSvm, FitWeighted -> FittedOneClassSvm);

const OP: &str = "OneClassSvm::fit";

impl Fit for OneClassSvm {
    type Fitted = FittedOneClassSvm;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedOneClassSvm> {
        self.run(device, x, Array1::ones(x.nrows()).view())
    }
}

impl FitWeighted for OneClassSvm {
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        (): &(),
        w: ArrayView1<f64>,
    ) -> Result<FittedOneClassSvm> {
        weights(OP, w, x.nrows())?;
        self.run(device, x, w)
    }
}

impl OneClassSvm {
    fn run(&self, device: &Device, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<FittedOneClassSvm> {
        finite(OP, "x", x)?;
        parameter("nu", self.nu, self.nu > 0.0 && self.nu <= 1.0, "must be above 0 and at most 1")?;
        positive("tolerance", self.tolerance)?;
        let rows: Vec<usize> = (0..x.nrows()).filter(|&i| w[i] > 0.0).collect();
        let x = x.select(Axis(0), &rows);
        let upper: Vec<f64> = rows.iter().map(|&i| w[i]).collect();
        let n = rows.len();
        let sum = self.nu * upper.iter().sum::<f64>();
        let mut left = sum;
        let start = upper.iter().map(|u| {
            let a = u.min(left);
            left -= a;
            a
        });
        let p = Problem {
            point: (0..n).collect(),
            sign: vec![1.0; n],
            side: vec![1.0; n],
            linear: vec![0.0; n],
            start: start.collect(),
            upper,
            constraint: Constraint::Sum,
            unit: Unit::Margin,
        };
        let mut kernel_rows = Rows::new(OP, &self.kernel, x.clone(), self.cache_bytes)?.on(device)?;
        let settings = Settings {
            op: OP,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            progress: self.progress.clone(),
        };
        let found = solve(&p, &mut kernel_rows, &settings)?;
        let threshold = p.multiplier(&found, |_| true);
        let norm = p.quadratic(&found);
        let loss: f64 = found.gradient.iter().zip(&p.upper).map(|(f, u)| u * (threshold - f).max(0.0)).sum();
        let (support, bounded) = counts(&found, &p.upper);
        let certificate = SvmCertificate {
            primal: 0.5 * norm - sum * threshold + loss,
            dual: -0.5 * norm,
            violation: found.violation,
            support,
            bounded,
            stalled: found.stalled,
        };
        let used: Vec<usize> = (0..n).filter(|&i| found.a[i] > 0.0).collect();
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            points: x.select(Axis(0), &used),
            coefficients: Array2::from_shape_fn((used.len(), 1), |(i, _)| found.a[used[i]]),
        };
        let report = report(&[(found.iterations, found.stalled)], &[certificate], found.trace);
        let support = used.into_iter().map(|i| rows[i]).collect();
        let (format, device) = (Format, Device::cpu());
        Ok(FittedOneClassSvm { format, expansion, threshold, support, certificate, report, device })
    }
}

/// A fitted [`OneClassSvm`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedOneClassSvm {
    format: Format,
    expansion: Expansion,
    threshold: f64,
    support: Vec<usize>,
    certificate: SvmCertificate,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedOneClassSvm {
    /// The rows of the data that have a coefficient, ascending.
    support: &[usize],
    /// These rows themselves, m x d.
    support_points => expansion.points: &Array2<f64>,
    /// Their coefficients, m x 1; they sum to ν times the sum of the weights.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The threshold ρ.
    threshold: f64,
    /// The proof.
    certificate: &SvmCertificate,
    /// Iterations, and why they ended.
    report: &Report,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// Where decisions are computed.
    device: &Device,
});

inherent!(FittedOneClassSvm: Predict -> Vec<bool>, Decision);

impl FittedOneClassSvm {
    /// The same region, with decisions computed on another device: on a GPU in f32.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The weights w, 1 x d, if the kernel is linear: `f(x) = wᵀx`.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }

    /// f at each row of `x`, before ρ is subtracted.
    ///
    /// # Errors
    /// As `predict`.
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let found = self.expansion.at("FittedOneClassSvm::score_samples", &self.device, x.inputs().view())?;
        Ok(found.index_axis_move(Axis(1), 0))
    }
}

impl Decision for FittedOneClassSvm {
    /// `f(x) - ρ`, m x 1: negative outside.
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.expansion.at("FittedOneClassSvm::decision", &self.device, x)? - self.threshold)
    }
}

impl Predict for FittedOneClassSvm {
    type Output = Vec<bool>;

    /// Whether each row is inside.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<bool>> {
        Ok(Decision::decision(self, x)?.iter().map(|f| *f >= 0.0).collect())
    }
}

impl Reported for FittedOneClassSvm {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedOneClassSvm);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedOneClassSvm {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        parameter("rho", self.threshold, self.threshold.is_finite(), "must be finite")
    }
}
