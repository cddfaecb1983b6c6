//! Embeddings of normal distributions under the Gaussian kernel, in closed form. Checked in `tests/probability/embedding.rs`.

use crate::Result;
use crate::check::{positive, require};
use crate::probability::gaussian::MultivariateNormal;

/// `E k(X, Y)` for `k(x, y) = exp(-|x - y|²/(2γ²))` and independent normal X and Y: the inner product `⟨μ_P, μ_Q⟩` of their embeddings,
/// `|I + S/γ²|^-½ exp(-½ (m₁ - m₂)ᵀ(γ²I + S)⁻¹(m₁ - m₂))`, `S = Σ₁ + Σ₂`.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a γ that is not positive, [`Error::Shape`](crate::Error::Shape) for different numbers of
/// features.
///
/// ```
/// use mercer::probability::gaussian::MultivariateNormal;
/// use mercer::stats::gaussian_embedding_product;
/// use ndarray::array;
/// let p = MultivariateNormal::new(array![0.0].view(), array![[1.0]].view())?;
/// let q = MultivariateNormal::new(array![2.0].view(), array![[0.25]].view())?;
/// let v: f64 = 2.25 + 1.0 + 0.25; // γ = 1.5
/// assert!((gaussian_embedding_product(1.5, &p, &q)? - 1.5 / v.sqrt() * (-4.0 / (2.0 * v)).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gaussian_embedding_product(
    lengthscale: f64,
    p: &MultivariateNormal,
    q: &MultivariateNormal,
) -> Result<f64> {
    positive("lengthscale", lengthscale)?;
    let d = p.mean().len();
    require("gaussian_embedding_product", q.mean().len() == d, || {
        format!("{d} features and {}", q.mean().len())
    })?;
    let mut covariance = p.covariance() + q.covariance();
    covariance.diag_mut().mapv_inplace(|v| v + lengthscale * lengthscale);
    let wide = MultivariateNormal::new(q.mean().view(), covariance.view())?;
    let far = wide.mahalanobis(p.mean().view().insert_axis(ndarray::Axis(0)))?[0];
    Ok((d as f64 * lengthscale.ln() - 0.5 * wide.log_det() - 0.5 * far).exp())
}

/// The squared MMD of two normal distributions under the Gaussian kernel, `⟨μ_P, μ_P⟩ - 2⟨μ_P, μ_Q⟩ + ⟨μ_Q, μ_Q⟩`.
///
/// # Errors
/// As [`gaussian_embedding_product`].
pub fn gaussian_squared_mmd(lengthscale: f64, p: &MultivariateNormal, q: &MultivariateNormal) -> Result<f64> {
    let product = |a, b| gaussian_embedding_product(lengthscale, a, b);
    Ok((product(p, p)? - 2.0 * product(p, q)? + product(q, q)?).max(0.0))
}

/// The embedding `μ_P(x) = E k(x, X)` of a normal distribution at each row of `x`.
///
/// # Errors
/// As [`gaussian_embedding_product`], and [`Error::NotFinite`](crate::Error::NotFinite).
pub fn gaussian_embedding(
    lengthscale: f64,
    p: &MultivariateNormal,
    x: ndarray::ArrayView2<f64>,
) -> Result<ndarray::Array1<f64>> {
    positive("lengthscale", lengthscale)?;
    let mut covariance = p.covariance().clone();
    covariance.diag_mut().mapv_inplace(|v| v + lengthscale * lengthscale);
    let wide = MultivariateNormal::new(p.mean().view(), covariance.view())?;
    let constant = p.mean().len() as f64 * lengthscale.ln() - 0.5 * wide.log_det();
    Ok(wide.mahalanobis(x)?.mapv(|m| (constant - 0.5 * m).exp()))
}
