//! What a hidden state shows: symbols, normal vectors, or mixtures of normal vectors.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, Axis, s};

use crate::Result;
use crate::check::{finite, parameter, probabilities, require};
use crate::inference::logs::log_sum_exp;
use crate::linalg::small_cholesky::Small;
use crate::random::Philox;

pub(super) const OP: &str = "HiddenMarkov";

/// The distribution of an observation in each of K states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Emission {
    /// One of V symbols, given as the numbers 0 to V - 1 in a single column: `K x V` probabilities, rows sum to one.
    Discrete(Array2<f64>),
    /// A normal vector.
    Gaussian {
        /// `K x d`.
        means: Array2<f64>,
        /// `K x d x d`.
        covariances: Array3<f64>,
    },
    /// A mixture of M normal vectors in each state.
    Mixture {
        /// `K x M`, rows sum to one.
        weights: Array2<f64>,
        /// The means of all components, `KM x d`, those of the first state first.
        means: Array2<f64>,
        /// `KM x d x d`.
        covariances: Array3<f64>,
    },
}

/// Normal densities, factored once for a whole sequence.
struct Normals<'a> {
    means: &'a Array2<f64>,
    factors: Vec<Small>,
}

impl<'a> Normals<'a> {
    fn new(means: &'a Array2<f64>, covariances: &Array3<f64>) -> Result<Self> {
        let factors = covariances.outer_iter().map(|c| Small::new(OP, c)).collect::<Result<_>>()?;
        Ok(Normals { means, factors })
    }

    fn log_density(&self, k: usize, x: ArrayView1<f64>) -> f64 {
        let off = (&x - &self.means.row(k)).insert_axis(Axis(0));
        let solved = self.factors[k].solve_rows(off.view());
        let square = (&off * &solved).sum();
        -0.5 * (square + self.factors[k].log_det + x.len() as f64 * (2.0 * std::f64::consts::PI).ln())
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
        let k = self.states();
        let normals = match self {
            Emission::Discrete(_) => None,
            Emission::Gaussian { means, covariances } | Emission::Mixture { means, covariances, .. } => {
                Some(Normals::new(means, covariances)?)
            }
        };
        let mut out = Array2::zeros((x.nrows(), k));
        for (t, (row, mut to)) in x.rows().into_iter().zip(out.rows_mut()).enumerate() {
            if missing && row.iter().all(|v| v.is_nan()) {
                continue;
            }
            if row.iter().any(|v| !v.is_finite()) {
                finite(OP, "a sequence", x.slice(s![t..=t, ..]))?;
            }
            match (self, &normals) {
                (Emission::Mixture { weights, .. }, Some(normals)) => {
                    let m = weights.ncols();
                    for i in 0..k {
                        let each: Vec<f64> = (0..m)
                            .map(|c| weights[[i, c]].ln() + normals.log_density(i * m + c, row))
                            .collect();
                        to[i] = log_sum_exp(&each);
                    }
                }
                (Emission::Gaussian { .. }, Some(normals)) => {
                    (0..k).for_each(|i| to[i] = normals.log_density(i, row));
                }
                (Emission::Discrete(p), _) => {
                    let symbol = symbol(row[0], p.ncols())?;
                    (0..k).for_each(|i| to[i] = p[[i, symbol]].ln());
                }
                _ => unreachable!("normal emissions have their factors"),
            }
        }
        Ok(out)
    }

    /// Of a mixture: `log p(c | z = k) p(x | c)` of every component, `K x M`.
    pub(super) fn log_components(&self, x: ArrayView1<f64>) -> Result<Array2<f64>> {
        let Emission::Mixture { weights, means, covariances } = self else {
            return Ok(Array2::zeros((0, 0)));
        };
        let normals = Normals::new(means, covariances)?;
        let m = weights.ncols();
        Ok(Array2::from_shape_fn(weights.dim(), |(i, c)| {
            weights[[i, c]].ln() + normals.log_density(i * m + c, x)
        }))
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

/// A symbol out of 0..V, written as a number.
pub(super) fn symbol(v: f64, symbols: usize) -> Result<usize> {
    let fits = v >= 0.0 && v.fract() == 0.0 && v < symbols as f64;
    parameter("symbol", v, fits, "must be a whole number from 0 to one less than the number of symbols")?;
    Ok(v as usize)
}
