//! Functions drawn from the posterior that can be asked anywhere, and climbed: a draw of the prior, corrected at the data
//! (Matheron's rule; Wilson et al. 2020). Checked in `tests/gp/path.rs`.

use ndarray::{Array, Array1, Array2, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::fitted::FittedGp;
use crate::check::inputs;
use crate::learn::answer::answered;
use crate::learn::plan::affords;
use crate::learn::{Inputs, TargetDim};
use crate::linalg::Noise;
use crate::models::kernel_methods::features::{FittedRandomFourier, RandomFourier};
use crate::ops::gram_vec;
use crate::{Matrix, Result};

/// `f(x) = m(x) + φ(x)ᵀw + k(x, X)C⁻¹(y - m(X) - φ(X)ᵀw - ε)`, `w ~ N(0, I)`, `ε ~ N(0, noise)`, with random Fourier
/// features φ of the kernel: a function, not its values at points that were known beforehand.
///
/// Over all draws of w, ε and the frequencies its mean and its covariance are exactly those of the posterior; more
/// frequencies make it more nearly normal. Where the data leave no doubt every path passes through them.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
///
/// let (x, y) = (array![[-1.0], [0.0], [2.0]], array![0.3_f64, 1.0, -0.5]);
/// let gp = GpRegressor::new(Kernel::matern52(1.0)).noise(1e-8).fit(&Device::cpu(), &x, &y)?;
/// let path = gp.path(1000, 7)?;
/// assert!((path.at(array![[2.0]])?[0] + 0.5).abs() < 1e-2); // through the data
/// let slope = path.slope(&[1.0])?[[0, 0]];
/// let ends = path.at(array![[1.0 - 1e-5], [1.0 + 1e-5]])?;
/// assert!((slope - (ends[1] - ends[0]) / 2e-5).abs() < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Path<'a, D = Ix2> {
    gp: &'a FittedGp<D>,
    features: FittedRandomFourier,
    /// w, one column for each of y.
    weights: Array2<f64>,
    /// What C⁻¹ makes of the residuals, n x q.
    update: Matrix,
}

impl<D: TargetDim> FittedGp<D> {
    /// A function drawn from the posterior, for each column of y, by so many random frequencies of the kernel: a thousand
    /// are plenty.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a kernel without a known spectral measure;
    /// [`Error::Parameter`](crate::Error::Parameter) for no frequencies; as [`FittedGp::factor`];
    /// [`Error::OverBudget`](crate::Error::OverBudget) before anything is drawn if the features of the data do not fit the
    /// [memory budget](super::GpRegressor::memory_budget).
    pub fn path(&self, frequencies: usize, seed: u64) -> Result<Path<'_, D>> {
        // Features of the data, frequencies and weights, in floating point: no count is so large that it overflows.
        let rows = (self.x().nrows() + self.x().ncols() + self.y.ncols()) as f64;
        let need = (16.0 * frequencies as f64 * rows) as u64;
        affords("FittedGp::path", need, self.model.budget, "draw by fewer frequencies")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let map = RandomFourier::new(self.kernel().clone(), frequencies).orthogonal(true);
        let features = map.seed(rng.random()).draw(self.x().ncols())?;
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let weights = Array2::from_shape_simple_fn((features.outputs(), self.y.ncols()), &mut normal);
        let noise = match self.noise() {
            Noise::Same(v) => Array1::from_elem(self.y.nrows(), *v),
            Noise::Each(v) => Array1::from(v.clone()),
        };
        // A jitter is noise too, as C has it.
        let deviation = noise.mapv(|v| (v + self.jitter()).sqrt());
        let mut rest = &self.y - &self.trend().at(self.x()) - features.transform(self.x())?.dot(&weights);
        for (mut row, deviation) in rest.rows_mut().into_iter().zip(deviation) {
            row.mapv_inplace(|r| r - deviation * normal());
        }
        let update = Matrix::from_host(self.factor()?.solve(rest.view())?.x);
        Ok(Path { gp: self, features, weights, update })
    }
}

impl<D: TargetDim> Path<'_, D> {
    /// Its values at the rows of `x`, m x d, in the form of y.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` is empty or has another number of features,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn at(&self, x: impl Inputs) -> Result<Array<f64, D>> {
        let x = x.inputs();
        inputs("Path::at", x.view(), self.features.inputs())?;
        let prior = self.features.transform(x.view())?.dot(&self.weights);
        let points = Matrix::from_host(x.to_owned());
        let update = gram_vec(self.gp.kernel(), &points, Some(self.gp.points.on_host()), &self.update)?
            .into_array()?;
        answered("Path::at", Ok(D::shaped(self.gp.trend().at(x.view()) + prior + update)))
    }

    /// Its gradient at one point, q x d: a row for each column of y.
    ///
    /// # Errors
    /// As [`at`](Self::at); as [`Kernel::input_gradient`](crate::Kernel::input_gradient).
    pub fn slope(&self, x: &[f64]) -> Result<Array2<f64>> {
        let (d, q) = (x.len(), self.weights.ncols());
        let at = Array2::from_shape_fn((1, d), |(_, f)| x[f]);
        inputs("Path::slope", at.view(), self.features.inputs())?;
        // (cos, sin)' = (-sin, cos) ω.
        let phi = self.features.transform(at.view())?;
        let turned = Array2::from_shape_fn((q, phi.ncols() / 2), |(c, j)| {
            phi[[0, 2 * j]] * self.weights[[2 * j + 1, c]] - phi[[0, 2 * j + 1]] * self.weights[[2 * j, c]]
        });
        let prior = turned.dot(self.features.frequencies());
        let points = Array2::from_shape_fn((q, d), |(_, f)| x[f]);
        let update = self.gp.kernel().input_gradient(points.view(), self.gp.x(), self.update.cpu().t())?;
        let trend = Array2::from_shape_fn((q, d), |(c, f)| self.gp.trend().slope(c)[f]);
        Ok(prior + update + trend)
    }
}
