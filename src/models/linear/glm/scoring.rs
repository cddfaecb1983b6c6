//! Fisher scoring in f64: from a start, or from where a device has come to.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::family::Link;
use super::model::{GeneralisedLinear, OP};
use super::on_device::{Near, Resident};
use crate::learn::Stop;
use crate::learn::ranks::Meeting;
use crate::linalg::{SpdFactor, SpdParams, eigh};
use crate::{Device, Error, Result};

/// Halvings of a step that leaves the domain or lets the deviance rise.
const HALVINGS: i32 = 50;
/// Steps with the information of a device, before all is made anew.
const BORROWED: usize = 12;

/// Rows with a column of ones, offsets and weights.
pub(super) struct Design<'a> {
    pub rows: Array2<f64>,
    pub offset: Array1<f64>,
    pub weights: Array1<f64>,
    pub penalties: Array1<f64>,
    /// Those who have the other rows.
    pub all: &'a Meeting<'a>,
    /// The weight of all rows.
    pub total: f64,
}

impl Design<'_> {
    /// `Σ w_i f(i)` over the rows of all ranks.
    pub fn sum(&self, f: impl Fn(usize) -> f64) -> Result<f64> {
        self.all.total(OP, (0..self.weights.len()).map(|i| self.weights[i] * f(i)).sum())
    }
}

/// What is found for one target.
pub(super) struct Scored {
    pub w: Array1<f64>,
    pub mean: Array1<f64>,
    pub covariance: Array2<f64>,
    pub deviance: f64,
    pub trace: Vec<f64>,
    pub stop: Stop,
    /// Whether the likelihood has no maximum.
    pub separated: bool,
}

/// Distance of a mean from its target, as a share of the trials, at which a row has nothing more to say.
const SATURATED: f64 = 1e-9;
/// Eigenvalue that is none, relative to the largest.
const RANK: f64 = 1e-10;

impl GeneralisedLinear {
    /// Whether rows that have nothing more to say are all that some direction moves: the likelihood still rises there.
    fn separates(&self, design: &Design, y: ArrayView1<f64>, mean: &Array1<f64>) -> Result<bool> {
        let open = matches!(self.link, Link::Logit | Link::Probit | Link::ComplementaryLogLog);
        let m = self.family.trials();
        let said = |i: usize| (y[i] == 0.0 || y[i] == m) && (y[i] - mean[i]).abs() <= SATURATED * m;
        let shrunk = design.penalties.iter().all(|p| *p > 0.0);
        if !open || shrunk || !design.all.any(OP, (0..y.len()).any(said))? {
            return Ok(false);
        }
        let rank = |kept: &dyn Fn(usize) -> bool| -> Result<Array1<f64>> {
            let rows: Vec<usize> = (0..y.len()).filter(|&i| design.weights[i] > 0.0 && kept(i)).collect();
            let x = design.rows.select(Axis(0), &rows);
            let mut h = design.all.add(OP, x.t().dot(&x))?;
            // A penalty ends every direction that it has a part of, however small it is.
            h.diag_mut().zip_mut_with(&design.penalties, |h, p| *h += f64::from(u8::from(*p > 0.0)));
            Ok(eigh(h.view())?.values)
        };
        let (all, left) = (rank(&|_| true)?, rank(&|i| !said(i))?);
        let floor = RANK * all[0];
        let above = |values: &Array1<f64>| values.iter().filter(|v| **v > floor).count();
        Ok(above(&left) < above(&all))
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

    pub(super) fn pearson(&self, design: &Design, y: ArrayView1<f64>, mean: &Array1<f64>) -> Result<f64> {
        design.sum(|i| (y[i] - mean[i]).powi(2) / self.family.variance(mean[i]))
    }

    pub(super) fn null_deviance(&self, design: &Design, y: ArrayView1<f64>) -> Result<f64> {
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
    pub(super) fn score(&self, design: &Design, y: ArrayView1<f64>) -> Result<Scored> {
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
        let (mut stop, mut separated) = (Stop::Iterations, false);
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
            if (fall <= self.tolerance * deviance && moved <= 1e3 * self.tolerance) || deviance == 0.0 {
                factor = self.information(design, &mean, &slope)?;
                stop = Stop::Converged;
                break;
            }
            separated = self.separates(design, y, &mean)?;
            if separated {
                // The last information that was positive definite is kept.
                factor = self.information(design, &mean, &slope).unwrap_or(factor);
                stop = Stop::Stalled;
                break;
            }
            factor = self.information(design, &mean, &slope)?;
        }
        let covariance = factor.solve(Array2::eye(p).view())?.x;
        Ok(Scored { w, mean, covariance, deviance, trace, stop, separated })
    }

    /// The same, most of it on a device.
    pub(super) fn score_near(
        &self,
        design: &Design,
        there: Option<&Resident>,
        y: ArrayView1<f64>,
    ) -> Result<Scored> {
        if let Some(there) = there {
            let centre = design.sum(|i| y[i])? / design.total;
            let start = y.mapv(|y| self.link.of(self.family.start(y, centre), self.family.trials()));
            let progress = |i, loss| self.progress.report(OP, i, self.max_iterations, loss);
            if let Some(near) = there.scoring(y, &start, progress)?
                && let Some(found) = self.finished(design, y, near)?
            {
                return Ok(found);
            }
        }
        self.score(design, y)
    }

    /// Steps with scores of f64 and the information of a device, until there are no more to make; none if it takes too
    /// many.
    fn finished(&self, design: &Design, y: ArrayView1<f64>, near: Near) -> Result<Option<Scored>> {
        let Near { mut w, information: mut h, steps } = near;
        h.diag_mut().zip_mut_with(&design.penalties, |h, p| *h += p);
        let Ok(borrowed) = SpdFactor::new(&Device::cpu(), h.view(), &SpdParams::default()) else {
            return Ok(None);
        };
        let predictor = |w: &Array1<f64>| design.rows.dot(w) + &design.offset;
        let Some((mut mean, mut slope)) = self.means(design, &predictor(&w))? else { return Ok(None) };
        let mut deviance = self.deviance(design, y, &mean, &w)?;
        let mut trace = vec![deviance; steps];
        for _ in 0..BORROWED {
            let pull = Array1::from_shape_fn(y.len(), |i| {
                design.weights[i] * slope[i] / self.family.variance(mean[i]) * (y[i] - mean[i])
            });
            let score = design.rows.t().dot(&pull) - &design.penalties * &w;
            let next = &w + &borrowed.solve(score.insert_axis(Axis(1)).view())?.x.column(0);
            let Some(there) = self.means(design, &predictor(&next))? else { return Ok(None) };
            let now = self.deviance(design, y, &there.0, &next)?;
            if now.is_nan() || now > deviance * (1.0 + 1e-13) {
                return Ok(None);
            }
            let size = next.iter().fold(1f64, |m, v| m.max(v.abs()));
            let moved = next.iter().zip(&w).fold(0f64, |m, (a, b)| m.max((a - b).abs())) / size;
            let fall = deviance - now;
            (w, mean, slope, deviance) = (next, there.0, there.1, now);
            trace.push(deviance);
            self.progress.report(OP, trace.len() - 1, self.max_iterations, deviance)?;
            if fall <= self.tolerance * deviance && moved <= 1e3 * self.tolerance {
                let factor = self.information(design, &mean, &slope)?;
                let covariance = factor.solve(Array2::eye(w.len()).view())?.x;
                return Ok(Some(Scored {
                    w,
                    mean,
                    covariance,
                    deviance,
                    trace,
                    stop: Stop::Converged,
                    separated: false,
                }));
            }
        }
        Ok(None)
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
