//! Laplace's double exponential distribution.

use ndarray::Array1;
use rand::RngExt;

use super::component::weighted;
use super::{Learned, Univariate, draws, probability};
use crate::Result;
use crate::check::{parameter, positive};
use crate::configure::getters;

/// `p(x) = exp(-|x - c|/b)/(2b)`: as a prior it makes the lasso's penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Laplace {
    centre: f64,
    width: f64,
}

getters!(Laplace {
    /// c.
    location => centre: f64,
    /// b.
    scale => width: f64,
});

impl Laplace {
    /// Laplace's distribution about `location` with scale b.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a scale that is not positive.
    pub fn new(location: f64, scale: f64) -> Result<Self> {
        parameter("location", location, location.is_finite(), "must be finite")?;
        positive("scale", scale)?;
        Ok(Laplace { centre: location, width: scale })
    }

    fn standard(&self, x: f64) -> f64 {
        (x - self.centre) / self.width
    }
}

impl Univariate for Laplace {
    fn log_density(&self, x: f64) -> f64 {
        -self.standard(x).abs() - (2.0 * self.width).ln()
    }

    fn cdf(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z <= 0.0 { 0.5 * z.exp() } else { 1.0 - 0.5 * (-z).exp() }
    }

    fn survival(&self, x: f64) -> f64 {
        let z = self.standard(x);
        if z >= 0.0 { 0.5 * (-z).exp() } else { 1.0 - 0.5 * z.exp() }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let z = if p <= 0.5 { (2.0 * p).ln() } else { -(2.0 * (1.0 - p)).ln() };
        Ok(self.centre + self.width * z)
    }

    fn mean(&self) -> Option<f64> {
        Some(self.centre)
    }

    fn variance(&self) -> Option<f64> {
        Some(2.0 * self.width * self.width)
    }

    fn mode(&self) -> Option<f64> {
        Some(self.centre)
    }

    fn entropy(&self) -> f64 {
        1.0 + (2.0 * self.width).ln()
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        draws(count, seed, |rng| {
            let size: f64 = -(1.0 - rng.random::<f64>()).ln();
            self.centre + self.width * if rng.random::<bool>() { size } else { -size }
        })
    }
}

impl Learned for Laplace {
    /// The weighted median, and the mean distance from it.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Laplace::fit", x, w)?;
        let mut order: Vec<usize> = (0..x.len()).filter(|&i| w[i] > 0.0).collect();
        order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
        let total: f64 = w.iter().sum();
        let (mut mass, mut centre) = (0.0, x[order[0]]);
        for (at, &i) in order.iter().enumerate() {
            mass += w[i];
            if 2.0 * mass >= total {
                // Half the weight on either side: anything between is a median, and the middle is one.
                let even = 2.0 * mass == total && at + 1 < order.len();
                centre = if even { 0.5 * x[i] + 0.5 * x[order[at + 1]] } else { x[i] };
                break;
            }
        }
        let distance = x.iter().zip(w).map(|(x, w)| w * (x - centre).abs()).sum::<f64>() / total;
        Laplace::new(centre, distance)
    }
}
