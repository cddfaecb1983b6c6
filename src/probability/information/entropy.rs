//! Shannon's measures of tables, and the divergence of normal distributions.

use ndarray::{ArrayView2, ArrayView3, Axis};

use super::{masses, pair};
use crate::Result;
use crate::check::{parameter, positive};
use crate::probability::special::x_log_x;

/// Nats to bits.
pub fn bits(nats: f64) -> f64 {
    nats / std::f64::consts::LN_2
}

/// `H(p) = -Σ p ln p`, with `0 ln 0 = 0`: between zero and `ln K`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no outcomes, [`Error::Parameter`](crate::Error::Parameter) for negative
/// numbers or a sum that is not one.
///
/// ```
/// assert!((mercer::probability::information::entropy(&[0.8, 0.2])? - 0.5004024235381879).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn entropy(p: &[f64]) -> Result<f64> {
    pair("entropy", p, p)?;
    Ok(-p.iter().map(|&p| x_log_x(p)).sum::<f64>())
}

/// `H(p ‖ q) = -Σ p ln q = H(p) + KL(p ‖ q)`; infinite where q is zero and p is not.
///
/// # Errors
/// As [`entropy`].
pub fn cross_entropy(p: &[f64], q: &[f64]) -> Result<f64> {
    pair("cross_entropy", p, q)?;
    Ok(-p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * q.ln()).sum::<f64>())
}

/// `KL(p ‖ q) = Σ p ln(p/q)`: at least zero, and zero for equal distributions only; infinite where q is zero and p is not.
///
/// q need not be normalised: `KL(p ‖ cq) = KL(p ‖ q) - ln c`, which may be negative.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::Parameter`](crate::Error::Parameter) for negative numbers, or a p that
/// does not sum to one.
pub fn divergence(p: &[f64], q: &[f64]) -> Result<f64> {
    masses("divergence", p, q)?;
    pair("divergence", p, p)?;
    let term = |(p, q): (&f64, &f64)| {
        let ratio = p / q;
        // A ratio beyond what f64 holds has a logarithm all the same.
        p * if ratio.is_finite() { ratio.ln() } else { p.ln() - q.ln() }
    };
    let sum: f64 = p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(term).sum();
    // Of two distributions; rounding must not make it negative.
    Ok(if (q.iter().sum::<f64>() - 1.0).abs() < 1e-12 { sum.max(0.0) } else { sum })
}

/// `ln p(x)/q(x)` of each outcome; its mean under p is `KL(p ‖ q)`, under q it is `-KL(q ‖ p)`. NaN where both are zero.
///
/// # Errors
/// As [`entropy`].
pub fn log_ratio(p: &[f64], q: &[f64]) -> Result<Vec<f64>> {
    pair("log_ratio", p, q)?;
    Ok(p.iter().zip(q).map(|(p, q)| p.ln() - q.ln()).collect())
}

/// `H(X | Y) = H(X, Y) - H(Y)` of a joint table, X along the rows.
///
/// # Errors
/// As [`entropy`].
pub fn conditional_entropy(joint: ArrayView2<f64>) -> Result<f64> {
    let all: Vec<f64> = joint.iter().copied().collect();
    Ok(entropy(&all)? - entropy(&joint.sum_axis(Axis(0)).to_vec())?)
}

/// `I(X; Y) = KL(p(x, y) ‖ p(x) p(y))` of a joint table: zero if and only if they are independent, and no processing of Y
/// adds to it.
///
/// # Errors
/// As [`entropy`].
pub fn mutual_information(joint: ArrayView2<f64>) -> Result<f64> {
    let (rows, columns) = (joint.sum_axis(Axis(1)), joint.sum_axis(Axis(0)));
    let p: Vec<f64> = joint.iter().copied().collect();
    let q: Vec<f64> = joint.indexed_iter().map(|((i, j), _)| rows[i] * columns[j]).collect();
    divergence(&p, &q)
}

/// `I(X; Y | Z) = Σ_z p(z) I(X; Y | Z = z)` of a joint table with X, Y, Z along its axes: never negative, zero if and only if X and Y
/// are independent given Z; `I(X; Y, Z) = I(X; Z) + I(X; Y | Z)`.
///
/// # Errors
/// As [`entropy`].
///
/// ```
/// use mercer::probability::information::{conditional_mutual_information, mutual_information};
/// // Two coins and whether they differ: independent, until the third is known.
/// let p = ndarray::Array3::from_shape_fn((2, 2, 2), |(x, y, z)| if x ^ y == z { 0.25 } else { 0.0 });
/// assert!(mutual_information(p.sum_axis(ndarray::Axis(2)).view())?.abs() < 1e-15);
/// assert!((conditional_mutual_information(p.view())? - 2f64.ln()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn conditional_mutual_information(joint: ArrayView3<f64>) -> Result<f64> {
    let all: Vec<f64> = joint.iter().copied().collect();
    pair("conditional_mutual_information", &all, &all)?;
    let mut sum = 0.0;
    for slice in joint.axis_iter(Axis(2)) {
        let mass = slice.sum();
        if mass > 0.0 {
            sum += mass * mutual_information((&slice / mass).view())?;
        }
    }
    Ok(sum)
}

/// `KL(N(m₁, v₁) ‖ N(m₂, v₂)) = ½ (v₁/v₂ + (m₂ - m₁)²/v₂ - 1 + ln v₂/v₁)`, by variances v.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for variances that are not positive.
pub fn normal_divergence((m1, v1): (f64, f64), (m2, v2): (f64, f64)) -> Result<f64> {
    positive("first variance", v1)?;
    positive("second variance", v2)?;
    let gap = m2 - m1;
    parameter("difference of means", gap, gap.is_finite(), "must be finite")?;
    let ratio = v1 / v2;
    Ok((0.5 * (ratio - 1.0 - ratio.ln() + gap * gap / v2)).max(0.0))
}
