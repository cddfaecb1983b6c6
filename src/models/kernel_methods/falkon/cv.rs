//! The choice of a kernel and a penalty for regression on landmarks, by folds. Checked in `tests/kernel_methods/cv.rs`.

use ndarray::{Array, Array2, ArrayRef, ArrayView2, Axis, Ix2};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::fitted::FittedFalkon;
use super::model::Falkon;
use crate::check::{pairs, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Predict, Rows, TargetDim};
#[cfg(feature = "serde")]
use crate::models::kernel_methods::choice::saved_grid;
use crate::models::kernel_methods::choice::{grid, least, skipped};
use crate::saved::Format;
use crate::{Device, Error, Kernel, Result};

/// [`Falkon`] over a list of kernels (bandwidths) and a list of penalties, chosen by k-fold cross-validation.
///
/// Each pair is fitted k times, each time without one of k parts of the rows, and judged by the mean squared error on that
/// part; then the best is fitted to all rows. Everything else is as in the model given: the number of landmarks and how
/// they are chosen, the tolerance, the progress of each fit.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 30.0);
/// let y = x.column(0).mapv(|x| x.sin() + 0.1 * (37.0 * x).cos());
/// let model = Falkon::new(Kernel::rbf(1.0), 0.1, 30).tolerance(1e-6); // rbf(10) is near singular here
/// let fit = FalkonCv::new(model, [0.1, 1.0, 10.0].map(Kernel::rbf), &[1e-3, 0.1, 10.0]).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(fit.best().kernel(), &Kernel::rbf(1.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Shape`](crate::Error::Shape) for no kernel or no penalty, [`Error::Parameter`](crate::Error::Parameter) for
/// fewer than two folds, more than rows, or if no score is finite; and those of [`Falkon`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FalkonCv {
    model: Falkon,
    kernels: Vec<Kernel>,
    penalties: Vec<f64>,
    folds: usize,
    seed: u64,
}

impl FalkonCv {
    /// Over every pair of these kernels and these penalties, in place of the model's, by five folds.
    pub fn new(model: Falkon, kernels: impl IntoIterator<Item = Kernel>, penalties: &[f64]) -> Self {
        let (kernels, penalties) = (kernels.into_iter().collect(), penalties.to_vec());
        FalkonCv { model, kernels, penalties, folds: 5, seed: 0 }
    }
}

setters!(FalkonCv {
    /// The number of folds, at least two; five by default.
    folds: usize,
    /// The seed by which rows are dealt to folds; zero by default.
    seed: u64,
});

fits!(FalkonCv: Regress -> FittedFalkonCv);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for FalkonCv {
    type Fitted = FittedFalkonCv<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<Self::Fitted> {
        const OP: &str = "FalkonCv::fit";
        pairs(OP, x, D::columns(y))?;
        grid(OP, &self.kernels, &self.penalties)?;
        let (n, k) = (x.nrows(), self.folds);
        parameter(
            "folds",
            k as f64,
            (2..=n).contains(&k),
            "must be at least 2 and at most the number of rows",
        )?;
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let candidate = |kernel: &Kernel, penalty| self.model.clone().kernel(kernel.clone()).penalty(penalty);
        let mut scores = Array2::zeros((self.kernels.len(), self.penalties.len()));
        for fold in 0..k {
            let (held, rest): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| i % k == fold);
            let at = |which: Vec<usize>| which.into_iter().map(|i| order[i]).collect::<Vec<usize>>();
            let (held, rest) = (at(held), at(rest));
            let (train, test) = (x.select(Axis(0), &rest), x.select(Axis(0), &held));
            let (seen, missed) = (Rows::select(y, &rest), Rows::select(y, &held));
            for ((i, j), score) in scores.indexed_iter_mut() {
                let model = candidate(&self.kernels[i], self.penalties[j]);
                let fit = match Fit::fit(&model, device, train.view(), &*seen) {
                    Ok(fit) => fit,
                    Err(Error::NoConvergence { .. }) => {
                        *score = f64::NAN;
                        continue;
                    }
                    Err(e) => return Err(e),
                };
                let wrong = &D::columns(&missed) - &D::columns(&Predict::predict(&fit, test.view())?);
                *score += wrong.iter().map(|e| e * e).sum::<f64>() / D::columns(y).len() as f64;
            }
        }
        let fit = loop {
            let (i, j) = least(&scores)?;
            match Fit::fit(&candidate(&self.kernels[i], self.penalties[j]), device, x, y) {
                Err(Error::NoConvergence { .. }) => scores[[i, j]] = f64::NAN,
                fit => break fit?,
            }
        };
        let (kernels, penalties) = (self.kernels.clone(), self.penalties.clone());
        Ok(FittedFalkonCv { format: Format, kernels, penalties, scores, fit })
    }
}

/// The scores of every kernel and penalty, and the fit of the best.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "D: TargetDim")
)]
pub struct FittedFalkonCv<D = Ix2> {
    format: Format,
    kernels: Vec<Kernel>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    penalties: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scores: Array2<f64>,
    fit: FittedFalkon<D>,
}

getters!(FittedFalkonCv<D> {
    /// The fit with the best kernel and penalty, to all rows.
    best => fit: &FittedFalkon<D>,
    /// The kernels that were tried.
    kernels: &[Kernel],
    /// The penalties that were tried.
    penalties: &[f64],
    /// The mean squared error on held-out rows for each kernel (rows) and penalty (columns); NaN for those that did not
    /// converge, which are never chosen: see [`skipped`](Self::skipped).
    scores: &Array2<f64>,
});

impl<D> FittedFalkonCv<D> {
    /// The kernels and penalties, by their places, whose fits did not converge and were left out of the choice.
    pub fn skipped(&self) -> Vec<(usize, usize)> {
        skipped(&self.scores)
    }
}

inherent!(FittedFalkonCv<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedFalkonCv<D> {
    type Output = Array<f64, D>;

    /// By the best fit, in f64 on the CPU.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Predict::predict(&self.fit, x)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedFalkonCv<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedFalkonCv<D> {
    fn check(&self) -> Result<()> {
        saved_grid("a saved FittedFalkonCv", &self.kernels, &self.penalties, &self.scores)
    }
}
