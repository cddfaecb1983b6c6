//! Bandwidths from the data: the median distance, and collections between two quantiles of the distances.
//!
//! Distances are computed on the host in f64, whatever the device: the bandwidth is then the same everywhere.

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;

use super::resample::permuted;
use crate::check::{number, parameter, room, sample};
use crate::learn::Inputs;
use crate::{Error, Kernel, Result};

/// Which distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `Σ |x_f - y_f|`, the one inside a Laplace kernel.
    L1,
    /// `√Σ (x_f - y_f)²`, the one inside a Gaussian kernel.
    L2,
}

/// Which points the distances are taken between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// All of them: n (n - 1) / 2 distances are held at a time.
    All,
    /// A uniform subsample of at most `most`, drawn from `seed`.
    Subsample {
        /// Points to draw.
        most: usize,
        /// Seed of the draw.
        seed: u64,
    },
}

/// The median of the distances between pairs of different points: the bandwidth that needs no choice.
///
/// Pairs of equal points are left out, so that ties in the data do not drag it to zero.
///
/// # Errors
/// [`Error::Shape`] for fewer than two points, [`Error::NotFinite`], and [`Error::Parameter`] if all points are equal.
///
/// ```
/// use mercer::stats::{Among, Metric, median_distance};
/// let x = ndarray::array![[0.0], [1.0], [3.0]];
/// assert_eq!(median_distance(&x, Metric::L2, Among::All)?, 2.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn median_distance(x: impl Inputs, metric: Metric, among: Among) -> Result<f64> {
    let mut distances = distances("median_distance", x.inputs().view(), metric, among)?;
    number("median_distance", "the distance", quantile(&mut distances, 0.5))
}

/// The distances of all pairs of different points; never empty.
fn distances(op: &'static str, x: ArrayView2<f64>, metric: Metric, among: Among) -> Result<Vec<f64>> {
    sample(op, "x", x, 2)?;
    let drawn;
    let x = match among {
        Among::Subsample { most, seed } if most < x.nrows() => {
            parameter("subsample", most as f64, most >= 2, "two points make a distance")?;
            drawn = x.select(Axis(0), &permuted(x.nrows(), most, seed, usize::MAX));
            drawn.view()
        }
        _ => x,
    };
    let x = x.as_standard_layout();
    let rows: Vec<&[f64]> = x.rows().into_iter().map(|r| r.to_slice().expect("row-major")).collect();
    let between = |a: &[f64], b: &[f64]| {
        let pairs = a.iter().zip(b);
        match metric {
            Metric::L1 => pairs.map(|(a, b)| (a - b).abs()).sum::<f64>(),
            Metric::L2 => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        }
    };
    let all: Vec<f64> = (1..rows.len())
        .into_par_iter()
        .flat_map_iter(|i| rows[..i].iter().map(move |b| (i, *b)))
        .map(|(i, b)| between(rows[i], b))
        .filter(|&d| d > 0.0)
        .collect();
    if all.is_empty() {
        return Err(Error::Parameter {
            name: "bandwidth".to_owned(),
            value: 0.0,
            requirement: "all points are equal, and no kernel can tell them apart",
        });
    }
    Ok(all)
}

/// The middle value, or the mean of the middle two, for q = 1/2; for others the value of rank `floor(q count)`.
fn quantile(values: &mut [f64], q: f64) -> f64 {
    let count = values.len();
    let at = ((q * count as f64) as usize).min(count - 1);
    let (below, middle, _) = values.select_nth_unstable_by(at, f64::total_cmp);
    if q == 0.5 && count.is_multiple_of(2) {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        return 0.5 * (lower + *middle);
    }
    *middle
}

/// A family of kernels with one bandwidth λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelFamily {
    /// `exp(-√2 |x - x'|₁ / λ)`.
    Laplace,
    /// `exp(-½ |x - x'|² / λ²)`.
    Gaussian,
}

impl KernelFamily {
    /// The distance inside.
    pub fn metric(self) -> Metric {
        if self == KernelFamily::Laplace { Metric::L1 } else { Metric::L2 }
    }

    /// The kernel with this bandwidth.
    pub fn kernel(self, bandwidth: f64) -> Kernel {
        match self {
            KernelFamily::Laplace => Kernel::laplacian(bandwidth / std::f64::consts::SQRT_2),
            KernelFamily::Gaussian => Kernel::rbf(bandwidth),
        }
    }
}

/// How bandwidths lie between the smallest and the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Geometric,
}

/// Kernels of some families, each with `bandwidths` bandwidths between half the 5 % quantile and twice the 95 %
/// quantile of the distances between pooled points.
///
/// The quantiles do not know which sample a point comes from: a permutation test stays exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// The families, in order.
    pub families: Vec<KernelFamily>,
    /// Bandwidths of each family.
    pub bandwidths: usize,
    /// How they are spaced.
    pub spacing: Spacing,
    /// Which points the distances are taken between.
    pub among: Among,
}

impl Default for Collection {
    /// Laplace and Gaussian kernels, ten bandwidths each in equal steps, from at most 1000 points.
    fn default() -> Self {
        Collection {
            families: vec![KernelFamily::Laplace, KernelFamily::Gaussian],
            bandwidths: 10,
            spacing: Spacing::Linear,
            among: Among::Subsample { most: 1000, seed: 0 },
        }
    }
}

impl Collection {
    /// The kernels for this pooled sample.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are no families or no bandwidths, or if all points are equal; [`Error::Shape`] and
    /// [`Error::NotFinite`] for a bad sample.
    pub fn kernels(&self, pooled: impl Inputs) -> Result<Vec<Kernel>> {
        parameter("families", 0.0, !self.families.is_empty(), "there must be a family of kernels")?;
        let (count, pooled) = (self.bandwidths, pooled.inputs());
        parameter("bandwidths", count as f64, count > 0, "there must be a bandwidth")?;
        // A kernel is a small tree: some hundred bytes beside those of its root.
        room("bandwidths", count, self.families.len() * (size_of::<Kernel>() + 256))?;
        let mut kernels = Vec::with_capacity(count * self.families.len());
        for family in &self.families {
            let mut distances = distances("Collection::kernels", pooled.view(), family.metric(), self.among)?;
            let least = quantile(&mut distances, 0.05) / 2.0;
            let most = quantile(&mut distances, 0.95) * 2.0;
            let at = |i: usize| {
                let part = if count > 1 { i as f64 / (count - 1) as f64 } else { 0.5 };
                match self.spacing {
                    Spacing::Linear => least + part * (most - least),
                    Spacing::Geometric => least * (most / least).powf(part),
                }
            };
            kernels.extend((0..count).map(|i| family.kernel(at(i))));
        }
        Ok(kernels)
    }
}
