//! Density estimation by a flow: data to noise, one invertible map after another.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::map::FlowMap;
use crate::check::{inputs, numbers, parameter, require, sample};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Inputs, InverseTransform, Report, Reported, Sample, Score, Transform};
use crate::models::neural::activation::Activation;
use crate::models::neural::network::Network;
use crate::models::neural::training::{Learned, Objective, Training};
use crate::random::gaussians;
use crate::saved::Format;
use crate::{Device, Result};

const OP: &str = "NormalisingFlow::fit";

/// Which invertible maps a flow is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlowKind {
    /// `x + û tanh(wᵀx + b)`.
    Planar,
    /// Affine coupling with networks of these hidden widths; there must be two columns or more.
    Coupling(Vec<usize>),
}

/// Normalising flow: `z = f(x)`, `ln p(x) = ln N(z; 0, I) + ln |det ∂f/∂x|`, with f a chain of invertible maps, fitted by
/// maximum likelihood.
///
/// Columns are standardised first, which is a map like the others. Coupling maps take turns in which columns they leave as they
/// are. Runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((50, 2), |(n, j)| ((n * (j + 3)) as f64).sin());
/// let flow = NormalisingFlow::new(2, FlowKind::Coupling(vec![4])).training(Training::default().epochs(20));
/// let fitted = flow.fit(&Device::cpu(), &x)?;
/// let back = fitted.inverse_transform(fitted.transform(&x)?)?;
/// assert!((&back - &x).iter().all(|d| d.abs() < 1e-9));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalisingFlow {
    maps: usize,
    kind: FlowKind,
    training: Training,
}

impl NormalisingFlow {
    /// With so many maps, one after the other.
    pub fn new(maps: usize, kind: FlowKind) -> Self {
        NormalisingFlow { maps, kind, training: Training::default() }
    }
}

setters!(NormalisingFlow {
    /// How to train.
    training: Training,
});

fits!(NormalisingFlow: Fit -> FittedFlow);

impl NormalisingFlow {
    fn chain(&self, d: usize) -> Result<Vec<FlowMap>> {
        parameter("maps", self.maps as f64, self.maps > 0, "must be at least 1")?;
        let one = |at: usize| match &self.kind {
            FlowKind::Planar => Ok(FlowMap::Planar { width: d }),
            FlowKind::Coupling(hidden) => {
                parameter("columns", d as f64, d > 1, "coupling needs at least two")?;
                let passive: Vec<bool> = (0..d).map(|i| (i + at).is_multiple_of(2)).collect();
                let known = passive.iter().filter(|p| **p).count();
                let network = Network::mlp(known, hidden, 2 * (d - known), Activation::Tanh)?;
                Ok(FlowMap::Coupling { passive, network })
            }
        };
        (0..self.maps).map(one).collect()
    }

    /// The mean negative log-density of the rows at these parameters, one map's after the other's, and its gradient: what
    /// training descends. The rows are taken as they are; a fit standardises them first.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of parameters, and bad data.
    pub fn objective(&self, parameters: &[f64], x: impl Inputs) -> Result<(f64, Vec<f64>)> {
        let x = x.inputs();
        sample("NormalisingFlow::objective", "x", x.view(), 1)?;
        let maps = self.chain(x.ncols())?;
        let objective = Likelihood { maps: &maps, x: x.view() };
        let (want, held, n) = (objective.parameters(), parameters.len(), x.nrows());
        require("NormalisingFlow::objective", want == held, || format!("{held} parameters for {want}"))?;
        let (value, gradient) = objective.batch(parameters, &(0..n).collect::<Vec<_>>(), 0)?;
        Ok((value / n as f64, gradient.into_iter().map(|g| g / n as f64).collect()))
    }
}

impl Fit for NormalisingFlow {
    type Fitted = FittedFlow;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedFlow> {
        sample(OP, "x", x, 2)?;
        let d = x.ncols();
        let maps = self.chain(d)?;
        let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let scale = x.std_axis(Axis(0), 0.0);
        let flat = scale.iter().find(|s| !(**s > 0.0 && s.is_finite())).copied();
        parameter(
            "spread of a column",
            flat.unwrap_or(1.0),
            flat.is_none(),
            "a column without spread has no density",
        )?;
        let standard = (&x - &mean) / &scale;
        let objective = Likelihood { maps: &maps, x: standard.view() };
        let start = |seed: u64| {
            // Small, so that every map begins near the identity.
            let mut normal = gaussians(seed, 0);
            Ok((0..objective.parameters()).map(|_| 0.1 * normal()).collect())
        };
        let none = vec![false; objective.parameters()];
        let learned = self.training.run(OP, x.nrows(), None, start, &none, &objective)?;
        let Learned { parameters, report, .. } = learned;
        let fitted = FittedFlow { format: Format, maps, parameters, mean, scale, report };
        numbers(OP, "the densities", fitted.score_samples(x)?.view().insert_axis(Axis(1)))?;
        Ok(fitted)
    }
}

struct Likelihood<'a> {
    maps: &'a [FlowMap],
    x: ArrayView2<'a, f64>,
}

impl Likelihood<'_> {
    fn parameters(&self) -> usize {
        self.maps.iter().map(FlowMap::parameters).sum()
    }
}

impl Objective for Likelihood<'_> {
    /// The negative log-likelihood.
    fn batch(&self, theta: &[f64], rows: &[usize], _: u64) -> Result<(f64, Vec<f64>)> {
        let mut now = self.x.select(Axis(0), rows);
        let mut value = 0.5 * TAU.ln() * now.len() as f64;
        let (mut traces, mut at) = (Vec::new(), 0);
        for map in self.maps {
            let own = &theta[at..at + map.parameters()];
            let (next, log_det, trace) = map.record(own, now);
            value -= log_det.sum();
            traces.push((at, trace));
            now = next;
            at += map.parameters();
        }
        value += 0.5 * now.mapv(|v| v * v).sum();
        let mut gradient = vec![0.0; theta.len()];
        let mut by = now;
        for (map, (at, trace)) in self.maps.iter().zip(&traces).rev() {
            let range = *at..at + map.parameters();
            by = map.backward(&theta[range.clone()], trace, &by, -1.0, &mut gradient[range]);
        }
        Ok((value, gradient))
    }
}

/// A fitted [`NormalisingFlow`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedFlow {
    format: Format,
    maps: Vec<FlowMap>,
    parameters: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    scale: Array1<f64>,
    report: Report,
}

getters!(FittedFlow {
    /// The maps, in the order in which data pass them.
    maps: &[FlowMap],
    /// Their parameters, one map's after the other's.
    parameters: &[f64],
    /// How the training went; the trace is the mean negative log-likelihood of standardised rows.
    report: &Report,
});

inherent!(FittedFlow: Transform, InverseTransform, Sample, Score);

impl FittedFlow {
    fn pass(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        inputs("FittedFlow", x, self.mean.len())?;
        let mut now = (&x - &self.mean) / &self.scale;
        let mut log_det = Array1::from_elem(x.nrows(), -self.scale.mapv(f64::ln).sum());
        let mut at = 0;
        for map in &self.maps {
            let (next, own, _) = map.record(&self.parameters[at..at + map.parameters()], now);
            log_det += &own;
            now = next;
            at += map.parameters();
        }
        numbers("FittedFlow", "the noise", now.view())?;
        Ok((now, log_det))
    }

    /// `ln p(x)` of each row.
    ///
    /// # Errors
    /// As `transform`.
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let (z, log_det) = self.pass(x.inputs().view())?;
        let d = self.mean.len() as f64;
        Ok(z.map_axis(Axis(1), |r| -0.5 * (d * TAU.ln() + r.dot(&r))) + &log_det)
    }
}

impl Transform for FittedFlow {
    /// `z = f(x)`.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.pass(x).map(|found| found.0)
    }
}

impl InverseTransform for FittedFlow {
    /// `x = f⁻¹(z)`.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedFlow::inverse_transform", z, self.mean.len())?;
        let (mut now, mut end) = (z.to_owned(), self.parameters.len());
        for map in self.maps.iter().rev() {
            let start = end - map.parameters();
            now = map.back(&self.parameters[start..end], now.view());
            end = start;
        }
        Ok(now * &self.scale + &self.mean)
    }
}

impl Sample for FittedFlow {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut z = crate::check::zeros("count", count, self.mean.len())?;
        if count == 0 {
            return Ok(z);
        }
        let mut normal = gaussians(seed, 0);
        z.mapv_inplace(|_| normal());
        InverseTransform::inverse_transform(self, z.view())
    }
}

impl Score for FittedFlow {
    /// The mean log-density.
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedFlow {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedFlow);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedFlow {
    fn check(&self) -> Result<()> {
        let d = self.mean.len();
        let networks = self.maps.iter().all(|map| match map {
            FlowMap::Planar { .. } => true,
            FlowMap::Coupling { passive, network } => {
                let known = passive.iter().filter(|p| **p).count();
                network.check().is_ok()
                    && network.inputs() == known
                    && network.outputs() == 2 * (d - known.min(d))
            }
        });
        let fits = networks
            && self.scale.len() == d
            && self.maps.iter().all(|m| m.width() == d)
            && self.maps.iter().map(FlowMap::parameters).sum::<usize>() == self.parameters.len()
            && self.parameters.iter().chain(&self.mean).chain(&self.scale).all(|v| v.is_finite());
        require("a saved FittedFlow", fits, || "maps and parameters that do not fit together".to_owned())
    }
}
