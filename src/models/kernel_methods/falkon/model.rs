//! What kernel ridge regression on landmarks is to fit, and how.

use std::marker::PhantomData;

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::fitted::FittedFalkon;
use super::operator::{Inner, Streamed};
use crate::check::{parameter, positive, require};
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::linalg::{
    CgParams, Fallback, Jitter, SolveReport, conjugate_gradients, refined_conjugate_gradients,
};
use crate::models::kernel_methods::expansion::Expansion;
use crate::models::kernel_methods::features::{Landmarks, Whitening};
use crate::saved::Format;
use crate::{Device, Error, Kernel, Progress, Result};

const OP: &str = "Falkon::fit";

/// Nyström kernel ridge regression: `f(x) = Σ_j a_j k(z_j, x)` over m landmarks, with the a that minimises
/// `Σ_i s_i (y_i - f(x_i))² + λ aᵀ K_zz a`.
///
/// That is ridge regression on the [`Nystrom`](crate::models::kernel_methods::features::Nystrom) features `φ(x) = L⁻¹ k_z(x)`,
/// `K_zz = LLᵀ`, but neither the features nor `ΦᵀΦ` is stored: `(ΦᵀΦ + λI) c = Φᵀy` is solved by conjugate gradients
/// whose products stream over blocks of rows, in O(n + m²) memory (the idea of Rudi, Carratino and Rosasco's FALKON).
/// The preconditioner is `ΦᵀSΦ + λI` of a sample of ten rows for each landmark, half of them by weight if there are
/// weights: some twenty iterations suffice, whatever n. Rows of no weight are left out from the start. With every point
/// a landmark f is that of [`KernelRidge`](crate::models::kernel_methods::KernelRidge).
///
/// On a GPU the products are f32 and the residual is f64. Where landmarks are so near each other that L amplifies the
/// rounding of f32 beyond what the residual can correct, the fit is done again in f64 on the CPU, and says so.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::{Array2, array};
/// let x = Array2::from_shape_fn((2000, 1), |(i, _)| i as f64 / 200.0);
/// let y = x.column(0).mapv(f64::sin);
/// let fit = Falkon::new(Kernel::rbf(1.0), 1e-3, 50).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.predict(array![[3.0]])?[0] - 3f64.sin()).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Shape`] for white noise in the kernel: add its variance to the penalty; [`Error::NoConvergence`],
/// [`Error::Cancelled`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Falkon {
    kernel: Kernel,
    penalty: f64,
    pub(super) count: usize,
    pub(super) landmarks: Landmarks,
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
}

setters!(Falkon {
    /// The penalty λ > 0.
    penalty: f64,
    /// The kernel.
    kernel: Kernel,
    /// How landmarks are chosen; uniformly by default.
    landmarks: Landmarks,
    /// The seed of that choice; zero by default.
    seed: u64,
    /// The relative residual that conjugate gradients must reach; 1e-8 by default.
    tolerance: f64,
    /// The most iterations; 200 by default.
    max_iterations: usize,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits_across!(Falkon: Regress -> FittedFalkon);

impl Falkon {
    /// Among several ranks landmarks are of the rows of all and on all of them; each iteration adds up what the rows of
    /// each give, on its device.
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedFalkon<D>> {
        let part = all.pairs(OP, x, y)?;
        self.check()?;
        // A row of no weight is no observation: not worth a kernel value, let alone a landmark.
        let zero = w.is_some_and(|w| w.iter().any(|w| *w == 0.0));
        if !all.any(OP, zero)? {
            return self.solve(all, device, x, y, w);
        }
        let seen: Vec<usize> = (0..x.nrows()).filter(|&i| w.is_none_or(|w| w[i] > 0.0)).collect();
        let w = w.map(|w| w.select(Axis(0), &seen));
        let (x, y) = (x.select(Axis(0), &seen), y.select(Axis(0), &seen));
        let mut fit = self.solve(all, device, x.view(), y.view(), w.as_ref().map(|w| w.view()))?;
        // Numbers among the rows that were seen become numbers among all.
        let number = |i: &usize| (part.first + i) as f64;
        let numbers = Array1::from_iter(seen.iter().map(number)).insert_axis(Axis(1));
        let left = all.part(OP, x.view())?;
        let which = all.rows(OP, left, numbers.view(), &fit.which)?;
        fit.which = which.iter().map(|i| *i as usize).collect();
        fit.plan.host_bytes += 8 * (x.len() + y.len() + 2 * seen.len()) as u64;
        Ok(fit)
    }

    fn check(&self) -> Result<()> {
        positive("penalty", self.penalty)?;
        parameter("landmarks", self.count as f64, self.count > 0, "there must be at least one")?;
        // It would vanish between data and landmarks, and what `KernelRidge` makes of it is lost.
        require(OP, !self.kernel.has_white_noise(), || {
            "white noise in the kernel: landmarks have none, add its variance to the penalty".to_owned()
        })
    }

    /// The fit, of observations that all have a weight.
    fn solve<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedFalkon<D>> {
        let plan = self.plan(device, x.nrows(), x.ncols(), y.ncols());
        let device = device.suited_to(plan.flops + plan.flops_per_iteration);
        let part = all.part(OP, x)?;
        let sampled = all.sample(OP, part, x, w, self.seed)?;
        let seen = sampled.x.view();
        let mut which = self.landmarks.choose(&self.kernel, seen, self.count.min(seen.nrows()), self.seed)?;
        let whitening = Whitening::new(&self.kernel, seen.select(Axis(0), &which), Jitter::ladder())?;
        let exact = Streamed::new(all, &Device::cpu(), &self.kernel, x, w, &whitening, self.penalty)?;
        let inner = Inner::new(&exact, seen, sampled.weights(), part.total, self.seed)?;
        sampled.numbered(&mut which);
        let b = exact.project(y)?;
        let params = CgParams::new()
            .tolerance(Some(self.tolerance))
            .max_iterations(self.max_iterations)
            .accept_unconverged(false)
            .progress(self.progress.clone());
        let attempt = if all.any(OP, device.is_gpu())? {
            let fast = Streamed::new(all, &device, &self.kernel, x, w, &whitening, self.penalty)?;
            Some((fast.device(), refined_conjugate_gradients(&fast, &exact, b.view(), &inner, &params)))
        } else {
            None
        };
        let (device, found, fallback) = match attempt {
            Some((ran, Ok(found))) => (ran, found, None),
            // What f32 makes of the whitened products is not the matrix: it looks indefinite, or corrections end.
            None | Some((_, Err(Error::NotPositiveDefinite { .. } | Error::NoConvergence { .. }))) => {
                let found = conjugate_gradients(&exact, b.view(), &inner, &params)?;
                (Device::cpu(), found, device.is_gpu().then_some(Fallback::Refinement))
            }
            Some((_, Err(other))) => return Err(other),
        };
        let coefficients = whitening.unwhiten(found.x)?;
        let jitter = whitening.jitter();
        let expansion =
            Expansion { kernel: self.kernel.clone(), points: whitening.into_points(), coefficients };
        Ok(FittedFalkon {
            format: Format,
            expansion,
            which,
            penalty: self.penalty,
            jitter,
            plan,
            report: SolveReport::Iterative(found.info),
            fallback,
            device,
            targets: PhantomData,
        })
    }
}
