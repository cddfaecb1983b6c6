//! Content-based recommendation: a ridge regression for each user on given features of the items.

use ndarray::Array2;

use super::als::{Half, solve_rows};
use super::factors::FittedFactors;
use super::rated::rating_fits;
use super::ratings::Ratings;
use crate::Result;
use crate::check::{finite, not_negative, require};
use crate::learn::Report;

/// Ridge regression a user: `ψ_u = argmin Σ_{i: e_ui = 1} w_ui (y_ui - ψ·φ_i)² + λ‖ψ‖²` with given features φ of items.
///
/// A user without ratings has ψ = 0. A penalty of zero needs more ratings of each user than there are features.
/// Predictions may leave the range of ratings. With items as users ([`Ratings::transposed`]) the features are those of
/// users. Runs on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let comedy = array![[1.0, 0.9], [1.0, 0.1], [1.0, 1.0]]; // a constant, and how funny each film is
/// let table = Ratings::from_table(array![[5.0, 1.0, f64::NAN]])?;
/// let fitted = ContentRidge::new(comedy, 0.01).fit_ratings(&table)?;
/// assert!(fitted.rating(0, 2) > 4.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContentRidge {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    features: Array2<f64>,
    penalty: f64,
    size: (Option<usize>, Option<usize>),
}

impl ContentRidge {
    /// With the features of the items, one a row, and λ ≥ 0. The table has as many items as there are rows.
    pub fn new(features: Array2<f64>, penalty: f64) -> Self {
        let items = features.nrows();
        ContentRidge { features, penalty, size: (None, Some(items)) }
    }

    fn run(&self, ratings: &Ratings) -> Result<FittedFactors> {
        const OP: &str = "ContentRidge::fit";
        not_negative("penalty", self.penalty)?;
        finite(OP, "features", self.features.view())?;
        let rows = self.features.nrows();
        require(OP, rows == ratings.items(), || {
            format!("{rows} rows of features, {} items", ratings.items())
        })?;
        let half = Half { other: &self.features, penalty: self.penalty, shared: None };
        let of = |u: usize| ratings.of_user(u).iter().map(|r| (r.item, r.weight, r.value)).collect();
        let user = solve_rows(&half, ratings.users(), of)?;
        finite(OP, "the coefficients", user.view())?;
        let norm = user.iter().map(|v| v * v).sum::<f64>();
        let mut fitted = FittedFactors::new(ratings, user, self.features.clone(), Report::direct(0.0));
        fitted.report = Report::direct(fitted.squared_error(ratings) + self.penalty * norm);
        Ok(fitted)
    }
}

rating_fits!(ContentRidge: -> FittedFactors);
