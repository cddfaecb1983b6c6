//! The kernel test of independence: does y say anything about x?

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::aggregate::{Combine, Values, combine};
use super::bandwidth::{Collection, Family, Metric, Points, Spacing, median_distance};
use crate::check::{level, paired, parameter};
use super::hsic::{Hsic, sum_of_squares, u_centred};
use super::hsic_streamed::{streamed, unit};
use super::null::Null;
use super::outcome::{Done, TestOutcome};
use super::permutations::{all_permutations, permutation, signs};
use super::steps::Steps;
use crate::Progress;
use super::two_sample::Estimator;
use crate::ops::{Zip, bilinear_forms, centre, gram, permuted_sums, zip};
use crate::{Device, Error, Kernel, Matrix, Result};

/// Most arrangements that are enumerated.
const MOST: f64 = 1e6;
/// Permutations of stored matrices between two calls of the progress.
const STEP: usize = 256;

/// Which kernels look for a dependence.
#[derive(Debug, Clone, PartialEq)]
pub enum PairChoice {
    /// This one on x and this one on y.
    Fixed(Kernel, Kernel),
    /// Gaussian kernels whose bandwidths are the median distances in x and in y (of at most 1000 points).
    Median,
    /// Every kernel of a collection on x with every kernel of one on y, combined.
    Aggregate {
        /// The kernels on x.
        x: Collection,
        /// The kernels on y.
        y: Collection,
        /// How their statistics become one.
        combine: Combine,
    },
}

/// A test of independence by [`Hsic`]: under the hypothesis the rows of y may be permuted, so that `(b + 1) / (B + 1)` is
/// a valid p-value at every sample size.
///
/// By default `HSICAgg`: four Gaussian kernels on x with four on y, sixteen pairs, combined by their smallest p-value.
///
/// ```
/// use mercer::{Device, stats::IndependenceTest};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| (i as f64 * 0.77).sin());
/// let y = x.mapv(|v| v * v); // uncorrelated with x, and a function of it
/// let outcome = IndependenceTest::default().run(&Device::cpu(), x.view(), y.view())?;
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct IndependenceTest {
    /// Which kernels.
    pub kernels: PairChoice,
    /// Which estimate: the biased one unless told otherwise.
    pub estimator: Estimator,
    /// Where the null distribution comes from.
    pub null: Null,
    /// The level of the test.
    pub alpha: f64,
    /// The seed of permutations and signs.
    pub seed: u64,
    /// Whether to return the null sample.
    pub keep_null: bool,
    /// Bytes that two Gram matrices may take; beyond, every permutation evaluates the kernels again, tile by tile.
    pub memory: u64,
    /// Called after each part of the permutations of each pair of kernels.
    pub progress: Progress,
}

impl Default for IndependenceTest {
    fn default() -> Self {
        let collection = Collection {
            families: vec![Family::Gaussian],
            bandwidths: 4,
            spacing: Spacing::Geometric,
            ..Collection::default()
        };
        IndependenceTest {
            kernels: PairChoice::Aggregate { x: collection.clone(), y: collection, combine: Combine::MinP },
            estimator: Estimator::Biased,
            null: Null::Permutations(1000),
            alpha: 0.05,
            seed: 0,
            keep_null: false,
            memory: 1 << 32,
            progress: Progress::none(),
        }
    }
}

impl IndependenceTest {
    /// The default with one pair of kernels.
    pub fn with_kernels(k: Kernel, l: Kernel) -> Self {
        IndependenceTest { kernels: PairChoice::Fixed(k, l), ..Self::default() }
    }

    /// The default with the median heuristic instead of collections.
    pub fn median() -> Self {
        IndependenceTest { kernels: PairChoice::Median, ..Self::default() }
    }

    /// Tests the rows of `x` (`n x p`) against those of `y` (`n x q`).
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of observations or fewer than four, [`Error::NotFinite`],
    /// [`Error::Parameter`] for no resamples, a level outside of (0, 1), or a constant variable whose bandwidth is to be
    /// found; [`Error::Unsupported`] for a wild bootstrap beyond the memory, and for a law that is not known;
    /// [`Error::Cancelled`].
    pub fn run(&self, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<TestOutcome> {
        paired("IndependenceTest", x, y, 4)?;
        level(self.alpha)?;
        let (ks, ls, how) = match &self.kernels {
            PairChoice::Fixed(k, l) => (vec![k.clone()], vec![l.clone()], Combine::MinP),
            PairChoice::Median => {
                let points = Points::Subsample { most: 1000, seed: self.seed };
                let median = |a| median_distance(a, Metric::L2, points).map(Kernel::rbf);
                (vec![median(x)?], vec![median(y)?], Combine::MinP)
            }
            PairChoice::Aggregate { x: on_x, y: on_y, combine } => {
                (on_x.kernels(x)?, on_y.kernels(y)?, *combine)
            }
        };
        if let (Null::Gamma, [k], [l]) = (self.null, ks.as_slice(), ls.as_slice()) {
            return self.gamma(device, x, y, k, l);
        }
        let resamples = Resamples::draw(x.nrows(), self.null, self.seed)?;
        let scalar: u64 = if device.is_gpu() { 4 } else { 8 };
        let need = 2 * scalar * (x.nrows() * x.nrows()) as u64;
        let fits = need <= self.memory;
        let each = match &resamples {
            Resamples::Orders(orders) => orders.len().div_ceil(if fits { STEP } else { 1 }),
            Resamples::Signs(_) => 1,
        };
        let mut steps = Steps::new("IndependenceTest", &self.progress, each * ks.len() * ls.len());
        let (mut values, mut pairs) = (Vec::new(), Vec::new());
        let data = (Matrix::from_array(device, x)?, Matrix::from_array(device, y)?);
        for k in &ks {
            let left = if fits { Some(self.centred(k, &data.0)?) } else { None };
            for l in &ls {
                values.push(if let Some(left) = &left {
                    self.stored(left, &self.centred(l, &data.1)?, &resamples, &mut steps)?
                } else {
                    let hsic = Hsic::new(k.clone(), l.clone());
                    let orders = self.orders(device, &resamples)?;
                    streamed(device, self.estimator, &hsic, (x, y), orders, &mut steps)?
                });
                pairs.push(vec![k.clone(), l.clone()]);
            }
        }
        let bytes = if fits { need } else { scalar * (x.len() + y.len()) as u64 };
        let method = format!("HSIC, {}", self.null.name());
        let done = Done::new(method, resamples.count() - 1, Some(self.seed), device, bytes);
        Ok(combine(values, pairs, how, self.alpha, self.keep_null, done))
    }

    fn centred(&self, kernel: &Kernel, x: &Matrix) -> Result<Matrix> {
        let k = gram(kernel, x, None)?;
        if self.estimator == Estimator::Biased { centre(&k) } else { u_centred(&k) }
    }

    fn stored(&self, k: &Matrix, l: &Matrix, resamples: &Resamples, steps: &mut Steps) -> Result<Values> {
        let unit = unit(self.estimator, k.rows());
        let mut all = Vec::with_capacity(resamples.count());
        match resamples {
            Resamples::Orders(orders) => {
                for some in orders.chunks(STEP) {
                    all.extend(permuted_sums(k, l, some)?);
                    steps.made()?;
                }
            }
            Resamples::Signs(signs) => {
                let w = Matrix::from_array(&k.device(), signs.view())?;
                all.extend(bilinear_forms(&w, &zip(k, l, Zip::Mul)?, &w)?.to_array()?);
                steps.made()?;
            }
        }
        let spread = (sum_of_squares(k)? * sum_of_squares(l)?).sqrt() / k.rows() as f64 * unit;
        Ok(Values { all: all.into_iter().map(|s: f64| s * unit).collect(), spread })
    }

    /// The permutations: signs need both matrices.
    fn orders<'a>(&self, device: &Device, resamples: &'a Resamples) -> Result<&'a [Vec<usize>]> {
        match resamples {
            Resamples::Orders(orders) => Ok(orders),
            Resamples::Signs(_) => Err(Error::Unsupported {
                op: "IndependenceTest",
                what: format!("{:?} in {} bytes", self.null, self.memory),
                device: device.to_string(),
                instead: "use permutations, or allow more memory",
            }),
        }
    }
}

/// Permutations of the rows of y, or signs of the observations; the first changes nothing.
enum Resamples {
    Orders(Vec<Vec<usize>>),
    Signs(Array2<f64>),
}

impl Resamples {
    fn draw(n: usize, null: Null, seed: u64) -> Result<Self> {
        let some =
            |count: usize| parameter("resamples", count as f64, count > 0, "there must be one or more");
        match null {
            Null::Permutations(count) => {
                some(count)?;
                let order = |b: usize| if b == 0 { (0..n).collect() } else { permutation(n, n, seed, b) };
                Ok(Resamples::Orders((0..=count).into_par_iter().map(order).collect()))
            }
            Null::WildBootstrap(count) => {
                some(count)?;
                let columns: Vec<Vec<f64>> =
                    (0..=count).map(|b| if b == 0 { vec![1.0; n] } else { signs(n, seed, b) }).collect();
                Ok(Resamples::Signs(Array2::from_shape_fn((n, count + 1), |(i, b)| columns[b][i])))
            }
            Null::Gamma | Null::Spectral { .. } | Null::Normal { .. } | Null::ChiSquared => Err(null
                .refused("IndependenceTest", "use permutations, or the gamma law with one pair of kernels")),
            Null::Exhaustive => {
                let ways = (1..=n).fold(1.0, |w, i| w * i as f64);
                parameter("arrangements", ways, ways <= MOST, "too many to enumerate: draw permutations")?;
                Ok(Resamples::Orders(all_permutations(n)))
            }
        }
    }

    fn count(&self) -> usize {
        match self {
            Resamples::Orders(orders) => orders.len(),
            Resamples::Signs(signs) => signs.ncols(),
        }
    }
}
