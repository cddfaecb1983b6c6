//! The steps of EM for factor analysis.

use ndarray::{Array1, Array2, Axis, s};

use crate::Result;
use crate::inference::em::{EmModel, Statistics};
use crate::linalg::eigh;
use crate::linalg::small_cholesky::Small;
use crate::models::latent::StreamedMoments;
use crate::models::latent::gaussian::log_likelihood;

/// The least a noise variance may be, relative to the variance of its column.
pub(super) const FLOOR: f64 = 1e-12;

pub(super) struct Model {
    pub mean: Array1<f64>,
    pub factors: usize,
    pub floor: Array1<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Params {
    pub w: Array2<f64>,
    pub psi: Array1<f64>,
}

impl Model {
    /// `W = ψ^½ U (Λ - I)^½` for the leading eigenpairs of `ψ^-½ S ψ^-½`: the most likely W for this ψ.
    pub fn best(&self, psi: Array1<f64>, second: &Array2<f64>) -> Result<Params> {
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
pub(super) struct Second {
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
    type Batch = StreamedMoments;
    type Params = Params;
    type Stats = Second;

    fn expect(&self, _: &Params, part: &StreamedMoments) -> Result<Second> {
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

    /// Squares divided by ψ cancel in the likelihood: near the floor little is left of them.
    fn rounding(&self, params: &Params) -> f64 {
        let largest = (&self.floor / &params.psi).fold(0.0, |a: f64, b| a.max(*b)) / FLOOR;
        1e-10 + 8.0 * f64::EPSILON * params.psi.len() as f64 * largest
    }

    fn objective(&self, params: &Params, second: &Second) -> f64 {
        log_likelihood_of(params, second).unwrap_or(f64::NAN)
    }
}
