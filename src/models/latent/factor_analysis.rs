//! Factor analysis: probabilistic PCA with noise of its own in every column.

mod fitted;

pub use fitted::FittedFactorAnalysis;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::axes::sign;
use super::gaussian::log_likelihood;
use crate::check::{rows, parameter, require};
use super::moments::Moments;
use super::report::Report;
use super::rotation::{Rotation, rotate};
use crate::linalg::small_cholesky::Small;
use crate::linalg::eigh;
use crate::inference::em::{Em, EmModel, Statistics};
use crate::{Device, Error, Result};

/// The least a noise variance may be, relative to the variance of its column.
const FLOOR: f64 = 1e-12;

/// Factor analysis: `x = W z + m + e` with `z ~ N(0, I_k)` and `e ~ N(0, diag(ψ))`, so `x ~ N(m, W W^T + diag(ψ))`.
///
/// An iteration takes the best W for ψ, which eigenvectors of `ψ^-½ S ψ^-½` give, then the ψ of EM's M-step,
/// `ψ_j = S_jj - Σ_c w_jc²`: the likelihood rises faster than under plain EM and never falls.
///
/// ```
/// use mercer::{Device, models::latent::{FactorAnalysis, Rotation}};
/// let x = ndarray::Array2::from_shape_fn((60, 4), |(i, j)| {
///     let noise = ((i * i * 7 + i * j * 131 + j * 977) % 101) as f64 / 101.0 - 0.5;
///     (i as f64 * 0.7).sin() * [1.0, -1.0, 0.5, 2.0][j] + noise * [0.2, 0.4, 0.6, 0.8][j]
/// });
/// let fitted = FactorAnalysis::new(1).rotation(Rotation::Varimax).fit(&Device::cpu(), x.view())?;
/// assert!(fitted.report.converged && fitted.noise_variances.iter().all(|v| *v < 0.1));
/// assert!((fitted.loadings[[1, 0]] / fitted.loadings[[3, 0]] + 0.5).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FactorAnalysis {
    factors: usize,
    rotation: Option<Rotation>,
    em: Em,
}

impl FactorAnalysis {
    /// With this many factors.
    pub fn new(factors: usize) -> Self {
        // Gains shrink slowly near the maximum: the usual tolerance would stop far from it.
        let em = Em { max_iterations: 2000, tolerance: 1e-9, ..Em::default() };
        FactorAnalysis { factors, rotation: None, em }
    }

    /// Turns the factors, which the likelihood does not notice, so that they are easier to name.
    #[must_use]
    pub fn rotation(mut self, rotation: Rotation) -> Self {
        self.rotation = Some(rotation);
        self
    }

    /// Iterations, tolerance and progress. There is one start, so `restarts` and `seed` mean nothing.
    #[must_use]
    pub fn em(mut self, em: Em) -> Self {
        self.em = Em { restarts: 1, ..em };
        self
    }

    /// Fits `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are fewer than two rows; [`Error::Parameter`] unless `1 <= k <= d`;
    /// [`Error::NotFinite`]; [`Error::Singular`] for a column that is constant; [`Error::Cancelled`]; those of the
    /// device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedFactorAnalysis> {
        rows("FactorAnalysis::fit", "x", x, 2)?;
        Ok(self.fit_moments(&[Moments::of(device, x)?])?.on(device))
    }

    /// Fits data that is known by the moments of its parts.
    ///
    /// # Errors
    /// As [`FactorAnalysis::fit`], and [`Error::Shape`] if the parts do not fit together.
    pub fn fit_moments(&self, parts: &[Moments]) -> Result<FittedFactorAnalysis> {
        let d = parts.first().map_or(0, Moments::columns);
        let mut whole = Moments::new(d)?;
        parts.iter().try_for_each(|part| whole.merge(part))?;
        require("FactorAnalysis::fit", whole.count() >= 2, || "there must be 2 rows or more".to_owned())?;
        let requirement = "must be between 1 and the number of columns";
        parameter("factors", self.factors as f64, (1..=d).contains(&self.factors), requirement)?;
        let variances = whole.variances();
        if let Some(index) = variances.iter().position(|v| *v <= 0.0) {
            return Err(Error::Singular {
                op: "FactorAnalysis::fit, variance",
                index,
                value: variances[index],
            });
        }
        let second = whole.covariance(0)?;
        let model = Model { mean: whole.mean().clone(), factors: self.factors, floor: &variances * FLOOR };
        let outcome = self.em.run(&model, parts, |_| model.best(Array1::ones(d), &second))?;
        let report = Report::of(&outcome);
        let log_likelihood = outcome.objective;
        let Params { mut w, psi } = outcome.params;
        if let Some(rotation) = self.rotation {
            w = rotate(w.view(), rotation)?;
        }
        for mut column in w.columns_mut() {
            if sign(column.view()) < 0.0 {
                column *= -1.0;
            }
        }
        let device = Device::cpu();
        let mean = model.mean;
        Ok(FittedFactorAnalysis { mean, loadings: w, noise_variances: psi, log_likelihood, report, device })
    }
}

struct Model {
    mean: Array1<f64>,
    factors: usize,
    floor: Array1<f64>,
}

#[derive(Debug, Clone)]
struct Params {
    w: Array2<f64>,
    psi: Array1<f64>,
}

impl Model {
    /// `W = ψ^½ U (Λ - I)^½` for the leading eigenpairs of `ψ^-½ S ψ^-½`: the most likely W for this ψ.
    fn best(&self, psi: Array1<f64>, second: &Array2<f64>) -> Result<Params> {
        let roots = psi.mapv(f64::sqrt);
        let e = eigh(scaled(second, &roots).view())?;
        let k = self.factors;
        let stretch = e.values.slice(s![..k]).mapv(|v| (v - 1.0).max(0.0).sqrt());
        let w = &e.vectors.slice(s![.., ..k]) * &stretch * roots.view().insert_axis(Axis(1));
        Ok(Params { w, psi })
    }
}

fn log_likelihood_of(params: &Params, second: &Second) -> Result<f64> {
    let roots = params.psi.mapv(f64::sqrt);
    let s = scaled(&second.sum, &roots) / second.count;
    let w = &params.w / &roots.view().insert_axis(Axis(1));
    let mut inner = w.t().dot(&w);
    inner.diag_mut().mapv_inplace(|v| v + 1.0);
    let factor = Small::new("FactorAnalysis::fit, posterior", inner.view())?;
    let explained = factor.solve_rows(w.t().dot(&s.dot(&w)).view()).diag().sum();
    let log_det = params.psi.mapv(f64::ln).sum() + factor.log_det;
    Ok(log_likelihood(second.count, params.psi.len(), log_det, s.diag().sum() - explained))
}

/// `diag(r)⁻¹ S diag(r)⁻¹`, exactly symmetric.
fn scaled(s: &Array2<f64>, roots: &Array1<f64>) -> Array2<f64> {
    let (column, row) = (roots.view().insert_axis(Axis(1)), roots.view().insert_axis(Axis(0)));
    s / &(&column * &row)
}

/// `Σ (x_i - m)(x_i - m)^T` about the mean of all parts: it is all that any iteration needs of the data.
#[derive(Debug, Clone)]
struct Second {
    count: f64,
    sum: Array2<f64>,
}

impl Statistics for Second {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += &other.sum;
    }

    fn scale(&mut self, by: f64) {
        self.count *= by;
        self.sum *= by;
    }

    fn mass(&self) -> f64 {
        self.count
    }
}

impl EmModel for Model {
    const NAME: &'static str = "FactorAnalysis::fit";
    type Batch = Moments;
    type Params = Params;
    type Stats = Second;

    fn expect(&self, _: &Params, part: &Moments) -> Result<Second> {
        let count = part.count() as f64;
        let off = part.mean() - &self.mean;
        let outer = &off.view().insert_axis(Axis(1)) * &off.view().insert_axis(Axis(0)) * count;
        let sum = part.scatter() + &outer;
        Ok(Second { count, sum: (&sum + &sum.t()) * 0.5 })
    }

    fn maximise(&self, params: &Params, second: &Second) -> Result<Params> {
        let s = &second.sum / second.count;
        let communality = params.w.map_axis(Axis(1), |row| row.dot(&row));
        let mut psi = s.diag().to_owned() - communality;
        psi.zip_mut_with(&self.floor, |p, floor| *p = p.max(*floor));
        self.best(psi, &s)
    }

    fn objective(&self, params: &Params, second: &Second) -> f64 {
        log_likelihood_of(params, second).unwrap_or(f64::NAN)
    }
}
