//! Fits by maximum posterior: closed forms under conjugate priors, and a search under any other. Checked in
//! `tests/probability/fits.rs` against grids.

use ndarray::{ArrayView1, ArrayView2};

use super::categorical::counted_rows;
use super::component::{moments, weighted};
use super::{
    Beta, Binomial, Dirichlet, Gamma, InverseGamma, Laplace, Learned, Multinomial, StudentT, VonMises,
};
use crate::check::{entries, parameter, positive, require};
use crate::{Error, Result};

impl Binomial {
    /// The most probable μ under a beta prior: `(a + Σx - 1)/(a + b + nN - 2)` for N counts of n trials.
    ///
    /// # Errors
    /// As [`Binomial::fit_weighted`], and [`Error::Parameter`] where the posterior has no single mode.
    pub fn fit_map(trials: u64, x: &[f64], w: &[f64], prior: &Beta) -> Result<Self> {
        Self::fit_weighted(trials, x, w)?;
        let (total, mean, _) = moments(x, w);
        let rest = total * (trials as f64 - mean);
        Binomial::new(trials, prior.after(total * mean, rest)?)
    }
}

impl Multinomial {
    /// The most probable μ under a Dirichlet prior: shares of `α_k + Σx_k - 1`.
    ///
    /// # Errors
    /// As [`Multinomial::fit_weighted`], and [`Error::Parameter`] where the posterior has no mode inside.
    pub fn fit_map(trials: u64, rows: ArrayView2<f64>, w: &[f64], prior: &Dirichlet) -> Result<Self> {
        let counts = counted_rows("Multinomial::fit_map", trials, rows, w)?;
        Multinomial::new(trials, &prior.after(&counts)?)
    }
}

impl Dirichlet {
    /// The most probable α under the conjugate prior `p(α) ∝ B(α)^-n₀ exp(n₀ Σ t_k (α_k - 1))`, that is after n₀ rows more whose
    /// mean of `ln π` is t: `ψ(α_k) - ψ(Σα)` is the mean of all.
    ///
    /// # Errors
    /// As [`Dirichlet::fit_weighted`]; [`Error::Parameter`] unless n₀ is positive, [`Error::Shape`] for a t of another length.
    pub fn fit_map(rows: ArrayView2<f64>, w: &[f64], strength: f64, mean_log: &[f64]) -> Result<Self> {
        const OP: &str = "Dirichlet::fit_map";
        positive("strength", strength)?;
        entries(OP, "mean_log", mean_log)?;
        require(OP, mean_log.len() == rows.ncols(), || {
            format!("rows of {}, mean_log of {}", rows.ncols(), mean_log.len())
        })?;
        let start = Dirichlet::fit_weighted(rows, w)?;
        let w = ArrayView1::from(w);
        let (seen, total) = (rows.mapv(f64::ln).t().dot(&w), w.sum());
        let target: Vec<f64> =
            seen.iter().zip(mean_log).map(|(s, t)| (s + strength * t) / (total + strength)).collect();
        Dirichlet::new(&super::dirichlet::matched(&target, start.alpha())?)
    }
}

/// A distribution of one number with coordinates that may be any real numbers: positive parameters by their logarithms.
pub trait Coordinates: Learned {
    /// The coordinates of this one.
    fn coordinates(&self) -> Vec<f64>;

    /// The one with these coordinates.
    ///
    /// # Errors
    /// [`Error::Parameter`] where a parameter overflows.
    fn from_coordinates(at: &[f64]) -> Result<Self>;

    /// `argmax_θ Σ_i w_i ln p(x_i | θ) + ln p(θ)` under any prior, a density of the parameters themselves: by Nelder and Mead's
    /// search from the maximum of the likelihood, to about 1e-7.
    ///
    /// ```
    /// use mercer::probability::distributions::{Coordinates, Gamma, Normal, Univariate};
    /// let prior = Normal::new(3.0, 0.01)?; // of the shape; any rate is as good
    /// let x = [1.0, 2.0, 4.0];
    /// let fitted = Gamma::fit_map(&x, &[1.0; 3], |g| prior.log_density(g.shape()))?;
    /// assert!((fitted.shape() - 3.0).abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`]; [`Error::Parameter`] if the prior is zero or not a number there, [`Error::NoConvergence`].
    fn fit_map(x: &[f64], w: &[f64], log_prior: impl Fn(&Self) -> f64) -> Result<Self> {
        weighted("Coordinates::fit_map", x, w)?;
        let start = Self::fit_weighted(x, w)?;
        let value = |at: &[f64]| {
            let log = Self::from_coordinates(at)
                .and_then(|d| Ok(d.log_likelihood(x, w)? + log_prior(&d)))
                .unwrap_or(f64::NEG_INFINITY);
            if log.is_nan() { f64::INFINITY } else { -log }
        };
        let first = value(&start.coordinates());
        parameter(
            "-log posterior",
            first,
            first.is_finite(),
            "the prior must not be zero at the likelihood's maximum",
        )?;
        Self::from_coordinates(&simplex(start.coordinates(), value)?)
    }
}

/// `argmin f` by Nelder and Mead's method, begun again where it stopped until that is the same place.
fn simplex(start: Vec<f64>, f: impl Fn(&[f64]) -> f64) -> Result<Vec<f64>> {
    const ROUNDS: usize = 40;
    let (mut best, mut moved) = (start, f64::INFINITY);
    for round in 0..ROUNDS {
        let next = once(&best, if round == 0 { 0.5 } else { 0.05 }, &f);
        moved = next.iter().zip(&best).fold(0.0, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
        best = next;
        if moved < 1e-7 {
            return Ok(best);
        }
    }
    Err(Error::NoConvergence { op: "fit_map", iterations: ROUNDS, residual: moved, tolerance: 1e-7 })
}

/// One search from a simplex with edges of this length.
fn once(start: &[f64], edge: f64, f: &impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let k = start.len();
    let mut all: Vec<(f64, Vec<f64>)> = (0..=k)
        .map(|i| {
            let at: Vec<f64> = (0..k).map(|j| start[j] + if i == j { edge } else { 0.0 }).collect();
            (f(&at), at)
        })
        .collect();
    for _ in 0..400 * k {
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = all
            .iter()
            .flat_map(|(_, p)| p.iter().zip(&all[0].1))
            .fold(0f64, |m, (a, b)| m.max((a - b).abs()));
        if size < 1e-10 {
            break;
        }
        let worst = all[k].clone();
        let centre: Vec<f64> =
            (0..k).map(|j| all[..k].iter().map(|(_, p)| p[j]).sum::<f64>() / k as f64).collect();
        let along = |t: f64| {
            let at: Vec<f64> = centre.iter().zip(&worst.1).map(|(c, w)| c + t * (c - w)).collect();
            (f(&at), at)
        };
        let reflected = along(1.0);
        let next = if reflected.0 < all[0].0 {
            let far = along(2.0);
            if far.0 < reflected.0 { far } else { reflected }
        } else if reflected.0 < all[k - 1].0 {
            reflected
        } else {
            along(if reflected.0 < worst.0 { 0.5 } else { -0.5 })
        };
        if next.0 < worst.0 {
            all[k] = next;
        } else {
            let best = all[0].1.clone();
            for (value, at) in &mut all[1..] {
                at.iter_mut().zip(&best).for_each(|(a, b)| *a = 0.5 * (*a + b));
                *value = f(at);
            }
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.swap_remove(0).1
}

macro_rules! coordinates {
    ($($name:ident: $count:literal, |$d:ident| $to:expr, |$u:ident| $from:expr;)+) => { $(
        impl Coordinates for $name {
            fn coordinates(&self) -> Vec<f64> {
                let $d = self;
                $to.to_vec()
            }

            fn from_coordinates($u: &[f64]) -> Result<Self> {
                const OP: &str = concat!(stringify!($name), "::from_coordinates");
                require(OP, $u.len() == $count, || format!("{} coordinates, {} given", $count, $u.len()))?;
                $from
            }
        }
    )+ };
}

coordinates! {
    Gamma: 2, |d| [d.shape().ln(), d.rate().ln()], |u| Gamma::new(u[0].exp(), u[1].exp());
    InverseGamma: 2, |d| [d.shape().ln(), d.scale().ln()], |u| InverseGamma::new(u[0].exp(), u[1].exp());
    Beta: 2, |d| [d.a().ln(), d.b().ln()], |u| Beta::new(u[0].exp(), u[1].exp());
    Laplace: 2, |d| [d.location(), d.scale().ln()], |u| Laplace::new(u[0], u[1].exp());
    StudentT: 3, |d| [d.degrees().ln(), d.location(), d.scale().ln()],
        |u| StudentT::new(u[0].exp(), u[1], u[2].exp());
    VonMises: 2, |d| [d.location(), d.concentration().ln()], |u| VonMises::new(u[0], u[1].exp());
}
