//! K-medoids. Checked in `tests/mixture/kmedoids.rs`.

use ndarray::{Array1, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::seeding::draw;
use crate::check::components;
use crate::inference::em::{Em, EmModel, Statistics};
use crate::{Error, Result};

/// `min_M sum_i min_{m in M} V(i, m)` over sets M of K observations, locally: each observation goes to its nearest
/// medoid, each medoid to the member of its cluster with the least sum of dissimilarities from it.
///
/// V, `n x n`, with zeros on its diagonal, need not be a metric, nor symmetric: `V(i, m)` is what it costs that m stands
/// for i. A sum of plain
/// distances is moved less by an outlier than the sum of squares that [`KMeans`](super::KMeans) minimises.
///
/// ```
/// use mercer::models::cluster::KMedoids;
/// let words = ["cat", "cap", "car", "monday", "sunday"];
/// let differ = |a: &str, b: &str| a.chars().rev().zip(b.chars().rev()).filter(|(a, b)| a != b).count()
///     + a.len().abs_diff(b.len());
/// let v = ndarray::Array2::from_shape_fn((5, 5), |(i, j)| differ(words[i], words[j]) as f64);
/// let fit = KMedoids::new(2).fit(v.view())?;
/// assert_eq!(fit.labels[0], fit.labels[2]);
/// assert_ne!(fit.labels[0], fit.labels[4]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KMedoids {
    /// K.
    pub clusters: usize,
    /// Iterations, restarts, seed, progress.
    pub em: Em,
}

/// Fitted [`KMedoids`].
#[derive(Debug, Clone, PartialEq)]
pub struct FittedKMedoids {
    /// The observation that stands for each cluster.
    pub medoids: Vec<usize>,
    /// The cluster of each observation.
    pub labels: Vec<usize>,
    /// `sum_i V(i, medoid of i)`.
    pub cost: f64,
    /// The cost at the best start and after each iteration.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because nothing changed.
    pub converged: bool,
}

impl KMedoids {
    /// k clusters, the best of ten starts.
    pub fn new(k: usize) -> Self {
        KMedoids { clusters: k, em: Em { restarts: 10, tolerance: 0.0, ..Em::default() } }
    }

    /// Clusters n observations by their dissimilarities.
    ///
    /// # Errors
    /// [`Error::Shape`] if the matrix is empty or not square; [`Error::NotFinite`]; [`Error::Parameter`] if K is zero or
    /// above n, or a dissimilarity is negative or that of an observation from itself is not zero; [`Error::Cancelled`].
    pub fn fit(&self, dissimilarity: ArrayView2<f64>) -> Result<FittedKMedoids> {
        let (n, m) = dissimilarity.dim();
        if n != m || n == 0 {
            let what = format!("the dissimilarities are {n} x {m}, not square");
            return Err(Error::Shape { op: "KMedoids", what });
        }
        components("clusters", self.clusters, n)?;
        for ((row, col), &value) in dissimilarity.indexed_iter() {
            if !value.is_finite() {
                return Err(Error::NotFinite {
                    op: "KMedoids",
                    what: "the dissimilarities",
                    value,
                    row,
                    col,
                });
            }
            if value < 0.0 || (row == col && value > 0.0) {
                let requirement = "must not be negative, and zero from an observation to itself";
                return Err(Error::Parameter { name: format!("V({row}, {col})"), value, requirement });
            }
        }
        let v = dissimilarity;
        let model = Alternating;
        let run = self.em.run(&&model, &[v], |seed| Ok(spread(v, self.clusters, seed)))?;
        Ok(FittedKMedoids {
            labels: assign(v, &run.params),
            medoids: run.params,
            cost: -run.objective,
            trace: run.trace.iter().map(|c| -c).collect(),
            iterations: run.iterations,
            converged: run.converged,
        })
    }
}

/// K observations, each drawn by its dissimilarity from those before it.
fn spread(v: ArrayView2<f64>, k: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = v.nrows();
    let mut medoids = vec![draw(&mut rng, vec![1.0; n])];
    while medoids.len() < k {
        let nearest = |i: usize| medoids.iter().map(|&m| v[[i, m]]).fold(f64::INFINITY, f64::min);
        let free = |i: usize| f64::from(u8::from(!medoids.contains(&i)));
        let mut chances: Vec<f64> = (0..n).map(|i| free(i) * nearest(i)).collect();
        if chances.iter().all(|&c| c <= 0.0) {
            chances = (0..n).map(free).collect();
        }
        medoids.push(draw(&mut rng, chances));
    }
    medoids
}

/// The nearest medoid, the first of equals; but a medoid stands for itself.
fn assign(v: ArrayView2<f64>, medoids: &[usize]) -> Vec<usize> {
    let own = |i: usize| medoids.iter().position(|&m| m == i);
    let nearest = |i: usize| {
        let all = medoids.iter().enumerate().map(|(k, &m)| (k, v[[i, m]]));
        all.reduce(|a, b| if b.1 < a.1 { b } else { a }).map_or(0, |best| best.0)
    };
    (0..v.nrows()).map(|i| own(i).unwrap_or_else(|| nearest(i))).collect()
}

struct Alternating;

/// For each observation the sum of what it would cost to stand for its cluster.
#[derive(Clone)]
struct Candidates {
    labels: Vec<usize>,
    sums: Array1<f64>,
    cost: f64,
}

impl Statistics for Candidates {
    fn add(&mut self, other: &Self) {
        self.sums += &other.sums;
        self.cost += other.cost;
    }

    fn scale(&mut self, by: f64) {
        self.sums *= by;
        self.cost *= by;
    }

    fn mass(&self) -> f64 {
        self.labels.len() as f64
    }
}

impl<'a> EmModel for &'a Alternating {
    const NAME: &'static str = "KMedoids";
    type Batch = ArrayView2<'a, f64>;
    type Params = Vec<usize>;
    type Stats = Candidates;

    fn expect(&self, medoids: &Vec<usize>, v: &ArrayView2<f64>) -> Result<Candidates> {
        let labels = assign(*v, medoids);
        let members: Vec<Vec<usize>> =
            (0..medoids.len()).map(|k| (0..labels.len()).filter(|&i| labels[i] == k).collect()).collect();
        let sum = |j: usize| members[labels[j]].iter().map(|&i| v[[i, j]]).sum::<f64>();
        let sums = (0..labels.len()).into_par_iter().map(sum).collect::<Vec<f64>>();
        let cost = labels.iter().enumerate().map(|(i, &k)| v[[i, medoids[k]]]).sum();
        Ok(Candidates { labels, sums: Array1::from(sums), cost })
    }

    fn maximise(&self, medoids: &Vec<usize>, found: &Candidates) -> Result<Vec<usize>> {
        let best = |k: usize| {
            let own = (0..found.labels.len()).filter(|&i| found.labels[i] == k);
            own.reduce(|a, b| if found.sums[b] < found.sums[a] { b } else { a }).unwrap_or(medoids[k])
        };
        Ok((0..medoids.len()).map(best).collect())
    }

    fn objective(&self, _: &Vec<usize>, found: &Candidates) -> f64 {
        -found.cost
    }
}
