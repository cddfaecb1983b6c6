//! What the classifiers of this folder share: labels, and each class against the rest.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::deformed::{Deformed, Function, Penalties};
use crate::Result;
use crate::check::{finite, require};
use crate::learn::labels::most_probable;
use crate::learn::{Label, Labels};

/// Classes and the function of each, or one function for the second of two.
pub(super) struct Machine<L> {
    pub labels: Labels<L>,
    pub function: Function,
}

impl<L: Label> Machine<L> {
    /// Fits one function for each set of signs ±1 by `solve`, which returns its coefficients a.
    pub fn learn(
        op: &'static str,
        penalties: &Penalties,
        x: ArrayView2<f64>,
        y: &[L],
        mut solve: impl FnMut(&Deformed, &[f64]) -> Result<Array1<f64>>,
    ) -> Result<Self> {
        finite(op, "x", x)?;
        require(op, x.nrows() == y.len(), || format!("{} points, {} labels", x.nrows(), y.len()))?;
        let (labels, index) = Labels::of_classes(y)?;
        let deformed = penalties.deform(op, x)?;
        let classes = labels.classes().len();
        let first = usize::from(classes == 2);
        let mut a = Array2::zeros((y.len(), classes - first));
        for class in first..classes {
            let signs: Vec<f64> = index.iter().map(|&i| if i == class { 1.0 } else { -1.0 }).collect();
            a.column_mut(class - first).assign(&solve(&deformed, &signs)?);
        }
        Ok(Machine { labels, function: deformed.function(&a) })
    }
}

/// The classes that decisions speak for.
pub(super) fn decided<L: Label>(labels: &Labels<L>, decision: &Array2<f64>) -> Result<Vec<L>> {
    let index = if decision.ncols() == 1 {
        decision.index_axis(Axis(1), 0).iter().map(|f| usize::from(*f > 0.0)).collect()
    } else {
        most_probable(decision.view())
    };
    labels.names(&index)
}

/// What a file must have.
#[cfg(feature = "serde")]
pub(super) fn check<L>(op: &'static str, labels: &Labels<L>, function: &Function) -> Result<()> {
    function.check()?;
    let (classes, columns) = (labels.classes().len(), function.coefficients.ncols());
    let fit = columns == if classes == 2 { 1 } else { classes };
    require(op, classes > 1 && fit, || format!("{classes} classes, {columns} functions"))
}
