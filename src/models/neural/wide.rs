//! Random networks: functions whose law tends to a Gaussian process as the hidden layer widens.

use ndarray::Array2;

use super::activation::Activation;
use crate::Result;
use crate::check::{finite, not_negative, parameter, room};
use crate::learn::Inputs;
use crate::random::gaussians;

/// The law of a random network of one hidden layer: `f(x) = a + Σ_j v_j h(u_jᵀx + b_j)`, `u ~ N(0, σ_u²I)`,
/// `b ~ N(0, σ_b²)`, `v ~ N(0, σ_v²/width)`, `a ~ N(0, σ_a²)`.
///
/// Its covariance is `σ_a² + σ_v² E h(uᵀx + b) h(uᵀx' + b)` at every width; as the width grows f becomes a Gaussian
/// process. For erf units the expectation is [`Kernel::arcsine`](crate::Kernel::arcsine).
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let prior = RandomNetwork::new(50, Activation::Erf).weight_variance(4.0).bias_variance(1.0);
/// let f = prior.functions(array![[0.5], [-0.3]], 2000, 1)?; // one function a row
/// let covariance = f.t().dot(&f) / 2000.0;
/// assert!((covariance[[0, 1]] - 0.118778).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomNetwork {
    width: usize,
    activation: Activation,
    weight_variance: f64,
    bias_variance: f64,
    output_variance: f64,
    output_bias_variance: f64,
}

impl RandomNetwork {
    /// With so many hidden units, variances of 1 and no bias of the output.
    pub fn new(width: usize, activation: Activation) -> Self {
        RandomNetwork {
            width,
            activation,
            weight_variance: 1.0,
            bias_variance: 1.0,
            output_variance: 1.0,
            output_bias_variance: 0.0,
        }
    }
}

crate::learn::configure::setters!(RandomNetwork {
    /// The variance `σ_u²` of the weights to hidden units.
    weight_variance: f64,
    /// The variance `σ_b²` of their biases.
    bias_variance: f64,
    /// The variance `σ_v²` of what all weights from hidden units add up to; each has `σ_v²/width`.
    output_variance: f64,
    /// The variance `σ_a²` of the output's bias; 0 by default.
    output_bias_variance: f64,
});

impl RandomNetwork {
    /// The values at the rows of `x` of so many functions, one a row.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a width of 0, negative variances or more functions than memory has
    /// room for, and bad data.
    pub fn functions(&self, x: impl Inputs, count: usize, seed: u64) -> Result<Array2<f64>> {
        let x = x.inputs();
        finite("RandomNetwork::functions", "x", x.view())?;
        parameter("width", self.width as f64, self.width > 0, "must be at least 1")?;
        not_negative("weight_variance", self.weight_variance)?;
        not_negative("bias_variance", self.bias_variance)?;
        not_negative("output_variance", self.output_variance)?;
        not_negative("output_bias_variance", self.output_bias_variance)?;
        room("count", count, 8 * x.nrows())?;
        room("width", self.width, 8 * x.nrows())?;
        let mut normal = gaussians(seed, 0);
        let (su, sb) = (self.weight_variance.sqrt(), self.bias_variance.sqrt());
        let (sv, sa) = ((self.output_variance / self.width as f64).sqrt(), self.output_bias_variance.sqrt());
        let mut all = Array2::zeros((count, x.nrows()));
        for mut function in all.rows_mut() {
            for _ in 0..self.width {
                let u: Vec<f64> = (0..x.ncols()).map(|_| su * normal()).collect();
                let (b, v) = (sb * normal(), sv * normal());
                for (f, row) in function.iter_mut().zip(x.rows()) {
                    let a = b + row.iter().zip(&u).map(|(x, u)| x * u).sum::<f64>();
                    *f += v * self.activation.value(a);
                }
            }
            if sa > 0.0 {
                function += sa * normal();
            }
        }
        Ok(all)
    }
}
