//! The box, and the first points in it.

use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Result;
use crate::check::{parameter, require, zeros};

/// A box and its map to the unit cube.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct UnitBox {
    bounds: Vec<(f64, f64)>,
}

impl UnitBox {
    pub fn new(bounds: &[(f64, f64)]) -> Result<Self> {
        let own = UnitBox { bounds: bounds.to_vec() };
        own.check()?;
        Ok(own)
    }

    /// An error if it has no dimensions, or bounds that are not finite and in order.
    pub fn check(&self) -> Result<()> {
        require("BayesOptimiser", !self.bounds.is_empty(), || "a box of no dimensions".to_owned())?;
        let requirement = "bounds must be finite, the lower below the upper";
        // The width too must be a number.
        let fine = |low: f64, high: f64| low < high && (high - low).is_finite();
        self.bounds.iter().enumerate().try_for_each(|(i, &(low, high))| {
            parameter(&format!("bounds[{i}].0"), low, fine(low, high), requirement)
        })
    }

    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// From the unit cube; never outside of the box by rounding.
    pub fn outer(&self, unit: &[f64]) -> Vec<f64> {
        let each = self.bounds.iter().zip(unit);
        each.map(|(&(low, high), u)| (low + u * (high - low)).clamp(low, high)).collect()
    }

    /// The point of the unit cube that stands for `x`.
    pub fn inner(&self, x: &[f64]) -> Result<Vec<f64>> {
        require("BayesOptimiser", x.len() == self.dim(), || {
            format!("the box has {} dimensions, the point {}", self.dim(), x.len())
        })?;
        let each = self.bounds.iter().zip(x).enumerate();
        each.map(|(i, (&(low, high), &v))| {
            let inside = (low..=high).contains(&v);
            parameter(&format!("x[{i}]"), v, inside, "the point must lie in the box")?;
            Ok((v - low) / (high - low))
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
