//! The kernel two-sample test: do x and y come from one distribution?

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::aggregate::{Combine, Values, combine};
use super::bandwidth::{Collection, Metric, Points, median_distance};
use crate::check::{level, pooled, two_samples};
use super::labels::Labels;
use super::mmd::{biased, unbiased};
use super::mmd_variance::split;
use super::null::Null;
use super::outcome::{Done, TestOutcome};
use crate::Progress;
use super::forms::{Forms, forms};
use crate::{Device, Kernel, Result};

/// Which kernel, or kernels, look for a difference.
#[derive(Debug, Clone, PartialEq)]
pub enum KernelChoice {
    /// This one.
    Fixed(Kernel),
    /// A Gaussian kernel whose bandwidth is the median distance between pooled points (of at most 1000).
    Median,
    /// The kernel of a collection with the largest ratio of unbiased MMD² to its standard deviation on a random part of
    /// each sample; the test uses what is left.
    PowerRatio {
        /// The candidates.
        collection: Collection,
        /// The share of each sample that chooses, between 0 and 1.
        share: f64,
    },
    /// Every kernel of a collection, combined.
    Aggregate {
        /// The kernels.
        collection: Collection,
        /// How their statistics become one.
        combine: Combine,
    },
    /// Every kernel of a list, combined.
    Several {
        /// The kernels.
        kernels: Vec<Kernel>,
        /// How their statistics become one.
        combine: Combine,
    },
}

/// Which estimate of MMD² is compared with its resamples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Estimator {
    /// Over pairs of different observations.
    #[default]
    Unbiased,
    /// Over all pairs.
    Biased,
}

/// A test of `P = Q` by [`Mmd`](super::Mmd), exact at every sample size: under the hypothesis the labels of the pooled
/// points may be permuted, so that `(b + 1) / (B + 1)` is a valid p-value.
///
/// By default MMD-FUSE (Biggs, Schrab and Gretton 2023): twenty Laplace and Gaussian kernels, no bandwidth to choose, no
/// data set aside.
///
/// ```
/// use mercer::{Device, stats::TwoSampleTest};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| (i as f64 * 0.77).sin());
/// let y = Array2::from_shape_fn((30, 1), |(i, _)| (i as f64 * 0.77).sin() + 1.5);
/// let outcome = TwoSampleTest::default().run(&Device::cpu(), x.view(), y.view())?;
/// assert!(outcome.rejects() && outcome.p_value < 0.01);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TwoSampleTest {
    /// Which kernels.
    pub kernel: KernelChoice,
    /// Which estimate.
    pub estimator: Estimator,
    /// Where the null distribution comes from.
    pub null: Null,
    /// The level of the test.
    pub alpha: f64,
    /// The seed of permutations, signs and splits.
    pub seed: u64,
    /// Whether to return the null sample.
    pub keep_null: bool,
    /// Bytes that the matrix of resamples may take; with more resamples than fit, the kernel is evaluated again for
    /// each part of them.
    pub memory: u64,
    /// Called after each row of blocks of each kernel's Gram matrix.
    pub progress: Progress,
}

impl Default for TwoSampleTest {
    fn default() -> Self {
        TwoSampleTest {
            kernel: KernelChoice::Aggregate { collection: Collection::default(), combine: Combine::FUSE },
            estimator: Estimator::Unbiased,
            null: Null::Permutations(1000),
            alpha: 0.05,
            seed: 0,
            keep_null: false,
            memory: 1 << 30,
            progress: Progress::none(),
        }
    }
}

impl TwoSampleTest {
    /// The default with one kernel.
    pub fn with_kernel(kernel: Kernel) -> Self {
        TwoSampleTest { kernel: KernelChoice::Fixed(kernel), ..Self::default() }
    }

    /// The default with the median heuristic instead of a collection.
    pub fn median() -> Self {
        TwoSampleTest { kernel: KernelChoice::Median, ..Self::default() }
    }

    /// `MMDAgg` (Schrab et al. 2021): the kernels of the collection by their p-values.
    pub fn aggregated(collection: Collection) -> Self {
        let kernel = KernelChoice::Aggregate { collection, combine: Combine::MinP };
        TwoSampleTest { kernel, ..Self::default() }
    }

    /// Compares the rows of `x` (`m x d`) and `y` (`n x d`).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for fewer than two observations, different features, or unequal samples
    /// under the wild bootstrap; [`Error::NotFinite`](crate::Error::NotFinite);
    /// [`Error::Parameter`](crate::Error::Parameter) for no resamples, a level outside of (0, 1), or if all points are
    /// equal and a bandwidth is to be found; [`Error::Unsupported`](crate::Error::Unsupported) for the law of several
    /// kernels; [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn run(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<TestOutcome> {
        two_samples("TwoSampleTest", x, y, 2)?;
        level(self.alpha)?;
        let all = pooled(x, y);
        match &self.kernel {
            KernelChoice::Fixed(kernel) => {
                self.compare(device, x.nrows(), all.view(), vec![kernel.clone()], Combine::MinP)
            }
            KernelChoice::Median => {
                let points = Points::Subsample { most: 1000, seed: self.seed };
                let kernel = Kernel::rbf(median_distance(all.view(), Metric::L2, points)?);
                self.compare(device, x.nrows(), all.view(), vec![kernel], Combine::MinP)
            }
            KernelChoice::PowerRatio { collection, share } => {
                let kernels = collection.kernels(all.view())?;
                let (kernel, x, y) = split(device, kernels, x, y, *share, self.seed)?;
                let all = pooled(x.view(), y.view());
                self.compare(device, x.nrows(), all.view(), vec![kernel], Combine::MinP)
            }
            KernelChoice::Aggregate { collection, combine } => {
                self.compare(device, x.nrows(), all.view(), collection.kernels(all.view())?, *combine)
            }
            KernelChoice::Several { kernels, combine } => {
                self.compare(device, x.nrows(), all.view(), kernels.clone(), *combine)
            }
        }
    }

    fn compare(
        &self,
        device: &Device,
        m: usize,
        all: ArrayView2<f64>,
        kernels: Vec<Kernel>,
        how: Combine,
    ) -> Result<TestOutcome> {
        crate::check::parameter("kernels", 0.0, !kernels.is_empty(), "there must be a kernel")?;
        if self.null.is_asymptotic() {
            let [kernel] = kernels.as_slice() else {
                return Err(self.null.refused("TwoSampleTest", "use one kernel, or permutations"));
            };
            return self.asymptotic(device, m, all, kernel);
        }
        let labels = Labels::draw("TwoSampleTest", m, all.nrows() - m, self.null, self.seed)?;
        let (forms, bytes) = forms(device, &kernels, all, &labels, self.memory, &self.progress)?;
        let mut values = Vec::with_capacity(kernels.len());
        for (kernel, forms) in kernels.iter().zip(&forms) {
            let swapped = if labels.swaps { partners(kernel, all, m)? } else { 0.0 };
            let resamples = (0..labels.count()).into_par_iter();
            let all = resamples.map(|b| self.statistic(forms, &labels, b, swapped)).collect();
            values.push(Values { all, spread: spread(forms, &labels) });
        }
        let kernels = kernels.into_iter().map(|k| vec![k]).collect();
        let method = format!("MMD, {}", self.null.name());
        let done = Done::new(method, labels.count() - 1, Some(self.seed), device, bytes);
        Ok(combine(values, kernels, how, self.alpha, self.keep_null, done))
    }

    fn statistic(&self, forms: &Forms, labels: &Labels, b: usize, swapped: f64) -> f64 {
        if labels.swaps {
            // Pairs of one observation leave the sum whichever way they are swapped.
            let m = labels.m as f64;
            return (forms.quadratic[b] * m * m + 2.0 * swapped) / (m * (m - 1.0));
        }
        match self.estimator {
            Estimator::Unbiased => unbiased(forms, labels, b),
            Estimator::Biased => biased(forms, labels, b),
        }
    }
}

/// `Σ_i k(x_i, y_i)`.
fn partners(kernel: &Kernel, all: ArrayView2<f64>, m: usize) -> Result<f64> {
    (0..m).map(|i| kernel.value(&all.row(i).to_vec(), &all.row(m + i).to_vec())).sum()
}

/// What a statistic's null spread is proportional to: `√(Σ_{i≠j} k_ij²) / (ν (ν - 1))`, ν the smaller sample's size.
fn spread(forms: &Forms, labels: &Labels) -> f64 {
    let least = labels.m.min(labels.n) as f64;
    forms.squares.sqrt() / (least * (least - 1.0))
}
