//! Random projections through a nonlinearity. Checked in `tests/classify/geometry.rs`.

use ndarray::{Array1, Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::check::{columns, finite, numbers, parameter, room};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::{Fit, Transform};
use crate::ops::product;
use crate::saved::Format;
use crate::{Device, Result};

/// What a random feature does to its projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RandomActivation {
    /// `tanh a`.
    #[default]
    Tanh,
    /// `1/(1 + e^{-a})`.
    Sigmoid,
    /// `max(a, 0)`.
    Relu,
    /// a itself: random combinations of the features.
    Linear,
}

/// `φ(x) = h(Vx + c)` with random V and c that are never learned: in front of a linear model an extreme learning machine.
///
/// Entries of V are normal, divided by `√d`, those of c are normal. The first k of more features are those of fewer, of the
/// same seed.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((30, 1), |(i, _)| i as f64 / 5.0 - 3.0);
/// let y = x.column(0).mapv(|v: f64| v.sin());
/// let fit = Pipeline::new(RandomLayer::new(20), Ridge::new(1e-6)).fit(&Device::cpu(), &x, &y)?;
/// assert!(fit.score(&x, &y)? > 0.95);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomLayer {
    count: usize,
    activation: RandomActivation,
    seed: u64,
}

impl RandomLayer {
    /// So many features, by tanh.
    pub fn new(count: usize) -> Self {
        RandomLayer { count, activation: RandomActivation::Tanh, seed: 0 }
    }
}

setters!(RandomLayer {
    /// The nonlinearity.
    activation: RandomActivation,
    /// Seed of V and c.
    seed: u64,
});

fits!(RandomLayer: Fit -> FittedRandomLayer);

impl Fit for RandomLayer {
    type Fitted = FittedRandomLayer;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedRandomLayer> {
        finite("RandomLayer::fit", "x", x)?;
        let d = x.ncols();
        parameter("count", self.count as f64, self.count > 0, "must be at least 1")?;
        room("count", self.count, (d + 1 + x.nrows()).saturating_mul(8))?;
        let (mut weights, mut offsets) = (Array2::zeros((d, self.count)), Array1::zeros(self.count));
        for k in 0..self.count {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(k as u64);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            weights.column_mut(k).mapv_inplace(|_: f64| normal() / (d as f64).sqrt());
            offsets[k] = normal();
        }
        Ok(FittedRandomLayer { format: Format, activation: self.activation, weights, offsets })
    }
}

/// Fitted [`RandomLayer`]: its draws.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedRandomLayer {
    format: Format,
    activation: RandomActivation,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    weights: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    offsets: Array1<f64>,
}

getters!(FittedRandomLayer {
    /// V, one column for each feature.
    weights: &Array2<f64>,
    /// c.
    offsets: &Array1<f64>,
});

inherent!(FittedRandomLayer: Transform);

impl Transform for FittedRandomLayer {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedRandomLayer::transform";
        columns(op, x, self.weights.nrows())?;
        numbers(op, "x", x)?;
        let mut out = Array2::zeros((x.nrows(), self.offsets.len()));
        product(1.0, x, self.weights.view(), 0.0, out.view_mut());
        out += &self.offsets;
        match self.activation {
            RandomActivation::Tanh => out.mapv_inplace(f64::tanh),
            RandomActivation::Sigmoid => out.mapv_inplace(crate::learn::classify::sigmoid),
            RandomActivation::Relu => out.mapv_inplace(|a| a.max(0.0)),
            RandomActivation::Linear => {}
        }
        super::bounded(op, out)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRandomLayer);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedRandomLayer {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedRandomLayer";
        crate::check::require(op, self.weights.ncols() == self.offsets.len(), || {
            "offsets that do not fit".to_owned()
        })?;
        finite(op, "the weights", self.weights.view())?;
        finite(op, "the offsets", self.offsets.view().insert_axis(ndarray::Axis(1)))
    }
}
