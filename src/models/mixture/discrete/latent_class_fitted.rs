//! What latent classes have learned, and what can be asked of them.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, s};

use super::latent_class::OP;
use crate::check::{columns, parameter, require, zeros};
use crate::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Inputs, Predict, PredictProba, Report, Sample, Score};
use crate::matrix::{Origin, Points};
use crate::models::mixture::factors::log_weight;
use crate::models::mixture::responsibilities::{densities, shares};
use crate::ops::{Trans, Zip, gemm, zip};
use crate::random::Philox;
use crate::saved::Format;
use crate::{Device, Error, Matrix, Result};

/// Columns of categories, and whether a cell may be missing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Variables {
    sizes: Vec<usize>,
    missing: bool,
}

impl Variables {
    pub fn new(sizes: Vec<usize>, missing: bool) -> Self {
        Variables { sizes, missing }
    }

    fn width(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The columns of zeros and ones that each variable has.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.sizes.iter().scan(0, |at, n| {
            *at += n;
            Some(*at - n..*at)
        })
    }

    /// Zeros and ones, and zeros for a cell that is missing.
    pub fn encode(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns(OP, x, self.sizes.len())?;
        let mut z = zeros("categories", x.nrows(), self.width())?;
        for (j, range) in self.ranges().enumerate() {
            for (i, v) in x.column(j).iter().enumerate() {
                if v.is_nan() && self.missing {
                    continue;
                }
                if !v.is_finite() {
                    return Err(Error::NotFinite { op: OP, what: "x", value: *v, row: i, col: j });
                }
                let fits = *v >= 0.0 && v.fract() == 0.0 && *v < range.len() as f64;
                parameter(
                    &format!("x[{i}, {j}]"),
                    *v,
                    fits,
                    "must be one of the column's categories: 0, 1, ...",
                )?;
                z[[i, range.start + *v as usize]] = 1.0;
            }
        }
        Ok(z)
    }
}

/// π, and the probabilities of all categories of all variables, `K x Σ V_j`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Params {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub weights: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub probabilities: Array2<f64>,
}

crate::saved::wired!(Params { weights, probabilities });

impl Params {
    /// `log π_k + Σ_j log θ_kj(x_j)` over the cells that are not missing, `n x K`.
    pub fn log_joint(&self, z: &Matrix) -> Result<Matrix> {
        let up = |a: Array2<f64>| Matrix::from_array(&z.device(), a.view());
        let offset = Array2::from_shape_fn((1, self.weights.len()), |(_, k)| log_weight(self.weights[k]));
        let slope = up(self.probabilities.mapv(f64::ln))?;
        zip(&gemm(1.0, z, Trans::No, &slope, Trans::Yes)?, &up(offset)?, Zip::Add)
    }
}

/// Fitted [`LatentClass`](super::LatentClass).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLatentClass {
    format: Format,
    variables: Variables,
    params: Params,
    log_likelihood: f64,
    mass: f64,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedLatentClass {
    /// The weights π, of length K.
    weights => params.weights: &Array1<f64>,
    /// The log-likelihood of the cells that were seen.
    log_likelihood: f64,
    /// How the fit went: the log-likelihood plus the logarithm of the prior, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedLatentClass: Predict -> Vec<usize>, PredictProba, Score, Sample);

impl FittedLatentClass {
    pub(super) fn new(
        variables: Variables,
        params: Params,
        log_likelihood: f64,
        mass: f64,
        report: Report,
        device: Device,
    ) -> Self {
        FittedLatentClass { format: Format, variables, params, log_likelihood, mass, report, device }
    }

    /// θ of one column, `K x V`: the probability of each category in each class.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a column that is not there.
    pub fn probabilities(&self, column: usize) -> Result<Array2<f64>> {
        Ok(self.params.probabilities.slice(s![.., self.range(column)?]).to_owned())
    }

    fn range(&self, column: usize) -> Result<Range<usize>> {
        let there = column < self.variables.sizes.len();
        parameter("column", column as f64, there, "there are fewer columns")?;
        let start = self.variables.sizes[..column].iter().sum();
        Ok(start..start + self.variables.sizes[column])
    }

    fn joint(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        let z = self.variables.encode(x)?;
        let flops = 2.0 * z.len() as f64 * self.params.weights.len() as f64;
        let points = Points::new(OP, &self.device, z.view(), Origin::Fixed, flops)?;
        self.params.log_joint(points.matrix()?)
    }

    /// The log probability of the cells of each row that are not missing.
    ///
    /// # Errors
    /// Another number of columns, a category that is not there, NaN where nothing may be missing.
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        densities(&self.joint(x.inputs().view())?)
    }

    /// `p(x_j = v | the other cells that were seen)`, `n x V`, whatever cell j of each row holds.
    ///
    /// # Errors
    /// As [`FittedLatentClass::score_samples`], and for a column that is not there.
    pub fn predict_cell(&self, x: impl Inputs, column: usize) -> Result<Array2<f64>> {
        let (range, mut x) = (self.range(column)?, x.inputs().to_owned());
        x.column_mut(column).fill(f64::NAN);
        let open = FittedLatentClass {
            variables: Variables { missing: true, ..self.variables.clone() },
            ..self.clone()
        };
        let others = x.iter().enumerate().find(|(i, v)| i % x.ncols() != column && v.is_nan());
        if let Some((i, value)) = others.filter(|_| !self.variables.missing) {
            let (row, col) = (i / x.ncols(), i % x.ncols());
            return Err(Error::NotFinite { op: OP, what: "x", value: *value, row, col });
        }
        Ok(shares(&open.joint(x.view())?)?.dot(&self.params.probabilities.slice(s![.., range])))
    }

    /// The number of free parameters: weights and probabilities.
    pub fn parameters(&self) -> usize {
        let free: usize = self.variables.sizes.iter().map(|n| n - 1).sum();
        let k = self.params.weights.len();
        k * free + k - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * self.mass.ln() - 2.0 * self.log_likelihood
    }
}

impl Predict for FittedLatentClass {
    type Output = Vec<usize>;

    /// The most probable class of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(most_probable(self.predict_proba(x)?.view()))
    }
}

impl PredictProba for FittedLatentClass {
    /// `p(k | the cells of row i that are not missing)`.
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        shares(&self.joint(x)?)
    }
}

impl Score for FittedLatentClass {
    /// The mean log probability of a row.
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Sample for FittedLatentClass {
    /// Rows without holes.
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut x = zeros("count", count, self.variables.sizes.len())?;
        require(OP, count > 0, || "no rows were asked for".to_owned())?;
        let (mut rng, weights) = (Philox::new(seed, 0), self.params.weights.to_vec());
        for mut row in x.rows_mut() {
            let k = rng.categorical(&weights);
            for (to, range) in row.iter_mut().zip(self.variables.ranges()) {
                *to = rng.categorical(&self.params.probabilities.slice(s![k, range]).to_vec()) as f64;
            }
        }
        Ok(x)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLatentClass);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedLatentClass {
    fn check(&self) -> Result<()> {
        let (k, width) = self.params.probabilities.dim();
        let fits = width == self.variables.width() && k == self.params.weights.len() && k > 0;
        require(OP, fits, || format!("{k} classes of {width} categories"))?;
        crate::check::probabilities("weights", &self.params.weights.to_vec())?;
        for row in self.params.probabilities.rows() {
            for range in self.variables.ranges() {
                crate::check::probabilities("probabilities", &row.slice(s![range]).to_vec())?;
            }
        }
        crate::check::positive("mass", self.mass)
    }
}
