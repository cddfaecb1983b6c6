//! All monomials up to a degree. Checked in `tests/learn/preprocess.rs` against scikit-learn.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::{bounded, kept};
use crate::check::{columns, finite, numbers, parameter, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::Transform;
use crate::saved::Format;
use crate::{Device, Result};

/// `x₁^a₁ ⋯ x_d^a_d` for all exponents with `a₁ + ⋯ + a_d` at most the degree: `C(d + degree, degree)` columns, by degree,
/// then in lexical order, as in scikit-learn.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let fit = Polynomial::new(2).fit(&Device::cpu(), array![[2.0, 3.0]])?;
/// assert_eq!(fit.transform(array![[2.0, 3.0]])?, array![[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Polynomial {
    degree: usize,
    interactions: bool,
    bias: bool,
}

impl Polynomial {
    /// Up to this degree, the constant included.
    pub fn new(degree: usize) -> Self {
        Polynomial { degree, interactions: false, bias: true }
    }
}

setters!(Polynomial {
    /// Whether only products of different features are made, no powers.
    interactions_only => interactions: bool,
    /// Whether the constant 1 is the first column; true by default.
    bias: bool,
});

fits!(Polynomial: Weighed -> FittedPolynomial);

impl Polynomial {
    /// How many columns d features become; none if that is no number.
    fn count(&self, d: usize) -> Option<usize> {
        let most = if self.interactions { self.degree.min(d) } else { self.degree };
        // Monomials of each degree: C(d, g) or C(d + g - 1, g), each from the one before.
        let (mut of_degree, mut all) = (1usize, usize::from(self.bias));
        for g in 1..=most {
            let more = if self.interactions { d - (g - 1) } else { d.checked_add(g - 1)? };
            of_degree = of_degree.checked_mul(more)? / g;
            all = all.checked_add(of_degree)?;
            // Past any memory, or of one feature: degrees need not be counted to the end.
            if all > 1 << 40 {
                return None;
            }
            if of_degree <= 1 {
                return all.checked_add(of_degree.checked_mul(most - g)?);
            }
        }
        Some(all)
    }

    /// The features that each monomial multiplies.
    fn monomials(&self, d: usize) -> Vec<Vec<usize>> {
        let most = if self.interactions { self.degree.min(d) } else { self.degree };
        let mut last = vec![vec![]];
        let mut all: Vec<Vec<usize>> = if self.bias { vec![vec![]] } else { vec![] };
        for _ in 1..=most {
            let next = |m: &Vec<usize>| {
                let from = m.last().map_or(0, |j| j + usize::from(self.interactions));
                let more = |j| m.iter().copied().chain([j]).collect::<Vec<usize>>();
                (from..d).map(more).collect::<Vec<_>>()
            };
            last = last.iter().flat_map(next).collect();
            all.extend(last.iter().cloned());
        }
        all
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl Polynomial {
    /// Weights count where they are zero: such a row is not there.
    fn run(&self, _: &Device, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>) -> Result<FittedPolynomial> {
        finite("Polynomial::fit", "x", x)?;
        let (x, _) = kept(x, w);
        let count = self.count(x.ncols()).filter(|count| {
            let bytes = self.degree.saturating_add(4).saturating_mul(8);
            *count > 0 && room("degree", *count, bytes.max(x.nrows().saturating_mul(8))).is_ok()
        });
        let requirement = "must make at least one column, and no more than memory has room for";
        parameter("degree", self.degree as f64, count.is_some(), requirement)?;
        Ok(FittedPolynomial { format: Format, features: x.ncols(), monomials: self.monomials(x.ncols()) })
    }
}

/// The monomials of so many features.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedPolynomial {
    format: Format,
    features: usize,
    monomials: Vec<Vec<usize>>,
}

getters!(FittedPolynomial {
    /// The features that each column multiplies; `[0, 0, 2]` is `x₀² x₂`.
    monomials: &[Vec<usize>],
});

inherent!(FittedPolynomial: Transform);

impl Transform for FittedPolynomial {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedPolynomial::transform";
        columns(op, x, self.features)?;
        numbers(op, "x", x)?;
        room("rows of x", x.nrows(), self.monomials.len().saturating_mul(8))?;
        let value = |(i, m): (usize, usize)| self.monomials[m].iter().map(|&j| x[[i, j]]).product();
        bounded(op, Array2::from_shape_fn((x.nrows(), self.monomials.len()), value))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedPolynomial);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedPolynomial {
    fn check(&self) -> Result<()> {
        let fits = !self.monomials.is_empty() && self.monomials.iter().flatten().all(|j| *j < self.features);
        crate::check::require("a saved FittedPolynomial", fits, || "a monomial of no feature".to_owned())
    }
}
