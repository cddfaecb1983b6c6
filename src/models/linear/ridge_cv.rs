//! Ridge regression whose penalty is chosen by leave-one-out or generalised cross-validation.
//!
//! Checked in `tests/ridge/cv.rs` against n refits, those of small penalties in 120 digits, and against scikit-learn.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::at_penalty::{AtPenalty, Decomposition};
use super::centred::Centred;
use super::ridge::FittedRidge;
use crate::check::{pairs, positive, require, weights};
use crate::{Error, Result};

/// By what a penalty is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Criterion {
    /// `Σ_i s_i ((y_i - f_i) / (1 - h_ii))² / Σ_i s_i`: exactly the mean squared error of n refits, each without one
    /// observation.
    #[default]
    LeaveOneOut,
    /// `Σ_i s_i (y_i - f_i)² / Σ_i s_i / (1 - tr H / n)²`: the same with every leverage replaced by their mean, and so
    /// unchanged by a rotation of the observations.
    Gcv,
}

/// [`Ridge`](super::Ridge) over a grid of penalties, all of them from one decomposition.
///
/// With the smoother `f = H(λ) y`, `H = 11ᵀ/n + X (XᵀX + λI)⁻¹ Xᵀ`, the prediction of `y_i` by a fit that has not seen
/// it misses by `(y_i - f_i) / (1 - h_ii)`. Both are summed from what the penalty leaves, so that they mean something
/// however small it is. The decomposition is f64 on the CPU: small penalties mean nothing in f32.
///
/// ```
/// use mercer::models::linear::{Criterion, RidgeCv};
/// use ndarray::{Array2, array};
/// let x = Array2::from_shape_fn((20, 3), |(i, j)| ((i * (j + 2)) as f64).sin());
/// let y = Array2::from_shape_fn((20, 1), |(i, _)| x[[i, 0]] - 2.0 * x[[i, 2]] + 0.1 * ((7 * i) as f64).cos());
/// let fit = RidgeCv::new(&[0.01, 0.1, 1.0, 10.0]).criterion(Criterion::LeaveOneOut).fit(x.view(), y.view())?;
/// assert!(fit.best().penalty() < 1.0);
/// assert_eq!(fit.best().predict(array![[0.0, 0.0, 0.0]].view())?.dim(), (1, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RidgeCv {
    penalties: Vec<f64>,
    criterion: Criterion,
    intercept: bool,
}

impl RidgeCv {
    /// Over these penalties, by leave-one-out, with an intercept.
    pub fn new(penalties: &[f64]) -> Self {
        RidgeCv { penalties: penalties.to_vec(), criterion: Criterion::default(), intercept: true }
    }

    /// By what a penalty is judged.
    #[must_use]
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// Whether there is an intercept.
    #[must_use]
    pub fn intercept(mut self, yes: bool) -> Self {
        self.intercept = yes;
        self
    }

    /// Fits `x`, n x d, to `y`, n x t, with every penalty; the best is the one of the least score, summed over targets.
    ///
    /// # Errors
    /// As [`Ridge::fit`](super::Ridge::fit); [`Error::Shape`](crate::Error::Shape) if there is no penalty, or a single
    /// observation, of which none can be left out; [`Error::Parameter`](crate::Error::Parameter) if no score is finite.
    pub fn fit(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<FittedRidgeCv> {
        self.run(x, y, None)
    }

    /// [`RidgeCv::fit`] with a weight for each observation.
    ///
    /// # Errors
    /// As [`RidgeCv::fit`], and for weights that are negative or all zero.
    pub fn fit_weighted(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: ArrayView1<f64>,
    ) -> Result<FittedRidgeCv> {
        weights("RidgeCv::fit", w, x.nrows())?;
        self.run(x, y, Some(w))
    }

    fn run(
        &self,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedRidgeCv> {
        pairs("RidgeCv::fit", x, y)?;
        require("RidgeCv::fit", !self.penalties.is_empty(), || "there are no penalties to try".to_owned())?;
        self.penalties.iter().try_for_each(|&penalty| positive("penalty", penalty))?;
        let seen = w.map_or(x.nrows(), |w| w.iter().filter(|w| **w > 0.0).count());
        require("RidgeCv::fit", seen > 1, || "one observation cannot be left out of one".to_owned())?;
        let data = Centred::new(x, y, w, self.intercept);
        let total = w.map_or(x.nrows() as f64, |w| w.sum());
        let all = Decomposition::new(&data, self.intercept)?;
        let mut scores = Array2::zeros((self.penalties.len(), y.ncols()));
        let mut effective = Array1::zeros(self.penalties.len());
        for (g, &penalty) in self.penalties.iter().enumerate() {
            let AtPenalty { residuals: mut left, freedoms: own, trace, .. } =
                all.at(penalty, &data, self.intercept);
            // Divided before they are squared: both are of the size of λ, whose square may be nothing.
            match self.criterion {
                Criterion::LeaveOneOut => left /= &own.insert_axis(Axis(1)),
                Criterion::Gcv => {
                    let of = |i: &usize| data.root(*i) > 0.0;
                    left /= (0..x.nrows()).filter(of).map(|i| own[i]).sum::<f64>() / seen as f64;
                }
            }
            scores.row_mut(g).assign(&(left.mapv(|r| r * r).sum_axis(Axis(0)) / total));
            effective[g] = trace;
        }
        let best = least(&scores.sum_axis(Axis(1)))?;
        let penalty = self.penalties[best];
        let mut at = all.at(penalty, &data, self.intercept);
        let own = std::mem::take(&mut at.freedoms);
        let left = std::mem::take(&mut at.residuals);
        let fit = at.into_fit(penalty, all.form());
        // An observation of no weight was left out of every fit.
        let mut residuals = &y - &fit.predict(x)?;
        for (i, row) in left.rows().into_iter().enumerate() {
            if data.root(i) > 0.0 {
                residuals.row_mut(i).assign(&(&row / (data.root(i) * own[i])));
            }
        }
        let leverages = own.mapv(|v| 1.0 - v);
        Ok(FittedRidgeCv { penalties: self.penalties.clone(), scores, fit, residuals, leverages, effective })
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
#[derive(Debug, Clone, PartialEq)]
pub struct FittedRidgeCv {
    penalties: Vec<f64>,
    scores: Array2<f64>,
    fit: FittedRidge,
    residuals: Array2<f64>,
    leverages: Array1<f64>,
    effective: Array1<f64>,
}

impl FittedRidgeCv {
    /// The fit with the best penalty.
    pub fn best(&self) -> &FittedRidge {
        &self.fit
    }

    /// The penalties that were tried.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// The criterion of each penalty (rows) and target (columns).
    pub fn scores(&self) -> &Array2<f64> {
        &self.scores
    }

    /// `y_i - f₋ᵢ(x_i)` under the best penalty, n x t: by how much a fit without the observation misses it.
    pub fn leave_one_out_residuals(&self) -> &Array2<f64> {
        &self.residuals
    }

    /// `h_ii` under the best penalty: how much each fitted value follows its own observation.
    pub fn leverages(&self) -> &Array1<f64> {
        &self.leverages
    }

    /// `tr H`, the effective number of parameters, of each penalty.
    pub fn effective_parameters(&self) -> &Array1<f64> {
        &self.effective
    }
}
