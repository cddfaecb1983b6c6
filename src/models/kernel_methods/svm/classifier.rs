//! What a support vector classifier is to fit, and how.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::certificate::report;
use super::fitted::{FittedSvm, Votes};
use super::machine::{Machine, Margin};
use super::rows::Rows;
use super::smo::Settings;
use crate::check::{finite, parameter, positive, require};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{ClassWeights, Labels};
use crate::models::kernel_methods::expansion::Expansion;
use crate::{Device, Kernel, Progress, Result};

/// How machines of two classes make one of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SvmClasses {
    /// A machine for each pair of classes, on the rows of these two; votes decide, and confidences between equals.
    #[default]
    OneVsOne,
    /// A machine for each class against all others; the surest wins.
    OneVsRest,
}

/// Support vector classification: `f(x) = Σ_i a_i y_i k(x_i, x) + b` of the widest margin.
///
/// For two classes f minimises `½‖f‖² + C Σ_i s_i max(0, 1 - y_i (f(x_i) + b))` over the kernel's function space; the
/// offset b is not penalised, and [`offset`](Self::offset) leaves it out. [`SvmClassifier::nu`] and
/// [`SvmClassifier::hard_margin`] are the other two [`Margin`]s. More classes are made of machines of two, see
/// [`SvmClasses`]. In the words of a penalised mean, `(1/n) Σ max(0, 1 - y f) + λ‖f‖²` is `C = 1/(2nλ)`.
///
/// The dual is solved by sequential minimal optimisation with working sets of second order, as in LIBSVM, but in f64 and in
/// blocks of points whose kernel rows one product makes; rows are kept in a cache of bounded bytes, all of them for at most
/// 2,048 points. Every fit has a
/// [`certificate`](super::FittedSvm::certificates). On a GPU it makes the rows of each block of more than
/// 2,048 points and their sum in one launch, in f32; sums over blocks and the last check are in f64 on the CPU. So are
/// decisions, unless [`FittedSvm::on`](super::FittedSvm::on) says otherwise: the device of the fit is not kept.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
/// let y = ["same", "same", "other", "other"];
/// let fitted = SvmClassifier::new(Kernel::rbf(0.5), 10.0).fit(&Device::cpu(), &x, y)?;
/// assert_eq!(fitted.predict(array![[0.9, 1.2], [0.1, 0.9]])?, ["same", "other"]);
/// assert!(fitted.certificates()[0].gap() < 1e-2);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) for classes that a hard margin cannot separate, or a ν that is infeasible
/// (it names the largest that is not); [`Error::NoConvergence`](crate::Error::NoConvergence);
/// [`Error::Cancelled`](crate::Error::Cancelled).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SvmClassifier {
    pub(super) kernel: Kernel,
    margin: Margin,
    offset: bool,
    pub(super) classes: SvmClasses,
    class_weights: ClassWeights,
    pub(super) probabilities: Option<usize>,
    pub(super) seed: u64,
    tolerance: f64,
    max_iterations: Option<usize>,
    pub(super) cache_bytes: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

/// Bytes of kernel rows that are kept, unless said otherwise.
pub(super) const CACHE: usize = 200 << 20;
/// Violation of the optimality conditions that is allowed, unless said otherwise.
pub(super) const TOLERANCE: f64 = 1e-3;

impl SvmClassifier {
    /// With this kernel and the price C > 0 of an error.
    pub fn new(kernel: Kernel, c: f64) -> Self {
        Self::with_margin(kernel, Margin::C(c))
    }

    /// With at most a share ν of the observations within the margin.
    pub fn nu(kernel: Kernel, nu: f64) -> Self {
        Self::with_margin(kernel, Margin::Nu(nu))
    }

    /// With no observation within the margin.
    pub fn hard_margin(kernel: Kernel) -> Self {
        Self::with_margin(kernel, Margin::Hard)
    }

    fn with_margin(kernel: Kernel, margin: Margin) -> Self {
        SvmClassifier {
            kernel,
            margin,
            offset: true,
            classes: SvmClasses::OneVsOne,
            class_weights: ClassWeights::Equal,
            probabilities: None,
            seed: 0,
            tolerance: TOLERANCE,
            max_iterations: None,
            cache_bytes: CACHE,
            progress: Progress::none(),
        }
    }
}

setters!(SvmClassifier {
    /// The kernel.
    kernel: Kernel,
    /// What is traded against the margin.
    margin: Margin,
    /// Whether there is an offset b; there is one by default. Without it the dual has no equality constraint.
    offset: bool,
    /// How more than two classes are treated; one against one by default.
    classes: SvmClasses,
    /// How much an error on each class counts; all the same by default.
    class_weights: ClassWeights,
    /// Number of folds, two or more, of the cross-validation behind [`predict_proba`](super::FittedSvm::predict_proba); there
    /// are no probabilities by default.
    probabilities: into Option<usize>,
    /// Seed of the folds; zero by default.
    seed: u64,
    /// Largest violation of the optimality conditions that is allowed, in units of the margin; 1e-3 by default, and 1e-8 can
    /// be asked for.
    tolerance: f64,
    /// Most iterations of a machine; by default a hundred for each observation, and ten million at least.
    max_iterations: into Option<usize>,
    /// Bytes of kernel rows that are kept; 200 MiB by default.
    cache_bytes: usize,
    /// Callback every 64 iterations, which can cancel the fit.
    progress: Progress,
});

fits!(SvmClassifier: Classification -> FittedSvm);

pub(super) const OP: &str = "SvmClassifier::fit";

impl SvmClassifier {
    fn check<L>(&self, x: ArrayView2<f64>, y: &[L]) -> Result<()> {
        finite(OP, "x", x)?;
        require(OP, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        self.margin.check()?;
        positive("tolerance", self.tolerance)?;
        let folds = self.probabilities.unwrap_or(2);
        parameter("folds of the probabilities", folds as f64, folds > 1, "there must be at least two")
    }

    fn run<L: Ord + Clone>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        w: ArrayView1<f64>,
    ) -> Result<FittedSvm<L>> {
        self.check(x, y)?;
        let (weighed, labels, index) = Labels::of_weighed(y, w)?;
        let k = labels.classes().len();
        // The observations of a class stand together.
        let mut order: Vec<usize> = (0..index.len()).collect();
        order.sort_by_key(|&i| index[i]);
        let ends: Vec<usize> = (0..=k).map(|c| order.partition_point(|&i| index[i] < c)).collect();
        let blocks: Vec<Range<usize>> = ends.windows(2).map(|e| e[0]..e[1]).collect();
        let rows: Vec<usize> = order.iter().map(|&i| weighed[i]).collect();
        let sorted = x.select(Axis(0), &rows);
        let factors = self.factors(&blocks, &w.select(Axis(0), &rows))?;

        let duels = self.duels(k);
        let mut coefficients = Array2::zeros((rows.len(), duels.len()));
        let (mut offsets, mut margins, mut certificates) = (Vec::new(), Vec::new(), Vec::new());
        let (mut ends, mut trace, mut sigmoids) = (Vec::new(), Vec::new(), Vec::new());
        for (column, solved) in
            self.solved(device, &duels, &blocks, &sorted, &factors)?.into_iter().enumerate()
        {
            let (places, machine, sigmoid) = solved?;
            for (&place, c) in places.iter().zip(&machine.coefficients) {
                coefficients[[place, column]] = *c;
            }
            sigmoids.extend(sigmoid);
            ends.push((machine.iterations, machine.certificate.stalled));
            certificates.push(machine.certificate);
            offsets.push(machine.offset);
            margins.push(machine.margin);
            trace.extend(machine.trace);
        }
        let report = report(&ends, &certificates, trace);
        let mut support: Vec<usize> =
            (0..rows.len()).filter(|&i| coefficients.row(i).iter().any(|c| *c != 0.0)).collect();
        support.sort_by_key(|&i| rows[i]);
        let expansion = Expansion {
            kernel: self.kernel.clone(),
            points: sorted.select(Axis(0), &support),
            coefficients: coefficients.select(Axis(0), &support),
        };
        let votes = if k > 2 && self.classes == SvmClasses::OneVsOne { Votes::Pairs } else { Votes::Scores };
        let support = support.into_iter().map(|i| rows[i]).collect();
        FittedSvm::new(labels, expansion, (offsets, margins), support, certificates, votes, sigmoids, report)
    }

    fn settings(&self) -> Settings {
        Settings {
            op: OP,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            progress: self.progress.clone(),
        }
    }

    pub(super) fn machine(&self, rows: &mut Rows, y: &[f64], weights: &[f64]) -> Result<Machine> {
        self.margin.machine(rows, y, weights, self.offset, &self.settings())
    }

    /// The weight of each observation times that of its class.
    fn factors(&self, blocks: &[Range<usize>], w: &Array1<f64>) -> Result<Vec<f64>> {
        let mass: Vec<f64> = blocks.iter().map(|b| w.slice(ndarray::s![b.clone()]).sum()).collect();
        let by_class = self.class_weights.factors(OP, &mass)?;
        Ok(blocks
            .iter()
            .enumerate()
            .flat_map(|(c, b)| b.clone().map(move |i| (i, c)))
            .map(|(i, c)| w[i] * by_class[c])
            .collect())
    }
}
