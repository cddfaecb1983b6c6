//! The picture that t-SNE has made.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::affinity::{Bell, square};
use crate::Result;
use crate::check::{inputs, zeros};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Report, Reported, Transform};
use crate::saved::Format;

/// Fitted [`TSne`](super::TSne).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedTSne {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    embedding: Array2<f64>,
    perplexity: f64,
    divergence: f64,
    report: Report,
}

getters!(FittedTSne {
    /// Where each point of the fit is in the picture, `n x k`.
    embedding: &Array2<f64>,
    /// `KL(P‖Q)` of the picture, in nats.
    divergence: f64,
    /// How the descent went; the trace has `KL(P‖Q)` of every tenth iteration, of plain affinities also while they are exaggerated.
    report: &Report,
});

inherent!(FittedTSne: Transform);

impl FittedTSne {
    pub(super) fn new(
        points: Array2<f64>,
        embedding: Array2<f64>,
        perplexity: f64,
        divergence: f64,
        report: Report,
    ) -> Self {
        FittedTSne { format: Format, points, embedding, perplexity, divergence, report }
    }
}

/// New rows go to the mean of the picture's points, by their affinity to the points of the fit; a row that equals one goes
/// where that is. The picture itself is [`FittedTSne::embedding`].
impl Transform for FittedTSne {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedTSne::transform", x, self.points.ncols())?;
        let mut out = zeros("rows", x.nrows(), self.embedding.ncols())?;
        let rows: Vec<usize> = (0..x.nrows()).collect();
        let each = rows.into_par_iter().map(|i| {
            let squares: Vec<f64> = self.points.rows().into_iter().map(|p| square(p, x.row(i))).collect();
            if let Some(same) = squares.iter().position(|d| *d == 0.0) {
                return self.embedding.row(same).to_owned();
            }
            let bell = Bell::new(&squares, self.perplexity);
            let mut at = ndarray::Array1::zeros(self.embedding.ncols());
            squares.iter().zip(self.embedding.rows()).for_each(|(d, y)| at.scaled_add(bell.at(*d), &y));
            at
        });
        let each: Vec<_> = each.collect();
        out.rows_mut().into_iter().zip(each).for_each(|(mut to, at)| to.assign(&at));
        crate::check::finite("FittedTSne::transform", "the place of a new row", out.view())?;
        Ok(out)
    }
}

impl Reported for FittedTSne {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedTSne);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedTSne {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedTSne";
        let (n, m) = (self.points.nrows(), self.embedding.nrows());
        crate::check::require(OP, n == m, || format!("{n} points, {m} places"))?;
        crate::check::finite(OP, "the points", self.points.view())?;
        crate::check::finite(OP, "the embedding", self.embedding.view())?;
        crate::check::positive("perplexity", self.perplexity)
    }
}
