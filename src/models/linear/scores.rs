//! Linear functions as discriminants: scores `Wᵀx + b`, and the geometry of the planes between classes.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{finite, inputs, number, numbers, parameter};
use crate::learn::Inputs;
use crate::learn::classify::winners;
use crate::learn::configure::getters;
use crate::ops::product;
use crate::{Error, Result};

/// `y_k(x) = w_kᵀx + w_k0`: the class of the largest wins; with a single column the sign decides between two.
///
/// The regions of classes are convex: with two points all points between them are of the same class.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let three = LinearScores::new(array![[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]], array![0.0, 0.0, 0.5])?;
/// assert_eq!(three.classify(array![[2.0, 0.0], [-2.0, 0.0], [0.0, 3.0]])?, [0, 1, 2]);
/// let between = three.boundary(0, 1)?;
/// assert_eq!(between.signed_distance(array![3.0, 5.0].view())?, 3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearScores {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    coefficients: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    intercept: Array1<f64>,
}

getters!(LinearScores {
    /// The coefficients W, one column for each score.
    coefficients: &Array2<f64>,
    /// The intercept of each score.
    intercept: &Array1<f64>,
});

impl LinearScores {
    /// Scores with these coefficients, `d x k`, and intercepts, k.
    ///
    /// # Errors
    /// [`Error::Shape`] if they do not fit, [`Error::NotFinite`].
    pub fn new(coefficients: Array2<f64>, intercept: Array1<f64>) -> Result<Self> {
        Self::of("LinearScores", coefficients, intercept)
    }

    /// The same by the name of what computed them.
    pub(crate) fn of(op: &'static str, coefficients: Array2<f64>, intercept: Array1<f64>) -> Result<Self> {
        finite(op, "the coefficients", coefficients.view())?;
        finite(op, "the intercept", intercept.view().insert_axis(Axis(1)))?;
        let (k, b) = (coefficients.ncols(), intercept.len());
        if k == b {
            return Ok(LinearScores { coefficients, intercept });
        }
        Err(Error::Shape { op, what: format!("{k} columns of coefficients, {b} intercepts") })
    }

    /// `Wᵀx + b` for each row of `x`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features, [`Error::NotFinite`].
    pub fn scores(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("LinearScores::scores", x.view(), self.coefficients.nrows())?;
        Ok(self.raw(x.view()))
    }

    pub(crate) fn raw(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let mut out = Array2::zeros((x.nrows(), self.coefficients.ncols()));
        product(1.0, x, self.coefficients.view(), 0.0, out.view_mut());
        out += &self.intercept;
        out
    }

    /// The index of the winning class of each row.
    ///
    /// # Errors
    /// As [`LinearScores::scores`].
    pub fn classify(&self, x: impl Inputs) -> Result<Vec<usize>> {
        Ok(winners(self.scores(x)?.view()))
    }

    /// Where two classes score the same: `(w_a - w_b)ᵀx + (w_a0 - w_b0) = 0`, positive on the side of `a`. Of a single
    /// score the classes are 0 and 1.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the same class twice or one that is not there, or where both score the same everywhere.
    pub fn boundary(&self, a: usize, b: usize) -> Result<Hyperplane> {
        let k = self.coefficients.ncols();
        let classes = k.max(2);
        let requirement = "must be two different classes, by their indices";
        parameter("class", a.max(b) as f64, a < classes && b < classes && a != b, requirement)?;
        if k == 1 {
            let sign = if a == 1 { 1.0 } else { -1.0 };
            return Hyperplane::new(sign * &self.coefficients.column(0), sign * self.intercept[0]);
        }
        let w = &self.coefficients.column(a) - &self.coefficients.column(b);
        Hyperplane::new(w, self.intercept[a] - self.intercept[b])
    }

    #[cfg(feature = "serde")]
    pub(crate) fn check(&self, op: &'static str, columns: usize) -> Result<()> {
        Self::of(op, self.coefficients.clone(), self.intercept.clone())?;
        require(op, self.intercept.len() == columns, || {
            format!("{} scores where there are to be {columns}", self.intercept.len())
        })
    }
}

/// The plane `wᵀx + w₀ = 0` between two half-spaces.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let plane = Hyperplane::new(array![3.0, 4.0], -5.0)?;
/// assert_eq!(plane.signed_distance(array![3.0, 4.0].view())?, 4.0);
/// assert_eq!(plane.distance_of_origin(), 1.0);
/// assert!((plane.projection(array![3.0, 4.0].view())? - array![0.6, 0.8]).iter().all(|e| e.abs() < 1e-12));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplane {
    normal: Array1<f64>,
    offset: f64,
}

getters!(Hyperplane {
    /// w, orthogonal to the plane; it points to the positive side.
    normal: &Array1<f64>,
    /// w₀.
    offset: f64,
});

impl Hyperplane {
    /// The plane of these.
    ///
    /// # Errors
    /// [`Error::Parameter`] if w is zero, [`Error::NotFinite`].
    pub fn new(normal: Array1<f64>, offset: f64) -> Result<Self> {
        finite("Hyperplane", "the normal", normal.view().insert_axis(Axis(1)))?;
        parameter("offset", offset, offset.is_finite(), "must be finite")?;
        let length = normal.dot(&normal).sqrt();
        parameter(
            "length of the normal",
            length,
            length > 0.0 && length.is_finite(),
            "must be positive and finite",
        )?;
        Ok(Hyperplane { normal, offset })
    }

    fn length(&self) -> f64 {
        self.normal.dot(&self.normal).sqrt()
    }

    /// The activation `wᵀx + w₀`.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features, [`Error::NotFinite`], [`Error::Overflow`].
    pub fn activation(&self, x: ArrayView1<f64>) -> Result<f64> {
        let (d, own) = (x.len(), self.normal.len());
        if d != own {
            return Err(Error::Shape { op: "Hyperplane", what: format!("{own} features, x has {d}") });
        }
        numbers("Hyperplane", "x", x.insert_axis(Axis(1)))?;
        number("Hyperplane", "the activation", self.normal.dot(&x) + self.offset)
    }

    /// `(wᵀx + w₀) / ‖w‖`: the distance of x, negative on the negative side. It does not change with the size of w.
    ///
    /// # Errors
    /// As [`Hyperplane::activation`].
    pub fn signed_distance(&self, x: ArrayView1<f64>) -> Result<f64> {
        Ok(self.activation(x)? / self.length())
    }

    /// `-w₀ / ‖w‖`: how far along w the plane lies from the origin.
    pub fn distance_of_origin(&self) -> f64 {
        -self.offset / self.length()
    }

    /// The point of the plane nearest to x: `x - r w/‖w‖`, r the signed distance.
    ///
    /// # Errors
    /// As [`Hyperplane::activation`].
    pub fn projection(&self, x: ArrayView1<f64>) -> Result<Array1<f64>> {
        let step = self.activation(x)? / self.normal.dot(&self.normal);
        Ok(&x - &(step * &self.normal))
    }

    /// `t (wᵀx + w₀)` with t = 1 for a positive x and -1 for a negative one: negative if and only if x is misclassified.
    ///
    /// # Errors
    /// As [`Hyperplane::activation`].
    pub fn functional_margin(&self, x: ArrayView1<f64>, positive: bool) -> Result<f64> {
        Ok(if positive { self.activation(x)? } else { -self.activation(x)? })
    }

    /// The functional margin divided by `‖w‖`: a distance.
    ///
    /// # Errors
    /// As [`Hyperplane::activation`].
    pub fn geometric_margin(&self, x: ArrayView1<f64>, positive: bool) -> Result<f64> {
        Ok(self.functional_margin(x, positive)? / self.length())
    }
}
