//! What was learned: latent functions, class probabilities, and what happened on the way.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, s};
use rayon::prelude::*;

use super::about::means;
use super::average::{Average, Averager, mean_softmax};
use super::binary::OneFactor;
use super::laplace::Laplace;
use super::likelihood::Link;
use super::softmax::{ManyFactors, softmax};
use crate::check::inputs;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Classes, Decision, Inputs, Label, Labels, Predict, PredictProba};
use crate::models::gp::hyper_space::at_bounds;
use crate::optim::Minimum;
use crate::probability::posterior_variance::known;
use crate::{Device, Error, Kernel, Result};

const PROBA: &str = "FittedGpClassifier::predict_proba";
/// Draws for the probabilities of a softmax likelihood, unless said otherwise.
const SOFTMAX_DRAWS: Average = Average::MonteCarlo { samples: 4000, seed: 0 };

/// A fitted [`GpClassifier`](super::GpClassifier): `p(y | x) = ∫ p(y | f(x)) p(f | data) df`. A clone shares its factors.
#[derive(Debug, Clone)]
pub struct FittedGpClassifier<L = usize> {
    pub(super) labels: Labels<L>,
    pub(super) body: Arc<Body>,
    pub(super) searches: Vec<Minimum>,
    pub(super) device: Device,
}

#[derive(Debug)]
pub(super) enum Body {
    /// The second class against the first, or each against the rest.
    Binary(Vec<Laplace<OneFactor>>, Link),
    Softmax(Box<Laplace<ManyFactors>>),
}

/// The latent functions at m points: one column for two classes (positive values speak for the second), one for each
/// class if there are more or the likelihood is the softmax.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Latent {
    /// `K(new, x) K⁻¹ f̂ = K(new, x) g(f̂)`.
    pub mean: Array2<f64>,
    /// `k(new, new) - K(new, x) (K + W⁻¹)⁻¹ K(x, new)`: what is not known of f(new) includes what is not known of f̂.
    /// Never negative.
    pub variance: Array2<f64>,
}

inherent!(
    FittedGpClassifier<L: Label>: Predict -> Vec<L>, PredictProba, Decision, Accuracy
);

getters!(FittedGpClassifier<L> {
    /// The search for the hyper-parameters of each latent model, of `-ln Z` less the logarithm of the priors; none if
    /// they were fixed.
    searches: &[Minimum],
    /// The device that Newton's method began on: the CPU if there was too little for a GPU, or many classes at once.
    device: &Device,
});

impl<L: Label> Predict for FittedGpClassifier<L> {
    type Output = Vec<L>;

    /// The most probable class.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.most_probable(&self.predict_proba(x)?)
    }
}

impl<L: Label> PredictProba for FittedGpClassifier<L> {
    /// Averages by [`Average::Quadrature`], or for a softmax likelihood by 4000 draws.
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.predict_proba_by(x, self.average())
    }
}

impl<L: Label> Decision for FittedGpClassifier<L> {
    /// The means of the latent functions; of two classes the second less the first.
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(decided(self.latent(x)?.mean, self.classes().len()))
    }
}

/// One column for two classes, the second less the first.
pub(super) fn decided(mean: Array2<f64>, classes: usize) -> Array2<f64> {
    if classes > 2 || mean.ncols() == 1 {
        return mean;
    }
    (&mean.column(1) - &mean.column(0)).insert_axis(Axis(1))
}

impl<L: Label> FittedGpClassifier<L> {
    /// The label of the largest of each row.
    pub(super) fn most_probable(&self, proba: &Array2<f64>) -> Result<Vec<L>> {
        let top =
            |row: ArrayView1<f64>| (1..row.len()).fold(0, |top, c| if row[c] > row[top] { c } else { top });
        let indices: Vec<usize> = proba.rows().into_iter().map(top).collect();
        self.labels.names(&indices)
    }
}

impl<L> Classes for FittedGpClassifier<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> FittedGpClassifier<L> {
    /// The labels, in ascending order: the order of the columns of `predict_proba`.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The kernel of each latent model: one, or one for each class fitted against the rest.
    pub fn kernels(&self) -> Vec<&Kernel> {
        match &*self.body {
            Body::Binary(each, _) => each.iter().map(|l| &l.kernel).collect(),
            Body::Softmax(all) => vec![&all.kernel],
        }
    }

    /// `ln Z`, approximately; the sum over classes fitted against the rest.
    pub fn log_evidence(&self) -> f64 {
        match &*self.body {
            Body::Binary(each, _) => each.iter().map(|l| l.log_evidence).sum(),
            Body::Softmax(all) => all.log_evidence,
        }
    }

    /// f̂ at the data, for each latent model: n rows, a column for each latent function.
    pub fn modes(&self) -> Vec<ArrayView2<'_, f64>> {
        match &*self.body {
            Body::Binary(each, _) => each.iter().map(|l| l.f.view()).collect(),
            Body::Softmax(all) => vec![all.f.view()],
        }
    }

    /// For each latent model, `ln p(y | f) - ½ fᵀK⁻¹f` before Newton's first step and after each.
    pub fn newton_traces(&self) -> Vec<&[f64]> {
        match &*self.body {
            Body::Binary(each, _) => each.iter().map(|l| &l.trace[..]).collect(),
            Body::Softmax(all) => vec![&all.trace[..]],
        }
    }

    /// For each of [`searches`](Self::searches), names of the hyper-parameters that it left at a bound and would have
    /// taken further: bounds to be widened, or parameters of which the data say nothing.
    pub fn at_bounds(&self) -> Vec<Vec<String>> {
        let each = self.searches.iter().zip(self.kernels());
        each.map(|(found, kernel)| at_bounds(kernel, false, found.at_bounds.iter().copied())).collect()
    }

    /// The latent functions at `x`, m x d.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` is empty or has another number of features, [`Error::NotFinite`]; [`Error::Overflow`] for a
    /// variance that overflows.
    pub fn latent(&self, x: impl Inputs) -> Result<Latent> {
        let x = x.inputs();
        let x = x.view();
        inputs("FittedGpClassifier::latent", x, self.features())?;
        let functions = self.functions();
        let mut out = Latent {
            mean: Array2::zeros((x.nrows(), functions)),
            variance: Array2::zeros((x.nrows(), functions)),
        };
        match &*self.body {
            Body::Binary(each, _) => {
                for (c, laplace) in each.iter().enumerate() {
                    laplace.blocks(x, |block| {
                        let left = laplace.curvature.scaled.left(block.cross, &block.prior)?;
                        for (at, i) in block.rows.enumerate() {
                            out.mean[[i, c]] = block.mean[[at, 0]];
                            out.variance[[i, c]] = left[at];
                        }
                        Ok(())
                    })?;
                }
            }
            Body::Softmax(all) => all.blocks(x, |block| {
                let covariances = all.curvature.covariances(block.cross, &block.prior)?;
                out.mean.slice_mut(s![block.rows.clone(), ..]).assign(&block.mean);
                for (i, covariance) in block.rows.zip(covariances) {
                    out.variance.row_mut(i).assign(&covariance.diag());
                }
                Ok(())
            })?,
        }
        out.variance.columns().into_iter().try_for_each(|of| known("FittedGpClassifier::latent", 0, of))?;
        Ok(out)
    }

    /// `predict_proba` with a choice of how the latent values are averaged over. Classes that
    /// were fitted against the rest have their probabilities divided by the sum.
    ///
    /// # Errors
    /// As [`latent`](Self::latent); [`Error::Parameter`] for no draws, or more than memory holds;
    /// [`Error::Unsupported`] for anything but draws or the plug-in with a softmax likelihood.
    pub fn predict_proba_by(&self, x: impl Inputs, by: Average) -> Result<Array2<f64>> {
        self.proba_raised(x.inputs().view(), by, |_, _| 0.0)
    }

    /// `predict_proba_by` for latent functions that have these means beside what was learned.
    pub(super) fn proba_raised(
        &self,
        x: ArrayView2<f64>,
        by: Average,
        given: impl Fn(ArrayView1<f64>, usize) -> f64,
    ) -> Result<Array2<f64>> {
        inputs(PROBA, x, self.features())?;
        let given = means(PROBA, given, x, 0..self.functions())?;
        let mut out = Array2::zeros((x.nrows(), self.classes().len()));
        match &*self.body {
            Body::Binary(each, link) => {
                let averager = Averager::new(by, 1)?;
                let Latent { mean, variance } = self.latent(x)?;
                let both = |at: usize| {
                    let (i, c) = (at / each.len(), at % each.len());
                    averager.probabilities(*link, mean[[i, c]] + given[[i, c]], variance[[i, c]])
                };
                let all: Vec<[f64; 2]> = (0..mean.len()).into_par_iter().map(both).collect();
                for (mut row, own) in out.rows_mut().into_iter().zip(all.chunks_exact(each.len())) {
                    if let [both] = own {
                        row.assign(&ArrayView1::from(both));
                    } else {
                        row.iter_mut().zip(own).for_each(|(p, [_, yes])| *p = *yes);
                        normalise(row);
                    }
                }
            }
            Body::Softmax(all) => {
                if by == Average::PlugIn {
                    let mean = &self.latent(x)?.mean + &given;
                    for (f, mut p) in mean.rows().into_iter().zip(out.rows_mut()) {
                        softmax(f, &mut p);
                    }
                    return Ok(out);
                }
                let Averager::Draws(draws) = Averager::new(by, self.classes().len())? else {
                    return Err(Error::Unsupported {
                        op: "predict_proba_by",
                        what: format!("{by:?} over {} latent functions", self.classes().len()),
                        device: "any device".to_owned(),
                        instead: "use Average::MonteCarlo",
                    });
                };
                all.blocks(x, |block| {
                    let covariances = all.curvature.covariances(block.cross, &block.prior)?;
                    let traces: Vec<f64> = covariances.iter().map(|c| c.diag().sum()).collect();
                    known(PROBA, block.rows.start, &traces)?;
                    let mean = &block.mean + &given.slice(s![block.rows.clone(), ..]);
                    let average = |at: usize| mean_softmax(draws.view(), mean.row(at), &covariances[at]);
                    let means: Vec<Array1<f64>> =
                        (0..covariances.len()).into_par_iter().map(average).collect();
                    block.rows.zip(means).for_each(|(i, mean)| out.row_mut(i).assign(&mean));
                    Ok(())
                })?;
            }
        }
        Ok(out)
    }

    /// How probabilities are averaged unless said otherwise.
    pub(super) fn average(&self) -> Average {
        if matches!(*self.body, Body::Softmax(_)) { SOFTMAX_DRAWS } else { Average::Quadrature }
    }

    pub(super) fn features(&self) -> usize {
        match &*self.body {
            Body::Binary(each, _) => each.first().map_or(0, |l| l.x.cols()),
            Body::Softmax(all) => all.x.cols(),
        }
    }

    pub(super) fn functions(&self) -> usize {
        match &*self.body {
            Body::Binary(each, _) => each.len(),
            Body::Softmax(_) => self.classes().len(),
        }
    }
}

/// Divides by the sum; if all are zero, all are equal.
pub(super) fn normalise(mut row: ArrayViewMut1<f64>) {
    let sum = row.sum();
    let classes = row.len() as f64;
    row.mapv_inplace(|p| if sum > 0.0 { p / sum } else { 1.0 / classes });
}
