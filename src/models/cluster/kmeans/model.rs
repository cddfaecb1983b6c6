//! What k-means is to fit, and how.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::fitted::FittedKMeans;
use super::lloyd::Lloyd;
use crate::check::{components, finite, numbers, require};
use crate::inference::em::{Em, Mode, Observations, em_setters};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::matrix::{Origin, Points};
use crate::models::cluster::seeding::{far_apart, random_rows};
use crate::{Device, Result};

/// Which centres to start from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum KMeansStart {
    /// Rows drawn far from each other: [`plus_plus`](crate::models::cluster::plus_plus).
    #[default]
    PlusPlus,
    /// Rows drawn uniformly.
    Random,
    /// These, `K x d`; with those of an earlier fit a warm start.
    Given(Array2<f64>),
}

/// `min_μ sum_i w_i min_k |x_i - μ_k|^2`, locally, by Lloyd's algorithm.
///
/// Rows go to their nearest centre (the lowest index of equals), centres to the mean of their rows, until an iteration
/// gains too little. A cluster that loses all of its rows takes the row that lies farthest from its centre, if there is
/// one that does not lie on it. A GPU finds nearest centres in f32; the last assignment is always made in f64.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]];
/// let fit = KMeans::new(2).seed(1).fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.labels()[0], fit.labels()[1]);
/// assert_ne!(fit.labels()[0], fit.labels()[2]);
/// assert!((fit.cost() - 0.05).abs() < 1e-12);
/// assert_eq!(fit.predict(ndarray::array![[4.0, 4.0]])?, [fit.labels()[2]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KMeans {
    clusters: usize,
    start: KMeansStart,
    batch: Option<usize>,
    em: Em,
}

impl KMeans {
    /// k clusters, the best of ten starts by k-means++.
    pub fn new(k: usize) -> Self {
        let em = Em::new().restarts(10).max_iterations(300);
        KMeans { clusters: k, start: KMeansStart::default(), batch: None, em }
    }
}

setters!(KMeans {
    /// How many clusters there are: K.
    clusters: usize,
    /// Which centres to start from; rows drawn far from each other by default.
    start: KMeansStart,
    /// Learn after each so many rows, taken in a random order, instead of after all of them: stepwise EM, for data so
    /// many that a fraction of them tells where the centres are. `max_iterations` is then the number of passes.
    batch: into Option<usize>,
});

em_setters!(KMeans: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(KMeans: Fit -> FittedKMeans);

impl KMeans {
    pub(crate) fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedKMeans> {
        const OP: &str = "KMeans::fit";
        numbers(OP, "x", x)?;
        let part = all.part(OP, x)?;
        let ((n, d), k) = (x.dim(), self.clusters);
        components("clusters", k, part.total)?;
        let flops = 2.0 * n as f64 * d as f64 * k as f64 * self.em.max_iterations as f64;
        let points = (n > 0).then(|| Points::new(OP, device, x, Origin::Free, flops)).transpose()?;
        let device = points.as_ref().map_or_else(Device::cpu, |points| points.device().clone());
        let lloyd = Lloyd { single: all.any(OP, device.is_gpu())? };
        let mut em = self.em.clone();
        if matches!(self.start, KMeansStart::Given(_)) {
            // The same start again ends where it ended before.
            em.restarts = em.restarts.min(1);
        }
        let sampled = all.sample(OP, part, x, w, em.seed)?;
        let start = |seed| self.centres(sampled.x.view(), sampled.weights(), seed);
        let run = if let Some(size) = self.batch {
            let shuffled = if n > 0 { random_rows(n, n, em.seed)? } else { Vec::new() };
            let part = |rows: &[usize]| {
                let (x, w) = (x.select(Axis(0), rows), w.map(|w| w.select(Axis(0), rows)));
                let points = Points::new(OP, &device, x.view(), Origin::Free, f64::INFINITY)?;
                Ok(Observations::unchecked(points, w))
            };
            let parts = shuffled.chunks(size.max(1)).map(part).collect::<Result<Vec<_>>>()?;
            if em.mode == Mode::Full {
                em.mode = Mode::Stepwise { delay: 2.0, decay: 0.7 };
            }
            em.run_exactly_across(all, &lloyd, &parts, None, start)?
        } else {
            let rows = points.map(|points| Observations::unchecked(points, w.map(|w| w.to_owned())));
            let exact = rows.as_ref().and_then(Observations::exact).map(|rows| vec![rows]);
            em.run_exactly_across(all, &lloyd, &Vec::from_iter(rows), exact.as_ref(), start)?
        };
        FittedKMeans::new(device, x, run)
    }

    fn centres(&self, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>, seed: u64) -> Result<Array2<f64>> {
        let (k, d) = (self.clusters, x.ncols());
        match &self.start {
            KMeansStart::PlusPlus => Ok(x.select(Axis(0), &far_apart(x, w, k, seed)?)),
            KMeansStart::Random => Ok(x.select(Axis(0), &random_rows(x.nrows(), k, seed)?)),
            KMeansStart::Given(centres) => {
                require("KMeans::fit", centres.dim() == (k, d), || {
                    format!("{:?} centres were given where {:?} are wanted", centres.dim(), (k, d))
                })?;
                finite("KMeans::fit", "the centres to start from", centres.view())?;
                Ok(centres.clone())
            }
        }
    }
}
