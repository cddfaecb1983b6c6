//! Spectral measures in the open: their densities and draws. Checked in `tests/svm/spectral.rs` by quadrature.

use std::f64::consts::{PI, TAU};

use ndarray::Array2;
use statrs::function::gamma::ln_gamma;

use super::Kernel;
use super::bessel::ln_bessel_k;
use super::expr::{Expr, Kind, Leaf};
use crate::check::{parameter, require};
use crate::{Error, Result};

/// The spectral measure Λ of Bochner's theorem: `k(x, x') = k(0) ∫ cos(ωᵀ(x - x')) dΛ(ω)` for a stationary kernel.
impl Kernel {
    /// The density of Λ at ω, one number for each feature; it integrates to one.
    ///
    /// Normal for [`Kernel::rbf`], Student's t of 2ν degrees of freedom for the Matérn kernels, Cauchy's in each feature for
    /// [`Kernel::laplacian`], a Gamma mixture of normals for the rational quadratic; sums mix densities by their
    /// amplitudes, and a multiple changes nothing. A product convolves densities, and a periodic kernel has a lattice
    /// instead of one: of those there are draws only.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a kernel without a density that is known, [`Error::Parameter`] for a parameter out of its
    /// domain, [`Error::Shape`] for another number of features.
    ///
    /// ```
    /// use mercer::Kernel;
    /// let normal = Kernel::rbf(2.0).spectral_density(&[0.3])?;
    /// assert!((normal - 2.0 / std::f64::consts::TAU.sqrt() * (-0.18_f64).exp()).abs() < 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn spectral_density(&self, omega: &[f64]) -> Result<f64> {
        const OP: &str = "Kernel::spectral_density";
        self.check()?;
        self.fits(OP, omega.len())?;
        require(OP, !omega.is_empty(), || "there are no features".to_owned())?;
        let bad = omega.iter().copied().find(|w| !w.is_finite());
        parameter("a frequency", bad.unwrap_or(0.0), bad.is_none(), "must be finite")?;
        density(&self.expr, omega).map(|(size, density)| density / size).ok_or_else(|| Error::Unsupported {
            op: OP,
            what: format!("a spectral density of {self}"),
            device: "any device".to_owned(),
            instead: "draw from it with `spectral_draws`, or use Nyström features",
        })
    }

    /// Draws from Λ: `count x d`, one frequency a row; the seed decides.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a kernel without a known spectral measure, [`Error::Parameter`] for more draws than memory
    /// has room for.
    pub fn spectral_draws(&self, features: usize, count: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("features", features as f64, features > 0, "there must be at least one")?;
        crate::check::room("count", count, 24 * features.saturating_add(2))?;
        let (_, rows) = self.frequencies("Kernel::spectral_draws", features, count, false, seed)?;
        Ok(Array2::from_shape_fn((count, features), |(i, j)| rows[i][j]))
    }
}

/// k(0), and k(0) times the density.
fn density(e: &Expr, omega: &[f64]) -> Option<(f64, f64)> {
    match e {
        Expr::Leaf(leaf) => Some((1.0, leaf_density(leaf, omega)?)),
        Expr::Scaled(c, k) => density(k, omega).map(|(size, d)| (c.value * size, c.value * d)),
        Expr::Sum(parts) => parts.iter().try_fold((0.0, 0.0), |(size, sum), k| {
            let (s, d) = density(k, omega)?;
            Some((size + s, sum + d))
        }),
        _ => None,
    }
}

fn leaf_density(leaf: &Leaf, omega: &[f64]) -> Option<f64> {
    let d = omega.len() as f64;
    let scaled = || omega.iter().enumerate().map(|(f, w)| (leaf.scale_of(f), leaf.scale_of(f) * w));
    let volume: f64 = scaled().map(|(l, _)| l.ln()).sum();
    let square: f64 = scaled().map(|(_, v)| v * v).sum();
    let student = |nu: f64| {
        let constant = ln_gamma(nu + 0.5 * d) - ln_gamma(nu) - 0.5 * d * (TAU * nu).ln();
        (constant + volume - (nu + 0.5 * d) * (square / (2.0 * nu)).ln_1p()).exp()
    };
    // s ~ Gamma(α, rate), and ω ~ N(0, s I) given s: a Bessel function.
    let mixture = |alpha: f64, rate: f64| {
        let (order, q) = (alpha - 0.5 * d, 0.5 * square);
        let constant = alpha * rate.ln() - ln_gamma(alpha) - 0.5 * d * TAU.ln() + volume;
        if q == 0.0 {
            // Infinite at the origin unless α > d/2.
            return if order > 0.0 {
                (constant + ln_gamma(order) - order * rate.ln()).exp()
            } else {
                f64::INFINITY
            };
        }
        let bessel = ln_bessel_k(order, 2.0 * (rate * q).sqrt());
        (constant + 2f64.ln() + 0.5 * order * (q / rate).ln() + bessel).exp()
    };
    match leaf.kind {
        Kind::Rbf => Some((volume - 0.5 * d * TAU.ln() - 0.5 * square).exp()),
        Kind::Matern12 => Some(student(0.5)),
        Kind::Matern32 => Some(student(1.5)),
        Kind::Matern52 => Some(student(2.5)),
        Kind::Matern(nu) => Some(student(nu)),
        Kind::Laplacian => Some(scaled().map(|(l, v)| l / (PI * (1.0 + v * v))).product()),
        Kind::RationalQuadratic => Some(mixture(leaf.scalar(0), leaf.scalar(0))),
        Kind::RationalQuadraticBeta => Some(mixture(leaf.scalar(0), 0.5 * leaf.scalar(1))),
        _ => None,
    }
}
