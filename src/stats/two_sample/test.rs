//! The kernel two-sample test: do x and y come from one distribution?

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::mmd::{biased, unbiased};
use super::variance::split;
use crate::check::{numbers, parameter, pooled, two_samples};
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Ranks, meet};
use crate::matrix::Points;
use crate::stats::bandwidth::{Among, Collection, Metric, median_distance};
use crate::stats::outcome::{Run, TestOutcome};
use crate::stats::resample::{
    Combine, Forms, Labels, Null, Resampling, Values, combine, forms, origin_of, resampling_setters,
    rounding, trusted,
};
use crate::{Device, Kernel, Progress, Result};

pub(super) const OP: &str = "TwoSampleTest";

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

impl From<Kernel> for KernelChoice {
    fn from(kernel: Kernel) -> Self {
        KernelChoice::Fixed(kernel)
    }
}

/// A test of `P = Q` by [`Mmd`](super::Mmd), exact at every sample size: under the hypothesis the labels of the pooled
/// points may be permuted, so that `(b + 1) / (B + 1)` is a valid p-value.
///
/// By default MMD-FUSE (Biggs, Schrab and Gretton 2023): twenty Laplace and Gaussian kernels, no bandwidth to choose, no
/// data set aside; 1000 permutations, level 0.05.
///
/// A GPU compares in f32. Where that would not rank the resamples as f64 does, the test runs on the CPU;
/// [`Run::device`] says where it ran.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| (i as f64 * 0.77).sin());
/// let y = Array2::from_shape_fn((30, 1), |(i, _)| (i as f64 * 0.77).sin() + 1.5);
/// let outcome = TwoSampleTest::new().run(&Device::best(), &x, &y)?;
/// assert!(outcome.rejects() && outcome.p_value < 0.01);
/// let one = TwoSampleTest::new().kernel(Kernel::rbf(1.0)).null(Null::Permutations(199)).seed(7);
/// assert!(one.run(&Device::cpu(), &x, &y)?.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TwoSampleTest {
    kernel: KernelChoice,
    pub(super) estimator: Estimator,
    pub(super) resampling: Resampling,
}

impl Default for TwoSampleTest {
    fn default() -> Self {
        Self::new()
    }
}

setters!(TwoSampleTest {
    /// Which kernels look for a difference: a [`Kernel`], or any [`KernelChoice`].
    kernel: into KernelChoice,
    /// Which estimate of MMD² is compared with its resamples; the unbiased one by default.
    estimator: Estimator,
});

resampling_setters!(TwoSampleTest);

impl TwoSampleTest {
    /// MMD-FUSE with 1000 permutations at level 0.05.
    pub fn new() -> Self {
        let kernel = KernelChoice::Aggregate { collection: Collection::default(), combine: Combine::FUSE };
        TwoSampleTest { kernel, estimator: Estimator::Unbiased, resampling: Resampling::default() }
    }

    /// The default with one kernel.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Self::new().kernel(kernel)
    }

    /// The default with the median heuristic instead of a collection.
    pub fn median() -> Self {
        Self::new().kernel(KernelChoice::Median)
    }

    /// `MMDAgg` (Schrab et al. 2021): the kernels of the collection by their p-values.
    pub fn aggregated(collection: Collection) -> Self {
        Self::new().kernel(KernelChoice::Aggregate { collection, combine: Combine::MinP })
    }

    /// Compares the rows of `x` (`m x d`) and `y` (`n x d`).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for fewer than two observations, different features, or unequal samples
    /// under the wild bootstrap; [`Error::NotFinite`](crate::Error::NotFinite);
    /// [`Error::Parameter`](crate::Error::Parameter) for no resamples or more than memory holds, a level outside of
    /// (0, 1), a statistic that is not finite, or if all points are equal and a bandwidth is to be found;
    /// [`Error::Unsupported`](crate::Error::Unsupported) for the law of several kernels;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn run(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<TestOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        self.judge(&Meeting::alone_here(), device, x.view(), y.view())
    }

    /// [`run`](Self::run) of samples whose rows lie on several ranks, in f64 on the CPU: points are sent to all, and the
    /// resamples dealt out. The p-value is that of one process.
    ///
    /// # Errors
    /// As `run`, the same on every rank.
    pub fn run_across(&self, ranks: &dyn Ranks, x: impl Inputs, y: impl Inputs) -> Result<TestOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        meet(ranks, |all| {
            numbers(OP, "x", x.view())?;
            numbers(OP, "y", y.view())?;
            let (x, y) = (all.everything(OP, x.view())?, all.everything(OP, y.view())?);
            self.judge(all, &Device::cpu(), x.view(), y.view())
        })
    }

    fn judge(
        &self,
        ranks: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<TestOutcome> {
        two_samples(OP, x, y, 2)?;
        self.resampling.check()?;
        let all = pooled(x, y);
        match &self.kernel {
            KernelChoice::Fixed(kernel) => {
                self.compare(ranks, device, x.nrows(), all.view(), vec![kernel.clone()], Combine::MinP)
            }
            KernelChoice::Median => {
                let among = Among::Subsample { most: 1000, seed: self.resampling.seed };
                let kernel = Kernel::rbf(median_distance(all.view(), Metric::L2, among)?);
                self.compare(ranks, device, x.nrows(), all.view(), vec![kernel], Combine::MinP)
            }
            KernelChoice::PowerRatio { collection, share } => {
                let kernels = collection.kernels(all.view())?;
                let (kernel, x, y) = split(device, kernels, x, y, *share, self.resampling.seed)?;
                let all = pooled(x.view(), y.view());
                self.compare(ranks, device, x.nrows(), all.view(), vec![kernel], Combine::MinP)
            }
            KernelChoice::Aggregate { collection, combine } => {
                self.compare(ranks, device, x.nrows(), all.view(), collection.kernels(all.view())?, *combine)
            }
            KernelChoice::Several { kernels, combine } => {
                self.compare(ranks, device, x.nrows(), all.view(), kernels.clone(), *combine)
            }
        }
    }

    fn compare(
        &self,
        ranks: &Meeting,
        device: &Device,
        m: usize,
        all: ArrayView2<f64>,
        kernels: Vec<Kernel>,
        how: Combine,
    ) -> Result<TestOutcome> {
        parameter("kernels", 0.0, !kernels.is_empty(), "there must be a kernel")?;
        let null = self.resampling.null;
        if null.is_asymptotic() {
            let [kernel] = kernels.as_slice() else {
                return Err(null.refused(OP, "use one kernel, or permutations"));
            };
            return self.asymptotic(device, m, all, kernel);
        }
        let labels = Labels::draw(OP, m, all.nrows() - m, null, self.resampling.seed)?;
        trusted(OP, device, |device| self.resampled(ranks, device, all, &labels, &kernels, how))
    }

    fn resampled(
        &self,
        ranks: &Meeting,
        device: &Device,
        all: ArrayView2<f64>,
        labels: &Labels,
        kernels: &[Kernel],
        how: Combine,
    ) -> Result<Option<TestOutcome>> {
        let Resampling { null, seed, memory, progress, .. } = &self.resampling;
        let points =
            Points::new(OP, device, all, origin_of(kernels), flops(all, kernels.len(), labels.count()))?;
        let dealt = labels.dealt(ranks);
        let own = dealt.as_ref().unwrap_or(labels);
        let (forms, bytes) = forms(&points, kernels, own, *memory, progress)?;
        let mut values = Vec::with_capacity(kernels.len());
        for (kernel, forms) in kernels.iter().zip(&forms) {
            let swapped = if labels.swaps { partners(kernel, all, labels.m)? } else { 0.0 };
            let resamples = (0..own.count()).into_par_iter();
            let made = resamples.map(|b| self.statistic(forms, own, b, swapped)).collect();
            let spread = spread(forms, labels);
            let made = Values { all: made, spread, error: spread * rounding(all.nrows()) };
            values.push(made.dealt(ranks, OP, labels.count())?);
        }
        let pairs = kernels.iter().map(|k| vec![k.clone()]).collect();
        let method = format!("MMD, {}", null.name());
        let run = Run::new(method, labels.count() - 1, Some(*seed), points.device(), bytes);
        combine(OP, &values, pairs, how, &self.resampling, points.device().is_gpu(), run)
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

/// Operations of so many kernels and resamples on pooled points.
pub(super) fn flops(all: ArrayView2<f64>, kernels: usize, resamples: usize) -> f64 {
    let (n, d) = all.dim();
    (n * n) as f64 * (2 * d + 10) as f64 * kernels as f64
        + 2.0 * (n * n) as f64 * (kernels * resamples) as f64
}

/// `Σ_i k(x_i, y_i)`.
fn partners(kernel: &Kernel, all: ArrayView2<f64>, m: usize) -> Result<f64> {
    (0..m).map(|i| kernel.value(&all.row(i).to_vec(), &all.row(m + i).to_vec())).sum()
}

/// What a statistic's null deviation is proportional to: `√(Σ_{i≠j} k_ij²) / (ν (ν - 1))`, ν the smaller sample's size.
fn spread(forms: &Forms, labels: &Labels) -> f64 {
    let least = labels.m.min(labels.n) as f64;
    forms.squares.sqrt() / (least * (least - 1.0))
}
