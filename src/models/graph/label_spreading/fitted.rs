//! The labels that have spread, and what they say of new points.

use ndarray::{Array2, ArrayView2};

use crate::Result;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Classes, Label, Labels, Predict, PredictProba};
use crate::models::graph::neighbourhood::{Neighbourhood, carried};
use crate::saved::Format;

/// Fitted [`LabelSpreading`](super::LabelSpreading) or [`LabelPropagation`](super::LabelPropagation).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLabelSpreading<L = usize> {
    format: Format,
    labels: Labels<L>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    shares: Array2<f64>,
    unreached: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    rule: Neighbourhood,
}

getters!(FittedLabelSpreading<L> {
    /// The share of each class at each point, labelled ones first: rows sum to one.
    shares: &Array2<f64>,
    /// The points from which no path leads to a label: all classes are alike there.
    unreached: &[usize],
});

inherent!(FittedLabelSpreading<L: Label>: Predict -> Vec<L>, PredictProba, Accuracy);

impl<L: Label> FittedLabelSpreading<L> {
    /// With the shares of all points, those that no path leads from to a label, and what new points hang on.
    pub(super) fn new(
        labels: Labels<L>,
        shares: Array2<f64>,
        unreached: Vec<usize>,
        points: Array2<f64>,
        rule: Neighbourhood,
    ) -> Self {
        FittedLabelSpreading { format: Format, labels, shares, unreached, points, rule }
    }

    /// The class of each point of the fit, labelled ones first.
    ///
    /// # Errors
    /// None that a fitted value can meet.
    pub fn transduction(&self) -> Result<Vec<L>> {
        self.labels.names(&most_probable(self.shares.view()))
    }
}

impl<L> FittedLabelSpreading<L> {
    /// The classes in ascending order: the columns of `predict_proba`.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L> Classes for FittedLabelSpreading<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L: Label> PredictProba for FittedLabelSpreading<L> {
    /// The mean of the shares of a row's neighbours among the points of the fit, by their weights.
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        carried("FittedLabelSpreading::predict", &self.rule, self.points.view(), self.shares.view(), x)
    }
}

impl<L: Label> Predict for FittedLabelSpreading<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(PredictProba::predict_proba(self, x)?.view()))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLabelSpreading<L>);

#[cfg(feature = "serde")]
impl<L> crate::saved::Checked for FittedLabelSpreading<L> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLabelSpreading";
        finite(OP, "the shares", self.shares.view())?;
        finite(OP, "the points", self.points.view())?;
        let fit = self.shares.dim() == (self.points.nrows(), self.labels.classes().len());
        require(OP, fit, || "shares, points and classes do not fit together".to_owned())
    }
}
