//! The d-variable independence criterion: are several variables jointly independent?
//!
//! Checked in `tests/stats/dhsic.rs` against loops, and against [`Hsic`](super::Hsic) for two variables.

use crate::check::{parameter, require, room, sample};
use crate::learn::Inputs;
use crate::matrix::Points;
use crate::ops::{Along, Reduction, Zip, gram, permute, reduce, zip};
use crate::stats::outcome::{Run, TestOutcome};
use crate::stats::resample::{
    Combine, Null, Resampling, Steps, Values, combine, number_on, permuted, resampling_setters, trusted,
};
use crate::{Device, Kernel, Matrix, Progress, Result};

const OP: &str = "JointHsic";

/// `dHSIC = 1/n² Σ_ij Π_v k^v_ij + Π_v 1/n² Σ_ij k^v_ij - 2/n Σ_i Π_v 1/n Σ_j k^v_ij` (Pfister et al. 2018): the squared
/// MMD between the joint distribution of d variables and the product of its margins.
///
/// For two variables it is [`Hsic::biased`](super::Hsic::biased). All d Gram matrices are held. The test permutes all
/// variables but the first, each by its own permutation: 1000 times unless [`JointHsic::null`] says otherwise.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// // Any two of these are independent, all three are not.
/// let bit = |shift: usize| Array2::from_shape_fn((40, 1), |(i, _)| (i >> shift & 1) as f64);
/// let (x, y) = (bit(0), bit(1));
/// let z = (&x - &y).mapv(f64::abs);
/// let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]).null(Null::Permutations(199));
/// let outcome = test.run(&Device::cpu(), &[x, y, z])?;
/// assert!(outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointHsic {
    kernels: Vec<Kernel>,
    resampling: Resampling,
}

resampling_setters!(JointHsic);

/// The Gram matrices of all variables and the means of their rows.
struct Ready {
    grams: Vec<Matrix>,
    means: Vec<Vec<f64>>,
}

impl JointHsic {
    /// One kernel for each variable.
    pub fn new(kernels: Vec<Kernel>) -> Self {
        JointHsic { kernels, resampling: Resampling::default() }
    }

    /// The statistic of variables that are observed together: row i of every sample is one observation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are two variables or more, one kernel for each, and the same
    /// two observations or more of all; [`Error::NotFinite`](crate::Error::NotFinite);
    /// [`Error::Parameter`](crate::Error::Parameter) for a result that is not finite.
    pub fn value<X: Inputs>(&self, device: &Device, variables: &[X]) -> Result<f64> {
        number_on(OP, device, |device| statistic(&self.ready(device, variables)?, &[]))
    }

    /// Tests whether the variables are jointly independent.
    ///
    /// # Errors
    /// As [`JointHsic::value`]; [`Error::Parameter`](crate::Error::Parameter) for no permutations or more than memory
    /// holds, or a level outside of (0, 1); [`Error::Unsupported`](crate::Error::Unsupported) for another null;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn run<X: Inputs>(&self, device: &Device, variables: &[X]) -> Result<TestOutcome> {
        self.resampling.check()?;
        let Null::Permutations(count) = self.resampling.null else {
            return Err(self.resampling.null.refused(OP, "use permutations"));
        };
        parameter("permutations", count as f64, count > 0, "there must be one or more")?;
        room("permutations", count.saturating_add(1), 8)?;
        trusted(OP, device, |device| self.permuted(device, variables, count))
    }

    fn permuted<X: Inputs>(
        &self,
        device: &Device,
        variables: &[X],
        count: usize,
    ) -> Result<Option<TestOutcome>> {
        let ready = self.ready(device, variables)?;
        let (n, others, seed) = (ready.means[0].len(), variables.len() - 1, self.resampling.seed);
        let mut steps = Steps::new(OP, &self.resampling.progress, count);
        let mut all = vec![statistic(&ready, &[])?];
        for b in 0..count {
            let orders: Vec<Vec<usize>> =
                (0..others).map(|v| permuted(n, n, seed, 1 + b * others + v)).collect();
            all.push(statistic(&ready, &orders)?);
            steps.made()?;
        }
        let device = ready.grams[0].device();
        let bytes = ready.grams.iter().map(Matrix::bytes).sum();
        let run = Run::new("joint HSIC, permutations", count, Some(seed), &device, bytes);
        // The joint term alone differs from one permutation to the next, and it is of the size of the product.
        let values = [Values { all, spread: 1.0, error: f64::from(f32::EPSILON) * product(&ready).abs() }];
        let kernels = vec![self.kernels.clone()];
        combine(OP, &values, kernels, Combine::MinP, &self.resampling, device.is_gpu(), run)
    }

    fn ready<X: Inputs>(&self, device: &Device, variables: &[X]) -> Result<Ready> {
        let (d, kernels) = (variables.len(), self.kernels.len());
        require(OP, d >= 2 && kernels == d, || {
            format!("there are {d} variables and {kernels} kernels; two variables or more, a kernel for each")
        })?;
        let n = variables[0].inputs().nrows();
        let mut place = device.clone();
        let mut points = Vec::with_capacity(d);
        for (kernel, x) in self.kernels.iter().zip(variables) {
            let x = x.inputs();
            sample(OP, "a variable", x.view(), 2)?;
            require(OP, x.nrows() == n, || {
                format!("the first variable has {n} observations, another {}", x.nrows())
            })?;
            let flops = (n * n) as f64 * 1e3;
            let own = Points::new(OP, &place, x.view(), kernel.origin(), flops)?;
            place = own.device().clone();
            points.push(own);
        }
        let mut ready = Ready { grams: Vec::new(), means: Vec::new() };
        for (kernel, x) in self.kernels.iter().zip(&points) {
            // One variable that f32 would change takes all of them to the CPU.
            let k = gram(kernel, if place.is_gpu() { x.matrix()? } else { x.on_host() }, None)?;
            ready.means.push(reduce(&k, Along::EachRow, Reduction::Mean)?.to_array()?.into_iter().collect());
            ready.grams.push(k);
        }
        Ok(ready)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// `Π_v 1/n² Σ_ij k^v_ij`.
fn product(ready: &Ready) -> f64 {
    ready.means.iter().map(|m| mean(m)).product()
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
    let joint = reduce(&joint, Along::EachRow, Reduction::Mean)?.to_array()?.sum() / n as f64;
    Ok(joint + product(ready) - 2.0 * mean(&cross))
}
