//! Fisher scoring where the rows are resident on a device, in f32: the start of a fit that the CPU ends in f64.
//!
//! What goes up is w, what comes back the score, the information and the loss. Checked on every adapter in
//! `tests/regression/glm_adapters.rs`.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::family::{Family, Link};
use crate::linalg::small_cholesky::{cholesky, solve};
use crate::matrix::{Origin, Points};
use crate::models::linear::logistic::well_conditioned;
use crate::ops::{Along, Map, Reduction, Trans, Zip, gemm, map, reduce, zip};
use crate::{Device, Matrix, Result};

/// Iterations that a fit is taken to make when its work is weighed against a device's threshold.
const ITERATIONS: f64 = 8.0;
/// Most steps on the device.
const MOST: usize = 50;
/// Squared ratio of the pivots of an information in f32 below which it says nothing.
const RESOLVED: f64 = 1e-5;
/// Step, as a share of the largest coefficient, at which the CPU takes over.
const SMALL: f64 = 1e-4;
/// Rounding of a sum of losses in f32.
const ROUNDING: f64 = 1e-6;
/// Sizes of targets and offsets that f32 squares.
const USUAL: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// The rows of a design, their weights and offsets.
pub(super) struct Resident {
    rows: Points,
    weights: Matrix,
    offset: Option<Matrix>,
    penalties: Array1<f64>,
    family: Family,
    link: Link,
}

/// Near the maximum: coefficients, the information there without the penalty, and how many steps it took.
pub(super) struct Near {
    pub w: Array1<f64>,
    pub information: Array2<f64>,
    pub steps: usize,
}

/// At some coefficients: the penalised loss, `Xᵀ(s g (y - μ)) - λw` and `XᵀSX`.
struct Local {
    loss: f64,
    score: Array1<f64>,
    information: Array2<f64>,
}

impl Resident {
    /// None if the work is not worth a device, or if the link is not one that a device has.
    pub fn new(
        op: &'static str,
        device: &Device,
        (rows, weights, offset): (&Array2<f64>, &Array1<f64>, &Array1<f64>),
        penalties: &Array1<f64>,
        (family, link): (Family, Link),
    ) -> Result<Option<Self>> {
        let (n, p) = rows.dim();
        let device = device.suited_to(ITERATIONS * 2.0 * (n * p) as f64 * (p + 2) as f64);
        let served = link == family.canonical()
            || (link == Link::Log && matches!(family, Family::Gaussian | Family::Gamma));
        if !device.is_gpu() || !served || !usual(weights.view()) || !usual(offset.view()) {
            return Ok(None);
        }
        let column = |v: &Array1<f64>| Matrix::from_array(&device, v.view().insert_axis(Axis(1)));
        let offset = if offset.iter().any(|v| *v != 0.0) { Some(column(offset)?) } else { None };
        let weights = column(weights)?;
        // Entries are at most one by size: f32 holds them, and what it loses is made up for in f64.
        let rows = Points::on(op, &device, rows.view(), Origin::Fixed)?;
        Ok(Some(Resident { rows, weights, offset, penalties: penalties.clone(), family, link }))
    }

    /// From a linear predictor to coefficients near the maximum; none where f32 does not get there.
    pub fn scoring(
        &self,
        y: ArrayView1<f64>,
        start: &Array1<f64>,
        progress: impl Fn(usize, f64) -> Result<()>,
    ) -> Result<Option<Near>> {
        if !usual(y) || !usual(start.view()) {
            return Ok(None);
        }
        let column = |v: ArrayView1<f64>| Matrix::from_array(self.rows.device(), v.insert_axis(Axis(1)));
        let (x, y, p) = (self.rows.matrix()?, column(y)?, self.penalties.len());
        let start = column(start.view())?;
        // First least squares for the working response, whose predictor no coefficients have made.
        let nothing = Array1::zeros(p);
        let first = self.local(&start, &y, &nothing)?;
        let plain = self.offset.as_ref().map_or_else(|| Ok(start.clone()), |o| zip(&start, o, Zip::Sub))?;
        let (_, bend, _) = self.bend(&start, &y)?;
        let fitted = gemm(1.0, x, Trans::Yes, &zip(&bend, &plain, Zip::Mul)?, Trans::No)?.to_array()?;
        let Some(mut w) = self.solved(&first.information, &first.score + &fitted.column(0)) else {
            return Ok(None);
        };
        let Some(mut here) = self.at(&w, &y)? else { return Ok(None) };
        for steps in 1..=MOST {
            let Some(step) = self.solved(&here.information, here.score.clone()) else { return Ok(None) };
            let largest = |v: &Array1<f64>| v.fold(0f64, |m, v| m.max(v.abs()));
            let gain = step.dot(&here.score);
            if largest(&step) <= SMALL * largest(&w) || gain <= 1e-8 * here.loss.abs() {
                return Ok(Some(Near { w, information: here.information, steps }));
            }
            let rounding = ROUNDING * here.loss.abs();
            let better = (0..20).find_map(|k| {
                let next = &w + &(0.5f64.powi(k) * &step);
                let there = self.at(&next, &y).transpose()?;
                let falls = there.as_ref().is_ok_and(|t| t.loss > here.loss + rounding);
                (!falls).then(|| there.map(|t| (next, t)))
            });
            let Some(better) = better else { return Ok(None) };
            (w, here) = better?;
            progress(steps, here.loss)?;
        }
        Ok(None)
    }

    /// `(H + λ)⁻¹ b`; none if f32 does not tell all directions of H.
    fn solved(&self, h: &Array2<f64>, b: Array1<f64>) -> Option<Array1<f64>> {
        let p = b.len();
        let mut l: Vec<f64> = h.iter().copied().collect();
        self.penalties.iter().enumerate().for_each(|(j, v)| l[j * p + j] += v);
        if cholesky(&mut l, p).is_err() || !well_conditioned(&l, p, RESOLVED) {
            return None;
        }
        let mut x = b.to_vec();
        solve(&l, &mut x);
        x.iter().all(|v| v.is_finite()).then(|| x.into())
    }

    /// None outside of the domain, or where f32 has no number.
    fn at(&self, w: &Array1<f64>, y: &Matrix) -> Result<Option<Local>> {
        let there = Matrix::from_array(self.rows.device(), w.view().insert_axis(Axis(1)))?;
        let mut eta = gemm(1.0, self.rows.matrix()?, Trans::No, &there, Trans::No)?;
        if let Some(offset) = &self.offset {
            eta = zip(&eta, offset, Zip::Add)?;
        }
        if self.link == Link::Inverse {
            let least = reduce(&eta, Along::EachColumn, Reduction::Min)?.to_array()?[[0, 0]];
            if least.is_nan() || least <= 0.0 {
                return Ok(None);
            }
        }
        let found = self.local(&eta, y, w)?;
        let whole = found.score.iter().chain(&found.information).all(|v| v.is_finite());
        Ok((whole && found.loss.is_finite()).then_some(found))
    }

    fn local(&self, eta: &Matrix, y: &Matrix, w: &Array1<f64>) -> Result<Local> {
        let x = self.rows.matrix()?;
        let (pull, bend, losses) = self.bend(eta, y)?;
        let loss = reduce(&zip(&losses, &self.weights, Zip::Mul)?, Along::EachColumn, Reduction::Sum)?;
        let score = gemm(1.0, x, Trans::Yes, &pull, Trans::No)?;
        let information = gemm(1.0, x, Trans::Yes, &zip(x, &bend, Zip::Mul)?, Trans::No)?.to_array()?;
        let shrunk = &self.penalties * w;
        Ok(Local {
            loss: loss.to_array()?[[0, 0]] + 0.5 * shrunk.dot(w),
            score: score.to_array()?.column(0).to_owned() - shrunk,
            information: 0.5 * (&information + &information.t()),
        })
    }

    /// Of each row `s (y - μ) μ'/V`, `s μ'²/V`, and minus its log-likelihood but for constants.
    fn bend(&self, eta: &Matrix, y: &Matrix) -> Result<(Matrix, Matrix, Matrix)> {
        let scaled = |a: &Matrix, scale: f64| map(a, Map::Affine { scale, shift: 0.0 });
        let weighed = |a: &Matrix| zip(a, &self.weights, Zip::Mul);
        let m = self.family.trials();
        let (residual, curve, loss) = match (self.family, self.link) {
            (Family::Bernoulli | Family::Binomial { .. }, _) => {
                let share = map(eta, Map::Sigmoid)?;
                let mean = scaled(&share, m)?;
                let curve = zip(&mean, &map(&share, Map::Affine { scale: -1.0, shift: 1.0 })?, Zip::Mul)?;
                let level = scaled(&map(eta, Map::Softplus)?, m)?;
                (zip(y, &mean, Zip::Sub)?, curve, zip(&level, &zip(y, eta, Zip::Mul)?, Zip::Sub)?)
            }
            (Family::Poisson, _) => {
                let mean = map(eta, Map::Exp)?;
                let loss = zip(&mean, &zip(y, eta, Zip::Mul)?, Zip::Sub)?;
                (zip(y, &mean, Zip::Sub)?, mean, loss)
            }
            (Family::Gamma, Link::Log) => {
                let ratio = zip(y, &map(eta, Map::Exp)?, Zip::Div)?;
                let residual = map(&ratio, Map::Affine { scale: 1.0, shift: -1.0 })?;
                return Ok((weighed(&residual)?, self.weights.clone(), zip(&ratio, eta, Zip::Add)?));
            }
            (Family::Gamma, _) => {
                let mean = map(eta, Map::Recip)?;
                let loss = zip(&zip(y, eta, Zip::Mul)?, &map(eta, Map::Log)?, Zip::Sub)?;
                (zip(&mean, y, Zip::Sub)?, map(&mean, Map::Square)?, loss)
            }
            (Family::Gaussian, Link::Log) => {
                let mean = map(eta, Map::Exp)?;
                let away = zip(y, &mean, Zip::Sub)?;
                let loss = scaled(&map(&away, Map::Square)?, 0.5)?;
                (zip(&away, &mean, Zip::Mul)?, map(&mean, Map::Square)?, loss)
            }
            (Family::Gaussian, _) => {
                let away = zip(y, eta, Zip::Sub)?;
                let loss = scaled(&map(&away, Map::Square)?, 0.5)?;
                return Ok((weighed(&away)?, self.weights.clone(), loss));
            }
        };
        Ok((weighed(&residual)?, weighed(&curve)?, loss))
    }
}

/// Whether f32 holds numbers and their squares: the largest is of usual size, or all are zero.
fn usual(v: ArrayView1<f64>) -> bool {
    let largest = v.fold(0f64, |m, v| m.max(v.abs()));
    largest == 0.0 || USUAL.contains(&largest)
}
