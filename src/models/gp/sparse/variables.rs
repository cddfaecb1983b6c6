//! The variables of the search: parameters of the kernel, noise and inducing inputs, as one vector.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::evidence::SparseEvidence;
use super::model::SparseGpRegressor;
use crate::models::gp::hyper_space::{HyperSpace, by_theta};
use crate::{Kernel, Result};

/// A point in the space of parameters.
#[derive(Debug)]
pub(super) struct SearchPoint {
    pub kernel: Kernel,
    pub noise: f64,
    /// `m x d`.
    pub z: Array2<f64>,
}

/// The free ones of: theta of the kernel, the logarithm of the noise, displacements of Z in units of each feature, so
/// that all variables are of a size.
pub(super) struct Variables<'a> {
    model: &'a SparseGpRegressor,
    space: HyperSpace,
    units: Array1<f64>,
    z: Array2<f64>,
}

/// The standard deviation of each feature; one where there is none.
pub(super) fn scales(x: ArrayView2<f64>) -> Array1<f64> {
    x.std_axis(Axis(0), 0.0).mapv(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 })
}

impl<'a> Variables<'a> {
    pub fn new(model: &'a SparseGpRegressor, units: Array1<f64>, z: Array2<f64>) -> Result<Self> {
        Ok(Variables { model, space: model.space()?, units, z })
    }

    /// How many variables are displacements.
    fn moves(&self) -> usize {
        if self.model.move_inducing { self.z.len() } else { 0 }
    }

    pub fn start(&self) -> Vec<f64> {
        let mut v = self.model.kernel.theta();
        if !self.model.noise_fixed {
            v.push(self.model.noise.ln());
        }
        v.extend(std::iter::repeat_n(0.0, self.moves()));
        v
    }

    pub fn bounds(&self) -> Vec<(f64, f64)> {
        let mut all = self.space.bounds.clone();
        all.extend(std::iter::repeat_n((f64::NEG_INFINITY, f64::INFINITY), self.moves()));
        all
    }

    pub fn point(&self, v: &[f64]) -> Result<SearchPoint> {
        let (rest, moves) = v.split_at(v.len() - self.moves());
        let (theta, noise) = match rest.split_last() {
            Some((noise, theta)) if !self.model.noise_fixed => (theta, noise.exp()),
            _ => (rest, self.model.noise),
        };
        let mut z = self.z.clone();
        for (((_, f), z), by) in z.indexed_iter_mut().zip(moves) {
            *z += by * self.units[f];
        }
        Ok(SearchPoint { kernel: self.model.kernel.with_theta(theta)?, noise, z })
    }

    /// What is minimised, and its gradient by the variables: -F, less the logarithm of the prior.
    pub fn objective(&self, v: &[f64], at: &SearchPoint, found: &SparseEvidence) -> (f64, Vec<f64>) {
        let mut up = by_theta(&at.kernel, &found.by_params);
        if !self.model.noise_fixed {
            up.push(found.by_noise * at.noise);
        }
        if self.model.move_inducing {
            up.extend(found.by_inducing.indexed_iter().map(|((_, f), g)| g * self.units[f]));
        }
        self.space.objective(v, (found.value, up))
    }
}
