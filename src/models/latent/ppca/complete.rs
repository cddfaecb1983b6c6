//! EM with nothing missing, over the moments of the data: no iteration looks at a row again.

use ndarray::{Array1, Array2};

use super::ard::{self, Ard};
use super::{FittedPpca, Params, Ppca, PpcaSolver, finish};
use crate::inference::em::{EmModel, Statistics};
use crate::linalg::small_cholesky::Small;
use crate::models::latent::gaussian::log_likelihood;
use crate::models::latent::{Pca, StreamedMoments};
use crate::{Error, Result};

pub(super) fn fit(ppca: &Ppca, parts: &[StreamedMoments], whole: &StreamedMoments) -> Result<FittedPpca> {
    let variance = whole.variances().mean().unwrap_or(0.0);
    let varies = variance > 0.0;
    if !varies {
        return Err(Error::Singular { op: "Ppca::fit, variance", index: 0, value: variance });
    }
    let d = whole.columns();
    let automatic = ppca.solver == PpcaSolver::Automatic;
    let model = Complete { mean: whole.mean().clone(), ard: automatic.then(|| Ard::new(variance)), variance };
    let mut em = ppca.em.clone();
    if automatic {
        // There is one start: the maximum without the prior, from which columns fall away.
        em.restarts = 1;
    }
    let outcome = em.run(&model, parts, |seed| {
        if !automatic {
            return Ok(ppca.random_start(d, variance, seed));
        }
        let k = ppca.components.min(whole.count() - 1);
        let ml = super::closed::fit(Pca::new(k).ddof(0).fit_moments(whole)?, 1e-13)?;
        let alpha = model.ard.map(|ard| ard.precisions(ml.loadings()));
        Ok(Params { w: ml.loadings().clone(), shift: Array1::zeros(d), noise: ml.noise_variance(), alpha })
    })?;
    let log_likelihood = log_likelihood_of(&outcome.params, &outcome.stats)?;
    finish(outcome, &model.mean, log_likelihood, whole.count())
}

struct Complete {
    mean: Array1<f64>,
    ard: Option<Ard>,
    /// The mean variance of a column.
    variance: f64,
}

/// Sums over rows, with `b_i = E[z_i]`: `Σ x_i b_i^T`, `Σ E[z_i z_i^T]`, `Σ ‖x_i‖²`.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    count: f64,
    cross: Array2<f64>,
    outer: Array2<f64>,
    squares: f64,
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.cross += &other.cross;
        self.outer += &other.outer;
        self.squares += other.squares;
    }

    fn scale(&mut self, by: f64) {
        self.count *= by;
        self.cross *= by;
        self.outer *= by;
        self.squares *= by;
    }

    fn mass(&self) -> f64 {
        self.count
    }
}

/// `M = W^T W + σ² I`, factored.
fn inner(params: &Params) -> Result<Small> {
    let mut m = params.w.t().dot(&params.w);
    m.diag_mut().mapv_inplace(|v| v + params.noise);
    Small::new("Ppca::fit, posterior", m.view())
}

fn log_likelihood_of(params: &Params, sums: &Sums) -> Result<f64> {
    let (d, k) = params.w.dim();
    let log_det = (d - k) as f64 * params.noise.ln() + inner(params)?.log_det;
    let trace = (sums.squares - (&params.w * &sums.cross).sum()) / (params.noise * sums.count);
    Ok(log_likelihood(sums.count, d, log_det, trace))
}

impl EmModel for Complete {
    const NAME: &'static str = "Ppca::fit";
    type Batch = StreamedMoments;
    type Params = Params;
    type Stats = Sums;

    fn expect(&self, params: &Params, part: &StreamedMoments) -> Result<Sums> {
        let count = part.count() as f64;
        let m = inner(params)?;
        let off = part.mean() - &self.mean;
        // The second moment about the mean of all parts, times W: the part's own scatter and where it lies.
        let mut cross = part.scatter().dot(&params.w);
        let along = off.dot(&params.w) * count;
        cross += &(&off.view().insert_axis(ndarray::Axis(1)) * &along);
        let cross = m.solve_rows(cross.view());
        let outer = m.solve_rows(cross.t().dot(&params.w).view());
        let outer = outer + m.inverse(params.w.ncols()) * (params.noise * count);
        let squares = part.spread() + count * off.dot(&off);
        Ok(Sums { count, cross, outer, squares })
    }

    fn maximise(&self, params: &Params, sums: &Sums) -> Result<Params> {
        let mut outer = (&sums.outer + &sums.outer.t()) * 0.5;
        let plain = outer.clone();
        if let Some(alpha) = &params.alpha {
            let mut diagonal = outer.diag_mut();
            diagonal += &(alpha * params.noise);
        }
        let w = Small::new("Ppca::fit, loadings", outer.view())?.solve_rows(sums.cross.view());
        let left = sums.squares - 2.0 * (&w * &sums.cross).sum() + (&w.dot(&plain) * &w).sum();
        let noise = left / (sums.count * w.nrows() as f64);
        // Below this the likelihood has no bound, and its terms no digits.
        let noisy = noise > 1e-13 * self.variance;
        if !noisy {
            return Err(Error::Singular { op: "Ppca::fit, noise variance", index: w.ncols(), value: noise });
        }
        let (w, alpha) = ard::update(self.ard, w)?;
        Ok(Params { w, shift: params.shift.clone(), noise, alpha })
    }

    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior = match (&self.ard, &params.alpha) {
            (Some(ard), Some(alpha)) => ard.log_prior(&params.w, alpha),
            _ => 0.0,
        };
        log_likelihood_of(params, sums).map_or(f64::NAN, |l| l + prior)
    }
}
