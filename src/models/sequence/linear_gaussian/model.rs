//! The model and its parameters. Checked in `tests/sequence/linear_gaussian.rs` against the joint normal distribution.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Result;
use crate::check::{finite, require, symmetric, zeros};
use crate::configure::getters;
use crate::learn::Report;
use crate::linalg::eigh;
use crate::random::Philox;
use crate::saved::Format;

pub(super) const OP: &str = "LinearGaussian";

/// `z_1 ~ N(m, P)`, `z_t = A z_{t-1} + N(0, Q)`, `x_t = C z_t + N(0, R)`: a state of k numbers seen through d.
///
/// ```
/// use mercer::models::sequence::LinearGaussian;
/// use ndarray::array;
/// // A random walk, seen with noise.
/// let walk = LinearGaussian::new(
///     array![0.0], array![[1.0]], array![[1.0]], array![[0.1]], array![[1.0]], array![[0.5]],
/// )?;
/// let (x, z) = walk.sample(200, 1)?;
/// let smooth = walk.smooth(&x)?;
/// let off = |a: &ndarray::Array2<f64>| (a - &z).mapv(|v| v * v).mean().unwrap();
/// assert!(off(&smooth.means) < off(&x));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct LinearGaussian {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) initial_mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) initial_covariance: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) transition: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) transition_noise: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) emission: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub(super) emission_noise: Array2<f64>,
    pub(super) missing: bool,
    pub(super) report: Report,
}

getters!(LinearGaussian {
    /// m, of length k.
    initial_mean: &Array1<f64>,
    /// P, `k x k`.
    initial_covariance: &Array2<f64>,
    /// A, `k x k`.
    transition: &Array2<f64>,
    /// Q, `k x k`.
    transition_noise: &Array2<f64>,
    /// C, `d x k`.
    emission: &Array2<f64>,
    /// R, `d x d`.
    emission_noise: &Array2<f64>,
    /// How the learning went: the log-likelihood, which never falls.
    report: &Report,
});

/// A covariance: symmetric, no eigenvalue below zero but for rounding.
fn covariance(what: &'static str, a: ArrayView2<f64>) -> Result<Array2<f64>> {
    let a = symmetric(OP, a)?;
    let values = eigh(a.view())?.values;
    let (least, most) = values.iter().fold((f64::INFINITY, 0f64), |(l, m), v| (l.min(*v), m.max(v.abs())));
    require(OP, least >= -1e-10 * most, || format!("{what} has the eigenvalue {least:e}"))?;
    Ok(a)
}

/// `L` with `L Lᵀ = a`, for a covariance that may be singular.
fn root(a: &Array2<f64>) -> Result<Array2<f64>> {
    let e = eigh(a.view())?;
    Ok(&e.vectors * &e.values.mapv(|v| v.max(0.0).sqrt()))
}

impl LinearGaussian {
    /// The model with these parameters: m, P, A, Q, C, R.
    ///
    /// # Errors
    /// Shapes that do not fit, NaN, covariances that are not symmetric or have a negative eigenvalue.
    pub fn new(
        initial_mean: Array1<f64>,
        initial_covariance: Array2<f64>,
        transition: Array2<f64>,
        transition_noise: Array2<f64>,
        emission: Array2<f64>,
        emission_noise: Array2<f64>,
    ) -> Result<Self> {
        let (k, d) = (initial_mean.len(), emission.nrows());
        let square =
            [initial_covariance.dim(), transition.dim(), transition_noise.dim()].iter().all(|s| *s == (k, k));
        require(OP, square && emission.dim() == (d, k) && emission_noise.dim() == (d, d), || {
            format!("a state of {k} seen through {d}: some parameter has another shape")
        })?;
        finite(OP, "the initial mean", initial_mean.view().insert_axis(Axis(0)))?;
        finite(OP, "the transition", transition.view())?;
        finite(OP, "the emission", emission.view())?;
        Ok(LinearGaussian {
            format: Format,
            initial_mean,
            initial_covariance: covariance("the initial covariance", initial_covariance.view())?,
            transition,
            transition_noise: covariance("the noise of the transition", transition_noise.view())?,
            emission,
            emission_noise: covariance("the noise of the emission", emission_noise.view())?,
            missing: false,
            report: Report::direct(f64::NAN),
        })
    }

    /// Whether a row of NaN is an observation that is missing, instead of an error.
    #[must_use]
    pub fn allow_missing(mut self, missing: bool) -> Self {
        self.missing = missing;
        self
    }

    /// A sequence of this length, `T x d`, and its states, `T x k`.
    ///
    /// # Errors
    /// More than memory has room for.
    pub fn sample(&self, length: usize, seed: u64) -> Result<(Array2<f64>, Array2<f64>)> {
        let (k, d) = (self.initial_mean.len(), self.emission.nrows());
        let (mut x, mut z) = (zeros("length", length, d)?, zeros("length", length, k)?);
        let roots =
            [root(&self.initial_covariance)?, root(&self.transition_noise)?, root(&self.emission_noise)?];
        let mut rng = Philox::new(seed, 0);
        let mut noise =
            |l: &Array2<f64>| l.dot(&(0..l.ncols()).map(|_| rng.normal()).collect::<Array1<f64>>());
        for t in 0..length {
            let state = if t == 0 {
                &self.initial_mean + &noise(&roots[0])
            } else {
                self.transition.dot(&z.row(t - 1)) + noise(&roots[1])
            };
            x.row_mut(t).assign(&(self.emission.dot(&state) + noise(&roots[2])));
            z.row_mut(t).assign(&state);
        }
        Ok((x, z))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(LinearGaussian);

#[cfg(feature = "serde")]
impl crate::saved::Checked for LinearGaussian {
    fn check(&self) -> Result<()> {
        let own = self.clone();
        LinearGaussian::new(
            own.initial_mean,
            own.initial_covariance,
            own.transition,
            own.transition_noise,
            own.emission,
            own.emission_noise,
        )
        .map(|_| ())
    }
}
