//! Count, mean and scatter of data: sufficient for every Gaussian model here, and values that add.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::centred;
use crate::check::{blame, parameter, require, room, rows};
use crate::inference::em::{Batches, first_part};
use crate::learn::Inputs;
use crate::learn::ranks::{Meeting, Ranks, meet};
use crate::matrix::points::suited;
use crate::ops::{Trans, syrk};
use crate::{Device, Result};

/// `n`, `m = (1/n) Σ x_i` and `Σ (x_i - m)(x_i - m)^T`.
///
/// Two of them merge into that of both data sets, so data larger than memory comes in chunks ([`add`](StreamedMoments::add)
/// is what other libraries call `partial_fit`), and the parts of several machines can be put together
/// ([`merge`](StreamedMoments::merge)). Each chunk is centred before it is multiplied, nearly: nothing cancels.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::{array, s};
/// let x = array![[2.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 2.0]];
/// let mut stream = StreamedMoments::new(2)?;
/// stream.add(&Device::cpu(), x.slice(s![..3, ..]))?;
/// stream.add(&Device::cpu(), x.slice(s![3.., ..]))?;
/// let (chunks, whole) = (Pca::new(1).fit_moments(&stream)?, Pca::new(1).fit(&Device::cpu(), &x)?);
/// assert!((chunks.explained_variance()[0] - whole.explained_variance()[0]).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StreamedMoments {
    count: usize,
    mean: Array1<f64>,
    scatter: Array2<f64>,
}

crate::saved::wired!(StreamedMoments { count, mean, scatter });

impl StreamedMoments {
    /// Those of no data with `d` columns.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if `d` is zero or memory has no room for `d x d`.
    pub fn new(d: usize) -> Result<Self> {
        parameter("d", d as f64, d > 0, "must be positive")?;
        room("d", d, d.saturating_mul(size_of::<f64>()))?;
        Ok(StreamedMoments { count: 0, mean: Array1::zeros(d), scatter: Array2::zeros((d, d)) })
    }

    /// Those of `x`, `n x d`; the products are made on the device, block by block, and added in f64.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is empty, [`Error::NotFinite`](crate::Error::NotFinite); those of
    /// the device.
    pub fn of(device: &Device, x: impl Inputs) -> Result<Self> {
        Self::of_view(device, x.inputs().view())
    }

    pub(super) fn of_view(device: &Device, x: ArrayView2<f64>) -> Result<Self> {
        const OP: &str = "StreamedMoments::of";
        rows(OP, "x", x, 1)?;
        let (n, d) = x.dim();
        let mut all = Self::new(d)?;
        let device = &suited(device, x, 2.0 * x.len() as f64 * d as f64);
        let whole = centred::in_one_pass(device, d).then_some(0..n);
        let blocks = whole.map_or_else(|| centred::blocks(device, n, d).collect(), |all| Vec::from([all]));
        for rows in blocks {
            all.merge(&Self::block(device, x.slice(s![rows, ..]))?.ok_or_else(|| blame(OP, x))?)?;
        }
        if !all.scatter.diag().iter().all(|v| v.is_finite()) {
            return Err(blame(OP, x));
        }
        all.forget_rounding();
        Ok(all)
    }

    /// Those of rows that lie on several ranks, of which some may have none.
    ///
    /// # Errors
    /// As [`StreamedMoments::of`], the same on every rank.
    pub fn across(ranks: &dyn Ranks, device: &Device, x: impl Inputs) -> Result<Self> {
        meet(ranks, |all| Self::of_all(all, device, x.inputs().view()))
    }

    /// Those of data that come in parts, on one rank or several: [`Pca::fit_moments`](super::Pca::fit_moments), and that of
    /// [`Ppca`](super::Ppca) and [`FactorAnalysis`](super::FactorAnalysis), fit them without the rows.
    ///
    /// # Errors
    /// As [`StreamedMoments::of`], the same on every rank, and those of reading the parts.
    pub fn of_batches<D: Batches<Array2<f64>> + ?Sized>(
        ranks: &dyn Ranks,
        device: &Device,
        data: &D,
    ) -> Result<Self> {
        const OP: &str = "StreamedMoments::of_batches";
        meet(ranks, |all| {
            let mut own = Self::new(first_part(all, OP, data)?.0.ncols())?;
            for part in 0..data.count() {
                data.visit(part, &mut |x| own.add(device, x))?;
            }
            all.together(OP, own, |a, b| a.merge(&b))
        })
    }

    pub(super) fn of_all(all: &Meeting, device: &Device, x: ArrayView2<f64>) -> Result<Self> {
        const OP: &str = "StreamedMoments::of";
        all.part(OP, x)?;
        let own = if x.nrows() > 0 { Self::of_view(device, x)? } else { Self::new(x.ncols())? };
        all.together(OP, own, |a, b| a.merge(&b))
    }

    /// One block, read once: centred by the mean of its first rows, then corrected for what the mean is off by. None if
    /// something is not finite.
    fn block(device: &Device, x: ArrayView2<f64>) -> Result<Option<Self>> {
        let count = x.nrows();
        let centre = centred::glimpse(x);
        let (mut scatter, sums) = if centred::in_one_pass(device, x.ncols()) {
            centred::scatter(x, centre.view())
        } else {
            let (rows, sums) = centred::shifted(x, centre.view());
            if !sums.iter().all(|s| s.is_finite()) {
                return Ok(None);
            }
            (syrk(1.0, &centred::place(device, rows)?, Trans::Yes)?.to_array()?, sums)
        };
        let off = sums / count as f64;
        let mean = &centre + &off;
        if !mean.iter().all(|m| m.is_finite()) {
            return Ok(None);
        }
        for (mut row, a) in scatter.rows_mut().into_iter().zip(&off) {
            row.zip_mut_with(&off, |s, b| *s -= a * b * count as f64);
        }
        Ok(Some(StreamedMoments { count, mean, scatter }))
    }

    /// A column that varies less than its mean can be written down is constant, and what was seen of it was rounding.
    fn forget_rounding(&mut self) {
        let n = self.count as f64;
        for j in 0..self.columns() {
            let least = n * (8.0 * f64::EPSILON * self.mean[j]).powi(2);
            if self.scatter[[j, j]] <= least {
                self.scatter.row_mut(j).fill(0.0);
                self.scatter.column_mut(j).fill(0.0);
            }
        }
    }

    /// Adds the rows of `x`; on an error nothing has changed.
    ///
    /// # Errors
    /// As [`StreamedMoments::of`], and [`Error::Shape`](crate::Error::Shape) if the columns do not fit.
    pub fn add(&mut self, device: &Device, x: impl Inputs) -> Result<()> {
        let x = x.inputs();
        self.fits(x.ncols())?;
        self.merge(&Self::of_view(device, x.view())?)
    }

    /// Adds what another part of the data gave.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit.
    pub fn merge(&mut self, other: &StreamedMoments) -> Result<()> {
        self.fits(other.columns())?;
        let (n, m) = (self.count as f64, other.count as f64);
        if other.count == 0 {
            return Ok(());
        }
        if self.count == 0 {
            self.clone_from(other);
            return Ok(());
        }
        let gap = &other.mean - &self.mean;
        let weighted = &gap * (n * m / (n + m));
        for ((mut row, from), w) in
            self.scatter.rows_mut().into_iter().zip(other.scatter.rows()).zip(&weighted)
        {
            row += &from;
            row.scaled_add(*w, &gap);
        }
        self.mean.scaled_add(m / (n + m), &gap);
        self.count += other.count;
        Ok(())
    }

    /// Those of all parts together, if they have two rows.
    pub(super) fn merged(op: &'static str, parts: &[StreamedMoments]) -> Result<Self> {
        require(op, !parts.is_empty(), || "there are no parts".to_owned())?;
        let mut whole = Self::new(parts[0].columns())?;
        parts.iter().try_for_each(|part| whole.merge(part))?;
        require(op, whole.count >= 2, || "there must be 2 rows or more".to_owned())?;
        Ok(whole)
    }

    fn fits(&self, d: usize) -> Result<()> {
        let own = self.columns();
        require("StreamedMoments::add", d == own, || format!("{d} columns do not add to {own}"))
    }

    /// How many rows were added so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many columns there are: d.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean of the rows; zero while there are none.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// `Σ (x_i - m)(x_i - m)^T`, `d x d`.
    pub fn scatter(&self) -> &Array2<f64> {
        &self.scatter
    }

    /// The scatter over `n - ddof`: the maximum-likelihood covariance with 0, the unbiased one with 1.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are not more than `ddof` rows.
    pub fn covariance(&self, ddof: usize) -> Result<Array2<f64>> {
        let n = self.count;
        require("StreamedMoments::covariance", n > ddof, || {
            format!("{n} rows, of which {ddof} are spent: none are left")
        })?;
        let covariance = &self.scatter / (n - ddof) as f64;
        // The rank-one terms of merging round differently on the two sides of the diagonal.
        Ok((&covariance + &covariance.t()) * 0.5)
    }

    /// `tr(scatter)`.
    pub(super) fn spread(&self) -> f64 {
        self.scatter.diag().sum()
    }

    /// Column variances, by `n`.
    pub(super) fn variances(&self) -> Array1<f64> {
        self.scatter.diag().to_owned() / self.count as f64
    }
}

/// `Σ_ij x_ij²` of what is left after centring.
pub(super) fn spread(centred: ArrayView2<f64>) -> f64 {
    centred.map_axis(Axis(1), |row| row.dot(&row)).sum()
}
