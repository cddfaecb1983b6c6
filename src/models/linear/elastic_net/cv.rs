//! The penalty and the mix of an elastic net by cross-validation along paths.

use ndarray::{Array, Array2, ArrayView1, ArrayView2, Axis, Ix2};

use super::fitted::FittedElasticNet;
use super::model::{ElasticNet, Prepared};
use super::path::grid;
use crate::check::{pairs, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{KFold, Predict, Split, TargetDim};
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// The elastic net with the penalty λ and the mix α of the least mean squared error in cross-validation.
///
/// For each α the penalties are those of [`ElasticNet::path`] on all data. In f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 3), |(i, j)| ((7 * i + 5 * j) as f64).sin());
/// let y = x.column(0).mapv(|v| 2.0 * v) + x.column(1).mapv(|v| 0.01 * (50.0 * v).sin());
/// let fit = LassoCv::new().folds(5).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.best().coefficients()[[0, 0]] - 2.0).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElasticNetCv {
    mixes: Vec<f64>,
    count: usize,
    least: f64,
    folds: usize,
    seed: Option<u64>,
    net: ElasticNet,
}

impl ElasticNetCv {
    /// Over these mixes α in (0, 1], 100 penalties down to a thousandth of the largest, five folds of consecutive rows.
    pub fn new(mixes: &[f64]) -> Self {
        let net = ElasticNet::new(0.0, 1.0).tolerance(1e-8);
        ElasticNetCv { mixes: mixes.to_vec(), count: 100, least: 1e-3, folds: 5, seed: None, net }
    }
}

setters!(ElasticNetCv {
    /// Penalties tried for each mix; 100 unless said otherwise.
    count: usize,
    /// The least penalty as a share of the largest; 1e-3 unless said otherwise.
    least: f64,
    /// Folds; 5 unless said otherwise.
    folds: usize,
    /// Seed that shuffles the rows into folds; without one they are consecutive.
    shuffled => seed: into Option<u64>,
    /// Whether there is an intercept b.
    intercept => net.intercept: bool,
    /// Relative duality gap of the fits; 1e-8 unless said otherwise.
    tolerance => net.tolerance: f64,
    /// Called at each look at a duality gap; it can cancel the fit.
    progress => net.progress: Progress,
});

fits!(ElasticNetCv: Regression -> FittedElasticNetCv);

/// [`ElasticNetCv`] with α = 1: the lasso with a cross-validated penalty.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LassoCv {
    cv: ElasticNetCv,
}

impl Default for LassoCv {
    fn default() -> Self {
        LassoCv { cv: ElasticNetCv::new(&[1.0]) }
    }
}

impl LassoCv {
    /// 100 penalties down to a thousandth of the largest, five folds of consecutive rows.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(LassoCv {
    /// Penalties tried; 100 unless said otherwise.
    count => cv.count: usize,
    /// The least penalty as a share of the largest; 1e-3 unless said otherwise.
    least => cv.least: f64,
    /// Folds; 5 unless said otherwise.
    folds => cv.folds: usize,
    /// Seed that shuffles the rows into folds; without one they are consecutive.
    shuffled => cv.seed: into Option<u64>,
    /// Whether there is an intercept b.
    intercept => cv.net.intercept: bool,
    /// Relative duality gap of the fits; 1e-8 unless said otherwise.
    tolerance => cv.net.tolerance: f64,
    /// Called at each look at a duality gap; it can cancel the fit.
    progress => cv.net.progress: Progress,
});

fits!(LassoCv: Regression -> FittedElasticNetCv);

impl LassoCv {
    fn run<D: TargetDim>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedElasticNetCv<D>> {
        self.cv.run(device, x, y, w)
    }
}

impl ElasticNetCv {
    fn run<D: TargetDim>(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedElasticNetCv<D>> {
        const OP: &str = "ElasticNetCv::fit";
        pairs(OP, x, y)?;
        require(OP, !self.mixes.is_empty(), || "there are no mixes to try".to_owned())?;
        let folds = KFold::new(self.folds);
        let folds =
            self.seed.map_or_else(|| folds.clone(), |seed| folds.clone().shuffled(seed)).split(x.nrows())?;
        let data = Prepared::new(x, y, w, self.net.intercept);
        let mut penalties = Array2::zeros((self.mixes.len(), self.count));
        let mut errors = Array2::zeros((self.mixes.len(), self.count));
        for (m, &mix) in self.mixes.iter().enumerate() {
            let net = self.net.clone().mix(mix);
            net.check()?;
            let along = grid(data.largest_penalty(mix), mix, self.count, self.least)?;
            for (train, test) in &folds {
                let part = |rows: &[usize]| {
                    (x.select(Axis(0), rows), y.select(Axis(0), rows), w.map(|w| w.select(Axis(0), rows)))
                };
                let (a, b) = (part(train), part(test));
                if a.2.as_ref().is_some_and(|w| w.sum() <= 0.0) {
                    continue;
                }
                let of = |p: &'_ (Array2<f64>, Array2<f64>, Option<ndarray::Array1<f64>>)| p.2.clone();
                let (wa, wb) = (of(&a), of(&b));
                let found = net.errors_along(
                    (a.0.view(), a.1.view(), wa.as_ref().map(|w| w.view())),
                    (b.0.view(), b.1.view(), wb.as_ref().map(|w| w.view())),
                    &along,
                )?;
                let mut row = errors.row_mut(m);
                row += &found;
            }
            penalties.row_mut(m).assign(&ndarray::aview1(&along));
        }
        errors /= data.total;
        let best = errors
            .indexed_iter()
            .fold(((0, 0), f64::INFINITY), |a, (at, e)| if *e < a.1 { (at, *e) } else { a });
        require(OP, best.1.is_finite(), || "no penalty has a finite error: scale the data".to_owned())?;
        let net = self.net.clone().mix(self.mixes[best.0.0]);
        let penalty = penalties[best.0];
        let start = Array2::zeros((x.ncols(), y.ncols()));
        let fitted = net.fitted(&data, penalty, net.minima(&data, penalty, &start)?)?;
        Ok(FittedElasticNetCv { format: Format, fitted, mixes: self.mixes.clone(), penalties, errors })
    }
}

/// The best net, fitted to all data, and the errors that it was chosen by.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedElasticNetCv<D: TargetDim = Ix2> {
    format: Format,
    fitted: FittedElasticNet<D>,
    mixes: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    penalties: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    errors: Array2<f64>,
}

getters!(FittedElasticNetCv<D: TargetDim> {
    /// The net with the best penalty and mix, fitted to all data.
    best => fitted: &FittedElasticNet<D>,
    /// The mixes tried.
    mixes: &[f64],
    /// The penalties tried, one row for each mix.
    penalties: &Array2<f64>,
    /// Mean squared error on held-out rows, one row for each mix, one column for each of its penalties.
    errors: &Array2<f64>,
});

inherent!(FittedElasticNetCv<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedElasticNetCv<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Predict::predict(&self.fitted, x)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedElasticNetCv<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedElasticNetCv<D> {
    fn check(&self) -> Result<()> {
        let fits = self.penalties.dim() == self.errors.dim() && self.mixes.len() == self.errors.nrows();
        require("a saved FittedElasticNetCv", fits, || "its tables are of different sizes".to_owned())
    }
}
