//! One fit for each group of rows. Checked in `tests/regression/stratified.rs`.

use ndarray::{ArrayView2, Axis};

use super::data::{Inputs, Rows, Targets};
use super::labels::Labels;
use super::traits::{Fit, Predict};
use crate::check::require;
use crate::{Device, Result};

/// A fitted value for each group of rows: of each user, each age, each site.
#[derive(Debug, Clone)]
pub struct Stratified<L, F> {
    groups: Labels<L>,
    fits: Vec<F>,
}

/// Fits the model to the rows of each group by themselves.
///
/// What holds of all rows together need not hold in any group (Simpson's paradox): compare with one fit to all.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are not as many groups as rows, and those of the fits.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[1.0], [2.0], [11.0], [12.0]], array![2.0_f64, 1.0, 12.0, 11.0]);
/// let each = fit_each(&LeastSquares::new(), &Device::cpu(), &x, &y, &["young", "young", "old", "old"])?;
/// assert!(each.of(&"old").unwrap().coefficients()[[0, 0]] < 0.0);
/// assert!(LeastSquares::new().fit(&Device::cpu(), &x, &y)?.coefficients()[[0, 0]] > 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn fit_each<M, Y, L>(
    model: &M,
    device: &Device,
    x: impl Inputs,
    y: impl Targets<Of = Y>,
    groups: &[L],
) -> Result<Stratified<L, M::Fitted>>
where
    M: Fit<Y>,
    Y: Rows + ?Sized,
    L: Ord + Clone,
{
    let (x, y) = (x.inputs(), y.targets());
    let (n, m) = (x.nrows(), groups.len());
    require("fit_each", n == m, || format!("{n} rows, {m} groups"))?;
    let targets = y.count().unwrap_or(n);
    require("fit_each", n == targets, || format!("{n} rows, {targets} targets"))?;
    let (labels, index) = Labels::of(groups)?;
    let one = |k: usize| {
        let rows: Vec<usize> = (0..n).filter(|&i| index[i] == k).collect();
        let own = y.select(&rows);
        model.fit(device, x.select(Axis(0), &rows).view(), std::borrow::Borrow::borrow(&own))
    };
    let fits: Result<Vec<M::Fitted>> = (0..labels.classes().len()).map(one).collect();
    Ok(Stratified { groups: labels, fits: fits? })
}

impl<L: Ord + Clone, F> Stratified<L, F> {
    /// The groups in ascending order.
    pub fn groups(&self) -> &[L] {
        self.groups.classes()
    }

    /// What was fitted to each group, in the order of [`Stratified::groups`].
    pub fn fits(&self) -> &[F] {
        &self.fits
    }

    /// What was fitted to this group, if it had rows.
    pub fn of(&self, group: &L) -> Option<&F> {
        self.groups.classes().binary_search(group).ok().map(|k| &self.fits[k])
    }

    /// The prediction of each row by the fit of its group.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a group that had no rows, [`Error::Shape`](crate::Error::Shape) if
    /// there are not as many groups as rows, and those of `predict`.
    pub fn predict(&self, x: impl Inputs, groups: &[L]) -> Result<Vec<F::Output>>
    where
        F: Predict,
    {
        let x = x.inputs();
        let (n, m) = (x.nrows(), groups.len());
        require("Stratified::predict", n == m, || format!("{n} rows, {m} groups"))?;
        let index = self.groups.indices(groups)?;
        let row = |(i, k): (usize, usize)| -> Result<F::Output> {
            let own: ArrayView2<f64> = x.slice(ndarray::s![i..=i, ..]);
            self.fits[k].predict(own)
        };
        index.into_iter().enumerate().map(row).collect()
    }
}
