//! What a support vector classifier has found.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::certificate::SvmCertificate;
use super::platt::{Sigmoid, coupled};
#[cfg(feature = "serde")]
use crate::check::require;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::decided;
use crate::learn::{Classes, Decision, Label, Labels, Predict, PredictProba, Report, Reported};
use crate::models::kernel_methods::expansion::Expansion;
use crate::ops::gram_vec;
use crate::saved::Format;
use crate::{Device, Error, Kernel, Matrix, Result};

/// How scores of machines become a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Votes {
    /// Each machine speaks for one class, or one machine for the second of two.
    Scores,
    /// Each machine speaks for one of a pair.
    Pairs,
}

/// A fitted [`SvmClassifier`](super::SvmClassifier): `f(x) = Σ a_i k(x_i, x) + b` over the support vectors, for each machine.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedSvm<L = usize> {
    format: Format,
    labels: Labels<L>,
    expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offsets: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    margins: Array1<f64>,
    support: Vec<usize>,
    certificates: Vec<SvmCertificate>,
    votes: Votes,
    sigmoids: Vec<Sigmoid>,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedSvm<L> {
    /// The rows of the data that have a coefficient in any machine, ascending.
    support: &[usize],
    /// These rows themselves, m x d.
    support_points => expansion.points: &Array2<f64>,
    /// The coefficients `a_i y_i` of the support vectors, m x machines: one column for two classes, or for each pair
    /// (0, 1), (0, 2), ..., (1, 2), ..., or for each class against the rest. Positive ones speak for the second of a pair.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The offset b of each machine.
    intercept => offsets: &Array1<f64>,
    /// The margin ρ of each machine before f was divided by it; one unless it was fitted by ν or a hard margin.
    margin => margins: &Array1<f64>,
    /// The proof of each machine.
    certificates: &[SvmCertificate],
    /// The sigmoid of each machine; none if no probabilities were asked for.
    sigmoids: &[Sigmoid],
    /// Iterations of all machines, why they stopped, and the objective of each.
    report: &Report,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// Where decisions are computed.
    device: &Device,
});

inherent!(FittedSvm<L: Label>: Predict -> Vec<L>, PredictProba, Decision, Accuracy);

impl<L: Label> FittedSvm<L> {
    #[allow(clippy::too_many_arguments, reason = "these are its parts")]
    pub(super) fn new(
        labels: Labels<L>,
        expansion: Expansion,
        (offsets, margins): (Vec<f64>, Vec<f64>),
        support: Vec<usize>,
        certificates: Vec<SvmCertificate>,
        votes: Votes,
        sigmoids: Vec<Sigmoid>,
        report: Report,
    ) -> Result<Self> {
        let (offsets, margins) = (Array1::from(offsets), Array1::from(margins));
        crate::check::numbers("SvmClassifier::fit", "an offset", offsets.view().insert_axis(Axis(1)))?;
        let (format, device) = (Format, Device::cpu());
        Ok(FittedSvm {
            format,
            labels,
            expansion,
            offsets,
            margins,
            support,
            certificates,
            votes,
            sigmoids,
            report,
            device,
        })
    }
}

impl<L> FittedSvm<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The same machine, with decisions computed on another device: on a GPU in f32.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The weights w of each machine, machines x d, if the kernel is linear: `f(x) = wᵀx + b`.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }

    /// `f(x) + b` of every machine, m x machines.
    fn machines(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedSvm::decision";
        if self.expansion.points.nrows() == 0 {
            return Err(Error::Shape { op, what: "the machine has no support vectors".to_owned() });
        }
        let sums = match (self.votes, self.device.is_gpu()) {
            (Votes::Pairs, false) => self.by_class(op, x)?,
            _ => None,
        };
        let sums = if let Some(sums) = sums { sums } else { self.expansion.at(op, &self.device, x)? };
        Ok(sums + &self.offsets)
    }

    /// `Σ a_i k(x_i, x)` of every pair's machine, one class of support vectors at a time: those have coefficients in the
    /// machines of their class alone. None if some of these have not.
    fn by_class(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Option<Array2<f64>>> {
        let (k, a) = (self.labels.classes().len(), &self.expansion.coefficients);
        crate::check::inputs(op, x, self.expansion.points.ncols())?;
        let pairs: Vec<(usize, usize)> = pairs(k).collect();
        // A positive coefficient speaks for the second of a pair.
        let speaks = |(c, pair): (&f64, &(usize, usize))| {
            (*c != 0.0).then_some(if *c > 0.0 { pair.1 } else { pair.0 })
        };
        let own = |i: usize| {
            let mut classes = a.row(i).into_iter().zip(&pairs).filter_map(speaks);
            let class = classes.next();
            (class, classes.all(|other| Some(other) == class))
        };
        let classes: Vec<_> = (0..a.nrows()).into_par_iter().map(own).collect();
        if classes.iter().any(|(_, alone)| !alone) {
            return Ok(None);
        }
        let mut out = Array2::zeros((x.nrows(), pairs.len()));
        let x = Matrix::from_host(x.to_owned());
        for class in 0..k {
            let members: Vec<usize> = (0..a.nrows()).filter(|&i| classes[i].0 == Some(class)).collect();
            if members.is_empty() {
                continue;
            }
            let machines: Vec<usize> =
                (0..pairs.len()).filter(|&m| pairs[m].0 == class || pairs[m].1 == class).collect();
            let some = Matrix::from_host(self.expansion.points.select(Axis(0), &members));
            let shape = (members.len(), machines.len());
            let a = Array2::from_shape_fn(shape, |(i, m)| a[[members[i], machines[m]]]);
            let part =
                gram_vec(&self.expansion.kernel, &x, Some(&some), &Matrix::from_host(a))?.into_array()?;
            for (mut out, part) in out.rows_mut().into_iter().zip(part.rows()) {
                machines.iter().zip(part).for_each(|(&m, p)| out[m] += p);
            }
        }
        Ok(Some(out))
    }
}

impl<L> Classes for FittedSvm<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Reported for FittedSvm<L> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<L: Label> Decision for FittedSvm<L> {
    /// For pairs the number that a class wins, and less than half as much again by how surely: `votes + s / 3(|s| + 1)`.
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let scores = self.machines(x)?;
        if self.votes == Votes::Scores {
            return Ok(scores);
        }
        let k = self.classes().len();
        let mut votes = Array2::<f64>::zeros((x.nrows(), k));
        let mut sure = votes.clone();
        let pairs: Vec<_> = pairs(k).collect();
        for (i, row) in scores.rows().into_iter().enumerate() {
            for (&(a, b), &score) in pairs.iter().zip(row) {
                votes[[i, if score >= 0.0 { b } else { a }]] += 1.0;
                sure[[i, a]] -= score;
                sure[[i, b]] += score;
            }
        }
        Ok(votes + sure.mapv(|s| s / (3.0 * (s.abs() + 1.0))))
    }
}

impl<L: Label> Predict for FittedSvm<L> {
    type Output = Vec<L>;

    /// The class of the largest decision; of two classes the second where the decision is zero or more.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&decided(Decision::decision(self, x)?.view()))
    }
}

impl<L: Label> PredictProba for FittedSvm<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.sigmoids.is_empty() {
            return Err(Error::Unsupported {
                op: "FittedSvm::predict_proba",
                what: "a probability".to_owned(),
                device: "a machine that was fitted without them".to_owned(),
                instead: "set `probabilities(5)` before the fit",
            });
        }
        let mut p = self.machines(x)?;
        for (mut column, sigmoid) in p.columns_mut().into_iter().zip(&self.sigmoids) {
            column.mapv_inplace(|f| sigmoid.probability(f));
        }
        let k = self.classes().len();
        if k == 2 {
            let second = p.column(0);
            return Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second]);
        }
        let mut out = Array2::zeros((x.nrows(), k));
        for (row, mut out) in p.rows().into_iter().zip(out.rows_mut()) {
            if self.votes == Votes::Scores {
                let sum = row.sum();
                out.assign(&row.mapv(|v| if sum > 0.0 { v / sum } else { 1.0 / k as f64 }));
                continue;
            }
            let mut r = Array2::zeros((k, k));
            for ((a, b), second) in pairs(k).zip(row) {
                r[[b, a]] = *second;
                r[[a, b]] = 1.0 - second;
            }
            out.assign(&coupled(&r).slice(s![..]));
        }
        Ok(out)
    }
}

/// All pairs of k classes.
fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedSvm<L>);

#[cfg(feature = "serde")]
impl<L: Label> crate::saved::Checked for FittedSvm<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedSvm";
        self.expansion.check()?;
        let (machines, k) = (self.expansion.coefficients.ncols(), self.classes().len());
        let wanted = match self.votes {
            Votes::Pairs => k * k.saturating_sub(1) / 2,
            Votes::Scores if k == 2 => 1,
            Votes::Scores => k,
        };
        require(OP, k > 1 && machines == wanted, || format!("{machines} machines of {k} classes"))?;
        let same =
            [self.offsets.len(), self.margins.len(), self.certificates.len()].iter().all(|l| *l == machines);
        let sigmoids = self.sigmoids.is_empty() || self.sigmoids.len() == machines;
        require(OP, same && sigmoids, || "its machines do not fit together".to_owned())?;
        require(OP, self.support.len() == self.expansion.points.nrows(), || {
            "support vectors are missing".to_owned()
        })?;
        crate::check::numbers(OP, "an offset", self.offsets.view().insert_axis(Axis(1)))
    }
}
