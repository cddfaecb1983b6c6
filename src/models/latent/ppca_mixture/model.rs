//! What a mixture of probabilistic PCAs is to fit, and how.

use ndarray::{ArrayView2, s};

use super::{FittedPpcaMixture, start, steps};
use crate::check::{components, numbers, parameter, require};
use crate::inference::em::{Em, em_setters};
use crate::learn::Fit;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{Meeting, across};
use crate::matrix::points::suited;
use crate::models::latent::{StreamedMoments, centred};
use crate::{Device, Error, Matrix, Result};

/// The least noise variance of a component, relative to the mean variance of the data.
const FLOOR: f64 = 1e-6;

/// A mixture of K probabilistic PCAs: `p(x) = Σ_c π_c N(x; m_c, W_c W_c^T + σ_c² I)`, each W of k columns.
///
/// EM: responsibilities `r_ic ∝ π_c N(x_i; ...)`, in the log domain; then each component is the maximum-likelihood PPCA
/// of the data weighted by its responsibilities. A noise variance is held above a millionth of the data's
/// variance; [`FittedPpcaMixture::floored`] says where that was needed.
///
/// ```
/// use mercer::prelude::*;
/// // Two segments that cross in three dimensions.
/// let x = ndarray::Array2::from_shape_fn((120, 3), |(i, j)| {
///     let t = (i / 2) as f64 / 30.0 - 1.0;
///     let line = if i % 2 == 0 { [t, t, 0.0] } else { [t, -t, 3.0] };
///     line[j] + 0.02 * ((i * 7 + j * 13) as f64).sin()
/// });
/// let mixture = PpcaMixture::new(2, 1).fit(&Device::cpu(), &x)?;
/// let labels = mixture.predict(&x)?;
/// assert!((0..120).all(|i| labels[i] == labels[i % 2]) && labels[0] != labels[1]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`] unless `1 <= K <= n` and `1 <= k < d`; [`Error::Singular`] if the data does not vary.
#[derive(Debug, Clone)]
pub struct PpcaMixture {
    components: usize,
    latents: usize,
    em: Em,
}

impl PpcaMixture {
    /// `components` Gaussians, each with `latents` dimensions of its own.
    pub fn new(components: usize, latents: usize) -> Self {
        PpcaMixture { components, latents, em: Em::new() }
    }
}

setters!(PpcaMixture {
    /// How many Gaussians there are: K.
    components: usize,
    /// How many latent dimensions each of them has: k.
    latents: usize,
});

em_setters!(PpcaMixture: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits!(PpcaMixture: Fit -> FittedPpcaMixture);
across!(PpcaMixture: Fit -> FittedPpcaMixture);

impl Fit for PpcaMixture {
    type Fitted = FittedPpcaMixture;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedPpcaMixture> {
        self.run_across(&Meeting::alone_here(), device, x)
    }
}

impl PpcaMixture {
    fn run_across(&self, all: &Meeting, device: &Device, x: ArrayView2<f64>) -> Result<FittedPpcaMixture> {
        const OP: &str = "PpcaMixture::fit";
        numbers(OP, "x", x)?;
        let part = all.part(OP, x)?;
        let d = x.ncols();
        require(OP, part.total > 1, || "fewer than two rows".to_owned())?;
        components("components", self.components, part.total)?;
        let requirement = "must be at least 1 and less than the number of columns";
        parameter("latents", self.latents as f64, (1..d).contains(&self.latents), requirement)?;
        let passes = self.components as f64 * self.em.max_iterations as f64;
        let device = &suited(device, x, 4.0 * x.len() as f64 * d as f64 * passes);
        let whole = StreamedMoments::of_all(all, device, x)?;
        let variance = whole.variances().mean().unwrap_or(0.0);
        let varies = variance > 0.0;
        if !varies {
            return Err(Error::Singular { op: "PpcaMixture::fit, variance", index: 0, value: variance });
        }
        let model = steps::Model {
            latents: self.latents,
            floor: FLOOR * variance,
            gpu: all.any(OP, device.is_gpu())?,
        };
        let blocks = |device: &Device| -> Result<Vec<Matrix>> {
            let place = |rows| centred::on(device, x.slice(s![rows, ..]), whole.mean().view());
            centred::blocks(device, x.nrows(), d).map(place).collect()
        };
        let here = blocks(device)?;
        let exact = device.is_gpu().then(|| blocks(&Device::cpu())).transpose()?;
        let centred = centred::less(x, whole.mean().view());
        let sampled = all.sample(OP, part, centred.view(), None, self.em.seed)?;
        let blocks_of_all;
        let blocks = if all.alone() {
            &here
        } else {
            blocks_of_all = vec![Matrix::from_host(sampled.x.to_owned())];
            &blocks_of_all
        };
        let first = |seed| start::start(&model, device, blocks, sampled.x.view(), self.components, seed);
        let em = self.em.known_by(self, x, None);
        let outcome = em.run_exactly_across(all, &model, &here, exact.as_ref(), first)?;
        Ok(FittedPpcaMixture::new(device, outcome.params, whole.mean(), part.total, outcome.report))
    }
}
