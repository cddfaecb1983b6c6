//! What one penalty makes of the data, by whichever decomposition serves all penalties.

use ndarray::{Array1, Array2};

use super::centred::Centred;
use super::graded::{Graded, spread};
use super::ridge::{FittedRidge, Form};
use super::spectrum::{Spectrum, Targets};
use crate::Result;

/// Roots of weights, the largest beside the least, beyond which light rows drown in the rounding of heavy ones.
const UNEVEN: f64 = 1e5;

/// What a penalty leaves of the data, and what it makes of them.
pub(super) struct AtPenalty {
    /// What the fit leaves of the weighted targets, n x t.
    pub residuals: Array2<f64>,
    /// `1 - h_ii`: what the fit leaves of a change of each target.
    pub freedoms: Array1<f64>,
    /// `tr H`.
    pub trace: f64,
    /// d x t.
    pub coefficients: Array2<f64>,
    pub intercept: Array1<f64>,
}

impl AtPenalty {
    pub fn into_fit(self, penalty: f64, form: Form) -> FittedRidge {
        FittedRidge::new(self.coefficients, self.intercept, penalty, form, None)
    }
}

/// One decomposition for every penalty.
pub(super) enum Decomposition {
    Singular(Box<(Spectrum, Targets)>),
    Graded(Box<Graded>, Form),
}

impl Decomposition {
    pub fn new(data: &Centred, intercept: bool) -> Result<Self> {
        let n = data.x.nrows();
        let total = data.weights.map_or(n as f64, |w| w.sum());
        let q = Array1::from_shape_fn(n, |i| data.root(i) / total.sqrt());
        let spectrum = Spectrum::new(data.rows(), intercept.then_some(&q))?;
        let uneven = spread(q.iter().filter(|q| **q > 0.0)) > UNEVEN;
        let graded = if uneven || spectrum.is_strained() { Graded::new(data, intercept) } else { None };
        if let Some(graded) = graded {
            return Ok(Decomposition::Graded(Box::new(graded), spectrum.form));
        }
        let targets = spectrum.project(data.targets());
        Ok(Decomposition::Singular(Box::new((spectrum, targets))))
    }

    pub fn form(&self) -> Form {
        match self {
            Decomposition::Singular(both) => both.0.form,
            Decomposition::Graded(_, form) => *form,
        }
    }

    pub fn at(&self, penalty: f64, data: &Centred, intercept: bool) -> AtPenalty {
        match self {
            Decomposition::Graded(graded, _) => graded.at(penalty),
            Decomposition::Singular(both) => {
                let (spectrum, targets) = &**both;
                let coefficients = spectrum.coefficients(penalty, targets);
                AtPenalty {
                    residuals: spectrum.residuals(penalty, targets),
                    freedoms: spectrum.freedoms(penalty),
                    trace: spectrum.trace(penalty) + f64::from(u8::from(intercept)),
                    intercept: data.intercept(&coefficients),
                    coefficients,
                }
            }
        }
    }
}
