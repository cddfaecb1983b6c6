//! How many components: the fit that a criterion likes best.

use std::ops::RangeInclusive;

use ndarray::ArrayView2;

use super::gaussian::GaussianMixture;
use super::gaussian_fitted::FittedGaussianMixture;
use crate::{Device, Error, Result};

/// What is least at the best number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// [`FittedGaussianMixture::aic`]: predicts best, takes many.
    Aic,
    /// [`FittedGaussianMixture::bic`]: finds the right number when there is one.
    Bic,
    /// [`FittedGaussianMixture::icl`]: finds clusters that are apart.
    Icl,
}

/// The choice, and what it was made from.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The fit with the least criterion.
    pub best: FittedGaussianMixture,
    /// Each number of components with its criterion.
    pub table: Vec<(usize, f64)>,
}

impl GaussianMixture {
    /// Fits every number of components in `components` and keeps the one with the least `criterion`. All else is as set;
    /// a start or covariances that are given fit one number only.
    ///
    /// # Errors
    /// As [`GaussianMixture::fit`]; [`Error::Shape`] if there is nothing to choose from.
    ///
    /// ```
    /// use mercer::{Device, models::mixture::{Criterion, GaussianMixture}};
    /// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| (i % 2 * 10) as f64 + (i * i % 17) as f64 / 17.0);
    /// let found = GaussianMixture::new(1).select(&Device::cpu(), x.view(), 1..=2, Criterion::Bic)?;
    /// assert_eq!(found.best.params.means.nrows(), 2);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn select(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        components: RangeInclusive<usize>,
        criterion: Criterion,
    ) -> Result<Selection> {
        let (mut best, mut table): (Option<(f64, FittedGaussianMixture)>, _) = (None, Vec::new());
        for k in components {
            let fit = GaussianMixture { components: k, ..self.clone() }.fit(device, x)?;
            let score = match criterion {
                Criterion::Aic => fit.aic(),
                Criterion::Bic => fit.bic(),
                Criterion::Icl => fit.icl(x)?,
            };
            table.push((k, score));
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, fit));
            }
        }
        let nothing =
            || Error::Shape { op: "GaussianMixture", what: "no number of components to try".to_owned() };
        best.map(|(_, best)| Selection { best, table }).ok_or_else(nothing)
    }
}
