//! The box, and the first points in it.

use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::check::zeros;
use crate::{Error, Result};

/// A box and its map to the unit cube.
#[derive(Debug, Clone)]
pub(super) struct UnitBox {
    bounds: Vec<(f64, f64)>,
}

impl UnitBox {
    pub fn new(bounds: &[(f64, f64)]) -> Result<Self> {
        if bounds.is_empty() {
            return Err(Error::Shape { op: "BayesOptimiser", what: "a box of no dimensions".to_owned() });
        }
        for (i, &(low, high)) in bounds.iter().enumerate() {
            // The width too must be a number.
            if !(low < high && (high - low).is_finite()) {
                let requirement = "bounds must be finite, the lower below the upper";
                return Err(Error::Parameter { name: format!("bounds[{i}].0"), value: low, requirement });
            }
        }
        Ok(UnitBox { bounds: bounds.to_vec() })
    }

    #[cfg(feature = "serde")]
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// From the unit cube; never outside of the box by rounding.
    pub fn outer(&self, unit: &[f64]) -> Vec<f64> {
        let each = self.bounds.iter().zip(unit);
        each.map(|(&(low, high), u)| (low + u * (high - low)).clamp(low, high)).collect()
    }

    /// To the unit cube.
    pub fn inner(&self, x: &[f64]) -> Result<Vec<f64>> {
        if x.len() != self.dim() {
            let what = format!("the box has {} dimensions, the point {}", self.dim(), x.len());
            return Err(Error::Shape { op: "BayesOptimiser", what });
        }
        let each = self.bounds.iter().zip(x).enumerate();
        each.map(|(i, (&(low, high), &v))| {
            if (low..=high).contains(&v) {
                Ok((v - low) / (high - low))
            } else {
                let requirement = "the point must lie in the box";
                Err(Error::Parameter { name: format!("x[{i}]"), value: v, requirement })
            }
        })
        .collect()
    }

    /// The rows of `x`, each to the unit cube.
    pub fn rows(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros(x.raw_dim());
        for (from, mut to) in x.rows().into_iter().zip(out.rows_mut()) {
            to.assign(&ndarray::Array1::from(self.inner(&from.to_vec())?));
        }
        Ok(out)
    }
}

/// `n` points of the unit cube, one in each of n slices along every axis: the hypercube with this number, of many.
pub(super) fn latin_hypercube(n: usize, d: usize, seed: u64, number: u64) -> Result<Array2<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Stream 0, then downwards from the last: proposals use those from 1.
    rng.set_stream(0u64.wrapping_sub(number));
    let mut x = zeros("initial", n, d)?;
    for mut column in x.columns_mut() {
        let mut slices: Vec<usize> = (0..n).collect();
        slices.shuffle(&mut rng);
        for (v, slice) in column.iter_mut().zip(slices) {
            *v = (slice as f64 + rng.random::<f64>()) / n as f64;
        }
    }
    Ok(x)
}
