//! A factored matrix as it is saved: the factor in f64, and what a solve needs around it.
//!
//! The matrix itself is not saved: who holds the factor knows what it is made of. Checked in `tests/saved/gp.rs`.

use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

use super::certificate::Fallback;
use super::factor::Factor;
use super::reference::{Entries, Reference};
use super::spd::SpdParams;
use super::spd_factor::SpdFactor;
use crate::check::{not_negative, positive, require};
use crate::saved::{Column, Triangular};
use crate::{Device, Error, Kernel, Matrix, Result};

/// What rounding may leave between a factor and a kernel value, relative to the diagonal.
const ROUNDING: f64 = 1e-8;

#[derive(Serialize, Deserialize)]
#[serde(rename = "SpdFactor")]
pub(crate) struct SavedFactor<'a> {
    /// None if whoever reads is to make it.
    l: Option<Triangular<'a>>,
    /// Of a kernel's matrix, what is added to the diagonal: noise and jitter.
    added: Option<Column<'a>>,
    norm: f64,
    jitter: f64,
    #[serde(with = "crate::saved::number")]
    condition: f64,
    fallback: Option<Fallback>,
    params: SpdParams,
}

impl SpdFactor {
    /// As it is saved, with L or without. A factor in f32 is made again in f64: it would be trusted too far on the CPU.
    pub(crate) fn saved(&self, with_factor: bool) -> Result<SavedFactor<'_>> {
        let factor = self.current();
        let l = match factor.l.host() {
            _ if !with_factor => None,
            Some(l) if factor.s.is_none() => Some(Triangular::new(l)),
            _ => Some(Triangular::owned(Factor::in_f64(self.reference().lower()?)?.l.into_array()?)),
        };
        let added = match self.reference().entries() {
            Entries::Kernel(operator, _) => Some(Column::new(operator.noise())),
            Entries::Stored(_) => None,
        };
        let (norm, jitter, condition) = (self.reference().norm()?, self.jitter(), self.condition());
        Ok(SavedFactor { l, added, norm, jitter, condition, fallback: self.fallback(), params: self.params })
    }

    /// What is added to the diagonal of a kernel's matrix; nothing is known of that of another one.
    pub(crate) fn added(&self) -> ArrayView1<'_, f64> {
        match self.reference().entries() {
            Entries::Kernel(operator, _) => operator.noise().view(),
            Entries::Stored(_) => ArrayView1::from(&[]),
        }
    }
}

/// Whether `l_i · l_j = k(x_i, x_j)` for every point and the one before it: many kernels have the same diagonal wherever
/// the points are.
fn neighbours(op: &'static str, l: &Array2<f64>, kernel: &Kernel, x: &Array2<f64>) -> Result<()> {
    for i in 1..x.nrows() {
        let j = i - 1;
        let (own, other) = (l.row(i), l.row(j));
        let want = kernel.value(&x.row(i).to_vec(), &x.row(j).to_vec())?;
        let size = (own.dot(&own) * other.dot(&other)).sqrt();
        // Written so that a NaN is refused.
        let fits = (own.dot(&other) - want).abs() <= ROUNDING * size;
        require(op, fits, || format!("rows {i} and {j} of the factor are not those of the kernel's points"))?;
    }
    Ok(())
}

impl SavedFactor<'_> {
    /// Whether L was saved too.
    pub fn has_factor(&self) -> bool {
        self.l.is_some()
    }

    /// Of `K + diag(added)` over the points `x`.
    pub fn of_kernel(mut self, op: &'static str, kernel: &Kernel, x: &Matrix) -> Result<SpdFactor> {
        let missing = || Error::Shape { op, what: "a factor without noise variances".to_owned() };
        let added = self.added.take().ok_or_else(missing)?.checked(op, "the noise", x.rows())?;
        let reference = Reference::of_kernel(op, &Device::cpu(), kernel, x.cpu().view(), added.to_vec())?;
        let factor = self.around(op, reference)?;
        neighbours(op, factor.factor().cpu(), kernel, x.cpu())?;
        Ok(factor)
    }

    /// Of `a`, n x n and symmetric.
    pub fn of_matrix(self, op: &'static str, a: Array2<f64>) -> Result<SpdFactor> {
        let reference = Reference::of_matrix(a, self.jitter)?;
        self.around(op, reference)
    }

    fn around(self, op: &'static str, reference: Reference) -> Result<SpdFactor> {
        let SavedFactor { l, norm, jitter, condition, fallback, params, .. } = self;
        not_negative("norm", norm)?;
        not_negative("jitter", jitter)?;
        positive("tolerance", params.tolerance)?;
        let reference = reference.with_norm(norm);
        let factor = match l {
            Some(l) => {
                let l = l.of_diagonal(op, reference.operator().diagonal()?.view())?;
                Factor { l: Matrix::from_host(l), s: None, moved: 0.0, inverse: None }
            }
            None => Factor::in_f64(reference.lower()?)?,
        };
        // The condition is that of the factor which was saved.
        let unasked = params.condition(false);
        let mut made =
            SpdFactor::around(reference, factor, jitter, fallback, &unasked)?.known(jitter, condition);
        made.params = params;
        Ok(made)
    }
}
