//! Classical scaling: coordinates from distances.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::{centred, turned};
use crate::Result;
use crate::check::{components, parameter, symmetric};
use crate::linalg::eigh;

/// Coordinates whose distances are those given, as nearly as so many dimensions allow.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassicalScaling {
    /// The coordinates `√κ_m u_m`, n x k.
    pub points: Array2<f64>,
    /// All eigenvalues κ of `-½HDH`, descending.
    pub eigenvalues: Array1<f64>,
}

impl ClassicalScaling {
    /// The size of the negative eigenvalues relative to all: zero for distances between points of some Euclidean space.
    pub fn strain(&self) -> f64 {
        let sum = |f: fn(f64) -> f64| self.eigenvalues.iter().map(|v| f(*v)).sum::<f64>();
        let all = sum(f64::abs);
        if all > 0.0 { sum(|v| (-v).max(0.0)) / all } else { 0.0 }
    }

    /// Whether the distances are Euclidean, to this part of all eigenvalues.
    pub fn is_euclidean(&self, tolerance: f64) -> bool {
        self.strain() <= tolerance
    }
}

/// Classical scaling of **squared** distances, n x n: the top k eigenpairs of `-½HDH`, as `√κ_m u_m`. Directions whose
/// eigenvalue is not positive are coordinates of zero.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for a matrix that is not square or
/// not finite, [`Error::Parameter`](crate::Error::Parameter) for one that is not symmetric, has a diagonal other than zero or
/// negative entries, or for a k that is zero or above n.
///
/// ```
/// use mercer::models::kernel_methods::classical_scaling;
/// // A triangle of sides 3, 4, 5.
/// let d = ndarray::array![[0.0, 9.0, 16.0], [9.0, 0.0, 25.0], [16.0, 25.0, 0.0]];
/// let found = classical_scaling(d.view(), 2)?;
/// let apart = &found.points.row(1) - &found.points.row(2);
/// assert!((apart.dot(&apart) - 25.0).abs() < 1e-12 && found.is_euclidean(1e-12));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn classical_scaling(squared: ArrayView2<f64>, k: usize) -> Result<ClassicalScaling> {
    let mut b = symmetric("classical_scaling", squared)? * -0.5;
    components("k", k, b.nrows())?;
    let diagonal = b.diag().iter().fold(0f64, |m, v| m.max(v.abs()));
    parameter("the diagonal of the distances", diagonal, diagonal == 0.0, "must be zero")?;
    let least = b.iter().fold(0f64, |m, v| m.min(-v));
    parameter("a squared distance", -2.0 * least.abs(), least >= 0.0, "must not be negative")?;
    centred(&mut b);
    let eigen = eigh(b.view())?;
    let mut points = eigen.vectors.slice(s![.., ..k]).to_owned();
    for (m, mut column) in points.columns_mut().into_iter().enumerate() {
        let length = eigen.values[m].max(0.0).sqrt();
        let u = turned(column.view());
        column.assign(&(length * u));
    }
    Ok(ClassicalScaling { points, eigenvalues: eigen.values })
}
