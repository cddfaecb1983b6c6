//! Two-sample tests at a few places (ME) or a few frequencies (SCF).
//!
//! Checked in `tests/stats/finite_set.rs` against plain loops, and for its level.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::check::{parameter, pooled, positive, require, sample, two_samples};
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::optim::Minimum;
use crate::stats::finite_set::{
    FiniteSetOutcome, Placement, Search, SetFeatures, Verdict, around, flat, parts, random_normal,
    random_rows, split, two_samples as studentised, two_samples_value,
};
use crate::stats::resample::{Null, Resampling, permuted, resampling_setters};
use crate::stats::{Among, Metric, median_distance};
use crate::{Device, Kernel, Matrix, Progress, Result};

const OP: &str = "FiniteSetTest";
/// Points that the median distance is taken between.
const MOST: usize = 1000;

/// `T = uᵀ (S_x/n + S_y/m)⁻¹ u` with `u = mean φ(x_i) - mean φ(y_j)` and J features φ: χ² with J degrees of freedom if
/// both samples come from one distribution.
///
/// * [`mean_embedding`](Self::mean_embedding): `φ_j(x) = exp(-½ |x - v_j|²/σ²)`, at places `v_j` of the space;
/// * [`smooth_characteristic`](Self::smooth_characteristic): sine and cosine of `x·v_j`, in a Gaussian window about
///   the mean.
///
/// Time and memory are O(nJd) and O(nJ). Places and width are chosen to maximise T on one part of the data, by L-BFGS with
/// analytic derivatives, and tested on the other (Jitkrittum et al. 2016): the places found are where the samples
/// differ. The search runs on the CPU in f64, so that every device tests in the same places.
///
/// The χ² law is that of n → ∞; with J features it needs some hundreds of observations in each tested part, and is a
/// little liberal below. Permutations of the tested part, O(nJ²) each, are exact at every n.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((200, 1), |(i, _)| (i as f64 * 0.618).fract());
/// let y = Array2::from_shape_fn((200, 1), |(i, _)| (i as f64 * 0.618).fract().powi(2));
/// let found = FiniteSetTest::mean_embedding().locations(2).run(&Device::cpu(), &x, &y)?;
/// assert!(found.outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteSetTest {
    features: SetFeatures,
    locations: usize,
    placement: Placement,
    resampling: Resampling,
}

setters!(FiniteSetTest {
    /// How many locations, unless they are given; 5 by default.
    locations: usize,
    /// Where the locations come from; a search on half of the data by default.
    placement: Placement,
});

resampling_setters!(FiniteSetTest);

impl FiniteSetTest {
    /// The mean embedding test (ME), with five optimised places.
    pub fn mean_embedding() -> Self {
        Self::new(SetFeatures::Places)
    }

    /// The smoothed characteristic function test (SCF), with five optimised frequencies.
    pub fn smooth_characteristic() -> Self {
        Self::new(SetFeatures::Waves)
    }

    fn new(features: SetFeatures) -> Self {
        let (placement, resampling) = (Placement::default(), Resampling::new(Null::ChiSquared));
        FiniteSetTest { features, locations: 5, placement, resampling }
    }

    /// Whether `x` (`n x d`) and `y` (`m x d`) come from one distribution.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for samples that do not fit each other or are too small for so many
    /// features, [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for a bad
    /// setting or points that are all equal, [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if no
    /// feature varies.
    pub fn run(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<FiniteSetOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        self.resampling.check()?;
        two_samples(OP, x, y, 2)?;
        parameter("locations", self.locations as f64, self.locations > 0, "there must be one or more")?;
        let d = x.ncols();
        let (theta, centre, search, (x, y)) = match &self.placement {
            Placement::Optimised { share, max_iterations } => {
                parameter("share", *share, *share > 0.0 && *share < 1.0, "must lie between 0 and 1")?;
                let (train_x, test_x) = split(x.nrows(), *share, self.resampling.seed, 0);
                let (train_y, test_y) = split(y.nrows(), *share, self.resampling.seed, 1);
                let (own_x, own_y) = (x.select(Axis(0), &train_x), y.select(Axis(0), &train_y));
                self.enough(own_x.nrows(), own_y.nrows(), self.locations)?;
                self.enough(test_x.len(), test_y.len(), self.locations)?;
                let centre = self.centre(own_x.view(), own_y.view());
                let (own_x, own_y) = (own_x - &centre, own_y - &centre);
                let found = self.search(&own_x, &own_y, *max_iterations)?;
                let rest = (x.select(Axis(0), &test_x), y.select(Axis(0), &test_y));
                (found.point.clone(), centre, Some(found), rest)
            }
            Placement::Random => {
                self.enough(x.nrows(), y.nrows(), self.locations)?;
                let centre = self.centre(x, y);
                let both = pooled(x, y) - &centre;
                let theta = flat(&self.draw(both.view(), 0), &[self.usual_width(both.view())?]);
                (theta, centre, None, (x.to_owned(), y.to_owned()))
            }
            Placement::Given { locations, widths } => {
                sample(OP, "locations", locations.view(), 1)?;
                require(OP, locations.ncols() == d && widths.len() == 1, || {
                    format!(
                        "the locations have {} features and {} widths, the data {d} and one",
                        locations.ncols(),
                        widths.len()
                    )
                })?;
                positive("width", widths[0])?;
                self.enough(x.nrows(), y.nrows(), locations.nrows())?;
                let unit = if self.features == SetFeatures::Waves { widths[0] } else { 1.0 };
                (flat(&(locations * unit), widths), self.centre(x, y), None, (x.to_owned(), y.to_owned()))
            }
        };
        let on = |sample: Array2<f64>| self.features.on(OP, device, (sample - &centre).view(), &theta);
        let (n, m) = (x.nrows(), y.nrows());
        let (fx, fy) = (on(x)?, on(y)?);
        let (locations, width) = parts(&theta, d);
        let count = self.features.count(locations.nrows());
        let (method, unit, kernels) = match self.features {
            SetFeatures::Places => ("mean embedding", 1.0, vec![Kernel::rbf(width)]),
            SetFeatures::Waves => ("smoothed characteristic function", width, vec![]),
        };
        let (resampling, seed) = (&self.resampling, self.resampling.seed);
        let verdict = Verdict { op: OP, method, resampling, rows: n + m, features: count, kernels };
        let both = pooled(fx.view(), fy.view());
        let outcome = verdict.of(device, two_samples_value(&fx, &fy)?, |b| {
            let mut first = permuted(n + m, n + m, seed, b);
            let second = first.split_off(n);
            two_samples_value(&both.select(Axis(0), &first), &both.select(Axis(0), &second))
        })?;
        Ok(FiniteSetOutcome { outcome, locations: &locations / unit, widths: vec![width], search })
    }

    fn search(&self, x: &Array2<f64>, y: &Array2<f64>, max_iterations: usize) -> Result<Minimum> {
        let both = pooled(x.view(), y.view());
        let widths = [self.usual_width(both.view())?];
        let bounds = match self.features {
            SetFeatures::Places => around(both.view()),
            SetFeatures::Waves => vec![(f64::NEG_INFINITY, f64::INFINITY); x.ncols()],
        };
        let draw = |t: usize| self.draw(both.view(), t);
        let cpu = Device::cpu();
        let (x, y) = (Matrix::from_array(&cpu, x.view())?, Matrix::from_array(&cpu, y.view())?);
        Search { draw: &draw, bounds, widths: &widths, max_iterations }.run(|theta| {
            let (fx, fy) = (self.features.of(&x, theta)?, self.features.of(&y, theta)?);
            let t = studentised(&fx, &fy)?;
            let by_x = self.features.pull(&x, &fx, theta, &t.by_x);
            let by_y = self.features.pull(&y, &fy, theta, &t.by_y);
            Ok((t.value, by_x.into_iter().zip(by_y).map(|(a, b)| a + b).collect()))
        })
    }

    /// The covariance of the features must be able to have full rank.
    fn enough(&self, n: usize, m: usize, locations: usize) -> Result<()> {
        let count = self.features.count(locations);
        require(OP, n > 1 && m > 1 && n + m >= count.saturating_add(2), || {
            format!("{n} and {m} observations are too few for {count} features; use fewer locations")
        })
    }

    /// What the window of the waves lies about; places need none.
    fn centre(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array1<f64> {
        match self.features {
            SetFeatures::Places => Array1::zeros(x.ncols()),
            SetFeatures::Waves => pooled(x, y).mean_axis(Axis(0)).expect("neither sample is empty"),
        }
    }

    /// The median distance, or the radius of the sample, which the window of the waves must not cut off.
    fn usual_width(&self, both: ArrayView2<f64>) -> Result<f64> {
        let median =
            median_distance(both, Metric::L2, Among::Subsample { most: MOST, seed: self.resampling.seed })?;
        match self.features {
            SetFeatures::Places => Ok(median),
            SetFeatures::Waves => Ok((both.iter().map(|v| v * v).sum::<f64>() / both.nrows() as f64).sqrt()),
        }
    }

    fn draw(&self, both: ArrayView2<f64>, index: usize) -> Array2<f64> {
        match self.features {
            SetFeatures::Places => random_rows(both, self.locations, self.resampling.seed, 2 + index),
            SetFeatures::Waves => {
                random_normal(self.locations, both.ncols(), self.resampling.seed, 2 + index)
            }
        }
    }
}
