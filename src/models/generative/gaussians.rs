//! A Gaussian for each class: means, covariances, densities, draws.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, stack};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::check::{parameter, zeros};
use crate::learn::classify::Task;
use crate::learn::ranks::{self, Meeting};
use crate::linalg::small_cholesky::cholesky;
use crate::ops::product;
use crate::{Error, Result};

/// `ln 2π`.
pub(super) const LN_2PI: f64 = 1.837_877_066_409_345_3;

/// The weighted mean of rows, about the middle of their range: exact far from the origin.
pub(super) fn mean(x: ArrayView2<f64>, w: ArrayView1<f64>) -> Array1<f64> {
    let total = w.sum();
    let each = |column: ArrayView1<f64>| {
        let least = column.fold(f64::INFINITY, |m, v| m.min(*v));
        let middle = 0.5 * least + 0.5 * column.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        middle + column.iter().zip(w).map(|(v, w)| w * (v - middle)).sum::<f64>() / total
    };
    x.axis_iter(Axis(1)).map(each).collect()
}

/// The mass and the mean of groups of rows over all ranks: `G` and `G x d`.
pub(super) fn group_means(
    all: &Meeting,
    op: &'static str,
    task: &Task,
    groups: &[Vec<usize>],
) -> Result<(Array1<f64>, Array2<f64>)> {
    let d = task.x.ncols();
    let one = |rows: &Vec<usize>| {
        let (x, w) = (task.x.select(Axis(0), rows), task.weights.select(Axis(0), rows));
        (w.sum(), if rows.is_empty() { Array1::zeros(d) } else { mean(x.view(), w.view()) })
    };
    let own: Vec<(f64, Array1<f64>)> = groups.iter().map(one).collect();
    let found = all.together(op, own, |a, b| {
        for (a, b) in a.iter_mut().zip(b).filter(|(_, b)| b.0 > 0.0) {
            let whole = a.0 + b.0;
            let gap = &b.1 - &a.1;
            a.1.scaled_add(b.0 / whole, &gap);
            a.0 = whole;
        }
        Ok(())
    })?;
    let mut means = Array2::zeros((groups.len(), d));
    means.rows_mut().into_iter().zip(&found).for_each(|(mut to, (_, m))| to.assign(m));
    Ok((found.into_iter().map(|(mass, _)| mass).collect(), means))
}

/// `Σ w_i (x_i - m)(x_i - m)ᵀ`.
pub(super) fn scatter(x: ArrayView2<f64>, w: ArrayView1<f64>, m: ArrayView1<f64>) -> Array2<f64> {
    let centred = &x - &m;
    let weighted = &centred * &w.insert_axis(Axis(1));
    let mut out = Array2::zeros((x.ncols(), x.ncols()));
    product(1.0, weighted.t(), centred.view(), 0.0, out.view_mut());
    // The same bits on both sides of the diagonal.
    let t = out.t().to_owned();
    0.5 * out + 0.5 * t
}

/// `(1 - s) C + s (tr C / d) I`.
pub(super) fn shrunk(mut c: Array2<f64>, s: f64) -> Array2<f64> {
    if s > 0.0 {
        let mean = c.diag().sum() / c.nrows() as f64;
        c *= 1.0 - s;
        c.diag_mut().mapv_inplace(|v| v + s * mean);
    }
    c
}

/// The rows, weights, mean and scatter of each class, and the class weights.
pub(super) struct Moments {
    pub means: Array2<f64>,
    pub scatters: Vec<Array2<f64>>,
    pub mass: Array1<f64>,
}

impl Moments {
    /// Those of the classes over all ranks.
    pub fn of(all: &Meeting, task: &Task) -> Result<Self> {
        const OP: &str = "a discriminant";
        let d = task.x.ncols();
        let mut means = Array2::zeros((task.classes, d));
        let mut scatters = Vec::with_capacity(task.classes);
        let mut own = Vec::with_capacity(task.classes);
        for k in 0..task.classes {
            let rows = task.rows_of(k);
            let (x, w) = (task.x.select(Axis(0), &rows), task.weights.select(Axis(0), &rows));
            let mean = if rows.is_empty() { Array1::zeros(d) } else { mean(x.view(), w.view()) };
            own.push(ranks::Moments {
                mass: w.sum(),
                scatter: scatter(x.view(), w.view(), mean.view()),
                mean,
            });
        }
        let found = all.together(OP, own, |a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| a.merge(b));
            Ok(())
        })?;
        let mass = found.iter().map(|k| k.mass).collect();
        for (mut to, k) in means.rows_mut().into_iter().zip(found) {
            to.assign(&k.mean);
            // Merging rounds differently on the two sides of the diagonal.
            scatters.push(0.5 * &k.scatter + 0.5 * &k.scatter.t());
        }
        let overflow = scatters.iter().flatten().chain(&means).any(|v| !v.is_finite());
        if overflow {
            return Err(crate::check::blame(OP, task.x.view()));
        }
        Ok(Moments { means, scatters, mass })
    }
}

/// Shares of classes: those given, or those of the data.
pub(super) fn priors(op: &'static str, given: Option<&Vec<f64>>, mass: &Array1<f64>) -> Result<Array1<f64>> {
    let Some(given) = given else { return Ok(mass / mass.sum()) };
    let (k, sum) = (mass.len(), given.iter().sum::<f64>());
    if given.len() != k {
        return Err(Error::Shape { op, what: format!("{k} classes, {} priors", given.len()) });
    }
    let positive = given.iter().all(|p| *p > 0.0 && p.is_finite());
    parameter(
        "sum of the priors",
        sum,
        positive && (sum - 1.0).abs() < 1e-9,
        "must be 1, of positive numbers",
    )?;
    Ok(Array1::from(given.clone()))
}

/// The inverse of the Cholesky factor, and `ln |C|`: `‖L⁻¹(x - m)‖²` is a squared Mahalanobis distance.
pub(super) fn whitening(op: &'static str, c: ArrayView2<f64>) -> Result<(Array2<f64>, f64)> {
    let d = c.nrows();
    let mut l: Vec<f64> = c.iter().copied().collect();
    // In units of the deviations, so that a pivot is judged by its own column.
    let root: Vec<f64> = (0..d).map(|j| c[[j, j]].max(0.0).sqrt()).collect();
    if let Some(j) = root.iter().position(|r| *r <= 0.0) {
        return Err(Error::NotPositiveDefinite { op, pivot: j, value: c[[j, j]] });
    }
    for i in 0..d {
        for j in 0..d {
            l[i * d + j] = c[[i, j]] / root[i] / root[j];
        }
    }
    let log_det = cholesky(&mut l, d).map_err(|pivot| pivot.error(op))?;
    for j in 0..d {
        let pivot = l[j * d + j] * l[j * d + j];
        if pivot < 1e-13 * d as f64 {
            return Err(Error::NotPositiveDefinite { op, pivot: j, value: pivot });
        }
    }
    let mut inverse = Array2::<f64>::zeros((d, d));
    for j in 0..d {
        inverse[[j, j]] = 1.0 / l[j * d + j];
        for i in j + 1..d {
            let dot: f64 = (j..i).map(|p| l[i * d + p] * inverse[[p, j]]).sum();
            inverse[[i, j]] = -dot / l[i * d + i];
        }
    }
    for (j, mut column) in inverse.columns_mut().into_iter().enumerate() {
        column /= root[j];
    }
    let log_scale: f64 = root.iter().map(|r| 2.0 * r.ln()).sum();
    Ok((inverse, log_det + log_scale))
}

/// A Gaussian for each class; one covariance for all, or one for each.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Gaussians {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub means: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    pub covariances: Array3<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
    whitenings: Array3<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    log_dets: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub priors: Array1<f64>,
}

impl Gaussians {
    pub fn new(
        op: &'static str,
        means: Array2<f64>,
        covariances: Vec<Array2<f64>>,
        priors: Array1<f64>,
    ) -> Result<Self> {
        let each = covariances.iter().map(|c| whitening(op, c.view())).collect::<Result<Vec<_>>>()?;
        let (whitenings, log_dets): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        let stacked = |all: &[Array2<f64>]| {
            let views: Vec<_> = all.iter().map(|c| c.view()).collect();
            stack(Axis(0), &views).expect("all are d x d")
        };
        let (covariances, whitenings) = (stacked(&covariances), stacked(&whitenings));
        Ok(Gaussians { means, covariances, whitenings, log_dets, priors })
    }

    fn at(&self, class: usize) -> usize {
        class.min(self.covariances.len_of(Axis(0)) - 1)
    }

    pub fn covariance(&self, class: usize) -> ArrayView2<'_, f64> {
        self.covariances.index_axis(Axis(0), self.at(class))
    }

    pub fn whitening(&self, class: usize) -> ArrayView2<'_, f64> {
        self.whitenings.index_axis(Axis(0), self.at(class))
    }

    /// `ln p(class) + ln N(x; m_class, C_class)`.
    pub fn log_joint(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let (k, d) = self.means.dim();
        let mut out = Array2::zeros((x.nrows(), k));
        let mut white = Array2::zeros((x.nrows(), d));
        for class in 0..k {
            let centred = &x - &self.means.row(class);
            product(1.0, centred.view(), self.whitening(class).t(), 0.0, white.view_mut());
            let constant =
                self.priors[class].ln() - 0.5 * (d as f64 * LN_2PI + self.log_dets[self.at(class)]);
            for (out, z) in out.column_mut(class).iter_mut().zip(white.rows()) {
                *out = constant - 0.5 * z.dot(&z);
            }
        }
        out
    }

    /// Rows and their classes: first the class, by its prior, then a row of it.
    pub fn sample(&self, count: usize, seed: u64) -> Result<(Array2<f64>, Vec<usize>)> {
        let (k, d) = self.means.dim();
        parameter("count", count as f64, count > 0, "must be at least 1")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut rows = zeros("count", count, d)?;
        let mut classes = Vec::with_capacity(count);
        for mut row in rows.rows_mut() {
            let mut u: f64 = rng.random();
            let class = (0..k - 1)
                .find(|&c| {
                    u -= self.priors[c];
                    u < 0.0
                })
                .unwrap_or(k - 1);
            let z = Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal));
            // x = m + L z: a triangular solve with the inverse of L.
            let w = self.whitening(class);
            for i in 0..d {
                let dot: f64 = (0..i).map(|j| w[[i, j]] * row[j]).sum();
                row[i] = (z[i] - dot) / w[[i, i]];
            }
            row += &self.means.row(class);
            classes.push(class);
        }
        Ok((rows, classes))
    }

    #[cfg(feature = "serde")]
    pub fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let (k, d) = self.means.dim();
        let m = self.log_dets.len();
        let same = |all: &Array3<f64>| all.dim() == (m, d, d);
        let fits =
            k == classes && self.priors.len() == k && same(&self.covariances) && same(&self.whitenings);
        let fits = fits && (m == 1 || m == k);
        require(op, fits, || "means, covariances and priors that do not fit".to_owned())?;
        finite(op, "the means", self.means.view())?;
        for c in self.covariances.outer_iter().chain(self.whitenings.outer_iter()) {
            finite(op, "a covariance", c)?;
        }
        require(op, self.log_dets.iter().all(|v| v.is_finite()), || {
            "a determinant that is no number".to_owned()
        })?;
        self.priors.iter().try_for_each(|p| crate::check::positive("prior", *p))
    }
}
