//! The posterior at candidates, with its derivatives by their coordinates.
//!
//! Checked in `tests.rs` against the numbers of the notes, and the derivatives against differences.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::acquisition::{Acquisition, Belief, Reference};
use crate::models::gp::{FittedGp, Predictive};
use crate::probability::posterior_variance::{known, left};
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::{Matrix, Result};

/// Deviations below this, of a process with unit variance, are rounding; a logarithm must not see them.
const LEAST: f64 = 1e-9;
const OP: &str = "BayesOptimiser";

/// A fitted process and what improvements are measured from.
pub(super) struct Surrogate<'a> {
    gp: &'a FittedGp,
    /// The data, on the host.
    x: Matrix,
    incumbent: Incumbent,
}

/// x̃ among the evaluated points.
struct Incumbent {
    /// Its number.
    at: usize,
    /// ỹ or μ(x̃).
    level: f64,
    /// `κ(x̃, x̃)` and `C⁻¹ k(X, x̃)`, if f(x̃) is not taken as known.
    joint: Option<(f64, Array1<f64>)>,
}

impl<'a> Surrogate<'a> {
    pub fn new(gp: &'a FittedGp, reference: Reference) -> Result<Self> {
        let x = Matrix::from_host(gp.x().to_owned());
        let means = gp.predict(gp.x())?;
        let lowest =
            |v: ArrayView1<f64>| (0..v.len()).fold(0, |best, i| if v[i] < v[best] { i } else { best });
        let incumbent = match reference {
            Reference::BestObservation => {
                let at = lowest(gp.y().column(0));
                Incumbent { at, level: gp.y()[[at, 0]], joint: None }
            }
            Reference::BestMean | Reference::Joint => {
                let at = lowest(means.column(0));
                let mut incumbent = Incumbent { at, level: means[[at, 0]], joint: None };
                if reference == Reference::Joint {
                    let point = Matrix::from_host(gp.x().select(Axis(0), &[at]));
                    let cross = gram(gp.kernel(), &x, Some(&point))?.into_array()?;
                    let weights = gp.factor()?.solve(cross.view())?.x.column(0).to_owned();
                    let prior = gram_diagonal(gp.kernel(), &point)?.into_array()?[[0, 0]];
                    let own = left(prior, cross.column(0).dot(&weights));
                    known(OP, 0, [&own])?;
                    incumbent.joint = Some((own, weights));
                }
                incumbent
            }
        };
        Ok(Surrogate { gp, x, incumbent })
    }

    /// x̃.
    pub fn incumbent(&self) -> ArrayView1<'_, f64> {
        self.gp.x().index_axis_move(Axis(0), self.incumbent.at)
    }

    /// μ, σ, g and τ at each row of `x`.
    pub fn beliefs(&self, x: ArrayView2<f64>) -> Result<Vec<[f64; 4]>> {
        let p = self.gp.predict_variance(x, Predictive::Latent)?;
        let spreads = match &self.incumbent.joint {
            None => p.variance.clone(),
            Some((own, weights)) => {
                let at = Matrix::from_host(x.to_owned());
                let point = Matrix::from_host(self.incumbent().to_owned().insert_axis(Axis(0)));
                let weights = Matrix::from_host(weights.clone().insert_axis(Axis(1)));
                let shared = gram(self.gp.kernel(), &at, Some(&point))?.into_array()?
                    - gram_vec(self.gp.kernel(), &at, Some(&self.x), &weights)?.into_array()?;
                Array1::from_shape_fn(x.nrows(), |i| left(p.variance[i] + own, 2.0 * shared[[i, 0]]))
            }
        };
        known(OP, 0, &spreads)?;
        let each = p.mean.column(0).into_iter().zip(&p.variance).zip(&spreads);
        Ok(each.map(|((m, v), t)| [*m, v.sqrt(), self.incumbent.level - m, t.sqrt()]).collect())
    }

    /// The scores of `acquisition` at each row of `x`.
    pub fn scores(&self, acquisition: Acquisition, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        Ok(self.beliefs(x)?.into_iter().map(|[m, s, g, t]| acquisition.value(m, s, g, t)).collect())
    }

    /// What the search minimises, at each row of `x`.
    pub fn costs(&self, acquisition: Acquisition, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        let cost = |[m, s, g, t]: [f64; 4]| acquisition.cost(m, s, g, t.max(LEAST));
        Ok(self.beliefs(x)?.into_iter().map(cost).collect())
    }

    /// Everything at one point, with derivatives.
    pub fn belief(&self, x: &[f64]) -> Result<Belief> {
        let (n, d) = (self.x.rows(), x.len());
        let (kernel, data) = (self.gp.kernel(), self.gp.x());
        let at = Array2::from_shape_fn((1, d), |(_, f)| x[f]);
        let here = Matrix::from_host(at.clone());
        let cross = gram(kernel, &self.x, Some(&here))?.into_array()?;
        let prior = gram_diagonal(kernel, &here)?.into_array()?[[0, 0]];
        let weights = self.gp.factor()?.solve(cross.view())?.x;

        // Means, variances and covariances are k(x, X) times a vector: their derivatives in one go.
        let (cross, weights) = (cross.column(0), weights.column(0));
        let alpha = self.gp.alpha().column(0);
        let mut vectors = Array2::zeros((3, n));
        vectors.row_mut(0).assign(&alpha);
        vectors.row_mut(1).assign(&weights);
        if let Some((_, of_incumbent)) = &self.incumbent.joint {
            vectors.row_mut(2).assign(of_incumbent);
            vectors[[2, self.incumbent.at]] -= 1.0;
        }
        let thrice = Array2::from_shape_fn((3, d), |(_, f)| x[f]);
        let by = kernel.input_gradient(thrice.view(), data, vectors.view())?;
        let own = kernel.input_gradient(at.view(), at.view(), Array2::ones((1, 1)).view())?;

        // β of the mean function: none, the constant, or that and a slope for each coordinate.
        let trend = self.gp.coefficients().column(0);
        let slope = |f: usize| trend.get(1 + f).copied().unwrap_or(0.0);
        let level = trend.first().copied().unwrap_or(0.0);
        let mean = cross.dot(&alpha) + (0..d).fold(level, |m, f| m + slope(f) * x[f]);
        let variance = left(prior, cross.dot(&weights));
        known(OP, 0, [&variance])?;
        let sd = variance.sqrt().max(LEAST);
        let d_variance = 2.0 * (&own.row(0) - &by.row(1));
        let (spread, d_square) = match &self.incumbent.joint {
            None => (sd, d_variance.clone()),
            Some((of_incumbent, w)) => {
                let shared = cross[self.incumbent.at] - cross.dot(w);
                let square = left(variance + of_incumbent, 2.0 * shared);
                known(OP, 0, [&square])?;
                (square.sqrt().max(LEAST), &d_variance + &(2.0 * &by.row(2)))
            }
        };
        Ok(Belief {
            mean,
            sd,
            gain: self.incumbent.level - mean,
            spread,
            d_mean: by.row(0).iter().enumerate().map(|(f, g)| g + slope(f)).collect(),
            d_sd: (d_variance * (0.5 / sd)).to_vec(),
            d_spread: (d_square * (0.5 / spread)).to_vec(),
        })
    }
}
