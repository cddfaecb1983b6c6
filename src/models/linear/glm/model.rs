//! What a generalised linear model is to fit, by iteratively reweighted least squares.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::family::{Family, Link};
use super::fitted::{FittedGeneralisedLinear, Statistics};
use crate::check::{not_negative, parameter, require};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::{Report, Stop, TargetDim};
use crate::linalg::{SpdFactor, SpdParams};
use crate::models::linear::function::Linear;
use crate::{Device, Error, Progress, Result};

/// Halvings of a step that leaves the domain or lets the deviance rise.
const HALVINGS: i32 = 50;
/// Below this share of the null deviance nothing is left to fit.
const NOTHING: f64 = 1e-10;

const OP: &str = "GeneralisedLinear::fit";

/// A generalised linear model: `y ~ family(μ)`, `g(μ) = wᵀx + b + offset`, by maximum likelihood, with standard errors.
///
/// The score equations `Σ_i (y_i - μ_i) x_i = 0` (of the canonical link) are solved by Fisher scoring: weighted least squares
/// for the working response `η + (y - μ) dη/dμ`, again until the deviance falls no more. A Gaussian family is least
/// squares, a Bernoulli one logistic regression, or probit regression by its link. Classes that a plane separates have no
/// maximum of the likelihood: then [`FittedGeneralisedLinear::separated`] is true, or the fit ends in
/// [`Error::NoConvergence`]. In f64 on the CPU, whatever the device.
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
    family: Family,
    link: Link,
    intercept: bool,
    offset: Option<usize>,
    penalty: f64,
    tolerance: f64,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
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

/// Rows with a column of ones, offsets and weights.
struct Design<'a> {
    rows: Array2<f64>,
    offset: Array1<f64>,
    weights: Array1<f64>,
    penalties: Array1<f64>,
    /// Those who have the other rows.
    all: &'a Meeting<'a>,
    /// The weight of all rows.
    total: f64,
}

impl Design<'_> {
    /// `Σ w_i f(i)` over the rows of all ranks.
    fn sum(&self, f: impl Fn(usize) -> f64) -> Result<f64> {
        self.all.total(OP, (0..self.weights.len()).map(|i| self.weights[i] * f(i)).sum())
    }
}

/// What is found for one target.
struct Scored {
    w: Array1<f64>,
    mean: Array1<f64>,
    covariance: Array2<f64>,
    deviance: f64,
    trace: Vec<f64>,
    stop: Stop,
}

impl GeneralisedLinear {
    fn run<D: TargetDim>(
        &self,
        all: &Meeting,
        _: &Device,
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
            let found = self.score(&design, y.column(k))?;
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
            let bounded = matches!(self.family, Family::Bernoulli | Family::Binomial { .. });
            statistics.separated |= bounded && null > 0.0 && found.deviance <= NOTHING * null;
            iterations = iterations.max(found.trace.len() - 1);
            if found.stop == Stop::Iterations {
                stop = Stop::Iterations;
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

    fn means(&self, design: &Design, eta: &Array1<f64>) -> Result<Option<(Array1<f64>, Array1<f64>)>> {
        let m = self.family.trials();
        let (mean, slope): (Vec<f64>, Vec<f64>) = eta.iter().map(|e| self.link.mean(*e, m)).unzip();
        let outside = !mean.iter().all(|v| self.family.has(*v));
        Ok((!design.all.any(OP, outside)?).then(|| (mean.into(), slope.into())))
    }

    fn deviance(
        &self,
        design: &Design,
        y: ArrayView1<f64>,
        mean: &Array1<f64>,
        w: &Array1<f64>,
    ) -> Result<f64> {
        let shrunk = w.iter().zip(&design.penalties).map(|(w, p)| p * w * w).sum::<f64>();
        Ok(design.sum(|i| self.family.deviance(y[i], mean[i]))? + shrunk)
    }

    fn pearson(&self, design: &Design, y: ArrayView1<f64>, mean: &Array1<f64>) -> Result<f64> {
        design.sum(|i| (y[i] - mean[i]).powi(2) / self.family.variance(mean[i]))
    }

    fn null_deviance(&self, design: &Design, y: ArrayView1<f64>) -> Result<f64> {
        let n = y.len();
        let offset = design.offset.iter().any(|v| *v != 0.0);
        if !self.intercept || design.all.any(OP, offset)? {
            let ones = Design {
                rows: Array2::from_elem((n, 1), f64::from(u8::from(self.intercept))),
                offset: design.offset.clone(),
                weights: design.weights.clone(),
                penalties: Array1::from_elem(1, f64::from(u8::from(!self.intercept))),
                all: design.all,
                total: design.total,
            };
            return Ok(self.score(&ones, y)?.deviance);
        }
        let mean = design.sum(|i| y[i])? / design.total;
        design.sum(|i| self.family.deviance(y[i], mean))
    }

    /// Fisher scoring for one target.
    fn score(&self, design: &Design, y: ArrayView1<f64>) -> Result<Scored> {
        let p = design.rows.ncols();
        let m = self.family.trials();
        let centre = design.sum(|i| y[i])? / design.total;
        let mut w = Array1::zeros(p);
        let mut eta = y.mapv(|y| self.link.of(self.family.start(y, centre), m));
        let lost = |residual: f64| Error::NoConvergence {
            op: OP,
            iterations: 0,
            residual,
            tolerance: self.tolerance,
        };
        let (mut mean, mut slope) = self.means(design, &eta)?.ok_or_else(|| lost(f64::NAN))?;
        let mut deviance = f64::INFINITY;
        let mut trace = vec![self.deviance(design, y, &mean, &w)?];
        let mut stop = Stop::Iterations;
        let mut factor = self.information(design, &mean, &slope)?;
        for i in 0..self.max_iterations {
            // Weighted least squares for the working response.
            let working = Array1::from_shape_fn(y.len(), |i| {
                let weight = design.weights[i] * slope[i] / self.family.variance(mean[i]);
                weight * (slope[i] * (eta[i] - design.offset[i]) + y[i] - mean[i])
            });
            let right = design.all.add(OP, design.rows.t().dot(&working).insert_axis(Axis(1)))?;
            let target = factor.solve(right.view())?.x.column(0).to_owned();
            let step = &target - &w;
            let try_one = |k: i32| {
                let next = if i == 0 && k == 0 { target.clone() } else { &w + &(0.5f64.powi(k) * &step) };
                let eta = design.rows.dot(&next) + &design.offset;
                let Some((mean, slope)) = self.means(design, &eta)? else { return Ok(None) };
                let now = self.deviance(design, y, &mean, &next)?;
                let rounding = 1e-13 * deviance.abs();
                Ok((now <= deviance + rounding).then_some((next, eta, mean, slope, now)))
            };
            let tried = (0..HALVINGS).find_map(|k| try_one(k).transpose()).transpose()?;
            let Some((next, new_eta, new_mean, new_slope, now)) = tried else {
                if i == 0 {
                    return Err(lost(trace[0]));
                }
                stop = Stop::Stalled;
                break;
            };
            let fall = deviance - now;
            let size = next.iter().fold(1f64, |m, v| m.max(v.abs()));
            let moved = next.iter().zip(&w).fold(0f64, |m, (a, b)| m.max((a - b).abs())) / size;
            (w, eta, mean, slope, deviance) = (next, new_eta, new_mean, new_slope, now);
            trace.push(deviance);
            self.progress.report(OP, i + 1, self.max_iterations, deviance)?;
            factor = match self.information(design, &mean, &slope) {
                Err(Error::NotPositiveDefinite { .. }) if deviance <= NOTHING * trace[0] => {
                    stop = Stop::Converged;
                    break;
                }
                other => other?,
            };
            if (fall <= self.tolerance * deviance && moved <= 1e3 * self.tolerance) || deviance == 0.0 {
                stop = Stop::Converged;
                break;
            }
        }
        let covariance = factor.solve(Array2::eye(p).view())?.x;
        Ok(Scored { w, mean, covariance, deviance, trace, stop })
    }

    /// `XᵀSX` with the weights of Fisher scoring, factored.
    fn information(&self, design: &Design, mean: &Array1<f64>, slope: &Array1<f64>) -> Result<SpdFactor> {
        let own = |i: usize| design.weights[i] * slope[i].powi(2) / self.family.variance(mean[i]);
        let weights = Array1::from_shape_fn(mean.len(), own);
        let mut h =
            design.all.add(OP, design.rows.t().dot(&(&design.rows * &weights.insert_axis(Axis(1)))))?;
        h.diag_mut().zip_mut_with(&design.penalties, |h, p| *h += p);
        SpdFactor::new(&Device::cpu(), h.view(), &SpdParams::default())
    }
}
