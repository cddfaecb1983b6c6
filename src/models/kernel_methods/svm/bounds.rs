//! Vapnik's bounds: how rich a class of hyperplanes is, and what that means for the risk.

use crate::Result;
use crate::check::{level, not_negative, parameter, positive};

/// `h ≤ R²A² + 1`: the VC dimension of canonical hyperplanes with `‖w‖ ≤ A` on points within a ball of radius R.
///
/// With a margin `1/‖w‖` it is the squared ratio of the ball to the margin, whatever the number of features; scaling the
/// points leaves it as it is. R is the radius of [`EnclosingBall`](super::EnclosingBall).
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a number that is negative or not finite.
///
/// ```
/// use mercer::models::kernel_methods::vc_dimension_bound;
/// assert_eq!(vc_dimension_bound(2.0, 1.5)?, 10.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn vc_dimension_bound(radius: f64, norm: f64) -> Result<f64> {
    not_negative("radius", radius)?;
    not_negative("norm", norm)?;
    let h = radius * radius * norm * norm + 1.0;
    parameter("R²A² + 1", h, h.is_finite(), "must be finite: scale the data")?;
    Ok(h)
}

/// `R ≤ R_emp + √((a/n)(h + ln(b/δ)))` with probability `1 - δ`, for a capacity h and constants a, b of the theorem used.
///
/// ```
/// use mercer::models::kernel_methods::VcBound;
/// let bound = VcBound::new(10.0);
/// assert!(bound.risk(0.05, 1000, 0.05)? > bound.risk(0.05, 4000, 0.05)?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VcBound {
    capacity: f64,
    a: f64,
    b: f64,
}

impl VcBound {
    /// The bound for this capacity, with a = b = 1.
    pub fn new(capacity: f64) -> Self {
        VcBound { capacity, a: 1.0, b: 1.0 }
    }

    /// With the constants a > 0 and b > 0.
    #[must_use]
    pub fn constants(mut self, a: f64, b: f64) -> Self {
        (self.a, self.b) = (a, b);
        self
    }

    /// The bound on the risk, from the share of errors on n observations.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for no observations, a δ outside (0, 1), constants that are not positive or
    /// a capacity or empirical risk below zero.
    pub fn risk(&self, empirical: f64, n: usize, delta: f64) -> Result<f64> {
        not_negative("the empirical risk", empirical)?;
        not_negative("the capacity", self.capacity)?;
        positive("a", self.a)?;
        positive("b", self.b)?;
        level(delta)?;
        parameter("observations", n as f64, n > 0, "there must be at least one")?;
        let inside = self.a / n as f64 * (self.capacity + (self.b / delta).ln());
        Ok(empirical + inside.max(0.0).sqrt())
    }
}
