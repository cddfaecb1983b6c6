//! The leaves: one constructor for each kernel that is not made of others.

use std::sync::Arc;

use ndarray::Array2;

use super::expr::{Expr, Kind, Leaf, Table};
use super::hyper::{Hyper, Lengthscale};
use super::{Custom, Kernel};

fn leaf(kind: Kind, scales: Option<Lengthscale>, scalars: Vec<Hyper>) -> Kernel {
    Kernel { expr: Expr::Leaf(Leaf::new(kind, scales, scalars)) }
}

/// Leaves. Each length scale ℓ may be one number for all features or one for each.
impl Kernel {
    /// x·x'.
    pub fn linear() -> Self {
        leaf(Kind::Linear, None, vec![])
    }

    /// `Σ_f w_f x_f x'_f` with weights w > 0, one for all features or one for each.
    pub fn linear_weighted(weights: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Linear, Some(weights.into()), vec![])
    }

    /// (x·x' + c)^m with an integer degree m ≥ 1 and an offset c ≥ 0.
    pub fn polynomial(degree: u32, offset: f64) -> Self {
        leaf(Kind::Polynomial(degree), None, vec![Hyper::non_negative(offset)])
    }

    /// `exp(Σ_f x_f x'_f / ℓ_f²)`; it grows fast: in f32 it overflows once the exponent passes 88.
    pub fn exponential_dot(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::ExponentialDot, Some(lengthscale.into()), vec![])
    }

    /// `exp(-½ Σ_f (x_f - x'_f)² / ℓ_f²)`: the Gaussian or squared exponential kernel.
    pub fn rbf(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Rbf, Some(lengthscale.into()), vec![])
    }

    /// `exp(-Σ_f |x_f - x'_f| / ℓ_f)`.
    pub fn laplacian(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Laplacian, Some(lengthscale.into()), vec![])
    }

    /// `exp(-r), r² = Σ_f (x_f - x'_f)² / ℓ_f²`.
    pub fn matern12(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Matern12, Some(lengthscale.into()), vec![])
    }

    /// `(1 + √3 r) exp(-√3 r), r² = Σ_f (x_f - x'_f)² / ℓ_f²`.
    pub fn matern32(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Matern32, Some(lengthscale.into()), vec![])
    }

    /// `(1 + √5 r + 5r²/3) exp(-√5 r), r² = Σ_f (x_f - x'_f)² / ℓ_f²`.
    pub fn matern52(lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Matern52, Some(lengthscale.into()), vec![])
    }

    /// 2^(1-ν)/Γ(ν) z^ν `K_ν(z)`, z = √(2ν) r, for any smoothness ν > 0.
    ///
    /// ν is structure, not a hyper-parameter. ν = ½, 3/2 and 5/2 use the closed forms; any other costs a Bessel
    /// function for each pair and runs on the CPU only.
    pub fn matern(nu: f64, lengthscale: impl Into<Lengthscale>) -> Self {
        leaf(Kind::Matern(nu), Some(lengthscale.into()), vec![])
    }

    /// `(1 + r²/(2α))^-α, r² = Σ_f (x_f - x'_f)² / ℓ_f²`: a Gamma mixture of Gaussian kernels.
    pub fn rational_quadratic(lengthscale: impl Into<Lengthscale>, alpha: f64) -> Self {
        leaf(Kind::RationalQuadratic, Some(lengthscale.into()), vec![Hyper::positive(alpha)])
    }

    /// (1 + |x - x'|²/β)^-α: the same family as [`Kernel::rational_quadratic`], with β = 2αℓ².
    pub fn rational_quadratic_beta(alpha: f64, beta: f64) -> Self {
        leaf(Kind::RationalQuadraticBeta, None, vec![Hyper::positive(alpha), Hyper::positive(beta)])
    }

    /// `exp(-2 Σ_f sin²(π(x_f - x'_f)/p) / ℓ_f²)`.
    pub fn periodic(lengthscale: impl Into<Lengthscale>, period: f64) -> Self {
        leaf(Kind::Periodic, Some(lengthscale.into()), vec![Hyper::positive(period)])
    }

    /// x·x' / (|x| |x'|), and 0 where either vector is zero.
    pub fn cosine() -> Self {
        leaf(Kind::Cosine, None, vec![])
    }

    /// (2/π) asin(2 x̃ᵀΣx̃' / √((1 + 2x̃ᵀΣx̃)(1 + 2x̃'ᵀΣx̃'))), x̃ = (1, x), Σ = diag(bias, weights):
    /// the covariance of an infinite network of erf units.
    pub fn arcsine(weight_variance: impl Into<Lengthscale>, bias_variance: f64) -> Self {
        leaf(Kind::Arcsine, Some(weight_variance.into()), vec![Hyper::positive(bias_variance)])
    }

    /// c > 0 for every pair.
    pub fn constant(c: f64) -> Self {
        leaf(Kind::Constant, None, vec![Hyper::positive(c)])
    }

    /// The variance where both arguments are the *same observation* (equal index in one data set), else 0.
    ///
    /// Two observations with equal coordinates are still two: [`Kernel::value`] gives 0 for white noise, and
    /// [`Kernel::variance`] gives the variance.
    pub fn white(variance: f64) -> Self {
        leaf(Kind::White, None, vec![Hyper::positive(variance)])
    }

    /// tanh(a x·x' + b), a > 0: not positive definite in general, kept because support vector machines use it.
    pub fn sigmoid(scale: f64, offset: f64) -> Self {
        leaf(Kind::Sigmoid, None, vec![Hyper::positive(scale), Hyper::real(offset)])
    }

    /// `K[i, j]` of a given symmetric matrix; column 0 of the data holds the index of each point.
    ///
    /// Kernels on strings, graphs or documents enter here. On the GPU an index must be below 2^24.
    pub fn precomputed(gram: Array2<f64>) -> Self {
        leaf(Kind::Precomputed(Table::new(&gram)), None, vec![])
    }

    /// θ₀ exp(-|x - x'|²/(2θ₁²)) + θ₂ + θ₃ x·x'; a term whose factor is zero is left out, with θ₁ if it is θ₀.
    ///
    /// All of θ₀, θ₂, θ₃ zero gives a sum of nothing, which [`Kernel::check`] refuses.
    pub fn theta_form(t0: f64, t1: f64, t2: f64, t3: f64) -> Self {
        let mut terms = Vec::new();
        // `!= 0.0` and not `> 0.0`: a negative or NaN factor must reach the check, not vanish.
        if t0 != 0.0 {
            terms.push(Kernel::rbf(t1).scaled(t0).expr);
        }
        if t2 != 0.0 {
            terms.push(Kernel::constant(t2).expr);
        }
        if t3 != 0.0 {
            terms.push(Kernel::linear().scaled(t3).expr);
        }
        Kernel { expr: if terms.len() == 1 { terms.swap_remove(0) } else { Expr::Sum(terms) } }
    }

    /// A kernel of the user's own.
    pub fn custom(custom: Custom) -> Self {
        let scalars = custom.params.iter().map(|(_, h)| h.clone()).collect();
        leaf(Kind::Custom(Arc::new(custom)), None, scalars)
    }

    /// xᵀAx' with A symmetric positive semi-definite.
    pub fn quadratic_form(a: Array2<f64>) -> Self {
        Kernel { expr: Expr::Quadratic(Table::new(&a)) }
    }
}
