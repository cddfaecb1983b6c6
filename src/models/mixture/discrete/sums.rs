//! What discrete mixtures and latent classes learn, and the sums that they learn it from.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::inference::em::Statistics;
use crate::ops::{Along, Reduction, Trans, gemm, reduce};
use crate::{Matrix, Result};

/// π and the probabilities, `K x d`: d features, or all categories of all variables.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Params {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub weights: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub probabilities: Array2<f64>,
}

/// What the rows add up to, by component.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    pub mass: Array1<f64>,
    /// `sum_i w_i r_ik x_i`.
    pub total: Array2<f64>,
    pub log_likelihood: f64,
}

crate::saved::wired!(Params { weights, probabilities });
crate::saved::wired!(Sums { mass, total, log_likelihood });

impl Sums {
    /// By weighted responsibilities r, `n x K`, where these and the rows of `x` live.
    pub fn of(r: &Matrix, x: &Matrix, log_likelihood: f64) -> Result<Self> {
        let mass = reduce(r, Along::EachColumn, Reduction::Sum)?.to_array()?.index_axis_move(Axis(0), 0);
        let total = gemm(1.0, r, Trans::Yes, x, Trans::No)?.to_array()?;
        Ok(Sums { mass, total, log_likelihood })
    }

    /// By the memberships that a fit starts from, `n x K`.
    pub fn of_memberships(r: &Array2<f64>, x: ArrayView2<f64>) -> Self {
        Sums { mass: r.sum_axis(Axis(0)), total: r.t().dot(&x), log_likelihood: 0.0 }
    }
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.mass += &other.mass;
        self.total += &other.total;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.mass *= by;
        self.total *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.mass.sum()
    }
}
