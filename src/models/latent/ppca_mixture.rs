//! Mixtures of probabilistic PCA: several Gaussians, each with a subspace of its own.

mod fitted;
mod model;
mod start;

pub use fitted::FittedPpcaMixture;

use ndarray::{ArrayView2, s};

use super::centred;
use crate::check::{rows, parameter};
use super::moments::Moments;
use super::report::Report;
use crate::inference::em::Em;
use crate::{Device, Matrix, Result};

/// The least noise variance of a component, relative to the mean variance of the data.
const FLOOR: f64 = 1e-6;

/// A mixture of K probabilistic PCAs: `p(x) = Σ_c π_c N(x; m_c, W_c W_c^T + σ_c² I)`, each W of k columns.
///
/// EM: responsibilities `r_ic ∝ π_c N(x_i; ...)`, in the log domain; then each component is the maximum-likelihood PPCA
/// of the data weighted by its responsibilities. A noise variance is held above a millionth of the data's
/// variance; [`FittedPpcaMixture::floored`] says where that was needed.
///
/// ```
/// use mercer::{Device, models::latent::PpcaMixture};
/// // Two segments that cross in three dimensions.
/// let x = ndarray::Array2::from_shape_fn((120, 3), |(i, j)| {
///     let t = (i / 2) as f64 / 30.0 - 1.0;
///     let line = if i % 2 == 0 { [t, t, 0.0] } else { [t, -t, 3.0] };
///     line[j] + 0.02 * ((i * 7 + j * 13) as f64).sin()
/// });
/// let mixture = PpcaMixture::new(2, 1).fit(&Device::cpu(), x.view())?;
/// let labels = mixture.predict(x.view())?;
/// assert!((0..120).all(|i| labels[i] == labels[i % 2]) && labels[0] != labels[1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PpcaMixture {
    components: usize,
    latents: usize,
    em: Em,
}

impl PpcaMixture {
    /// `components` Gaussians, each with `latents` dimensions of its own.
    pub fn new(components: usize, latents: usize) -> Self {
        PpcaMixture { components, latents, em: Em::default() }
    }

    /// Iterations, tolerance, restarts, seed, mode and progress of EM.
    #[must_use]
    pub fn em(mut self, em: Em) -> Self {
        self.em = em;
        self
    }

    /// Fits `x`, `n x d`, which is kept on the device while it lasts.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are fewer than two rows;
    /// [`Error::Parameter`](crate::Error::Parameter) unless `1 <= K <= n` and `1 <= k < d`;
    /// [`Error::NotFinite`](crate::Error::NotFinite); [`Error::Singular`](crate::Error::Singular) if the data does not
    /// vary; [`Error::Cancelled`](crate::Error::Cancelled); those of the device.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpcaMixture> {
        rows("PpcaMixture::fit", "x", x, 2)?;
        let (n, d) = x.dim();
        let requirement = "must be at least 1 and not more than the number of rows";
        parameter("components", self.components as f64, (1..=n).contains(&self.components), requirement)?;
        let requirement = "must be at least 1 and less than the number of columns";
        parameter("latents", self.latents as f64, (1..d).contains(&self.latents), requirement)?;
        let whole = Moments::of(device, x)?;
        let variance = whole.variances().mean().unwrap_or(0.0);
        let varies = variance > 0.0;
        if !varies {
            return Err(crate::Error::Singular {
                op: "PpcaMixture::fit, variance",
                index: 0,
                value: variance,
            });
        }
        let model = model::Model { latents: self.latents, floor: FLOOR * variance, gpu: device.is_gpu() };
        let place = |rows| centred::on(device, x.slice(s![rows, ..]), whole.mean().view());
        let blocks: Vec<Matrix> = centred::blocks(device, n, d).map(place).collect::<Result<_>>()?;
        let centred = centred::less(x, whole.mean().view());
        let first = |seed| start::start(&model, device, &blocks, centred.view(), self.components, seed);
        let outcome = self.em.run(&model, &blocks, first)?;
        let report = Report::of(&outcome);
        Ok(FittedPpcaMixture::new(device, outcome.params, whole.mean(), outcome.objective, report))
    }
}
