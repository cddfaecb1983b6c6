//! What the elastic net is to fit.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::fitted::FittedElasticNet;
use crate::check::{not_negative, pairs, parameter};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Report, TargetDim};
use crate::models::linear::centred::Centred;
use crate::models::linear::function::Linear;
use crate::models::linear::spectrum::Spectrum;
use crate::optim::{Columns, CoordinateDescent, CoordinateMinimum};
use crate::{Device, Progress, Result};

/// The elastic net: the `w` and `b` that minimise
/// `Σ_i s_i (y_i - wᵀx_i - b)²/Σ_i s_i + λ(α‖w‖₁ + (1 - α)‖w‖²)`.
///
/// The intercept is not penalised, the weights s are one unless given. For α = 1 it is the [`Lasso`], for α = 0 ridge
/// regression whose penalty on the sum of squares is λn. scikit-learn halves the first term and the squares: its `alpha` is
/// λ(2 - α)/2, its `l1_ratio` α/(2 - α). The data are not scaled: standardise features of different units first.
///
/// Coordinate descent on the CPU in f64, whatever the device, until the duality gap, which
/// [`FittedElasticNet::duality_gap`] keeps, says that nothing is left to gain.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
/// let y = array![3.0_f64, 2.0, 4.0, 8.0, 3.0];
/// let fit = ElasticNet::new(1.0, 0.5).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[0, 0]] - 0.6018675722).abs() < 1e-7);
/// assert!((fit.objective()[0] - 2.025551783).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElasticNet {
    pub(super) penalty: f64,
    pub(super) mix: f64,
    pub(super) intercept: bool,
    pub(super) tolerance: f64,
    pub(super) max_passes: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl ElasticNet {
    /// With the penalty λ ≥ 0, of which the share α in [0, 1] is on absolute values, and an intercept.
    pub fn new(penalty: f64, mix: f64) -> Self {
        let progress = Progress::none();
        ElasticNet { penalty, mix, intercept: true, tolerance: 1e-12, max_passes: 10_000, progress }
    }
}

setters!(ElasticNet {
    /// The penalty λ ≥ 0.
    penalty: f64,
    /// The share α of absolute values, in [0, 1].
    mix: f64,
    /// Whether there is an intercept b.
    intercept: bool,
    /// The duality gap to reach, relative to the objective of w = 0; 1e-12 unless said otherwise.
    tolerance: f64,
    /// Most passes over the coefficients; 10,000 unless said otherwise.
    max_passes: usize,
    /// Called at each look at the duality gap; it can cancel the fit.
    progress: Progress,
});

fits!(ElasticNet: Regression -> FittedElasticNet);

/// The lasso: the `w` and `b` that minimise `Σ_i s_i (y_i - wᵀx_i - b)²/Σ_i s_i + λ‖w‖₁`.
///
/// It is [`ElasticNet`] with α = 1, and scikit-learn's with `alpha` = λ/2. All coefficients are zero from
/// `λ = 2 max_j |x_jᵀ(y - ȳ)|/n` on, for centred `x_j`. In f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]];
/// let y = array![3.0_f64, 2.0, 4.0, 8.0, 3.0];
/// let fit = Lasso::new(1.0).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.coefficients()[[1, 0]] - 1.049450549).abs() < 1e-7);
/// assert_eq!(Lasso::new(4.4).fit(&Device::cpu(), &x, &y)?.nonzero(), 0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lasso {
    pub(super) net: ElasticNet,
}

impl Lasso {
    /// With the penalty λ ≥ 0, and an intercept.
    pub fn new(penalty: f64) -> Self {
        Lasso { net: ElasticNet::new(penalty, 1.0) }
    }
}

setters!(Lasso {
    /// The penalty λ ≥ 0.
    penalty => net.penalty: f64,
    /// Whether there is an intercept b.
    intercept => net.intercept: bool,
    /// The duality gap to reach, relative to the objective of w = 0; 1e-12 unless said otherwise.
    tolerance => net.tolerance: f64,
    /// Most passes over the coefficients; 10,000 unless said otherwise.
    max_passes => net.max_passes: usize,
    /// Called at each look at the duality gap; it can cancel the fit.
    progress => net.progress: Progress,
});

fits!(Lasso: Regression -> FittedElasticNet);

impl Lasso {
    fn run<D: TargetDim>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedElasticNet<D>> {
        self.net.run(device, x, y, w)
    }
}

/// Centred, weighted data of which several nets are fitted.
pub(super) struct Prepared<'a> {
    pub data: Centred<'a>,
    /// One feature a row.
    pub columns: Columns,
    pub y: Array2<f64>,
    pub total: f64,
}

impl<'a> Prepared<'a> {
    pub fn new(
        x: ArrayView2<'a, f64>,
        y: ArrayView2<'a, f64>,
        w: Option<ArrayView1<'a, f64>>,
        intercept: bool,
    ) -> Self {
        let data = Centred::new(x, y, w, intercept);
        let (columns, y) = (Columns::new(data.columns()), data.targets());
        Prepared { columns, y, total: w.map_or(x.nrows() as f64, |w| w.sum()), data }
    }

    /// The least λ at which all coefficients of all targets are zero, for α > 0.
    pub fn largest_penalty(&self, mix: f64) -> f64 {
        let most = self.columns.x.dot(&self.y).iter().fold(0f64, |m, v| m.max(v.abs()));
        2.0 * most / (self.total * mix)
    }
}

impl ElasticNet {
    pub(super) fn check(&self) -> Result<()> {
        not_negative("penalty", self.penalty)?;
        not_negative("tolerance", self.tolerance)?;
        parameter("mix", self.mix, (0.0..=1.0).contains(&self.mix), "must lie between 0 and 1")
    }

    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedElasticNet<D>> {
        self.check()?;
        pairs("ElasticNet::fit", x, y)?;
        let data = Prepared::new(x, y, w, self.intercept);
        let start = Array2::zeros((x.ncols(), y.ncols()));
        let found = self.minima(&data, self.penalty, &start)?;
        self.fitted(&data, self.penalty, found)
    }

    /// The minimum of each target, from a column of `start`.
    pub(super) fn minima(
        &self,
        data: &Prepared,
        penalty: f64,
        start: &Array2<f64>,
    ) -> Result<Vec<CoordinateMinimum>> {
        // n/2 times the objective has the form of coordinate descent.
        if penalty == 0.0 {
            return Ok(Vec::new());
        }
        let parts = (0.5 * data.total * penalty * self.mix, data.total * penalty * (1.0 - self.mix));
        let descent = CoordinateDescent::new()
            .tolerance(self.tolerance)
            .max_passes(self.max_passes)
            .progress(self.progress.clone());
        let columns = data.y.columns().into_iter().zip(start.columns());
        columns.map(|(y, start)| descent.search(&data.columns, y, parts, start)).collect()
    }

    pub(super) fn fitted<D: TargetDim>(
        &self,
        data: &Prepared,
        penalty: f64,
        found: Vec<CoordinateMinimum>,
    ) -> Result<FittedElasticNet<D>> {
        let scale = 2.0 / data.total;
        let (coefficients, objective, gap, report) = if penalty == 0.0 {
            // Without a penalty there is no dual point to measure a gap by, and a closed form.
            let spectrum = Spectrum::of(&data.data, self.intercept)?;
            let coefficients = spectrum.coefficients(0.0, &spectrum.project(data.y.clone()));
            let left = &data.y - &data.columns.x.t().dot(&coefficients);
            let objective = left.mapv(|v| v * v).sum_axis(Axis(0)) / data.total;
            (coefficients, objective, Array1::zeros(data.y.ncols()), Report::direct(0.0))
        } else {
            let shape = (data.columns.x.nrows(), data.y.ncols());
            let coefficients = Array2::from_shape_fn(shape, |(j, t)| found[t].coefficients[j]);
            let objective: Array1<f64> = found.iter().map(|f| scale * f.objective).collect();
            let gap: Array1<f64> = found.iter().map(|f| scale * f.gap).collect();
            let worst = found.iter().max_by(|a, b| a.gap.total_cmp(&b.gap));
            let trace: Vec<f64> = worst.map_or(vec![], |w| w.gaps.iter().map(|g| scale * g).collect());
            let passes = found.iter().map(|f| f.passes).max().unwrap_or(0);
            let report = Report::new(trace, passes, found.iter().all(|f| f.converged), gap.to_vec());
            (coefficients, objective, gap, report)
        };
        let intercept = data.data.intercept(&coefficients);
        let linear = Linear::new("ElasticNet::fit", coefficients, intercept)?;
        Ok(FittedElasticNet::new(linear, (penalty, self.mix), objective, gap, report))
    }
}
