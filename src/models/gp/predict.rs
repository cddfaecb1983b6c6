//! Predictions: means, variances, covariances.
//!
//! Means are summed in f64 on the host whatever the device: α is about 1/noise times larger than the sum, and f32 would
//! lose what cancels. Variances are made on the device from `V = L⁻¹k(X, x*)`, as `k(x*, x*) - |v|²`; a factor in f32
//! comes with a bound on what that has lost, and where it could matter the variance is made again from a solve that is
//! refined in f64.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::fitted::FittedGp;
use crate::linalg::Noise;
use crate::models::check::inputs;
use crate::ops::{
    Along, Map, Reduction, Side, Trans, Triangle, gram, gram_diagonal, gram_vec, map, reduce,
    solve_triangular, syrk,
};
use crate::{Error, Matrix, Result};

/// Entries of `k(X, x*)` at a time.
const ENTRIES: usize = 1 << 24;
/// What an entry of the covariance is off by in f32, relative to its size: a kernel value takes a few roundings.
const SINGLE: f64 = 4.0 * f32::EPSILON as f64;
/// Relative error of a variance that calls for a second look.
const DOUBT: f64 = 1e-4;

/// Which quantity is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Predictive {
    /// The function f(x).
    #[default]
    Latent,
    /// A new observation y = f(x) + ε, with the noise of the model. Not for a model with a noise for each point, which
    /// does not know that of a new one.
    Observed,
    /// A new observation with noise of this variance.
    ObservedWith(f64),
}

/// Means and variances at some inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// `m x q`.
    pub mean: Array2<f64>,
    /// One for each input, the same for all columns of the mean. Never negative.
    pub variance: Array1<f64>,
}

impl Prediction {
    /// The standard deviations.
    pub fn std(&self) -> Array1<f64> {
        self.variance.mapv(f64::sqrt)
    }
}

/// Means at some inputs, and the covariance between all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPrediction {
    /// `m x q`.
    pub mean: Array2<f64>,
    /// `m x m`, the same for all columns of the mean. Its diagonal is never negative.
    pub covariance: Array2<f64>,
}

/// The variance of the noise in what is predicted.
pub(super) fn noise_of(noise: &Noise, what: Predictive) -> Result<f64> {
    let (value, requirement) = match (what, noise) {
        (Predictive::Latent, _) => (0.0, ""),
        (Predictive::Observed, Noise::Same(v)) => (*v, ""),
        (Predictive::Observed, Noise::Each(_)) => {
            (f64::NAN, "the noise at new points is not known; say what it is with ObservedWith")
        }
        (Predictive::ObservedWith(v), _) => (v, "a variance must be finite and not negative"),
    };
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Parameter { name: "noise".to_owned(), value, requirement })
}

/// What is left of a prior variance: nothing, rather than less.
fn left(prior: f64, explained: f64) -> f64 {
    (prior - explained).max(0.0)
}

impl FittedGp {
    /// The mean at each row of `x`: `m(x) + k(x, X)α`, `m x q`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` is empty or has another number of features, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedGp::predict", x, self.x.cols())?;
        let alpha = Matrix::from_host(self.alpha().clone());
        let at = Matrix::from_host(x.to_owned());
        let spread = gram_vec(self.kernel(), &at, Some(&self.x), &alpha)?.into_array()?;
        Ok(spread + self.model.mean.at(x, self.coefficients()))
    }

    /// Mean and variance at each row of `x`: the variance is `k(x, x) - k(x, X)C⁻¹k(X, x)`, and the noise if asked.
    ///
    /// # Errors
    /// As [`FittedGp::predict`]; [`Error::Parameter`] for noise that is not known or not a variance.
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<Prediction> {
        let noise = noise_of(&self.model.noise, what)?;
        let mean = self.predict(x)?;
        let block = (ENTRIES / self.x.rows()).max(64);
        let mut variance = Array1::zeros(x.nrows());
        for (from, mut to) in
            x.axis_chunks_iter(Axis(0), block).zip(variance.axis_chunks_iter_mut(Axis(0), block))
        {
            to.assign(&self.variance(from)?);
        }
        variance += noise;
        Ok(Prediction { mean, variance })
    }

    /// Mean and covariance between all rows of `x`: `k(x, x') - k(x, X)C⁻¹k(X, x')`, with noise on the diagonal if
    /// asked. On a GPU the solve is refined, column by column.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`].
    pub fn predict_joint(&self, x: ArrayView2<f64>, what: Predictive) -> Result<JointPrediction> {
        let noise = noise_of(&self.model.noise, what)?;
        let mean = self.predict(x)?;
        let at = Matrix::from_host(x.to_owned());
        let across = gram(self.kernel(), &self.x, Some(&at))?;
        let explained = if self.resident.device().is_gpu() {
            let across = across.into_array()?;
            let explained = across.t().dot(&self.factor().solve(across.view())?.x);
            (&explained + &explained.t()) * 0.5
        } else {
            syrk(1.0, &self.factor().whiten(&across)?, Trans::Yes)?.into_array()?
        };
        let mut covariance = gram(self.kernel(), &at, None)?.into_array()? - explained;
        covariance.diag_mut().mapv_inplace(|v| left(v, 0.0) + noise);
        Ok(JointPrediction { mean, covariance })
    }

    /// Latent variances of a block of inputs.
    fn variance(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let at = Matrix::from_host(x.to_owned());
        let prior = gram_diagonal(self.kernel(), &at)?.into_array()?.index_axis_move(Axis(1), 0);
        let device = self.resident.device();
        let v = self.factor().whiten(&gram(self.kernel(), &self.resident, Some(&at.to_device(&device)?))?)?;
        let explained = reduce(&v, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
        let mut variance = Array1::from_shape_fn(prior.len(), |j| left(prior[j], explained[[0, j]]));
        if device.is_gpu() {
            let lost = self.lost(&v)?;
            // Written so that a NaN is doubtful.
            let sound = |j: &usize| lost[*j] <= DOUBT * variance[*j];
            let doubtful: Vec<usize> = (0..prior.len()).filter(|j| !sound(j)).collect();
            if !doubtful.is_empty() {
                let again = Matrix::from_host(x.select(Axis(0), &doubtful));
                let across = gram(self.kernel(), &self.x, Some(&again))?.into_array()?;
                let weights = self.factor().solve(across.view())?.x;
                for (c, &j) in doubtful.iter().enumerate() {
                    variance[j] = left(prior[j], across.column(c).dot(&weights.column(c)));
                }
            }
        }
        Ok(variance)
    }

    /// What a factor in f32 may have lost of each `|v|²`, v a column of `L⁻¹Sb`.
    ///
    /// L is exact for a matrix that differs by a few roundings of `√(a_ii a_jj)` in each entry, so `bᵀA⁻¹b` is off by
    /// at most that part of `(Σ_i √a_ii |w_i|)²`, `w = L⁻ᵀv`.
    fn lost(&self, v: &Matrix) -> Result<Array1<f64>> {
        let l = self.factor().factor();
        let w = solve_triangular(l, Triangle::Lower, Trans::Yes, Side::Left, v)?;
        let sums = reduce(&map(&w, Map::Abs)?, Along::EachColumn, Reduction::Sum)?.into_array()?;
        // Where S is not the identity it has made the diagonal about one.
        let largest = if self.factor().scale().is_some() {
            2.0
        } else {
            let own = gram_diagonal(self.kernel(), &self.x)?.into_array()?.fold(0f64, |m, v| m.max(*v));
            own + self.factor().jitter()
        };
        Ok(sums.slice(s![0, ..]).mapv(|sum| SINGLE * largest * sum * sum))
    }
}
