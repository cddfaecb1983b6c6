//! Latent classes: mixtures of products of categorical variables, some of whose cells may be missing. Checked in
//! `tests/mixture/latent_class.rs` against enumeration of what is missing.
//!
//! A row becomes zeros and ones, a column for each category of each variable, and zeros for a cell that is missing: then
//! `log p(x, k)` is linear in it, and a missing cell is summed out.

use ndarray::{ArrayView1, ArrayView2, s};

use super::latent_class_fitted::{FittedLatentClass, Variables, log_joint};
use super::sums::{Params, Sums};
use crate::check::{components, parameter, positive, require, room};
use crate::configure::setters;
use crate::inference::em::{Em, EmModel, Observations, em_setters};
use crate::learn::ranks::{Meeting, fits_across};
use crate::matrix::{Origin, Points};
use crate::models::mixture::gaussian::{MixtureStart, memberships};
use crate::models::mixture::responsibilities::responsibilities;
use crate::{Device, Result};

/// Categories of a variable that nobody has counted.
const MOST: f64 = 65_536.0;
pub(super) const OP: &str = "LatentClass";

/// `p(x) = Σ_k π_k Π_j θ_kj(x_j)`, x of categories 0, 1, 2, ... in each column: independent given a class that nobody saw.
///
/// Where [`allow_missing`](LatentClass::allow_missing) is set, a cell of NaN is missing at random: EM sums over what it may be.
/// Symmetric Dirichlet priors of `smoothing` further counts of each category keep the probabilities from zero.
///
/// ```
/// use mercer::prelude::*;
/// let hole = f64::NAN;
/// let x = ndarray::array![[0., 2., 0.], [0., hole, 0.], [0., 2., 0.], [1., 0., 1.], [1., 0., hole], [1., 1., 1.]];
/// let fit = LatentClass::new(2).allow_missing(true).fit(&Device::cpu(), &x)?;
/// let class = fit.predict(&x)?;
/// assert!(class[0] == class[1] && class[3] == class[4] && class[0] != class[3]);
/// // What the hole of the second row is likely to hold.
/// assert!(fit.predict_cell(&x, 1)?[[1, 2]] > 0.9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LatentClass {
    classes: usize,
    categories: Option<Vec<usize>>,
    smoothing: f64,
    missing: bool,
    em: Em,
}

setters!(LatentClass {
    /// How many classes there are: K.
    classes: usize,
    /// How many categories each column has; as many as its largest entry says unless given.
    categories: into Option<Vec<usize>>,
    /// The counts that every category has before any data; 0.01 by default.
    smoothing: f64,
    /// Whether a cell of NaN is missing, instead of an error.
    allow_missing => missing: bool,
});

em_setters!(LatentClass: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(LatentClass: Fit -> FittedLatentClass);

impl LatentClass {
    /// k classes, the best of five starts.
    pub fn new(k: usize) -> Self {
        let em = Em::new().restarts(5);
        LatentClass { classes: k, categories: None, smoothing: 0.01, missing: false, em }
    }

    /// The variables: as many categories as were asked for, or as there are on any rank.
    fn variables(&self, all: &Meeting, x: ArrayView2<f64>) -> Result<Variables> {
        let sizes = if let Some(given) = &self.categories {
            require(OP, given.len() == x.ncols(), || {
                format!("{} numbers of categories, {} columns", given.len(), x.ncols())
            })?;
            given.clone()
        } else {
            let mut sizes = Vec::with_capacity(x.ncols());
            for column in x.columns() {
                let top = column.iter().copied().filter(|v| !v.is_nan()).fold(0.0, f64::max);
                parameter(
                    "category",
                    top,
                    top < MOST,
                    "must be below 65536, unless `categories` says how many there are",
                )?;
                sizes.push(top as usize + 1);
            }
            all.together(OP, sizes, |a: &mut Vec<usize>, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = b.max(*a));
                Ok(())
            })?
        };
        let width = sizes.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
        parameter("categories", width as f64, !sizes.contains(&0), "must be at least 1")?;
        room("categories", width.saturating_mul(x.nrows().max(self.classes)), 16)?;
        Ok(Variables::new(sizes, self.missing))
    }

    fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedLatentClass> {
        positive("smoothing", self.smoothing)?;
        let part = all.part(OP, x)?;
        components("classes", self.classes, part.total)?;
        let variables = self.variables(all, x)?;
        let z = variables.encode(x)?;
        let flops = 4.0 * z.len() as f64 * self.classes as f64 * self.em.max_iterations as f64;
        let points =
            (x.nrows() > 0).then(|| Points::new(OP, device, z.view(), Origin::Fixed, flops)).transpose()?;
        let new = |points| Observations::unchecked(points, w.map(|w| w.to_owned()));
        let data = Vec::from_iter(points.map(new));
        let exact = data.first().and_then(Observations::exact).map(|rows| vec![rows]);
        let model = LatentEm { of: self, variables: &variables };
        let sampled = all.sample(OP, part, z.view(), w, self.em.seed)?;
        let start = |seed| {
            let (z, w) = (sampled.x.view(), sampled.weights());
            let labels = MixtureStart::PlusPlus.labels(&Device::cpu(), z, w, self.classes, seed)?;
            let r = memberships(&labels, self.classes, w);
            Ok(model.learn(&Sums::of_memberships(&r, z.view())))
        };
        let em = self.em.known_by(self, z.view(), w);
        let run = em.run_exactly_across(all, &model, &data, exact.as_ref(), start)?;
        let (params, mass) = (run.params, run.stats.mass.sum());
        let device = data.first().map_or_else(Device::cpu, |rows| rows.device().clone());
        Ok(FittedLatentClass::new(variables, params, run.stats.log_likelihood, mass, run.report, device))
    }
}

struct LatentEm<'a> {
    of: &'a LatentClass,
    variables: &'a Variables,
}

impl LatentEm<'_> {
    /// Shares of what was seen of each variable: a cell that is missing would add its own expectation and change nothing.
    fn learn(&self, sums: &Sums) -> Params {
        let mut probabilities = &sums.total + self.of.smoothing;
        for mut row in probabilities.rows_mut() {
            for range in self.variables.ranges() {
                let mut own = row.slice_mut(s![range]);
                let all = own.sum();
                own /= all;
            }
        }
        Params { weights: &sums.mass / sums.mass.sum(), probabilities }
    }
}

impl EmModel for LatentEm<'_> {
    const NAME: &'static str = OP;
    type Batch = Observations;
    type Params = Params;
    type Stats = Sums;

    fn expect(&self, params: &Params, rows: &Observations) -> Result<Sums> {
        let (r, log_likelihood) = responsibilities(log_joint(params, rows.x()?)?, rows)?;
        Sums::of(&r, rows.x()?, log_likelihood)
    }

    fn maximise(&self, _: &Params, sums: &Sums) -> Result<Params> {
        Ok(self.learn(sums))
    }

    /// The log-likelihood of what was seen, plus the logarithm of the prior.
    fn objective(&self, params: &Params, sums: &Sums) -> f64 {
        let prior: f64 = params.probabilities.iter().map(|p| p.ln()).sum();
        sums.log_likelihood + self.of.smoothing * prior
    }

    fn rounding(&self, _: &Params) -> f64 {
        // Sums of probabilities may come from f32, whatever the device of a later fit.
        1e-5
    }
}
