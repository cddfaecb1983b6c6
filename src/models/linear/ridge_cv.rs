//! Ridge regression whose penalty is chosen by leave-one-out or generalised cross-validation.
//!
//! Checked in `tests/linear/cv.rs` against n refits, those of small penalties in 120 digits, and against scikit-learn.

use ndarray::{Array, Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix2};

use super::centred::Centred;
use super::ridge::{FittedRidge, Solved, residual};
use super::spectrum::Spectrum;
use crate::check::{not_negative, pairs, require, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Predict, TargetDim};
use crate::linalg::SolveReport;
use crate::saved::Format;
use crate::{Device, Error, Result};

/// The criterion by which a penalty is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PenaltyCriterion {
    /// `Σ_i s_i ((y_i - f_i) / (1 - h_ii))² / Σ_i s_i`: exactly the mean squared error of n refits, each without one
    /// observation.
    #[default]
    LeaveOneOut,
    /// `Σ_i s_i (y_i - f_i)² / Σ_i s_i / (1 - tr H / n)²`: the same with every leverage replaced by their mean, and so
    /// unchanged by a rotation of the observations.
    Gcv,
}

/// [`Ridge`](super::Ridge) over a list of penalties, all of them from one singular value decomposition.
///
/// The score of each is that of n refits without one observation each, in closed form: `y_i - f₋ᵢ(x_i) = (y_i - f_i) / (1 -
/// h_ii)`, `H = X (XᵀX + λI)⁻¹ Xᵀ` and what the intercept adds. A penalty of zero is least squares. The decomposition is
/// f64 on the CPU, whatever the device: small penalties mean nothing in f32.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::{Array1, Array2, array};
/// let x = Array2::from_shape_fn((20, 3), |(i, j)| ((i * (j + 2)) as f64).sin());
/// let y = Array1::from_shape_fn(20, |i| x[[i, 0]] - 2.0 * x[[i, 2]] + 0.1 * ((7 * i) as f64).cos());
/// let fit = RidgeCv::new(&[0.0, 0.01, 0.1, 1.0, 10.0]).fit(&Device::cpu(), &x, &y)?;
/// assert!(fit.best().penalty() < 1.0);
/// assert_eq!(fit.predict(array![[0.0, 0.0, 0.0]])?.len(), 1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// As [`Ridge`](super::Ridge); [`Error::Shape`] if there is no penalty, or a single observation, of which none can be
/// left out; [`Error::Parameter`] if no score is finite.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RidgeCv {
    penalties: Vec<f64>,
    criterion: PenaltyCriterion,
    intercept: bool,
}

impl RidgeCv {
    /// Over these penalties, none negative, by leave-one-out, with an intercept.
    pub fn new(penalties: &[f64]) -> Self {
        RidgeCv { penalties: penalties.to_vec(), criterion: PenaltyCriterion::default(), intercept: true }
    }
}

setters!(RidgeCv {
    /// By what a penalty is judged; leave-one-out by default.
    criterion: PenaltyCriterion,
    /// Whether there is an intercept.
    intercept: bool,
});

fits!(RidgeCv: Regress -> FittedRidgeCv, RegressWeighted -> FittedRidgeCv);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for RidgeCv {
    type Fitted = FittedRidgeCv<D>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<Self::Fitted> {
        self.run(x, D::columns(y), None)
    }
}

impl<D: TargetDim> FitWeighted<ArrayRef<f64, D>> for RidgeCv {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, D>,
        w: ArrayView1<f64>,
    ) -> Result<Self::Fitted> {
        weights("RidgeCv::fit", w, x.nrows())?;
        self.run(x, D::columns(y), Some(w))
    }
}

impl RidgeCv {
    fn run<D: TargetDim>(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedRidgeCv<D>> {
        pairs("RidgeCv::fit", x, y)?;
        require("RidgeCv::fit", !self.penalties.is_empty(), || "there are no penalties to try".to_owned())?;
        self.penalties.iter().try_for_each(|&penalty| not_negative("penalty", penalty))?;
        let seen = w.map_or(x.nrows(), |w| w.iter().filter(|w| **w > 0.0).count());
        require("RidgeCv::fit", seen > 1, || "one observation cannot be left out of one".to_owned())?;
        let data = Centred::new(x, y, w, self.intercept);
        let total = w.map_or(x.nrows() as f64, |w| w.sum());
        let spectrum = Spectrum::of(&data, self.intercept)?;
        let targets = spectrum.project(data.targets());
        let mut scores = Array2::zeros((self.penalties.len(), y.ncols()));
        let mut effective = Array1::zeros(self.penalties.len());
        for (g, &penalty) in self.penalties.iter().enumerate() {
            let (mut left, free) = (spectrum.residuals(penalty, &targets), spectrum.freedoms(penalty));
            // Divided before they are squared: both are of the size of λ, whose square may be nothing.
            match self.criterion {
                PenaltyCriterion::LeaveOneOut => left /= &free.insert_axis(Axis(1)),
                PenaltyCriterion::Gcv => {
                    let of = |i: &usize| data.root(*i) > 0.0;
                    left /= (0..x.nrows()).filter(of).map(|i| free[i]).sum::<f64>() / seen as f64;
                }
            }
            scores.row_mut(g).assign(&(left.mapv(|r| r * r).sum_axis(Axis(0)) / total));
            effective[g] = spectrum.trace(penalty) + f64::from(u8::from(self.intercept));
        }
        let penalty = self.penalties[least(&scores.sum_axis(Axis(1)))?];
        let coefficients = spectrum.coefficients(penalty, &targets);
        let relative_residual = residual(&data, penalty, &coefficients);
        let condition = spectrum.reach.max(data.spread()).powi(2);
        let solved = Solved {
            intercept: data.intercept(&coefficients),
            coefficients,
            form: spectrum.form,
            rank: Some(spectrum.rank),
            report: SolveReport::Decomposed { relative_residual, condition },
            device: Device::cpu(),
        };
        let fit = FittedRidge::<D>::new(solved, penalty)?;
        let (left, free) = (spectrum.residuals(penalty, &targets), spectrum.freedoms(penalty));
        // An observation of no weight was left out of every fit.
        let mut residuals = &y - &D::columns(&Predict::predict(&fit, x)?);
        for (i, row) in left.rows().into_iter().enumerate() {
            if data.root(i) > 0.0 {
                residuals.row_mut(i).assign(&(&row / (data.root(i) * free[i])));
            }
        }
        let (penalties, leverages) = (self.penalties.clone(), free.mapv(|v| 1.0 - v));
        Ok(FittedRidgeCv { format: Format, penalties, scores, fit, residuals, leverages, effective })
    }
}

/// Where the least of the scores is, none of those that are not finite.
fn least(scores: &Array1<f64>) -> Result<usize> {
    let finite = (0..scores.len()).filter(|&i| scores[i].is_finite());
    let best = finite.min_by(|&i, &j| scores[i].total_cmp(&scores[j]));
    best.ok_or(Error::Parameter {
        name: "the score of every penalty".to_owned(),
        value: scores[0],
        requirement: "one must be finite; scale the data, or try larger penalties",
    })
}

/// The scores of every penalty, and the fit of the best.
///
/// The report of the best fit has the square of what rounding is amplified by: of the largest singular value beside the
/// least, and of the largest entry of a feature, or weight, beside what is usual. Beyond 1e10 the scores may have lost half
/// of their digits: a value of 1e9 among others near one, or weights over ten orders of magnitude, do that.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "D: TargetDim")
)]
pub struct FittedRidgeCv<D = Ix2> {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    penalties: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scores: Array2<f64>,
    fit: FittedRidge<D>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    residuals: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    leverages: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    effective: Array1<f64>,
}

getters!(FittedRidgeCv<D> {
    /// The fit with the best penalty: the one of the least score, summed over targets.
    best => fit: &FittedRidge<D>,
    /// The penalties that were tried.
    penalties: &[f64],
    /// The criterion of each penalty (rows) and target (columns).
    scores: &Array2<f64>,
    /// `y_i - f₋ᵢ(x_i)` under the best penalty, n x t: by how much a fit without the observation misses it.
    leave_one_out_residuals => residuals: &Array2<f64>,
    /// The leverages `h_ii` under the best penalty: how much each fitted value follows its own observation.
    leverages: &Array1<f64>,
    /// The effective number of parameters, `tr H`, of each penalty.
    effective_parameters => effective: &Array1<f64>,
});

inherent!(FittedRidgeCv<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedRidgeCv<D> {
    type Output = Array<f64, D>;

    /// By the best fit.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Predict::predict(&self.fit, x)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRidgeCv<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedRidgeCv<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedRidgeCv";
        let (count, n, t) = (self.penalties.len(), self.leverages.len(), self.fit.coefficients().ncols());
        self.penalties.iter().try_for_each(|&penalty| not_negative("penalty", penalty))?;
        require(OP, self.penalties.contains(&self.fit.penalty()), || {
            format!("the best penalty, {}, is none of those tried", self.fit.penalty())
        })?;
        // What a penalty leaves need not be finite: such a score is never the best.
        require(OP, self.scores.dim() == (count, t), || {
            format!("{count} penalties and {t} targets, scores of {:?}", self.scores.dim())
        })?;
        require(OP, self.residuals.dim() == (n, t), || {
            format!("{n} leverages and {t} targets, residuals of {:?}", self.residuals.dim())
        })?;
        let finite = self.effective.len() == count && self.effective.iter().all(|v| v.is_finite());
        require(OP, finite, || format!("effective parameters of {count} penalties: {}", self.effective))
    }
}
