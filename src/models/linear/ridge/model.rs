//! What ridge regression is to fit, and the choice between its two routes.

use ndarray::{ArrayView1, ArrayView2};

use super::fitted::{FittedRidge, Form, Solved};
use super::normal_equations::{residual, solve};
use crate::check::{not_negative, pairs};
use crate::learn::TargetDim;
use crate::learn::configure::setters;
use crate::learn::plan::BUDGET;
use crate::learn::ranks::{Meeting, fits_across};
use crate::linalg::SolveReport;
use crate::models::linear::centred::Centred;
use crate::models::linear::reduced::Reduced;
use crate::models::linear::spectrum::Spectrum;
use crate::{Device, Error, Result};

/// The condition of a system up to which its solution has digits enough: beyond, X itself is decomposed, in a multiple
/// of the time.
const TRUSTED: f64 = 1e11;
/// Copies of X that a decomposition holds at its peak.
const COPIES: f64 = 10.0;

/// Ridge regression: the `w` and `b` that minimise `Σ_i s_i (y_i - wᵀx_i - b)² + λ‖w‖²`.
///
/// The intercept b is not penalised. The weights `s_i` are one unless given. With λ = 0 it is least squares: of all
/// minima the one with the least `‖w‖`, and [`FittedRidge::rank`] says what rank X was taken to have.
///
/// `XᵀX + λI` (primal) or `XXᵀ + λI` (dual), whichever is smaller, is factored: in f64 on the CPU, in f32 with f64
/// corrections on a GPU (for λ > 0). Where that would lose too many digits (columns that nearly depend on each other, a
/// stray row) the singular values of X are found instead, on the CPU, if ten copies of X fit 2 GiB. The report says which
/// route was taken, and the condition by which to doubt it.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
/// let y = array![3.0_f64, 2.0, 4.0, 8.0, 3.0];
/// let fit = Ridge::new(1.0).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[1, 0]] - 1.241071429).abs() < 1e-9);
/// assert!((fit.intercept()[0] - 0.1071428571).abs() < 1e-9);
/// assert!((fit.predict(array![[6.0, 0.0]])?[0] - 5.4107142857).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::NotPositiveDefinite`] if the penalty is nothing beside the rounding of a rank-deficient `XᵀX`, and X too
/// large to decompose; [`Error::NotFinite`] if the coefficients are beyond all numbers: scale the data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ridge {
    penalty: f64,
    intercept: bool,
}

impl Ridge {
    /// With the penalty λ ≥ 0, and an intercept.
    pub fn new(penalty: f64) -> Self {
        Ridge { penalty, intercept: true }
    }
}

setters!(Ridge {
    /// The penalty λ ≥ 0; zero is least squares.
    penalty: f64,
    /// Whether there is an intercept b; without one the function passes through the origin.
    intercept: bool,
});

fits_across!(Ridge: Regress -> FittedRidge);

impl Ridge {
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedRidge<D>> {
        not_negative("penalty", self.penalty)?;
        if all.alone() {
            return FittedRidge::new(self.solve(device, x, y, w, self.intercept)?, self.penalty);
        }
        // A few rows that have the products of all: what follows is the same on every rank.
        let few = Reduced::new(all, "Ridge::fit", x, y, w, self.intercept)?;
        let mut solved = self.solve(&Device::cpu(), few.x.view(), few.y.view(), None, false)?;
        solved.intercept = few.intercept(&solved.coefficients);
        FittedRidge::new(solved, self.penalty)
    }

    fn solve(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
        intercept: bool,
    ) -> Result<Solved> {
        pairs("Ridge::fit", x, y)?;
        let data = Centred::new(x, y, w, intercept);
        let form = Form::of(x.nrows(), x.ncols());
        let fits = COPIES * 8.0 * x.len() as f64 <= BUDGET as f64;
        let condition = match solve(device, &data, self.penalty, form) {
            Ok((_, SolveReport::Direct(found), _)) if fits && found.condition > TRUSTED => found.condition,
            Err(Error::NotPositiveDefinite { .. }) if fits => f64::INFINITY,
            other => {
                let (coefficients, report, device) = other?;
                let intercept = data.intercept(&coefficients);
                // A penalty hides the rank of X; without one these equations have a solution only if it is full.
                let rank = (self.penalty == 0.0).then(|| x.nrows().min(x.ncols()));
                return Ok(Solved { coefficients, intercept, form, rank, report, device });
            }
        };
        let spectrum = Spectrum::of(&data, intercept)?;
        let coefficients = spectrum.coefficients(self.penalty, &spectrum.project(data.targets()));
        let relative_residual = residual(&data, self.penalty, &coefficients);
        let report = SolveReport::Decomposed { relative_residual, condition };
        let (intercept, rank) = (data.intercept(&coefficients), Some(spectrum.rank));
        Ok(Solved { coefficients, intercept, form, rank, report, device: Device::cpu() })
    }
}
