//! What k-medoids is to fit, and how.

use std::marker::PhantomData;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::alternating::{Alternating, Dissimilarities, scattered};
use super::fitted::FittedKMedoids;
use crate::check::{components, finite, parameter, require, room, weights};
use crate::inference::em::{Em, em_setters};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, FitWeighted, Inputs};
use crate::models::cluster::seeding::squared_distance;
use crate::{Device, Result};

/// `min_M sum_i w_i min_{m in M} V(i, m)` over sets M of K observations, locally: each observation goes to its nearest
/// medoid, each medoid to the member of its cluster with the least sum of dissimilarities from it.
///
/// V is the Euclidean distance of points ([`KMedoids::fit`]), or given ([`KMedoids::fit_dissimilarity`]). A sum of plain
/// distances is moved less by an outlier than the sum of squares that [`KMeans`](crate::models::cluster::KMeans) minimises. All `n²`
/// dissimilarities are held in memory, in f64 on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// let words = ["cat", "cap", "car", "monday", "sunday"];
/// let differ = |a: &str, b: &str| a.chars().rev().zip(b.chars().rev()).filter(|(a, b)| a != b).count()
///     + a.len().abs_diff(b.len());
/// let v = ndarray::Array2::from_shape_fn((5, 5), |(i, j)| differ(words[i], words[j]) as f64);
/// let fit = KMedoids::new(2).fit_dissimilarity(&v)?;
/// assert_eq!(fit.labels()[0], fit.labels()[2]);
/// assert_ne!(fit.labels()[0], fit.labels()[4]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KMedoids {
    clusters: usize,
    em: Em,
}

impl KMedoids {
    /// k clusters, the best of ten starts.
    pub fn new(k: usize) -> Self {
        KMedoids { clusters: k, em: Em::new().restarts(10).tolerance(0.0) }
    }

    /// Clusters n observations by their dissimilarities V, `n x n`, with zeros on its diagonal: `V(i, m)` is what it
    /// costs that m stands for i. V need not be a metric, nor symmetric.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrix is empty or not square;
    /// [`Error::NotFinite`](crate::Error::NotFinite); [`Error::Parameter`](crate::Error::Parameter) if K is zero or above
    /// n, or a dissimilarity is negative or that of an observation from itself is not zero;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_dissimilarity(&self, dissimilarity: impl Inputs) -> Result<FittedKMedoids> {
        const OP: &str = "KMedoids::fit_dissimilarity";
        let v = dissimilarity.inputs();
        let (n, m) = v.dim();
        require(OP, n == m && n > 0, || format!("the dissimilarities are {n} x {m}, not square"))?;
        finite(OP, "the dissimilarities", v.view())?;
        let requirement = "must not be negative, and zero from an observation to itself";
        let bad = v.indexed_iter().find(|((i, j), v)| **v < 0.0 || (i == j && **v > 0.0));
        bad.map_or(Ok(()), |((i, j), &v)| parameter(&format!("V({i}, {j})"), v, false, requirement))?;
        self.run(v.view(), None, Array2::zeros((n, 0)).view())
    }

    fn run(
        &self,
        v: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        x: ArrayView2<f64>,
    ) -> Result<FittedKMedoids> {
        components("clusters", self.clusters, v.nrows())?;
        let all = Dissimilarities { v, weights };
        let model = Alternating(PhantomData);
        let start = |seed| Ok(scattered(&all, self.clusters, seed));
        let run = self.em.run(&model, std::slice::from_ref(&all), start)?;
        let centres = x.select(Axis(0), &run.params);
        Ok(FittedKMedoids::new(run.params, run.stats.labels, centres, run.report.negated()))
    }
}

setters!(KMedoids {
    /// How many clusters there are: K.
    clusters: usize,
});

em_setters!(KMedoids: max_iterations, tolerance, restarts, seed, progress);

fits!(KMedoids: Fit -> FittedKMedoids, FitWeighted -> FittedKMedoids);

impl Fit for KMedoids {
    type Fitted = FittedKMedoids;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedKMedoids> {
        self.run(distances(x)?.view(), None, x)
    }
}

impl FitWeighted for KMedoids {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        (): &(),
        w: ArrayView1<f64>,
    ) -> Result<FittedKMedoids> {
        weights("KMedoids::fit", w, x.nrows())?;
        self.run(distances(x)?.view(), Some(w), x)
    }
}

/// `|x_i - x_j|`, once it is known that there is room for it.
fn distances(x: ArrayView2<f64>) -> Result<Array2<f64>> {
    finite("KMedoids::fit", "x", x)?;
    let n = x.nrows();
    room("observations", n, n.saturating_mul(size_of::<f64>()))?;
    let mut v = vec![0.0; n * n];
    v.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = squared_distance(x.row(i), x.row(j)).sqrt());
    });
    let v = Array2::from_shape_vec((n, n), v).expect("n rows of n");
    finite("KMedoids::fit", "the distances between rows of x", v.view())?;
    Ok(v)
}
