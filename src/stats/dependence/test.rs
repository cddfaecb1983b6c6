//! The kernel test of independence: does y say anything about x?

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::hsic::{Hsic, sum_of_squares, u_centred};
use super::streamed::{streamed, unit};
use crate::check::{numbers, paired, parameter, require, room};
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Ranks, meet};
use crate::matrix::Points;
use crate::ops::{Zip, bilinear_forms, centre, gram, permuted_sums, zip};
use crate::stats::bandwidth::{Among, Collection, KernelFamily, Metric, Spacing, median_distance};
use crate::stats::outcome::{Run, TestOutcome};
use crate::stats::resample::{
    Combine, Null, Resampling, Steps, Values, all_permutations, combine, drawn_signs, origin_of, permuted,
    resampling_setters, rounding, same_device, trusted,
};
use crate::stats::two_sample::Estimator;
use crate::{Device, Error, Kernel, Matrix, Progress, Result};

pub(super) const OP: &str = "IndependenceTest";
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

impl From<(Kernel, Kernel)> for PairChoice {
    fn from((k, l): (Kernel, Kernel)) -> Self {
        PairChoice::Fixed(k, l)
    }
}

/// A test of independence by [`Hsic`]: under the hypothesis the rows of y may be permuted, so that `(b + 1) / (B + 1)` is
/// a valid p-value at every sample size.
///
/// By default `HSICAgg`: four Gaussian kernels on x with four on y, sixteen pairs, combined by their smallest p-value;
/// 1000 permutations, level 0.05. Two Gram matrices are stored if they fit the memory; else every permutation evaluates
/// the kernels again, tile by tile. Where f32 would not rank the permutations as f64 does, it runs on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((60, 1), |(i, _)| (i as f64 * 0.77).sin());
/// let y = x.mapv(|v| v * v); // uncorrelated with x, and a function of it
/// let outcome = IndependenceTest::new().run(&Device::best(), &x, &y)?;
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct IndependenceTest {
    kernels: PairChoice,
    pub(super) estimator: Estimator,
    pub(super) resampling: Resampling,
}

impl Default for IndependenceTest {
    fn default() -> Self {
        Self::new()
    }
}

setters!(IndependenceTest {
    /// Which kernels look for a dependence: a pair of [`Kernel`]s, or any [`PairChoice`].
    kernels: into PairChoice,
    /// Which estimate of HSIC is compared with its resamples; the biased one by default.
    estimator: Estimator,
});

resampling_setters!(IndependenceTest);

impl IndependenceTest {
    /// `HSICAgg` with 1000 permutations at level 0.05.
    pub fn new() -> Self {
        let collection = Collection {
            families: vec![KernelFamily::Gaussian],
            bandwidths: 4,
            spacing: Spacing::Geometric,
            ..Collection::default()
        };
        let kernels = PairChoice::Aggregate { x: collection.clone(), y: collection, combine: Combine::MinP };
        IndependenceTest { kernels, estimator: Estimator::Biased, resampling: Resampling::default() }
    }

    /// The default with one pair of kernels.
    pub fn with_kernels(k: Kernel, l: Kernel) -> Self {
        Self::new().kernels((k, l))
    }

    /// The default with the median heuristic instead of collections.
    pub fn median() -> Self {
        Self::new().kernels(PairChoice::Median)
    }

    /// Tests the rows of `x` (`n x p`) against those of `y` (`n x q`).
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of observations or fewer than four, [`Error::NotFinite`],
    /// [`Error::Parameter`] for no resamples or more than memory holds, a level outside of (0, 1), a statistic that is not
    /// finite, or a constant variable whose bandwidth is to be found; [`Error::Unsupported`] for a wild bootstrap beyond
    /// the memory, and for a law that is not known; [`Error::Cancelled`].
    pub fn run(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<TestOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        self.judge(&Meeting::alone_here(), device, x.view(), y.view())
    }

    /// [`run`](Self::run) of pairs whose rows lie on several ranks, in f64 on the CPU: points are sent to all, and the
    /// resamples dealt out. The p-value is that of one process.
    ///
    /// # Errors
    /// As `run`, the same on every rank.
    pub fn run_across(&self, ranks: &dyn Ranks, x: impl Inputs, y: impl Inputs) -> Result<TestOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        meet(ranks, |all| {
            numbers(OP, "x", x.view())?;
            numbers(OP, "y", y.view())?;
            require(OP, x.nrows() == y.nrows(), || format!("{} rows of x, {} of y", x.nrows(), y.nrows()))?;
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
        paired(OP, x, y, 4)?;
        self.resampling.check()?;
        let (ks, ls, how) = match &self.kernels {
            PairChoice::Fixed(k, l) => (vec![k.clone()], vec![l.clone()], Combine::MinP),
            PairChoice::Median => {
                let among = Among::Subsample { most: 1000, seed: self.resampling.seed };
                let median = |a| median_distance(a, Metric::L2, among).map(Kernel::rbf);
                (vec![median(x)?], vec![median(y)?], Combine::MinP)
            }
            PairChoice::Aggregate { x: on_x, y: on_y, combine } => {
                (on_x.kernels(x)?, on_y.kernels(y)?, *combine)
            }
        };
        if let (Null::Gamma, [k], [l]) = (self.resampling.null, ks.as_slice(), ls.as_slice()) {
            return trusted(OP, device, |device| self.gamma(device, x, y, k, l));
        }
        let resamples = Resamples::draw(x.nrows(), self.resampling.null, self.resampling.seed)?;
        trusted(OP, device, |device| self.resampled(ranks, device, (x, &ks), (y, &ls), &resamples, how))
    }

    fn resampled(
        &self,
        ranks: &Meeting,
        device: &Device,
        (x, ks): (ArrayView2<f64>, &[Kernel]),
        (y, ls): (ArrayView2<f64>, &[Kernel]),
        resamples: &Resamples,
        how: Combine,
    ) -> Result<Option<TestOutcome>> {
        let (n, pairs) = (x.nrows(), ks.len() * ls.len());
        let flops = (n * n) as f64 * (20 * (ks.len() + ls.len()) + 2 * pairs * resamples.count()) as f64;
        let (on_x, on_y) = ((x, origin_of(ks)), (y, origin_of(ls)));
        let (x, y) = same_device(OP, device, on_x, on_y, flops)?;
        let device = x.device();
        let scalar: u64 = if device.is_gpu() { 4 } else { 8 };
        let need = 2 * scalar * (n * n) as u64;
        let fits = need <= self.resampling.memory;
        let dealt = resamples.dealt(ranks);
        let own = dealt.as_ref().unwrap_or(resamples);
        let each = match own {
            Resamples::Orders(orders) => orders.len().div_ceil(if fits { STEP } else { 1 }),
            Resamples::Signs(_) => 1,
        };
        let mut steps = Steps::new(OP, &self.resampling.progress, each * pairs);
        let (mut values, mut pairs) = (Vec::new(), Vec::new());
        for k in ks {
            let left = if fits { Some(self.centred(k, &x)?) } else { None };
            for l in ls {
                let made = if let Some(left) = &left {
                    self.stored(left, &self.centred(l, &y)?, own, &mut steps)?
                } else {
                    let hsic = Hsic::new(k.clone(), l.clone());
                    let orders = self.orders(device, own)?;
                    streamed(self.estimator, &hsic, (&x, &y), orders, &mut steps)?
                };
                values.push(made.dealt(ranks, OP, resamples.count())?);
                pairs.push(vec![k.clone(), l.clone()]);
            }
        }
        let bytes = if fits { need } else { scalar * (x.host().len() + y.host().len()) as u64 };
        let method = format!("HSIC, {}", self.resampling.null.name());
        let run = Run::new(method, resamples.count() - 1, Some(self.resampling.seed), device, bytes);
        combine(OP, &values, pairs, how, &self.resampling, device.is_gpu(), run)
    }

    fn centred(&self, kernel: &Kernel, x: &Points) -> Result<Centred> {
        let k = gram(kernel, x.matrix()?, None)?;
        let plain = sum_of_squares(&k)?.sqrt();
        let matrix = if self.estimator == Estimator::Biased { centre(&k)? } else { u_centred(&k)? };
        let norm = sum_of_squares(&matrix)?.sqrt();
        Ok(Centred { matrix, norm, plain })
    }

    fn stored(&self, k: &Centred, l: &Centred, resamples: &Resamples, steps: &mut Steps) -> Result<Values> {
        let n = k.matrix.rows();
        let unit = unit(self.estimator, n);
        let mut all = Vec::with_capacity(resamples.count());
        match resamples {
            Resamples::Orders(orders) => {
                for some in orders.chunks(STEP) {
                    all.extend(permuted_sums(&k.matrix, &l.matrix, some)?);
                    steps.made()?;
                }
            }
            Resamples::Signs(signs) => {
                let w = Matrix::upload(OP, &k.matrix.device(), signs.view())?;
                let products = zip(&k.matrix, &l.matrix, Zip::Mul)?;
                all.extend(bilinear_forms(&w, &products, &w)?.to_array()?);
                steps.made()?;
            }
        }
        // A rounded k_ij meets the other side's centred entry; sums of products round as they grow.
        let scale = unit / n as f64;
        let entries = f64::from(f32::EPSILON) * (k.plain * l.norm + k.norm * l.plain);
        let spread = k.norm * l.norm * scale;
        let error = 2.0 * entries * scale + rounding(n) * spread;
        Ok(Values { all: all.into_iter().map(|s: f64| s * unit).collect(), spread, error })
    }

    /// The permutations: signs need both matrices.
    fn orders<'a>(&self, device: &Device, resamples: &'a Resamples) -> Result<&'a [Vec<usize>]> {
        match resamples {
            Resamples::Orders(orders) => Ok(orders),
            Resamples::Signs(_) => Err(Error::Unsupported {
                op: OP,
                what: format!("{:?} in {} bytes", self.resampling.null, self.resampling.memory),
                device: device.to_string(),
                instead: "use permutations, or allow more memory",
            }),
        }
    }
}

/// A centred Gram matrix, its norm, and what that was before.
struct Centred {
    matrix: Matrix,
    norm: f64,
    plain: f64,
}

/// Permutations of the rows of y, or signs of the observations; the first changes nothing.
enum Resamples {
    Orders(Vec<Vec<usize>>),
    Signs(Array2<f64>),
}

impl Resamples {
    fn draw(n: usize, null: Null, seed: u64) -> Result<Self> {
        let some = |count: usize| {
            parameter("resamples", count as f64, count > 0, "there must be one or more")?;
            room("resamples", count.saturating_add(1), 16 * n)
        };
        match null {
            Null::Permutations(count) => {
                some(count)?;
                let order = |b: usize| if b == 0 { (0..n).collect() } else { permuted(n, n, seed, b) };
                Ok(Resamples::Orders((0..=count).into_par_iter().map(order).collect()))
            }
            Null::WildBootstrap(count) => {
                some(count)?;
                let columns: Vec<Vec<f64>> = (0..=count)
                    .map(|b| if b == 0 { vec![1.0; n] } else { drawn_signs(n, seed, b) })
                    .collect();
                Ok(Resamples::Signs(Array2::from_shape_fn((n, count + 1), |(i, b)| columns[b][i])))
            }
            Null::Gamma | Null::Spectral { .. } | Null::Normal { .. } | Null::ChiSquared => {
                Err(null.refused(OP, "use permutations, or the gamma law with one pair of kernels"))
            }
            Null::Exhaustive => {
                let ways = (1..=n).fold(1.0, |w, i| w * i as f64);
                parameter("arrangements", ways, ways <= MOST, "too many to enumerate: draw permutations")?;
                Ok(Resamples::Orders(all_permutations(n)))
            }
        }
    }

    /// Those that are dealt to this rank, b to rank `b mod size`, or the data alone if none is; `None` if all are.
    fn dealt(&self, all: &Meeting) -> Option<Self> {
        if all.alone() {
            return None;
        }
        let own: Vec<usize> = (all.rank()..self.count()).step_by(all.size()).collect();
        let own = if own.is_empty() { vec![0] } else { own };
        Some(match self {
            Resamples::Orders(orders) => Resamples::Orders(own.iter().map(|&b| orders[b].clone()).collect()),
            Resamples::Signs(signs) => Resamples::Signs(signs.select(Axis(1), &own)),
        })
    }

    fn count(&self) -> usize {
        match self {
            Resamples::Orders(orders) => orders.len(),
            Resamples::Signs(signs) => signs.ncols(),
        }
    }
}
