//! What a hidden state shows: symbols, normal vectors, or mixtures of normal vectors.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};
use rayon::prelude::*;

use crate::Result;
use crate::check::{finite, parameter, probabilities, require};
use crate::inference::logs::log_sum_exp;
use crate::linalg::small_cholesky::Small;
use crate::random::Philox;

pub(super) const OP: &str = "HiddenMarkov";

/// The distribution of an observation in each of K states.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Emission {
    /// One of V symbols, given as the numbers 0 to V - 1 in a single column: `K x V` probabilities, rows sum to one.
    Discrete(#[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))] Array2<f64>),
    /// A normal vector.
    Gaussian {
        /// `K x d`.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
        means: Array2<f64>,
        /// `K x d x d`.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
        covariances: Array3<f64>,
    },
    /// A mixture of M normal vectors in each state.
    Mixture {
        /// `K x M`, rows sum to one.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
        weights: Array2<f64>,
        /// The means of all components, `KM x d`, those of the first state first.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
        means: Array2<f64>,
        /// `KM x d x d`.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::stack"))]
        covariances: Array3<f64>,
    },
}

/// Rows of one task.
const BLOCK: usize = 1024;

/// Normal densities, factored once for a whole sequence.
struct Normals<'a> {
    means: &'a Array2<f64>,
    /// Of each: the inverse of its Cholesky factor row after row, and the logarithm of the density at its mean.
    factors: Vec<(Vec<f64>, f64)>,
}

impl<'a> Normals<'a> {
    fn new(means: &'a Array2<f64>, covariances: &Array3<f64>) -> Result<Self> {
        let d = means.ncols();
        let factor = |c: ArrayView2<f64>| {
            let small = Small::new(OP, c)?;
            let top = -0.5 * (small.log_det + d as f64 * (2.0 * std::f64::consts::PI).ln());
            Ok((small.inverse_factor(d), top))
        };
        let factors = covariances.outer_iter().map(factor).collect::<Result<_>>()?;
        Ok(Normals { means, factors })
    }

    /// `top - ½ |L⁻¹(x - m)|²`.
    fn log_density(&self, k: usize, x: &[f64], off: &mut [f64]) -> f64 {
        let (w, top) = &self.factors[k];
        let d = x.len();
        for (o, (x, m)) in off.iter_mut().zip(x.iter().zip(self.means.row(k))) {
            *o = x - m;
        }
        let mut square = 0.0;
        for (i, row) in w.chunks_exact(d).enumerate() {
            let dot: f64 = row[..=i].iter().zip(off.iter()).map(|(a, b)| a * b).sum();
            square += dot * dot;
        }
        top - 0.5 * square
    }
}

fn normals_fit(means: &Array2<f64>, covariances: &Array3<f64>, count: usize) -> Result<()> {
    let d = means.ncols();
    finite(OP, "means", means.view())?;
    require(OP, means.nrows() == count && covariances.dim() == (count, d, d), || {
        format!(
            "{count} normal distributions, means of {:?}, covariances of {:?}",
            means.dim(),
            covariances.dim()
        )
    })?;
    for c in covariances.outer_iter() {
        crate::check::symmetric(OP, c)?;
        Small::new(OP, c)?;
    }
    Ok(())
}

impl Emission {
    /// The number of states.
    pub fn states(&self) -> usize {
        match self {
            Emission::Discrete(p) => p.nrows(),
            Emission::Gaussian { means, .. } => means.nrows(),
            Emission::Mixture { weights, .. } => weights.nrows(),
        }
    }

    /// The number of columns of a sequence.
    pub fn features(&self) -> usize {
        match self {
            Emission::Discrete(_) => 1,
            Emission::Gaussian { means, .. } | Emission::Mixture { means, .. } => means.ncols(),
        }
    }

    /// Of normal vectors: inverse Cholesky factors one below the other, `(K d) x d`, and the logarithm of each density at its
    /// mean, `1 x K`; nothing of symbols.
    pub(super) fn whitening(&self) -> Result<(Array2<f64>, Array2<f64>)> {
        let (Emission::Gaussian { means, covariances } | Emission::Mixture { means, covariances, .. }) = self
        else {
            return Ok((Array2::zeros((0, 0)), Array2::zeros((0, 0))));
        };
        let (normals, d) = (Normals::new(means, covariances)?, means.ncols());
        let at =
            |(r, c): (usize, usize)| if c <= r % d { normals.factors[r / d].0[r % d * d + c] } else { 0.0 };
        let whitening = Array2::from_shape_fn((means.nrows() * d, d), at);
        Ok((whitening, Array2::from_shape_fn((1, means.nrows()), |(_, k)| normals.factors[k].1)))
    }

    /// The number of free parameters.
    pub(super) fn parameters(&self) -> usize {
        let normal = |d: usize| d + d * (d + 1) / 2;
        match self {
            Emission::Discrete(p) => p.nrows() * (p.ncols() - 1),
            Emission::Gaussian { means, .. } => means.nrows() * normal(means.ncols()),
            Emission::Mixture { weights, means, .. } => {
                means.nrows() * normal(means.ncols()) + weights.nrows() * (weights.ncols() - 1)
            }
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        require(OP, self.states() > 0 && self.features() > 0, || "there are no states".to_owned())?;
        let rows = |name: &str, p: &Array2<f64>| {
            p.rows()
                .into_iter()
                .enumerate()
                .try_for_each(|(k, r)| probabilities(&format!("{name}[{k}]"), &r.to_vec()))
        };
        match self {
            Emission::Discrete(p) => rows("emission", p),
            Emission::Gaussian { means, covariances } => normals_fit(means, covariances, means.nrows()),
            Emission::Mixture { weights, means, covariances } => {
                rows("weights", weights)?;
                normals_fit(means, covariances, weights.len())
            }
        }
    }

    /// `log p(x_t | z_t = k)`, `T x K`. A row of NaN is an observation that is missing where `missing` allows it, and says
    /// nothing of any state.
    pub(super) fn log_densities(&self, x: ArrayView2<f64>, missing: bool) -> Result<Array2<f64>> {
        require(OP, x.nrows() > 0, || "a sequence is empty".to_owned())?;
        require(OP, x.ncols() == self.features(), || {
            format!("the model has {} features, a sequence has {}", self.features(), x.ncols())
        })?;
        match self {
            Emission::Discrete(p) => {
                let logs = p.mapv(f64::ln);
                rows(x, p.nrows(), missing, |row, _, to| {
                    let symbol = symbol(row[0], p.ncols())?;
                    to.iter_mut().zip(logs.column(symbol)).for_each(|(t, l)| *t = *l);
                    Ok(())
                })
            }
            Emission::Gaussian { means, covariances } => {
                let normals = Normals::new(means, covariances)?;
                rows(x, means.nrows(), missing, |row, off, to| {
                    to.iter_mut().enumerate().for_each(|(i, t)| *t = normals.log_density(i, row, off));
                    Ok(())
                })
            }
            Emission::Mixture { weights, means, covariances } => {
                let normals = Normals::new(means, covariances)?;
                let logs = weights.mapv(f64::ln);
                let m = weights.ncols();
                rows(x, weights.nrows(), missing, |row, off, to| {
                    let mut each = vec![0.0; m];
                    for (i, t) in to.iter_mut().enumerate() {
                        for (c, e) in each.iter_mut().enumerate() {
                            *e = logs[[i, c]] + normals.log_density(i * m + c, row, off);
                        }
                        *t = log_sum_exp(&each);
                    }
                    Ok(())
                })
            }
        }
    }

    /// Of a mixture: `log p(c | z = k) p(x_t | c)` of every component, `T x KM`; of others nothing. Rows that are not
    /// numbers are left out: zeros stand for them.
    pub(super) fn log_components(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let Emission::Mixture { weights, means, covariances } = self else {
            return Ok(Array2::zeros((0, 0)));
        };
        let normals = Normals::new(means, covariances)?;
        let logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
        rows(x, weights.len(), true, |row, off, to| {
            for (c, t) in to.iter_mut().enumerate() {
                *t = logs[c] + normals.log_density(c, row, off);
            }
            Ok(())
        })
    }

    /// An observation of state k.
    pub(super) fn draw(&self, k: usize, rng: &mut Philox) -> Array1<f64> {
        let normal = |i: usize, means: &Array2<f64>, covariances: &Array3<f64>, rng: &mut Philox| {
            let d = means.ncols();
            let mut l: Vec<f64> = covariances.index_axis(Axis(0), i).iter().copied().collect();
            // The covariances were factored when they were checked.
            let _ = crate::linalg::small_cholesky::cholesky(&mut l, d);
            let w: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
            (0..d).map(|r| means[[i, r]] + (0..=r).map(|c| l[r * d + c] * w[c]).sum::<f64>()).collect()
        };
        match self {
            Emission::Discrete(p) => Array1::from_elem(1, rng.categorical(&p.row(k).to_vec()) as f64),
            Emission::Gaussian { means, covariances } => normal(k, means, covariances, rng),
            Emission::Mixture { weights, means, covariances } => {
                let c = rng.categorical(&weights.row(k).to_vec());
                normal(k * weights.ncols() + c, means, covariances, rng)
            }
        }
    }
}

/// `n x width` numbers, of each row of x those that `f` makes with room for a row; of a row that is missing zeros.
fn rows(
    x: ArrayView2<f64>,
    width: usize,
    missing: bool,
    f: impl Fn(&[f64], &mut [f64], &mut [f64]) -> Result<()> + Sync,
) -> Result<Array2<f64>> {
    let (x, d) = (x.as_standard_layout(), x.ncols());
    let from = x.as_slice().expect("in standard layout");
    let mut out = vec![0.0; x.nrows() * width];
    let block = |(b, (from, to)): (usize, (&[f64], &mut [f64]))| -> Result<()> {
        let mut off = vec![0.0; d];
        for (i, (row, to)) in from.chunks_exact(d).zip(to.chunks_exact_mut(width)).enumerate() {
            if missing && row.iter().all(|v| v.is_nan()) {
                continue;
            }
            if row.iter().any(|v| !v.is_finite()) {
                let t = b * BLOCK + i;
                finite(OP, "a sequence", x.slice(s![t..=t, ..]))?;
            }
            f(row, &mut off, to)?;
        }
        Ok(())
    };
    let blocks = from.par_chunks(BLOCK * d).zip(out.par_chunks_mut(BLOCK * width)).enumerate();
    // The first row that is refused is the one to be named, on any number of cores.
    blocks.map(block).collect::<Vec<_>>().into_iter().collect::<Result<()>>()?;
    Ok(Array2::from_shape_vec((x.nrows(), width), out).expect("so many were made"))
}

/// A symbol out of 0..V, written as a number.
pub(super) fn symbol(v: f64, symbols: usize) -> Result<usize> {
    let fits = v >= 0.0 && v.fract() == 0.0 && v < symbols as f64;
    parameter("symbol", v, fits, "must be a whole number from 0 to one less than the number of symbols")?;
    Ok(v as usize)
}
