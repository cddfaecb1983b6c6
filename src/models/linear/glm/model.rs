//! What a generalised linear model is to fit, by iteratively reweighted least squares.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::family::{Family, Link};
use super::fitted::{FittedGeneralisedLinear, Statistics};
use super::on_device::Resident;
use super::scoring::Design;
use crate::check::{not_negative, parameter, require};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Report, Stop, TargetDim};
use crate::models::linear::LogisticRegression;
use crate::models::linear::function::Linear;
use crate::{Device, Progress, Result};

pub(super) const OP: &str = "GeneralisedLinear::fit";

/// A generalised linear model: `y ~ family(μ)`, `g(μ) = wᵀx + b + offset`, by maximum likelihood, with standard errors.
///
/// The score equations `Σ_i (y_i - μ_i) x_i = 0` (of the canonical link) are solved by Fisher scoring: weighted least squares
/// for the working response `η + (y - μ) dη/dμ`, again until the deviance falls no more. A Gaussian family is least
/// squares, a Bernoulli one logistic regression, or probit regression by its link, and the categorical one is
/// [`GeneralisedLinear::categorical`]. Classes that a plane separates, or that
/// touch on it, have no maximum of the likelihood (of a logit, probit or complementary log-log link): then
/// [`FittedGeneralisedLinear::separated`] is true, and the fit ends where the rows it would move for ever have means of 0 or 1.
///
/// On a GPU the rows stay there, scaled, and each iteration moves coefficients up and sums down; the last steps are made with
/// scores of f64 on the CPU. Canonical links and the logarithm are computed there; other links, and what f32 does not tell,
/// in f64 on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0]];
/// let counts = array![1.0_f64, 3.0, 6.0, 21.0, 50.0];
/// let fit = GeneralisedLinear::new(Family::Poisson).fit(&Device::cpu(), &x, &counts)?;
/// let said = fit.predict(&x)?;
/// assert!((said.sum() - 81.0).abs() < 1e-8); // the score of the intercept
/// assert!(fit.standard_errors()[[0, 0]] < 0.2);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeneralisedLinear {
    pub(super) family: Family,
    pub(super) link: Link,
    pub(super) intercept: bool,
    offset: Option<usize>,
    penalty: f64,
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl GeneralisedLinear {
    /// Of this family with its canonical link, and an intercept.
    pub fn new(family: Family) -> Self {
        GeneralisedLinear {
            family,
            link: family.canonical(),
            intercept: true,
            offset: None,
            penalty: 0.0,
            tolerance: 1e-12,
            max_iterations: 100,
            progress: Progress::none(),
        }
    }

    /// The categorical family with its canonical link, the softmax: `p(k | x) = exp(w_kᵀx + b_k) / Σ_j exp(w_jᵀx + b_j)` of
    /// classes, with the penalty λ ≥ 0 of `λ‖W‖²` that is added to the deviance `-2 ln L`.
    ///
    /// Targets are labels and not numbers, so that it is a classifier: [`LogisticRegression`]. Of two classes it is the
    /// Bernoulli family.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    /// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
    /// let fit = GeneralisedLinear::categorical(0.0).fit(&Device::cpu(), &x, ["a", "b", "a", "c", "b", "c"])?;
    /// let expected: f64 = fit.predict_proba(&x)?.column(2).iter().zip(x.column(0)).map(|(p, x)| p * x).sum();
    /// assert!((expected - 8.0).abs() < 1e-8); // the score: as much x of class c as there was
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn categorical(penalty: f64) -> LogisticRegression {
        LogisticRegression::new(penalty)
    }
}

setters!(GeneralisedLinear {
    /// The link g; the canonical one of the family unless said otherwise.
    link: Link,
    /// Whether there is an intercept b.
    intercept: bool,
    /// The column of x, from 0, that is added with a coefficient of one: the logarithm of an exposure, for instance.
    offset: into Option<usize>,
    /// The penalty λ ≥ 0: `λ‖w‖²` is added to the deviance; none unless said otherwise.
    penalty: f64,
    /// The fit ends when the deviance falls by less than this share of it, and no coefficient moves by a thousand times as
    /// much of the largest; 1e-12 unless said otherwise.
    tolerance: f64,
    /// Most iterations; 100 unless said otherwise.
    max_iterations: usize,
    /// Called after every iteration; it can cancel the fit.
    progress: Progress,
});

fits_across!(GeneralisedLinear: Regress -> FittedGeneralisedLinear);

impl GeneralisedLinear {
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedGeneralisedLinear<D>> {
        all.pairs(OP, x, y)?;
        self.family.check(self.link)?;
        not_negative("penalty", self.penalty)?;
        not_negative("tolerance", self.tolerance)?;
        y.iter().try_for_each(|y| self.family.check_target(*y))?;
        let ((n, d), t) = (x.dim(), y.ncols());
        if let Some(column) = self.offset {
            parameter("offset", column as f64, column < d, "must be a column of x")?;
        }
        let kept: Vec<usize> = (0..d).filter(|j| Some(*j) != self.offset).collect();
        require(OP, !kept.is_empty() || self.intercept, || {
            "there is nothing to fit but an offset".to_owned()
        })?;
        let weights = w.map_or_else(|| Array1::ones(n), |w| w.to_owned());
        let total = all.total(OP, weights.sum())?;
        let inside = x.select(Axis(1), &kept);
        let mean = if self.intercept && !kept.is_empty() {
            Array1::from(all.sum(OP, weights.dot(&inside).to_vec())?) / total
        } else {
            Array1::zeros(kept.len())
        };
        let centred = &inside - &mean;
        let unit = centred.map_axis(Axis(0), |c| c.iter().fold(0f64, |m, v| m.max(v.abs())));
        let unit = all.extent(OP, unit.clone(), unit)?.1.mapv(|u| if u > 0.0 { u } else { 1.0 });
        let p = kept.len() + usize::from(self.intercept);
        let rows =
            Array2::from_shape_fn(
                (n, p),
                |(i, j)| if j < kept.len() { centred[[i, j]] / unit[j] } else { 1.0 },
            );
        let offset = self.offset.map_or_else(|| Array1::zeros(n), |j| x.column(j).to_owned());
        let penalties =
            Array1::from_shape_fn(p, |j| if j < kept.len() { self.penalty / unit[j].powi(2) } else { 0.0 });
        let design = Design { rows, offset, weights, penalties, all, total };
        let there = if all.alone() {
            let data = (&design.rows, &design.weights, &design.offset);
            Resident::new(OP, device, data, &design.penalties, (self.family, self.link))?
        } else {
            None
        };
        // From the scaled columns back to those of x, which is linear: w = T v.
        let mut back = Array2::zeros((d + 1, p));
        for (j, &column) in kept.iter().enumerate() {
            back[[column, j]] = 1.0 / unit[j];
            back[[d, j]] = -mean[j] / unit[j];
        }
        if self.intercept {
            back[[d, p - 1]] = 1.0;
        }
        let mut all = Array2::zeros((d + 1, t));
        let mut errors = Array2::zeros((d + 1, t));
        let mut statistics = Statistics::new(t);
        let (mut trace, mut starts, mut iterations, mut stop) = (vec![], vec![], 0, Stop::Converged);
        for k in 0..t {
            let found = self.score_near(&design, there.as_ref(), y.column(k))?;
            all.column_mut(k).assign(&back.dot(&found.w));
            let freedom = (total - p as f64).max(0.0);
            let null = self.null_deviance(&design, y.column(k))?;
            let pearson = self.pearson(&design, y.column(k), &found.mean)?;
            let dispersion = if self.family.dispersed() && freedom > 0.0 { pearson / freedom } else { 1.0 };
            let covariance = back.dot(&found.covariance).dot(&back.t()) * dispersion;
            errors.column_mut(k).assign(&covariance.diag().mapv(|v| v.max(0.0).sqrt()));
            let own = |i: usize| self.family.log_density(y[[i, k]], found.mean[i], dispersion);
            let log_likelihood = if dispersion > 0.0 { design.sum(own)? } else { 0.0 };
            statistics.set(k, [found.deviance, null, dispersion, pearson, log_likelihood, freedom]);
            statistics.separated |= found.separated;
            iterations = iterations.max(found.trace.len() - 1);
            if found.separated || found.stop == Stop::Iterations {
                stop = found.stop;
            }
            starts.push(found.deviance);
            trace = found.trace;
        }
        let mut coefficients = all.slice(s![..d, ..]).to_owned();
        if let Some(column) = self.offset {
            coefficients.row_mut(column).fill(1.0);
        }
        let linear = Linear::new(OP, coefficients, all.row(d).to_owned())?;
        let report = Report { iterations, stop, trace, starts };
        let parameters = p + usize::from(self.family.dispersed());
        statistics.close(errors, parameters, total);
        FittedGeneralisedLinear::new(linear, (self.family, self.link), statistics, report)
    }
}
