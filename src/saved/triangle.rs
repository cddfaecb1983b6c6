//! Triangular factors: the half that counts.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::float::{Number, numbers};
use super::grid::by_columns;
use crate::host::memory::zeros;
use crate::{Error, Result};

/// What rounding may leave between a diagonal and the rows of its factor, relative to it.
const ROUNDING: f64 = 1e-8;

/// A lower triangular matrix with a positive diagonal.
#[derive(Debug, Clone)]
pub(crate) struct Triangular<'a>(Cow<'a, Array2<f64>>);

impl<'a> Triangular<'a> {
    pub fn new(l: &'a Array2<f64>) -> Self {
        Triangular(Cow::Borrowed(l))
    }

    pub fn owned(l: Array2<f64>) -> Self {
        Triangular(Cow::Owned(l))
    }

    /// Once it is known to be a factor, of order n.
    pub fn checked(self, op: &'static str, n: usize) -> Result<Array2<f64>> {
        let l = self.0;
        if l.nrows() != n {
            let what = format!("a factor of order {} where {n} was to be", l.nrows());
            return Err(Error::Shape { op, what });
        }
        if let Some(((row, col), &value)) = l.indexed_iter().find(|(_, v)| !v.is_finite()) {
            return Err(Error::NotFinite { op, what: "the factor", value, row, col });
        }
        match l.diag().indexed_iter().find(|(_, v)| **v <= 0.0) {
            None => Ok(l.into_owned()),
            Some((pivot, &value)) => Err(Error::NotPositiveDefinite { op, pivot, value }),
        }
    }

    /// Once it is known to be a factor of a matrix with this diagonal: `Σ_j l_ij² = a_ii`.
    pub fn of_diagonal(self, op: &'static str, a: ArrayView1<f64>) -> Result<Array2<f64>> {
        let l = self.checked(op, a.len())?;
        for (i, (row, own)) in l.rows().into_iter().zip(a).enumerate() {
            let square = row.dot(&row);
            // Written so that a NaN is refused.
            let fits = (square - own).abs() <= ROUNDING * own.abs();
            if !fits {
                let what =
                    format!("row {i} of the factor has the squared length {square:e}, the matrix {own:e}");
                return Err(Error::Shape { op, what });
            }
        }
        Ok(l)
    }
}

/// For a field that is a factor on the CPU: `#[serde(with = "crate::saved::lower")]`.
pub(crate) mod lower {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Triangular;
    use crate::Matrix;

    pub fn serialize<S: Serializer>(l: &Matrix, to: S) -> Result<S::Ok, S::Error> {
        Triangular::new(l.cpu()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Matrix, D::Error> {
        Triangular::deserialize(from).map(|l| Matrix::from_host(l.0.into_owned()))
    }
}

/// For a field that may be a factor on the CPU.
pub(crate) mod lower_or_none {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Triangular;
    use crate::Matrix;

    #[allow(clippy::ref_option, reason = "serde gives a reference to the field")]
    pub fn serialize<S: Serializer>(l: &Option<Matrix>, to: S) -> Result<S::Ok, S::Error> {
        l.as_ref().map(|l| Triangular::new(l.cpu())).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Matrix>, D::Error> {
        Option::<Triangular>::deserialize(from).map(|l| l.map(|l| Matrix::from_host(l.0.into_owned())))
    }
}

/// Whether `L Lᵀ x = b`, but for rounding: of the product, which is at most `Σ_j |l_i| |l_j| |x_j|` with the lengths of
/// rows of L, and of `from`, which b was made of.
pub(crate) fn solves(
    op: &'static str,
    l: &Array2<f64>,
    x: ArrayView2<f64>,
    b: ArrayView2<f64>,
    from: ArrayView2<f64>,
) -> Result<()> {
    let length = l.map_axis(Axis(1), |row| row.dot(&row).sqrt());
    let longest = length.fold(0f64, |m, v| m.max(*v));
    let rest = &b - &l.dot(&l.t().dot(&x));
    // Written so that a NaN is large.
    let most = |v: ArrayView1<f64>| v.iter().fold(0f64, |m, v| if v.abs() <= m { m } else { v.abs() });
    for c in 0..x.ncols() {
        let size = longest * x.column(c).iter().zip(&length).map(|(x, l)| x.abs() * l).sum::<f64>();
        let fits = most(rest.column(c)) <= ROUNDING * (size + most(from.column(c)));
        if !fits {
            let what = format!("column {c} of the coefficients does not solve for what is beside them");
            return Err(Error::Shape { op, what });
        }
    }
    Ok(())
}

/// Row by row.
struct Rows<'a>(&'a Array2<f64>);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let n = self.0.nrows();
        let mut out = to.serialize_seq(Some(n * (n + 1) / 2))?;
        for (i, row) in self.0.rows().into_iter().enumerate() {
            row.iter().take(i + 1).try_for_each(|v| out.serialize_element(&Number(*v)))?;
        }
        out.end()
    }
}

#[derive(Serialize)]
#[serde(rename = "Triangular")]
struct Written<'a> {
    order: usize,
    by_columns: bool,
    lower: Rows<'a>,
}

#[derive(Deserialize)]
#[serde(rename = "Triangular")]
struct Read {
    order: usize,
    by_columns: bool,
    #[serde(with = "numbers")]
    lower: Vec<f64>,
}

impl Serialize for Triangular<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        Written { order: self.0.nrows(), by_columns: by_columns(&self.0), lower: Rows(&self.0) }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Triangular<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let Read { order, by_columns, lower } = Read::deserialize(from)?;
        let entries = order.checked_add(1).and_then(|next| order.checked_mul(next)).map(|twice| twice / 2);
        if entries != Some(lower.len()) {
            let held = lower.len();
            return Err(D::Error::custom(format!("a triangle of order {order} with {held} numbers")));
        }
        // No larger than twice what was read.
        let mut l = zeros(order, order);
        if by_columns {
            l = l.reversed_axes();
        }
        let mut rest = lower.as_slice();
        for (i, mut row) in l.rows_mut().into_iter().enumerate() {
            let (own, after) = rest.split_at(i + 1);
            row.iter_mut().zip(own).for_each(|(to, from)| *to = *from);
            rest = after;
        }
        Ok(Triangular::owned(l))
    }
}
