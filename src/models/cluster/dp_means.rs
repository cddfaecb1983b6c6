//! DP-means: k-means with a price for each cluster. Checked in `tests/mixture/dp_means.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::seeding::squared_distance;
use crate::inference::em::{Em, EmModel, Statistics};
use crate::{Error, Matrix, Result};

/// `min_K,μ sum_i |x_i - μ_{c_i}|^2 + λ K`, locally.
///
/// It starts from one cluster at the mean. Rows are visited in order: one whose squared distance to every centre exceeds
/// λ founds a cluster, which rows after it can join; then centres go to the mean of their rows, and a cluster without
/// rows is dropped. The order of the rows matters, and the sequential pass runs on the host.
///
/// ```
/// use mercer::models::cluster::DpMeans;
/// let x = ndarray::array![[-3.0], [-2.9], [3.0], [3.1]];
/// let fit = DpMeans::new(1.0).fit(x.view())?;
/// assert_eq!(fit.centres.nrows(), 2);
/// assert!((fit.objective - 2.01).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DpMeans {
    /// λ: what a cluster must save to be worth its while, in squared units of x.
    pub penalty: f64,
    /// Iterations and progress. There is one start: restarts change nothing.
    pub em: Em,
}

/// Fitted [`DpMeans`].
#[derive(Debug, Clone, PartialEq)]
pub struct FittedDpMeans {
    /// μ, `K x d`.
    pub centres: Array2<f64>,
    /// The cluster of each row.
    pub labels: Vec<usize>,
    /// `sum_i |x_i - μ_{c_i}|^2 + λ K`.
    pub objective: f64,
    /// The objective after each pass over the rows; it never rises.
    pub trace: Vec<f64>,
    /// Times that the centres were moved.
    pub iterations: usize,
    /// Whether it ended because nothing changed.
    pub converged: bool,
}

impl DpMeans {
    /// With the price λ of a cluster.
    pub fn new(penalty: f64) -> Self {
        DpMeans { penalty, em: Em { tolerance: 0.0, ..Em::default() } }
    }

    /// Clusters the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` is empty, [`Error::NotFinite`]; [`Error::Parameter`] if λ is not positive;
    /// [`Error::Cancelled`].
    pub fn fit(&self, x: ArrayView2<f64>) -> Result<FittedDpMeans> {
        let value = self.penalty;
        if !(value > 0.0 && value.is_finite()) {
            let (name, requirement) = ("penalty".to_owned(), "must be positive and finite");
            return Err(Error::Parameter { name, value, requirement });
        }
        // Checked as any other data are, and then read where they are.
        Matrix::from_array(&crate::Device::cpu(), x)?;
        let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
        let start = mean.insert_axis(Axis(0));
        let pass = &Pass { penalty: self.penalty };
        let em = Em { restarts: 1, ..self.em.clone() };
        let run = em.run(&pass, &[x], |_| Ok(start.clone()))?;
        let kept: Vec<usize> = (0..run.stats.count.len()).filter(|&k| run.stats.count[k] > 0.0).collect();
        let place = |k: usize| kept.iter().position(|&own| own == k).unwrap_or(0);
        Ok(FittedDpMeans {
            centres: run.stats.centres.select(Axis(0), &kept),
            labels: run.stats.labels.iter().map(|&k| place(k)).collect(),
            objective: -run.objective,
            trace: run.trace.iter().map(|v| -v).collect(),
            iterations: run.iterations,
            converged: run.converged,
        })
    }
}

struct Pass {
    penalty: f64,
}

/// What a pass has left: the clusters it came with and those it has founded.
#[derive(Clone)]
struct Clusters {
    centres: Array2<f64>,
    count: Vec<f64>,
    total: Array2<f64>,
    labels: Vec<usize>,
    cost: f64,
    /// How many it came with: these are common to all parts of the data.
    old: usize,
}

impl Statistics for Clusters {
    /// What another part has founded comes after what this one has.
    fn add(&mut self, other: &Self) {
        let by = self.count.len() - other.old;
        self.labels.extend(other.labels.iter().map(|&k| if k < other.old { k } else { k + by }));
        for k in 0..other.old {
            self.count[k] += other.count[k];
            self.total.row_mut(k).scaled_add(1.0, &other.total.row(k));
        }
        for k in other.old..other.count.len() {
            self.count.push(other.count[k]);
            push(&mut self.centres, other.centres.row(k));
            push(&mut self.total, other.total.row(k));
        }
        self.cost += other.cost;
    }

    fn scale(&mut self, by: f64) {
        self.count.iter_mut().for_each(|c| *c *= by);
        self.total *= by;
        self.cost *= by;
    }

    fn mass(&self) -> f64 {
        self.count.iter().sum()
    }
}

fn push(to: &mut Array2<f64>, row: ArrayView1<f64>) {
    // Only rows of another length are refused, and all of these have d entries.
    let _ = to.push_row(row);
}

impl<'a> EmModel for &'a Pass {
    const NAME: &'static str = "DpMeans";
    type Batch = ArrayView2<'a, f64>;
    type Params = Array2<f64>;
    type Stats = Clusters;

    fn expect(&self, centres: &Array2<f64>, x: &ArrayView2<f64>) -> Result<Clusters> {
        let mut now = Clusters {
            centres: centres.clone(),
            count: vec![0.0; centres.nrows()],
            total: Array2::zeros(centres.raw_dim()),
            labels: Vec::with_capacity(x.nrows()),
            cost: 0.0,
            old: centres.nrows(),
        };
        for row in x.rows() {
            let all = now.centres.rows().into_iter().map(|c| squared_distance(row, c)).enumerate();
            let near = all.reduce(|a, b| if b.1 < a.1 { b } else { a });
            let label = match near {
                Some((k, distance)) if distance <= self.penalty => {
                    now.cost += distance;
                    k
                }
                _ => {
                    push(&mut now.centres, row);
                    now.total.push_row(Array1::zeros(row.len()).view()).ok();
                    now.count.push(0.0);
                    now.count.len() - 1
                }
            };
            now.count[label] += 1.0;
            now.total.row_mut(label).scaled_add(1.0, &row);
            now.labels.push(label);
        }
        Ok(now)
    }

    fn maximise(&self, _: &Array2<f64>, now: &Clusters) -> Result<Array2<f64>> {
        let kept: Vec<usize> = (0..now.count.len()).filter(|&k| now.count[k] > 0.0).collect();
        let mut centres = now.total.select(Axis(0), &kept);
        for (mut centre, k) in centres.rows_mut().into_iter().zip(kept) {
            centre /= now.count[k];
        }
        Ok(centres)
    }

    fn objective(&self, _: &Array2<f64>, now: &Clusters) -> f64 {
        let clusters = now.count.iter().filter(|&&c| c > 0.0).count();
        -(now.cost + self.penalty * clusters as f64)
    }
}
