//! Arrays: shape, order in memory, numbers.
//!
//! The order counts: a product adds up the same numbers in another order where an operand lies in memory another way.

use std::borrow::Cow;

use ndarray::{Array1, Array2, Array3, Axis, ShapeBuilder};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::float::{Number, numbers};
use crate::{Error, Result};

/// A matrix that is borrowed when it is written and owned when it is read.
#[derive(Debug, Clone)]
pub(crate) struct Grid<'a>(Cow<'a, Array2<f64>>);

impl<'a> Grid<'a> {
    pub fn new(a: &'a Array2<f64>) -> Self {
        Grid(Cow::Borrowed(a))
    }

    pub fn owned(a: Array2<f64>) -> Self {
        Grid(Cow::Owned(a))
    }

    pub fn dim(&self) -> (usize, usize) {
        self.0.dim()
    }

    /// Whatever it holds.
    pub fn into_array(self) -> Array2<f64> {
        self.0.into_owned()
    }

    /// Once it is known to have this shape and to be finite.
    pub fn checked(self, op: &'static str, what: &'static str, shape: (usize, usize)) -> Result<Array2<f64>> {
        if self.dim() != shape {
            let what = format!("{what} is {:?} where {shape:?} was to be", self.dim());
            return Err(Error::Shape { op, what });
        }
        match self.0.indexed_iter().find(|(_, v)| !v.is_finite()) {
            None => Ok(self.into_array()),
            Some(((row, col), &value)) => Err(Error::NotFinite { op, what, value, row, col }),
        }
    }
}

/// In the order of the memory.
struct InMemory<'a>(&'a Array2<f64>, bool);

impl Serialize for InMemory<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        if self.1 {
            to.collect_seq(self.0.t().iter().map(|v| Number(*v)))
        } else {
            to.collect_seq(self.0.iter().map(|v| Number(*v)))
        }
    }
}

#[derive(Serialize)]
#[serde(rename = "Grid")]
struct Written<'a> {
    rows: usize,
    cols: usize,
    by_columns: bool,
    data: InMemory<'a>,
}

#[derive(Deserialize)]
#[serde(rename = "Grid")]
struct Read {
    rows: usize,
    cols: usize,
    by_columns: bool,
    #[serde(with = "numbers")]
    data: Vec<f64>,
}

impl Serialize for Grid<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let (rows, cols) = self.dim();
        let by_columns = by_columns(&self.0);
        Written { rows, cols, by_columns, data: InMemory(&self.0, by_columns) }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Grid<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let Read { rows, cols, by_columns, data } = Read::deserialize(from)?;
        let held = data.len();
        let shape = (rows, cols).set_f(by_columns);
        let misfit = |_| D::Error::custom(format!("a matrix of {rows} x {cols} with {held} numbers"));
        Array2::from_shape_vec(shape, data).map(Grid::owned).map_err(misfit)
    }
}

/// Whether columns lie in one piece, and rows do not.
pub(super) fn by_columns(a: &Array2<f64>) -> bool {
    !a.is_standard_layout() && a.t().is_standard_layout()
}

/// A vector, likewise.
#[derive(Debug, Clone)]
pub(crate) struct Column<'a>(Cow<'a, Array1<f64>>);

impl<'a> Column<'a> {
    pub fn new(a: &'a Array1<f64>) -> Self {
        Column(Cow::Borrowed(a))
    }

    pub fn owned(a: Array1<f64>) -> Self {
        Column(Cow::Owned(a))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whatever it holds.
    pub fn into_array(self) -> Array1<f64> {
        self.0.into_owned()
    }

    /// Once it is known to have this length and to be finite.
    pub fn checked(self, op: &'static str, what: &'static str, len: usize) -> Result<Array1<f64>> {
        if self.len() != len {
            let what = format!("{what} has {} entries where {len} were to be", self.len());
            return Err(Error::Shape { op, what });
        }
        match self.0.indexed_iter().find(|(_, v)| !v.is_finite()) {
            None => Ok(self.into_array()),
            Some((row, &value)) => Err(Error::NotFinite { op, what, value, row, col: 0 }),
        }
    }
}

impl Serialize for Column<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|v| Number(*v)))
    }
}

impl<'de> Deserialize<'de> for Column<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        numbers::deserialize(from).map(|v| Column::owned(Array1::from(v)))
    }
}

/// For a field of type `Array2<f64>`: `#[serde(with = "crate::saved::matrix")]`.
pub(crate) mod matrix {
    use super::{Array2, Deserialize, Deserializer, Grid, Serialize, Serializer};

    pub fn serialize<S: Serializer>(a: &Array2<f64>, to: S) -> std::result::Result<S::Ok, S::Error> {
        Grid::new(a).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Array2<f64>, D::Error> {
        Grid::deserialize(from).map(Grid::into_array)
    }
}

/// For a field of type `Array3<f64>`: as many matrices, one below the other.
pub(crate) mod stack {
    use serde::de::Error;

    use super::{Array2, Array3, Axis, Deserialize, Deserializer, Grid, Serializer};

    pub fn serialize<S: Serializer>(a: &Array3<f64>, to: S) -> Result<S::Ok, S::Error> {
        let each: Vec<Array2<f64>> = a.axis_iter(Axis(0)).map(|m| m.to_owned()).collect();
        to.collect_seq(each.iter().map(Grid::new))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Array3<f64>, D::Error> {
        let each = Vec::<Grid>::deserialize(from)?;
        let views: Vec<_> = each.iter().map(|m| m.0.view()).collect();
        ndarray::stack(Axis(0), &views).map_err(D::Error::custom)
    }
}

/// For a field of type `Array1<f64>`.
pub(crate) mod vector {
    use super::{Array1, Column, Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(a: &Array1<f64>, to: S) -> std::result::Result<S::Ok, S::Error> {
        Column::new(a).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Array1<f64>, D::Error> {
        Column::deserialize(from).map(Column::into_array)
    }
}
