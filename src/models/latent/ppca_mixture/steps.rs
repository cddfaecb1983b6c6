//! The two steps of EM for mixtures of PPCA.

use ndarray::{Array1, Array2, Axis, s};

use crate::inference::em::{EmModel, Statistics};
use crate::linalg::eigh;
use crate::models::latent::centred::place;
use crate::models::latent::gaussian::Subspace;
use crate::ops::{Trans, Zip, gemm, syrk, zip};
use crate::{Matrix, Result};

pub(super) struct Model {
    pub latents: usize,
    pub floor: f64,
    pub gpu: bool,
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Component {
    pub weight: f64,
    pub gaussian: Subspace,
    /// Whether its noise was held at the floor.
    pub floored: bool,
}

/// Sums over rows, weighted by responsibilities: for each component `Σ r`, `Σ r x`, `Σ r (x - m)(x - m)^T` about the
/// mean that the E-step had.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    rows: f64,
    weights: Array1<f64>,
    means: Array2<f64>,
    scatters: Vec<Array2<f64>>,
    log_likelihood: f64,
}

crate::saved::wired!(Component { weight, gaussian, floored });
crate::saved::wired!(Sums { rows, weights, means, scatters, log_likelihood });

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.weights += &other.weights;
        self.means += &other.means;
        self.scatters.iter_mut().zip(&other.scatters).for_each(|(s, o)| *s += o);
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.rows *= by;
        self.weights *= by;
        self.means *= by;
        self.scatters.iter_mut().for_each(|s| *s *= by);
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.rows
    }
}

/// `x` less the mean of a component, where it lives.
fn about(x: &Matrix, component: &Component) -> Result<Matrix> {
    let mean = component.gaussian.mean.view().insert_axis(Axis(0)).to_owned();
    zip(x, &place(&x.device(), mean)?, Zip::Sub)
}

/// Responsibilities, `n x K`, and `log p` of each row.
pub(super) fn responsibilities(components: &[Component], x: &Matrix) -> Result<(Array2<f64>, Array1<f64>)> {
    let mut logits = Array2::zeros((x.rows(), components.len()));
    for (mut column, component) in logits.columns_mut().into_iter().zip(components) {
        let density = component.gaussian.log_density_of(&about(x, component)?)?;
        column.assign(&(density + component.weight.ln()));
    }
    let scores = logits.map_axis(Axis(1), |row| {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + row.mapv(|v| (v - largest).exp()).sum().ln()
    });
    let shares = (&logits - &scores.view().insert_axis(Axis(1))).mapv(f64::exp);
    Ok((shares, scores))
}

/// The sums for given responsibilities; scatters are about the means of `components`.
pub(super) fn sums(components: &[Component], x: &Matrix, shares: Array2<f64>, total: f64) -> Result<Sums> {
    let device = x.device();
    let weights = shares.sum_axis(Axis(0));
    let mut scatters = Vec::with_capacity(components.len());
    for (component, share) in components.iter().zip(shares.columns()) {
        let roots = place(&device, share.mapv(f64::sqrt).insert_axis(Axis(1)))?;
        let weighted = zip(&about(x, component)?, &roots, Zip::Mul)?;
        scatters.push(syrk(1.0, &weighted, Trans::Yes)?.to_array()?);
    }
    let means = gemm(1.0, &place(&device, shares)?, Trans::Yes, x, Trans::No)?.to_array()?;
    Ok(Sums { rows: x.rows() as f64, weights, means, scatters, log_likelihood: total })
}

impl Model {
    /// The maximum-likelihood PPCA of weighted data, its noise not below the floor.
    fn component(&self, old: &Component, sums: &Sums, c: usize) -> Result<Component> {
        let mass = sums.weights[c];
        let weight = mass / sums.rows;
        // A component that nothing belongs to has nothing to learn from; it stays, without weight.
        if mass <= 1e-10 {
            return Ok(Component { weight, ..old.clone() });
        }
        let mean = sums.means.row(c).to_owned() / mass;
        let off = &mean - &old.gaussian.mean;
        let outer = &off.view().insert_axis(Axis(1)) * &off.view().insert_axis(Axis(0));
        let s = &sums.scatters[c] / mass - outer;
        let e = eigh(((&s + &s.t()) * 0.5).view())?;
        let (d, k) = (mean.len(), self.latents);
        let found = e.values.slice(s![k..]).sum() / (d - k) as f64;
        let floored = found < self.floor;
        let noise = found.max(self.floor);
        let variances = e.values.slice(s![..k]).mapv(|v| v.max(noise));
        let axes = e.vectors.slice(s![.., ..k]).t().as_standard_layout().into_owned();
        Ok(Component { weight, gaussian: Subspace { mean, axes, variances, noise }, floored })
    }
}

impl EmModel for Model {
    const NAME: &'static str = "PpcaMixture::fit";
    type Batch = Matrix;
    type Params = Vec<Component>;
    type Stats = Sums;

    fn expect(&self, components: &Vec<Component>, x: &Matrix) -> Result<Sums> {
        let (shares, scores) = responsibilities(components, x)?;
        sums(components, x, shares, scores.sum())
    }

    fn maximise(&self, components: &Vec<Component>, sums: &Sums) -> Result<Vec<Component>> {
        components.iter().enumerate().map(|(c, old)| self.component(old, sums, c)).collect()
    }

    fn objective(&self, _: &Vec<Component>, sums: &Sums) -> f64 {
        sums.log_likelihood
    }

    fn rounding(&self, _: &Self::Params) -> f64 {
        if self.gpu { 1e-4 } else { 1e-10 }
    }
}
