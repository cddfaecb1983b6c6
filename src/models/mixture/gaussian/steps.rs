//! The two steps of EM for a mixture of Gaussians.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::covariance::{Covariance, CovarianceKind};
use super::missing::Incomplete;
use super::model::{GaussianMixture, GaussianParams};
use super::sufficient::GaussianStatistics;
use crate::inference::em::{EmModel, Observations};
use crate::matrix::{Origin, Points};
use crate::models::mixture::factors::log_joint;
use crate::models::mixture::responsibilities::expected;
use crate::ops::Second;
use crate::{Device, Result};

/// Rows, all of them complete or some of them not.
pub(super) enum Batch {
    Complete(Observations),
    Incomplete(Incomplete),
}

impl Batch {
    pub fn new(
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        missing: bool,
        flops: f64,
    ) -> Result<Self> {
        if missing && x.iter().any(|v| v.is_nan()) {
            return Incomplete::new(op, x, weights).map(Batch::Incomplete);
        }
        let points = Points::new(op, device, x, Origin::Free, flops)?;
        Ok(Batch::Complete(Observations::unchecked(points, weights.map(|w| w.to_owned()))))
    }

    /// The same rows for f64 on the CPU, if they are elsewhere.
    pub fn exact(&self) -> Option<Self> {
        match self {
            Batch::Complete(rows) => rows.exact().map(Batch::Complete),
            Batch::Incomplete(_) => None,
        }
    }

    pub fn device(&self) -> Device {
        match self {
            Batch::Complete(rows) => rows.device().clone(),
            Batch::Incomplete(_) => Device::cpu(),
        }
    }

    /// The rows with something in the place of what is missing, if anything is: to start from.
    pub fn filled(&self, means: &[f64]) -> Option<Array2<f64>> {
        match self {
            Batch::Complete(_) => None,
            Batch::Incomplete(rows) => Some(rows.filled(means)),
        }
    }
}

pub(super) struct GaussianEm<'a> {
    kind: &'a CovarianceKind,
    floor: f64,
    /// Whether sums are made in f32.
    single: bool,
}

impl<'a> GaussianEm<'a> {
    pub fn new(of: &'a GaussianMixture, single: bool) -> Self {
        GaussianEm { kind: &of.covariance, floor: of.covariance_floor, single }
    }

    /// Which second moments the M-step needs.
    pub fn second(&self) -> Second {
        second(self.kind)
    }

    /// The M-step, and the components whose covariance it had to raise.
    pub fn learn(
        &self,
        before: &GaussianParams,
        stats: &GaussianStatistics,
    ) -> Result<(GaussianParams, Vec<usize>)> {
        let (k, total) = (stats.mass.len(), stats.mass.sum());
        let alive = |own: usize| stats.alive(own);
        let weights = Array1::from_shape_fn(k, |own| if alive(own) { stats.mass[own] / total } else { 0.0 });
        let mut means = before.means.clone();
        for own in (0..k).filter(|&own| alive(own)) {
            means.row_mut(own).assign(&(&stats.reference.row(own) + &stats.shift(own)));
        }
        let (covariance, floored) = Covariance::maximise(self.kind, &before.covariance, stats, self.floor)?;
        Ok((GaussianParams { weights, means, covariance }, floored))
    }
}

/// Which second moments covariances of a kind are made of.
pub(super) fn second(kind: &CovarianceKind) -> Second {
    match kind {
        CovarianceKind::Full | CovarianceKind::Tied => Second::Full,
        _ => Second::Diagonal,
    }
}

impl EmModel for GaussianEm<'_> {
    const NAME: &'static str = "GaussianMixture";
    type Batch = Batch;
    type Params = GaussianParams;
    type Stats = GaussianStatistics;

    fn expect(&self, params: &GaussianParams, batch: &Batch) -> Result<GaussianStatistics> {
        let rows = match batch {
            Batch::Complete(rows) => rows,
            Batch::Incomplete(rows) => return rows.expect(params, self.second()),
        };
        let (means, reference) = rows.place(&params.means)?;
        let log_joint = log_joint(rows.x()?, &means, params)?;
        let (sums, log_likelihood) = expected(log_joint, rows, &means, self.second())?;
        Ok(GaussianStatistics::new(reference, sums, log_likelihood))
    }

    fn maximise(&self, params: &GaussianParams, stats: &GaussianStatistics) -> Result<GaussianParams> {
        self.learn(params, stats).map(|(next, _)| next)
    }

    fn objective(&self, _: &GaussianParams, stats: &GaussianStatistics) -> f64 {
        stats.log_likelihood
    }

    /// A covariance that the floor holds up has a condition of its largest variance over the floor, and a density as many
    /// digits less.
    fn rounding(&self, params: &GaussianParams) -> f64 {
        let usual = if self.single { 1e-4 } else { 1e-9 };
        let condition = if self.floor > 0.0 { params.covariance.largest() / self.floor } else { 0.0 };
        usual + 10.0 * f64::EPSILON * condition
    }
}
