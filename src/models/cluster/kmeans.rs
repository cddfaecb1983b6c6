//! K-means. Checked in `tests/mixture/kmeans.rs` against scikit-learn, by theorems, and on every adapter.

use ndarray::{Array2, ArrayView2, Axis};

use super::kmeans_fitted::FittedKMeans;
use super::lloyd::{Lloyd, Points};
use super::seeding::{plus_plus, random_rows};
use crate::check::finite;
use crate::check::components;
use crate::inference::em::{Em, Mode, check_weights};
use crate::{Device, Error, Matrix, Result};

/// Which centres to start from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum KMeansStart {
    /// Rows drawn far from each other: [`plus_plus`].
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
/// one that does not lie on it.
///
/// ```
/// use mercer::{Device, models::cluster::KMeans};
/// let x = ndarray::array![[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]];
/// let fit = KMeans::new(2).fit(&Device::cpu(), x.view())?;
/// assert_eq!(fit.labels[0], fit.labels[1]);
/// assert_ne!(fit.labels[0], fit.labels[2]);
/// assert!((fit.cost - 0.05).abs() < 1e-12);
/// assert_eq!(fit.predict(ndarray::array![[4.0, 4.0]].view())?, [fit.labels[2]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KMeans {
    /// K.
    pub clusters: usize,
    /// Where to start.
    pub start: KMeansStart,
    /// Learn after each so many rows, taken in a random order, instead of after all of them: stepwise EM, for data so
    /// many that a fraction of them tells where the centres are. `em.max_iterations` is then the number of passes.
    pub batch: Option<usize>,
    /// Iterations, restarts, seed, progress.
    pub em: Em,
}

impl KMeans {
    /// k clusters, the best of ten starts by k-means++.
    pub fn new(k: usize) -> Self {
        KMeans {
            clusters: k,
            start: KMeansStart::default(),
            batch: None,
            em: Em { restarts: 10, tolerance: 1e-6, max_iterations: 300, ..Em::default() },
        }
    }

    /// Clusters the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n; [`Error::Shape`] if `x` is empty or given centres do not fit;
    /// [`Error::NotFinite`]; [`Error::Cancelled`].
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedKMeans> {
        self.fit_weighted(device, x, None)
    }

    /// [`KMeans::fit`] with a weight for each row: a weight of 2 is that row twice.
    ///
    /// # Errors
    /// As [`KMeans::fit`], and for weights that are negative, not finite, all zero or not n.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedKMeans> {
        let ((n, d), k) = (x.dim(), self.clusters);
        let passes = self.em.max_iterations as f64;
        let device = device.suited_to(2.0 * n as f64 * d as f64 * k as f64 * passes);
        finite("KMeans", "x", x)?;
        components("clusters", k, n)?;
        let checked = weights.map(|w| check_weights(w, n)).transpose()?;
        let x = x.as_standard_layout();
        let on_gpu = |x: ArrayView2<f64>| device.is_gpu().then(|| Matrix::from_array(&device, x)).transpose();
        let lloyd = &Lloyd { single: device.is_gpu() };
        let mut em = self.em.clone();
        if matches!(self.start, KMeansStart::Given(_)) {
            // The same start again ends where it ended before.
            em.restarts = em.restarts.min(1);
        }
        let start = |seed| self.centres(x.view(), weights, seed);
        let run = match self.batch {
            None => {
                let whole = [Points { host: x.view(), x: on_gpu(x.view())?, weights: checked }];
                em.run(&lloyd, &whole, start)?
            }
            Some(size) => {
                let shuffled = random_rows(n, n, em.seed)?;
                let parts: Vec<Array2<f64>> =
                    shuffled.chunks(size.max(1)).map(|rows| x.select(Axis(0), rows)).collect();
                let batches = parts.iter().zip(shuffled.chunks(size.max(1))).map(|(part, rows)| {
                    let weights = checked.as_ref().map(|w| w.select(Axis(0), rows));
                    Ok(Points { host: part.view(), x: on_gpu(part.view())?, weights })
                });
                let batches = batches.collect::<Result<Vec<_>>>()?;
                if em.mode == Mode::Full {
                    em.mode = Mode::Stepwise { delay: 2.0, decay: 0.7 };
                }
                em.run(&lloyd, &batches, start)?
            }
        };
        FittedKMeans::new(device, x.view(), run)
    }

    fn centres(&self, x: ArrayView2<f64>, weights: Option<&[f64]>, seed: u64) -> Result<Array2<f64>> {
        let (k, d) = (self.clusters, x.ncols());
        match &self.start {
            KMeansStart::PlusPlus => Ok(x.select(Axis(0), &plus_plus(x, weights, k, seed)?)),
            KMeansStart::Random => Ok(x.select(Axis(0), &random_rows(x.nrows(), k, seed)?)),
            KMeansStart::Given(centres) if centres.dim() == (k, d) => Ok(centres.clone()),
            KMeansStart::Given(centres) => {
                let what = format!("{:?} centres were given where {:?} are wanted", centres.dim(), (k, d));
                Err(Error::Shape { op: "KMeans", what })
            }
        }
    }
}
