//! What k-means is to fit, and how.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

use super::fitted::FittedKMeans;
use super::lloyd::Lloyd;
use crate::check::{components, finite, numbers, require};
use crate::inference::em::{Batches, Em, Mode, Observations, Uploaded, em_setters, first_part};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Ranks, fits_across, meet};
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

const OP: &str = "KMeans::fit";

impl KMeans {
    /// Fits data that come in parts, such as a file larger than memory, each uploaded when it is visited; centres to start
    /// from are rows of the first part. With [`Mode::Stepwise`] it learns after every part. Rows are not kept: there are no
    /// labels.
    ///
    /// # Errors
    /// As `fit`, and those of reading the parts; [`Error::Shape`](crate::Error::Shape) if `batch` is set, as parts are what
    /// they are.
    pub fn fit_batches<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        device: &Device,
        data: &D,
    ) -> Result<FittedKMeans> {
        self.in_batches(&Meeting::alone_here(), device, data)
    }

    /// [`fit_batches`](Self::fit_batches) of parts that lie on several ranks, each of which visits its own. The start is made
    /// from the first part of every rank.
    ///
    /// # Errors
    /// As `fit_batches`, the same on every rank.
    pub fn fit_batches_across<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        data: &D,
    ) -> Result<FittedKMeans> {
        meet(ranks, |all| self.in_batches(all, device, data))
    }

    fn in_batches<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        all: &Meeting,
        device: &Device,
        data: &D,
    ) -> Result<FittedKMeans> {
        require(OP, self.batch.is_none(), || "parts are what they are: set `mode`, not `batch`".to_owned())?;
        let (first, part) = first_part(all, OP, data)?;
        components("clusters", self.clusters, part.total)?;
        numbers(OP, "x", first.view())?;
        let device = device.suited_to(self.flops(first.dim()));
        let lloyd = Lloyd { single: all.any(OP, device.is_gpu())? };
        let columns = first.ncols();
        let parts = |device: Device| Uploaded { op: OP, data, device, columns, batch: |rows| rows };
        let (fast, exact) = (parts(device.clone()), device.is_gpu().then(|| parts(Device::cpu())));
        // Of the data, what is at hand: how many parts there are, and the first.
        let em = self.starts(self.em.known_by(&(self, data.count()), first.view(), None));
        let sampled = all.sample(OP, part, first.view(), None, em.seed)?;
        let start = |seed| self.centres(sampled.x.view(), None, seed);
        let mut run = em.run_exactly_across(all, &lloyd, &fast, exact.as_ref(), start)?;
        run.stats.labels = None;
        FittedKMeans::new(device, first.slice(s![..0, ..]), run)
    }

    fn flops(&self, (n, d): (usize, usize)) -> f64 {
        2.0 * n as f64 * d as f64 * self.clusters as f64 * self.em.max_iterations as f64
    }

    /// One start if it is given: the same again ends where it ended before.
    fn starts(&self, mut em: Em) -> Em {
        if matches!(self.start, KMeansStart::Given(_)) {
            em.restarts = em.restarts.min(1);
        }
        em
    }

    pub(crate) fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedKMeans> {
        numbers(OP, "x", x)?;
        let part = all.part(OP, x)?;
        let n = x.nrows();
        components("clusters", self.clusters, part.total)?;
        let flops = self.flops(x.dim());
        let points = (n > 0).then(|| Points::new(OP, device, x, Origin::Free, flops)).transpose()?;
        let device = points.as_ref().map_or_else(Device::cpu, |points| points.device().clone());
        let lloyd = Lloyd { single: all.any(OP, device.is_gpu())? };
        let mut em = self.starts(self.em.known_by(self, x, w));
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
