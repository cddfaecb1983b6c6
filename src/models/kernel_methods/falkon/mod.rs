//! Kernel ridge regression on landmarks, for n in the millions. Checked in `tests/ridge/falkon.rs`.

mod operator;
#[cfg(feature = "serde")]
mod saved;


use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use self::operator::{Inner, Streamed};
use super::expansion::Expansion;
use crate::linalg::{CgInfo, CgParams, Jitter, conjugate_gradients, refined_conjugate_gradients};
use crate::Progress;
use crate::check::{pairs, positive, require, weights, parameter};
use crate::models::kernel_methods::features::{Landmarks, Whitening};
use crate::learn::plan::{Method, Plan, kernel_flops};
use crate::learn::metrics::r_squared;
use crate::{Device, Kernel, Result};

/// Nyström kernel ridge regression: `f(x) = Σ_j a_j k(z_j, x)` over m landmarks, with the a that minimises
/// `Σ_i s_i (y_i - f(x_i))² + λ aᵀ K_zz a`.
///
/// That is ridge regression on the [`Nystrom`](crate::models::kernel_methods::features::Nystrom) features `φ(x) = L⁻¹ k_z(x)`,
/// `K_zz = LLᵀ`, but neither the features nor `ΦᵀΦ` is stored: `(ΦᵀΦ + λI) c = Φᵀy` is solved by conjugate gradients
/// whose products stream over blocks of rows, in O(n + m²) memory (the idea of Rudi, Carratino and Rosasco's FALKON).
/// The preconditioner is `ΦᵀSΦ + λI` of a sample of ten rows for each landmark, half of them by weight if there are
/// weights: some twenty iterations suffice, whatever n. Rows of no weight are left out from the start. With every point
/// a landmark f is that of [`KernelRidge`](super::KernelRidge).
///
/// ```
/// use mercer::{Device, Kernel, models::kernel_methods::Falkon};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((2000, 1), |(i, _)| i as f64 / 200.0);
/// let y = x.mapv(f64::sin);
/// let fit = Falkon::new(Kernel::rbf(1.0), 1e-3, 50).fit(&Device::cpu(), x.view(), y.view())?;
/// let at = fit.predict(ndarray::array![[3.0]].view())?;
/// assert!((at[[0, 0]] - 3f64.sin()).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Falkon {
    kernel: Kernel,
    penalty: f64,
    count: usize,
    landmarks: Landmarks,
    seed: u64,
    tolerance: f64,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Falkon {
    /// With this kernel, the penalty λ > 0 and m uniformly chosen landmarks (all points, if there are fewer).
    pub fn new(kernel: Kernel, penalty: f64, landmarks: usize) -> Self {
        Falkon {
            kernel,
            penalty,
            count: landmarks,
            landmarks: Landmarks::Uniform,
            seed: 0,
            tolerance: 1e-8,
            max_iterations: 200,
            progress: Progress::none(),
        }
    }

    /// How landmarks are chosen.
    #[must_use]
    pub fn landmarks(mut self, how: Landmarks) -> Self {
        self.landmarks = how;
        self
    }

    /// The seed of that choice; zero by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The relative residual that conjugate gradients must reach; 1e-8 by default.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The most iterations; 200 by default.
    #[must_use]
    pub fn max_iterations(mut self, most: usize) -> Self {
        self.max_iterations = most;
        self
    }

    /// Called after every iteration; it can cancel the fit.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// What a fit of n observations with d features and t targets would do on `device`: nothing is run.
    pub fn plan(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let m = self.count.min(n);
        let (nf, mf, df, tf) = (n as f64, m as f64, d as f64, targets as f64);
        let rows = (operator::rows(device, m) as f64).min(nf);
        let block = |matrices: f64| rows * (matrices * mf + df + 2.0 * tf);
        // K_zz, L, the preconditioner before and after its factorisation.
        let small = 8.0 * mf * (4.0 * mf + 4.0 * df + 12.0 * tf);
        let sketch = operator::sketch(n, m) as f64;
        // The rows of the sketch are drawn from the numbers of all; blocks come later, of kernel values, whitened, and as
        // the solve with L has them.
        let fitting = small + 8.0 * sketch + 8.0 * block(3.0).max(nf);
        Plan {
            method: Method::Landmarks { count: m },
            host_bytes: fitting.max(self.landmarks.bytes(n, d, m)) as u64,
            device_bytes: if device.is_gpu() {
                operator::device_bytes(device, n, d, m, targets) as u64
            } else {
                0
            },
            flops: sketch * mf * (kernel_flops(d) + 3.0 * mf) + mf.powi(3),
            flops_per_iteration: nf * mf * (kernel_flops(d) + 4.0 * tf),
        }
    }

    /// Fits `x`, n x d, to `y`, n x t: one column for each target.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the penalty is not positive, there is no landmark, or the
    /// kernel is not in order; [`Error::Shape`](crate::Error::Shape) or
    /// [`Error::NotFinite`](crate::Error::NotFinite) for bad data, [`Error::Shape`](crate::Error::Shape) for white noise
    /// in the kernel: add its variance to the penalty;
    /// [`Error::NoConvergence`](crate::Error::NoConvergence), [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedFalkon> {
        self.run(device, x, y, None)
    }

    /// [`Falkon::fit`] with a weight `s_i ≥ 0` for each observation.
    ///
    /// # Errors
    /// As [`Falkon::fit`], and for weights that are negative or all zero.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: ArrayView1<f64>,
    ) -> Result<FittedFalkon> {
        weights("Falkon::fit", w, x.nrows())?;
        self.run(device, x, y, Some(w))
    }

    fn run(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedFalkon> {
        positive("penalty", self.penalty)?;
        pairs("Falkon::fit", x, y)?;
        parameter("landmarks", self.count as f64, self.count > 0, "there must be at least one")?;
        // It would vanish between data and landmarks, and what `KernelRidge` makes of it is lost.
        require("Falkon::fit", !self.kernel.has_white_noise(), || {
            "white noise in the kernel: landmarks have none, add its variance to the penalty".to_owned()
        })?;
        // A row of no weight is no observation: not worth a kernel value, let alone a landmark.
        let seen: Option<Vec<usize>> =
            w.filter(|w| w.iter().any(|w| *w == 0.0)).map(|w| (0..w.len()).filter(|&i| w[i] > 0.0).collect());
        let Some(seen) = seen else { return self.solve(device, x, y, w) };
        let w = w.map(|w| w.select(Axis(0), &seen));
        let (x, y) = (x.select(Axis(0), &seen), y.select(Axis(0), &seen));
        let mut fit = self.solve(device, x.view(), y.view(), w.as_ref().map(|w| w.view()))?;
        fit.which.iter_mut().for_each(|i| *i = seen[*i]);
        fit.plan.host_bytes += 8 * (x.len() + y.len() + 2 * seen.len()) as u64;
        Ok(fit)
    }

    /// The fit, of observations that all have a weight.
    fn solve(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedFalkon> {
        let plan = self.plan(device, x.nrows(), x.ncols(), y.ncols());
        let device = device.suited_to(plan.flops + plan.flops_per_iteration);
        let which = self.landmarks.choose(&self.kernel, x, self.count.min(x.nrows()), self.seed)?;
        let whitening = Whitening::new(&self.kernel, x.select(Axis(0), &which), Jitter::ladder())?;
        let exact = Streamed::new(&Device::cpu(), &self.kernel, x, w, &whitening, self.penalty)?;
        let inner = Inner::new(&exact, self.seed)?;
        let b = exact.project(y)?;
        let params = CgParams {
            tolerance: Some(self.tolerance),
            max_iterations: self.max_iterations,
            accept_unconverged: false,
            progress: self.progress.clone(),
        };
        let found = if device.is_gpu() {
            let fast = Streamed::new(&device, &self.kernel, x, w, &whitening, self.penalty)?;
            refined_conjugate_gradients(&fast, &exact, b.view(), &inner, &params)?
        } else {
            conjugate_gradients(&exact, b.view(), &inner, &params)?
        };
        let coefficients = whitening.unwhiten(found.x)?;
        let jitter = whitening.jitter();
        let expansion =
            Expansion { kernel: self.kernel.clone(), points: whitening.into_points(), coefficients };
        Ok(FittedFalkon { expansion, which, penalty: self.penalty, jitter, plan, info: found.info })
    }
}

/// The function `x ↦ Σ_j a_j k(z_j, x)` over m landmarks, and how it was found.
#[derive(Debug, Clone)]
pub struct FittedFalkon {
    expansion: Expansion,
    which: Vec<usize>,
    penalty: f64,
    jitter: f64,
    plan: Plan,
    info: CgInfo,
}

impl FittedFalkon {
    /// a, m x t: one column for each target.
    pub fn coefficients(&self) -> &Array2<f64> {
        &self.expansion.coefficients
    }

    /// The landmarks z, m x d.
    pub fn landmarks(&self) -> &Array2<f64> {
        &self.expansion.points
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.expansion.kernel
    }

    /// λ.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// The rows of x that the landmarks are.
    pub fn indices(&self) -> &[usize] {
        &self.which
    }

    /// What was added to the diagonal of `K_zz`, in absolute terms: landmarks near each other make it singular.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// What was done, and what it took.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How conjugate gradients went.
    pub fn info(&self) -> &CgInfo {
        &self.info
    }

    /// f at each row of `x`, m x d: m x t, in f64 on the CPU.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` has not the features of the fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.predict_on(&Device::cpu(), x)
    }

    /// [`predict`](FittedFalkon::predict) on a device; on a GPU the sum is f32, with its rounding amplified by the
    /// cancellation among the coefficients.
    ///
    /// # Errors
    /// As [`predict`](FittedFalkon::predict), and those of the device.
    pub fn predict_on(&self, device: &Device, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.expansion.at("FittedFalkon::predict", device, x)
    }

    /// R², the mean over the targets.
    ///
    /// # Errors
    /// As [`predict`](FittedFalkon::predict), and for a `y` that does not fit or has fewer than two rows.
    pub fn score(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        r_squared("FittedFalkon::score", y, self.predict(x)?.view())
    }
}
