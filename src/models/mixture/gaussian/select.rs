//! How many components: the fit that a criterion likes best.

use std::ops::RangeInclusive;

use super::fitted::FittedGaussianMixture;
use super::model::{GaussianMixture, OP};
use crate::learn::Inputs;
use crate::{Device, Error, Result};

/// What is least at the best number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MixtureCriterion {
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
    /// As `fit`; [`Error::Shape`] if there is nothing to choose from.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| (i % 2 * 10) as f64 + (i * i % 17) as f64 / 17.0);
    /// let found = GaussianMixture::new(1).select(&Device::cpu(), &x, 1..=2, MixtureCriterion::Bic)?;
    /// assert_eq!(found.best.means().nrows(), 2);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn select(
        &self,
        device: &Device,
        x: impl Inputs,
        components: RangeInclusive<usize>,
        criterion: MixtureCriterion,
    ) -> Result<Selection> {
        let x = x.inputs();
        let (mut best, mut table): (Option<(f64, FittedGaussianMixture)>, _) = (None, Vec::new());
        for k in components {
            let fit = self.clone().components(k).fit(device, &x)?;
            let score = match criterion {
                MixtureCriterion::Aic => fit.aic(),
                MixtureCriterion::Bic => fit.bic(),
                MixtureCriterion::Icl => fit.icl(&x)?,
            };
            table.push((k, score));
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, fit));
            }
        }
        let nothing = || Error::Shape { op: OP, what: "no number of components to try".to_owned() };
        best.map(|(_, best)| Selection { best, table }).ok_or_else(nothing)
    }
}
