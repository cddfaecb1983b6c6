//! What DP-means has found.

use ndarray::{Array2, ArrayView2};

use crate::Result;
use crate::check::inputs;
#[cfg(feature = "serde")]
use crate::check::{finite, not_negative, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, Report, Reported, Score, Transform};
use crate::models::cluster::seeding::{closest, cost, squared_distance};
use crate::saved::Format;

/// Fitted [`DpMeans`](super::DpMeans).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedDpMeans {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    centres: Array2<f64>,
    labels: Vec<usize>,
    report: Report,
}

getters!(FittedDpMeans {
    /// The centres μ, `K x d`.
    centres: &Array2<f64>,
    /// The cluster of each row of the fit.
    labels: &[usize],
    /// How the fit went: the objective after each pass over the rows, which never rises.
    report: &Report,
});

inherent!(FittedDpMeans: Predict -> Vec<usize>, Transform, Score);

impl FittedDpMeans {
    pub(super) fn new(centres: Array2<f64>, labels: Vec<usize>, report: Report) -> Self {
        FittedDpMeans { format: Format, centres, labels, report }
    }

    /// The objective `sum_i w_i |x_i - μ_{c_i}|^2 + λ K`.
    pub fn objective(&self) -> f64 {
        self.report.objective()
    }
}

impl Predict for FittedDpMeans {
    type Output = Vec<usize>;

    /// The nearest centre of each row, however far it is.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        inputs("FittedDpMeans::predict", x, self.centres.ncols())?;
        Ok(x.rows().into_iter().filter_map(|row| closest(row, self.centres.view())).map(|c| c.0).collect())
    }
}

/// Distances from the centres.
impl Transform for FittedDpMeans {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedDpMeans::transform", x, self.centres.ncols())?;
        Ok(Array2::from_shape_fn((x.nrows(), self.centres.nrows()), |(i, k)| {
            squared_distance(x.row(i), self.centres.row(k)).sqrt()
        }))
    }
}

/// Minus the sum of squared distances of new rows from their centres.
impl Score for FittedDpMeans {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        inputs("FittedDpMeans::score", x, self.centres.ncols())?;
        Ok(-cost(x, self.centres.view()))
    }
}

impl Reported for FittedDpMeans {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedDpMeans);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedDpMeans {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedDpMeans";
        finite(OP, "the centres", self.centres.view())?;
        let k = self.centres.nrows();
        require(OP, self.labels.iter().all(|l| *l < k), || format!("a label that is none of {k} centres"))?;
        not_negative("objective", self.objective())
    }
}
