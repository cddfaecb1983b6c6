//! Sufficient statistics of a Gaussian mixture: masses, first and second moments about reference points.

use ndarray::{Array1, Array2, s};

use crate::inference::em::Statistics;
use crate::ops::{Moments, Second};

/// A component with less than this share of the data has none to be estimated from.
const SHARE: f64 = 1e-12;

/// Expected sufficient statistics of a [`GaussianMixture`](super::GaussianMixture): what many machines, or many parts of
/// a file, add up.
///
/// The moments are about the means of the E-step, so that a small variance far from the origin keeps its digits;
/// statistics about other points are moved before they are added.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianStatistics {
    /// What the moments are about: the means at the E-step, `K x d`.
    pub reference: Array2<f64>,
    /// `N_k = sum_i w_i r_ik`.
    pub mass: Array1<f64>,
    /// `sum_i w_i r_ik (x_i - reference_k)`, `K x d`.
    pub first: Array2<f64>,
    /// `sum_i w_i r_ik (x_i - reference_k)(x_i - reference_k)^T`, one below the other; or the diagonals, `K x d`.
    pub second: Array2<f64>,
    /// `sum_i w_i log p(x_i)`.
    pub log_likelihood: f64,
}

crate::saved::wired!(GaussianStatistics { reference, mass, first, second, log_likelihood });

impl GaussianStatistics {
    pub(in crate::models::mixture) fn new(
        reference: Array2<f64>,
        moments: Moments,
        log_likelihood: f64,
    ) -> Self {
        let Moments { mass, first, second } = moments;
        GaussianStatistics { reference, mass, first, second, log_likelihood }
    }

    fn kind(&self) -> Second {
        if self.second.dim() == self.first.dim() && self.first.ncols() > 1 {
            Second::Diagonal
        } else {
            Second::Full
        }
    }

    /// Whether the component has anything to be estimated from.
    pub(in crate::models::mixture) fn alive(&self, k: usize) -> bool {
        self.mass[k] > SHARE * self.mass.sum()
    }

    /// How far the weighted mean lies from the reference.
    pub(in crate::models::mixture) fn shift(&self, k: usize) -> Array1<f64> {
        &self.first.row(k) / self.mass[k]
    }

    /// `sum r (x - mean)(x - mean)^T`, from full second moments.
    pub(in crate::models::mixture) fn scatter(&self, k: usize) -> Array2<f64> {
        let d = self.first.ncols();
        let (shift, mass) = (self.shift(k), self.mass[k]);
        let second = self.second.slice(s![k * d..(k + 1) * d, ..]);
        Array2::from_shape_fn((d, d), |(i, j)| second[[i, j]] - mass * shift[i] * shift[j])
    }

    /// The variances about the mean, from either kind of second moments.
    pub(in crate::models::mixture) fn variances(&self, k: usize) -> Array1<f64> {
        let d = self.first.ncols();
        let shift = self.shift(k);
        let raw = |j: usize| match self.kind() {
            Second::Full => self.second[[k * d + j, j]],
            Second::Diagonal => self.second[[k, j]],
        };
        Array1::from_shape_fn(d, |j| (raw(j) / self.mass[k] - shift[j] * shift[j]).max(0.0))
    }

    /// The same statistics about other points.
    fn about(&self, reference: &Array2<f64>) -> Self {
        let (k, d) = self.first.dim();
        let mut moved = self.clone();
        moved.reference.clone_from(reference);
        for k in 0..k {
            let by = &reference.row(k) - &self.reference.row(k);
            let (mass, first) = (self.mass[k], self.first.row(k));
            moved.first.row_mut(k).scaled_add(-mass, &by);
            let term = |i: usize, j: usize| mass * by[i] * by[j] - first[i] * by[j] - by[i] * first[j];
            match self.kind() {
                Second::Diagonal => (0..d).for_each(|j| moved.second[[k, j]] += term(j, j)),
                Second::Full => {
                    for i in 0..d {
                        (0..d).for_each(|j| moved.second[[k * d + i, j]] += term(i, j));
                    }
                }
            }
        }
        moved
    }
}

impl Statistics for GaussianStatistics {
    fn add(&mut self, other: &Self) {
        if self.reference != other.reference {
            // The later reference is nearer to where the means are going.
            *self = self.about(&other.reference);
        }
        self.mass += &other.mass;
        self.first += &other.first;
        self.second += &other.second;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.mass *= by;
        self.first *= by;
        self.second *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.mass.sum()
    }
}
