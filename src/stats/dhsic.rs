//! The d-variable independence criterion: are several variables jointly independent?
//!
//! Checked in `tests/stats/dhsic.rs` against loops, and against [`Hsic`](super::Hsic) for two variables.

use ndarray::ArrayView2;

use super::aggregate::{Combine, Values, combine};
use crate::check::{level, parameter, require, sample};
use super::outcome::{Done, TestOutcome};
use super::permutations::permutation;
use super::steps::Steps;
use crate::Progress;
use crate::ops::{Along, Reduction, Zip, gram, permute, reduce, zip};
use crate::{Device, Kernel, Matrix, Result};

/// `dHSIC = 1/n² Σ_ij Π_v k^v_ij + Π_v 1/n² Σ_ij k^v_ij - 2/n Σ_i Π_v 1/n Σ_j k^v_ij` (Pfister et al. 2018): the squared
/// MMD between the joint distribution of d variables and the product of its margins.
///
/// For two variables it is [`Hsic::biased`](super::Hsic::biased). All d Gram matrices are held.
///
/// ```
/// use mercer::{Device, Kernel, stats::JointHsic};
/// use ndarray::Array2;
/// // Any two of these are independent, all three are not.
/// let bit = |shift: usize| Array2::from_shape_fn((40, 1), |(i, _)| (i >> shift & 1) as f64);
/// let (x, y) = (bit(0), bit(1));
/// let z = (&x - &y).mapv(f64::abs);
/// let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]);
/// let outcome = test.test(&Device::cpu(), &[x.view(), y.view(), z.view()], 199, 0.05, 1)?;
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointHsic {
    kernels: Vec<Kernel>,
    progress: Progress,
}

/// The Gram matrices of all variables and the means of their rows.
struct Ready {
    grams: Vec<Matrix>,
    means: Vec<Vec<f64>>,
}

impl JointHsic {
    /// One kernel for each variable.
    pub fn new(kernels: Vec<Kernel>) -> Self {
        JointHsic { kernels, progress: Progress::none() }
    }

    /// Calls this after each permutation of a test.
    #[must_use]
    pub fn progress(mut self, watch: Progress) -> Self {
        self.progress = watch;
        self
    }

    /// The statistic of variables that are observed together: row i of every sample is one observation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are two variables or more, one kernel for each, and the same
    /// two observations or more of all; [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn value(&self, device: &Device, variables: &[ArrayView2<f64>]) -> Result<f64> {
        let ready = self.ready(device, variables)?;
        statistic(&ready, &[])
    }

    /// A test of joint independence: all variables but the first are permuted, each by its own permutation.
    ///
    /// # Errors
    /// As [`JointHsic::value`]; [`Error::Parameter`](crate::Error::Parameter) for no permutations or a level outside of
    /// (0, 1); [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn test(
        &self,
        device: &Device,
        variables: &[ArrayView2<f64>],
        permutations: usize,
        alpha: f64,
        seed: u64,
    ) -> Result<TestOutcome> {
        level(alpha)?;
        parameter("permutations", permutations as f64, permutations > 0, "there must be one or more")?;
        let ready = self.ready(device, variables)?;
        let (n, others) = (variables[0].nrows(), variables.len() - 1);
        let mut steps = Steps::new("JointHsic", &self.progress, permutations);
        let mut all = vec![statistic(&ready, &[])?];
        for b in 0..permutations {
            let orders: Vec<Vec<usize>> =
                (0..others).map(|v| permutation(n, n, seed, 1 + b * others + v)).collect();
            all.push(statistic(&ready, &orders)?);
            steps.made()?;
        }
        let bytes = ready.grams.iter().map(Matrix::bytes).sum();
        let done = Done::new("joint HSIC, permutations", permutations, Some(seed), device, bytes);
        let values = vec![Values { all, spread: 1.0 }];
        Ok(combine(values, vec![self.kernels.clone()], Combine::MinP, alpha, false, done))
    }

    fn ready(&self, device: &Device, variables: &[ArrayView2<f64>]) -> Result<Ready> {
        let (d, kernels) = (variables.len(), self.kernels.len());
        require("JointHsic", d >= 2 && kernels == d, || {
            format!("there are {d} variables and {kernels} kernels; two variables or more, a kernel for each")
        })?;
        let n = variables[0].nrows();
        let mut ready = Ready { grams: Vec::new(), means: Vec::new() };
        for (kernel, x) in self.kernels.iter().zip(variables) {
            sample("JointHsic", "a variable", *x, 2)?;
            require("JointHsic", x.nrows() == n, || {
                format!("the first variable has {n} observations, another {}", x.nrows())
            })?;
            let k = gram(kernel, &Matrix::from_array(device, *x)?, None)?;
            ready.means.push(reduce(&k, Along::EachRow, Reduction::Mean)?.to_array()?.into_iter().collect());
            ready.grams.push(k);
        }
        Ok(ready)
    }
}

/// The three terms, with variable v + 1 in the order `orders[v]`, or all as they came.
fn statistic(ready: &Ready, orders: &[Vec<usize>]) -> Result<f64> {
    let n = ready.means[0].len();
    let mut joint = ready.grams[0].clone();
    let mut cross = ready.means[0].clone();
    for (v, (k, means)) in ready.grams.iter().zip(&ready.means).enumerate().skip(1) {
        let order = orders.get(v - 1);
        joint = match order {
            None => zip(&joint, k, Zip::Mul)?,
            Some(order) => zip(&joint, &permute(k, order)?, Zip::Mul)?,
        };
        cross.iter_mut().enumerate().for_each(|(i, c)| *c *= means[order.map_or(i, |o| o[i])]);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n as f64;
    let joint = reduce(&joint, Along::EachRow, Reduction::Mean)?.to_array()?.sum() / n as f64;
    let product: f64 = ready.means.iter().map(|m| mean(m)).product();
    Ok(joint + product - 2.0 * mean(&cross))
}
