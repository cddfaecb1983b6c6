//! Independence at a few places: the normalised finite-set independence criterion.
//!
//! Checked in `tests/stats/finite_set.rs` against plain loops, and for its level.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::hsic::beside;
use crate::check::{paired, parameter, positive, require, sample};
use crate::learn::Inputs;
use crate::learn::configure::setters;
use crate::optim::Minimum;
use crate::stats::finite_set::{
    FiniteSetOutcome, Placement, Search, SetFeatures, Verdict, around, dependence, dependence_value, flat,
    random_rows, split,
};
use crate::stats::resample::{Null, Resampling, permuted, resampling_setters};
use crate::stats::{Among, Metric, median_distance};
use crate::{Device, Kernel, Matrix, Progress, Result};

const OP: &str = "FiniteSetIndependence";
/// Points that the median distances are taken between.
const MOST: usize = 1000;

/// `T = n uᵀ Σ⁻¹ u` with `u_j = cov(k(x, v_j), l(y, w_j))` at J places `(v_j, w_j)` and Σ the covariance of the products
/// behind u: χ² with J degrees of freedom if x and y are independent (NFSIC; Jitkrittum, Szabó and Gretton 2017).
///
/// Both kernels are Gaussian. Time and memory are O(nJd) and O(nJ). Places and widths are chosen as in
/// [`FiniteSetTest`](crate::stats::FiniteSetTest): on a part of the data, on the CPU, with analytic derivatives.
///
/// That law is one of large n. Places that were searched for often lie where few observations are; products there have
/// heavy tails, and with 250 tested observations seven pairs of independent samples in a hundred are rejected at level
/// 0.05. The p-value is therefore by permutations of the tested part, O(nJ²) each and exact at every n.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((300, 1), |(i, _)| (i as f64 * 0.618).fract() - 0.5);
/// let y = x.mapv(|v| v * v); // dependent, not correlated
/// let found = FiniteSetIndependence::new().locations(2).run(&Device::cpu(), &x, &y)?;
/// assert!(found.outcome.rejects());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteSetIndependence {
    locations: usize,
    placement: Placement,
    resampling: Resampling,
}

impl Default for FiniteSetIndependence {
    fn default() -> Self {
        Self::new()
    }
}

setters!(FiniteSetIndependence {
    /// How many locations, unless they are given; 5 by default.
    locations: usize,
    /// Where the locations come from; a search on half of the data by default.
    placement: Placement,
});

resampling_setters!(FiniteSetIndependence);

impl FiniteSetIndependence {
    /// Five optimised places, 1000 permutations, level 0.05.
    pub fn new() -> Self {
        let (placement, resampling) = (Placement::default(), Resampling::default());
        FiniteSetIndependence { locations: 5, placement, resampling }
    }

    /// Whether `x` (`n x p`) and `y` (`n x q`), row by row one observation, are independent.
    ///
    /// # Errors
    /// As [`FiniteSetTest::run`](crate::stats::FiniteSetTest::run).
    pub fn run(&self, device: &Device, x: impl Inputs, y: impl Inputs) -> Result<FiniteSetOutcome> {
        let (x, y) = (x.inputs(), y.inputs());
        let (x, y) = (x.view(), y.view());
        self.resampling.check()?;
        paired(OP, x, y, 2)?;
        parameter("locations", self.locations as f64, self.locations > 0, "there must be one or more")?;
        let (n, p, q) = (x.nrows(), x.ncols(), y.ncols());
        let both = beside(x, y);
        let (theta, search, test) = match &self.placement {
            Placement::Optimised { share, max_iterations } => {
                parameter("share", *share, *share > 0.0 && *share < 1.0, "must lie between 0 and 1")?;
                let (train, test) = split(n, *share, self.resampling.seed, 0);
                enough(train.len().min(test.len()), self.locations)?;
                let found = self.search(both.select(Axis(0), &train).view(), p, *max_iterations)?;
                (found.point.clone(), Some(found), both.select(Axis(0), &test))
            }
            Placement::Random => {
                enough(n, self.locations)?;
                let widths = self.usual_widths(both.view(), p)?;
                (
                    flat(&random_rows(both.view(), self.locations, self.resampling.seed, 1), &widths),
                    None,
                    both,
                )
            }
            Placement::Given { locations, widths } => {
                sample(OP, "locations", locations.view(), 1)?;
                require(OP, locations.ncols() == p + q && widths.len() == 2, || {
                    format!(
                        "the locations have {} features and {} widths, the data {} and two",
                        locations.ncols(),
                        widths.len(),
                        p + q
                    )
                })?;
                for &width in widths {
                    positive("width", width)?;
                }
                enough(n, locations.nrows())?;
                (flat(locations, widths), None, both)
            }
        };
        let (count, rows) = ((theta.len() - 2) / (p + q), test.nrows());
        let (of_x, of_y) = sides(&theta, p, q);
        let part =
            |columns: ArrayView2<f64>, theta: &[f64]| SetFeatures::Places.on(OP, device, columns, theta);
        let fx = part(test.slice(s![.., ..p]), &of_x)?;
        let fy = part(test.slice(s![.., p..]), &of_y)?;
        let widths = vec![theta[theta.len() - 2].exp(), theta[theta.len() - 1].exp()];
        let kernels = widths.iter().map(|&w| Kernel::rbf(w)).collect();
        let (resampling, seed) = (&self.resampling, self.resampling.seed);
        let method = "finite set independence criterion";
        let verdict = Verdict { op: OP, method, resampling, rows: 2 * rows, features: count, kernels };
        let outcome = verdict.of(device, dependence_value(&fx, &fy)?, |b| {
            dependence_value(&fx, &fy.select(Axis(0), &permuted(rows, rows, seed, b)))
        })?;
        let locations = Array2::from_shape_fn((count, p + q), |(j, f)| theta[j * (p + q) + f]);
        Ok(FiniteSetOutcome { outcome, locations, widths, search })
    }

    fn search(&self, both: ArrayView2<f64>, p: usize, max_iterations: usize) -> Result<Minimum> {
        let widths = self.usual_widths(both, p)?;
        let draw = |t: usize| random_rows(both, self.locations, self.resampling.seed, 1 + t);
        let cpu = Device::cpu();
        let x = Matrix::from_array(&cpu, both.slice(s![.., ..p]))?;
        let y = Matrix::from_array(&cpu, both.slice(s![.., p..]))?;
        let q = y.cols();
        Search { draw: &draw, bounds: around(both), widths: &widths, max_iterations }.run(|theta| {
            let (of_x, of_y) = sides(theta, p, q);
            let (fx, fy) = (SetFeatures::Places.of(&x, &of_x)?, SetFeatures::Places.of(&y, &of_y)?);
            let t = dependence(&fx, &fy)?;
            let by_x = SetFeatures::Places.pull(&x, &fx, &of_x, &t.by_x);
            let by_y = SetFeatures::Places.pull(&y, &fy, &of_y, &t.by_y);
            Ok((t.value, joined(&by_x, &by_y, p, q)))
        })
    }

    fn usual_widths(&self, both: ArrayView2<f64>, p: usize) -> Result<Vec<f64>> {
        let among = Among::Subsample { most: MOST, seed: self.resampling.seed };
        let of = |columns: ArrayView2<f64>| median_distance(columns, Metric::L2, among);
        Ok(vec![of(both.slice(s![.., ..p]))?, of(both.slice(s![.., p..]))?])
    }
}

/// The covariance of the products must be able to have full rank.
fn enough(n: usize, locations: usize) -> Result<()> {
    require(OP, n >= locations.saturating_add(2), || {
        format!("{n} observations are too few for {locations} locations; use fewer")
    })
}

/// The parameters of the features of x and of those of y.
fn sides(theta: &[f64], p: usize, q: usize) -> (Vec<f64>, Vec<f64>) {
    let (locations, widths) = theta.split_at(theta.len() - 2);
    let rows = locations.chunks_exact(p + q);
    let x = rows.clone().flat_map(|r| r[..p].to_vec()).chain([widths[0]]).collect();
    let y = rows.flat_map(|r| r[p..].to_vec()).chain([widths[1]]).collect();
    (x, y)
}

/// The inverse of [`sides`].
fn joined(x: &[f64], y: &[f64], p: usize, q: usize) -> Vec<f64> {
    let (locations_x, width_x) = x.split_at(x.len() - 1);
    let (locations_y, width_y) = y.split_at(y.len() - 1);
    let rows = locations_x.chunks_exact(p).zip(locations_y.chunks_exact(q));
    rows.flat_map(|(a, b)| [a, b].concat()).chain([width_x[0], width_y[0]]).collect()
}
