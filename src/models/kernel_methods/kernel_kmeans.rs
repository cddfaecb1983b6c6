//! k-means in a feature space. Checked in `tests/svm/components.rs` against k-means with the linear kernel.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::expansion::Expansion;
use crate::check::{components, finite, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Predict, Report, Reported, Transform};
use crate::ops::{gram, gram_diagonal};
use crate::random::uniforms;
use crate::saved::Format;
use crate::{Device, Kernel, Matrix, Progress, Result};

/// k-means of a kernel's features: `min Σ_i s_i min_c ‖φ(x_i) - μ_c‖²`, locally, with centres that are means of features.
///
/// A distance to a centre needs kernel values only: `k(x, x) - 2 Σ_j w_cj k(x, x_j) + Σ_jl w_cj w_cl k(x_j, x_l)`, w the weights of
/// the cluster's rows over their sum. Starts are drawn far apart as in k-means++; the best of several wins. It runs on the
/// CPU in f64 whatever the device, and stores the `n x n` matrix.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// // A ring around a point: no line divides them.
/// let x = Array2::from_shape_fn((30, 2), |(i, j)| {
///     let (r, t) = (if i < 10 { 0.2 } else { 3.0 }, i as f64);
///     r * if j == 0 { t.cos() } else { t.sin() }
/// });
/// let inner = Kernel::polynomial(2, 0.0);
/// let labels = KernelKMeans::new(inner, 2).fit(&Device::cpu(), &x)?.labels().to_vec();
/// assert_eq!(labels.len(), 30);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelKMeans {
    kernel: Kernel,
    clusters: usize,
    restarts: usize,
    max_iterations: usize,
    seed: u64,
    progress: Progress,
}

impl KernelKMeans {
    /// k clusters in the feature space of this kernel, the best of ten starts.
    pub fn new(kernel: Kernel, k: usize) -> Self {
        KernelKMeans {
            kernel,
            clusters: k,
            restarts: 10,
            max_iterations: 300,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

setters!(KernelKMeans {
    /// The kernel.
    kernel: Kernel,
    /// Number of starts; ten by default.
    restarts: usize,
    /// Most iterations of a start; 300 by default.
    max_iterations: usize,
    /// Seed of the first start; the i-th uses stream i of it.
    seed: u64,
    /// Callback after every iteration, which can cancel the fit.
    progress: Progress,
});

fits!(KernelKMeans: Fit -> FittedKernelKMeans, FitWeighted -> FittedKernelKMeans);

const OP: &str = "KernelKMeans::fit";

/// One start and where it ended.
struct Run {
    labels: Vec<usize>,
    cost: f64,
    trace: Vec<f64>,
    converged: bool,
}

impl KernelKMeans {
    fn run(&self, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<FittedKernelKMeans> {
        finite(OP, "x", x)?;
        let rows: Vec<usize> = (0..x.nrows()).filter(|&i| w[i] > 0.0).collect();
        components("clusters", self.clusters, rows.len())?;
        let (x, w) = (x.select(Axis(0), &rows), w.select(Axis(0), &rows));
        let k = gram(&self.kernel, &Matrix::from_host(x.clone()), None)?.into_array()?;
        finite(OP, "the kernel matrix", k.view())?;
        let mut made = 0;
        let mut best = self.start(&k, &w, 0, &mut made)?;
        let mut costs = vec![best.cost];
        for start in 1..self.restarts {
            let run = self.start(&k, &w, start as u64, &mut made)?;
            costs.push(run.cost);
            if run.cost < best.cost {
                best = run;
            }
        }
        let Run { labels, cost, trace, converged } = best;
        let shares = shares(&labels, &w, self.clusters);
        let inner = k.dot(&shares);
        let norms = (0..self.clusters).map(|c| shares.column(c).dot(&inner.column(c))).collect();
        let report = Report::new(trace.clone(), trace.len().saturating_sub(1), converged, costs);
        let expansion = Expansion { kernel: self.kernel.clone(), points: x, coefficients: shares };
        Ok(FittedKernelKMeans { format: Format, expansion, norms, labels, cost, report })
    }

    fn start(&self, k: &Array2<f64>, w: &Array1<f64>, stream: u64, made: &mut usize) -> Result<Run> {
        let n = k.nrows();
        let mut draw = uniforms(self.seed, stream);
        let own = k.diag();
        let apart = |i: usize, j: usize| (own[i] + own[j] - 2.0 * k[[i, j]]).max(0.0);
        // The first centre by weight, each next by its distance from those before.
        let mut centres: Vec<usize> = Vec::new();
        while centres.len() < self.clusters {
            let near = |i: usize| centres.iter().map(|&c| apart(i, c)).fold(f64::INFINITY, f64::min);
            let mass: Vec<f64> =
                (0..n).map(|i| if centres.is_empty() { w[i] } else { w[i] * near(i) }).collect();
            let total: f64 = mass.iter().sum();
            let mut left = draw() * total;
            let hit = mass.iter().position(|m| {
                left -= m;
                left < 0.0 && *m > 0.0
            });
            let free = (0..n).find(|i| !centres.contains(i)).unwrap_or(0);
            centres.push(hit.filter(|i| !centres.contains(i)).unwrap_or(free));
        }
        let nearest = |far: &dyn Fn(usize) -> f64| {
            (0..self.clusters).fold(0, |best, c| if far(c) < far(best) { c } else { best })
        };
        let mut labels: Vec<usize> = (0..n).map(|i| nearest(&|c| apart(i, centres[c]))).collect();
        let (mut trace, mut converged) = (Vec::new(), false);
        for iteration in 0..=self.max_iterations {
            let shares = shares(&labels, w, self.clusters);
            let inner = k.dot(&shares);
            let norms: Vec<f64> =
                (0..self.clusters).map(|c| shares.column(c).dot(&inner.column(c))).collect();
            let empty: Vec<bool> = (0..self.clusters).map(|c| !labels.contains(&c)).collect();
            let far = |i: usize, c: usize| {
                if empty[c] { f64::INFINITY } else { (own[i] - 2.0 * inner[[i, c]] + norms[c]).max(0.0) }
            };
            let cost: f64 = (0..n).map(|i| w[i] * far(i, labels[i])).sum();
            trace.push(cost);
            *made += 1;
            self.progress.report(OP, *made, None, cost)?;
            let mut next: Vec<usize> = (0..n).map(|i| nearest(&|c| far(i, c))).collect();
            // A cluster without rows takes the one that is farthest from its centre.
            for c in (0..self.clusters).filter(|&c| !next.contains(&c)).collect::<Vec<_>>() {
                let lonely =
                    (0..n).max_by(|a, b| far(*a, next[*a]).total_cmp(&far(*b, next[*b]))).unwrap_or(0);
                if far(lonely, next[lonely]) > 0.0 {
                    next[lonely] = c;
                }
            }
            let gained = trace.len() < 2 || cost < trace[trace.len() - 2] * (1.0 - 1e-12);
            if next == labels || !gained && trace.len() > 1 {
                converged = true;
                break;
            }
            if iteration < self.max_iterations {
                labels = next;
            }
        }
        let cost = trace.last().copied().unwrap_or(0.0);
        Ok(Run { labels, cost, trace, converged })
    }
}

/// `w_ic = s_i / Σ s` of the rows of each cluster, n x k.
fn shares(labels: &[usize], w: &Array1<f64>, k: usize) -> Array2<f64> {
    let mut sums = vec![0.0; k];
    labels.iter().zip(w).for_each(|(&c, w)| sums[c] += w);
    let mut shares = Array2::zeros((labels.len(), k));
    labels.iter().enumerate().for_each(|(i, &c)| shares[[i, c]] = w[i] / sums[c]);
    shares
}

impl Fit for KernelKMeans {
    type Fitted = FittedKernelKMeans;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedKernelKMeans> {
        self.run(x, Array1::ones(x.nrows()).view())
    }
}

impl FitWeighted for KernelKMeans {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        (): &(),
        w: ArrayView1<f64>,
    ) -> Result<FittedKernelKMeans> {
        weights(OP, w, x.nrows())?;
        self.run(x, w)
    }
}

/// A fitted [`KernelKMeans`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedKernelKMeans {
    format: Format,
    expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    norms: Array1<f64>,
    labels: Vec<usize>,
    cost: f64,
    report: Report,
}

getters!(FittedKernelKMeans {
    /// The cluster of each row that had a weight.
    labels: &[usize],
    /// The sum of squared distances from the centres, in the feature space.
    cost: f64,
    /// Iterations, the cost after each, and that of each start.
    report: &Report,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
});

inherent!(FittedKernelKMeans: Predict -> Vec<usize>, Transform);

impl Transform for FittedKernelKMeans {
    /// Squared distances from the centres, m x k, in the feature space; the largest number there is from a cluster that has no
    /// rows.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let to = self.expansion.at("FittedKernelKMeans::transform", &Device::cpu(), x)?;
        let own = gram_diagonal(&self.expansion.kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        let mut far = (own - 2.0 * to + &self.norms).mapv(|v| v.max(0.0));
        for (mut far, shares) in far.columns_mut().into_iter().zip(self.expansion.coefficients.columns()) {
            if shares.iter().all(|s| *s == 0.0) {
                far.fill(f64::MAX);
            }
        }
        Ok(far)
    }
}

impl Predict for FittedKernelKMeans {
    type Output = Vec<usize>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(crate::learn::labels::most_probable((-Transform::transform(self, x)?).view()))
    }
}

impl Reported for FittedKernelKMeans {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelKMeans);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedKernelKMeans {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        let k = self.expansion.coefficients.ncols();
        let fits = self.norms.len() == k && self.labels.iter().all(|&c| c < k);
        crate::check::require("a saved FittedKernelKMeans", fits, || {
            "its clusters do not fit together".to_owned()
        })
    }
}
