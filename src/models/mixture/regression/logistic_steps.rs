//! The steps of generalised EM for a mixture of logistic regressions.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::inference::em::{EmModel, Observations, Statistics};
use crate::models::mixture::factors::{invert_lower, log_weight, lower_cholesky};
use crate::models::mixture::responsibilities::responsibilities;
use crate::ops::{Along, Map, Reduction, Second, Trans, Zip, gemm, map, moments, reduce, zip};
use crate::{Matrix, Result};

/// π and `(w_k, b_k)`, `K x (d + 1)`.
#[derive(Debug, Clone)]
pub(super) struct Params {
    pub weights: Array1<f64>,
    pub coefficients: Array2<f64>,
}

/// What a Newton step needs, at the parameters of the E-step.
#[derive(Debug, Clone)]
pub(super) struct Slope {
    pub mass: Array1<f64>,
    /// `sum_i r_ik (y_i - p_ik) (x_i, 1)`.
    gradient: Array2<f64>,
    /// `sum_i r_ik p_ik (1 - p_ik) (x_i, 1)(x_i, 1)^T`, one below the other.
    curvature: Array2<f64>,
    pub log_likelihood: f64,
}

crate::saved::wired!(Params { weights, coefficients });
crate::saved::wired!(Slope { mass, gradient, curvature, log_likelihood });

impl Statistics for Slope {
    fn add(&mut self, other: &Self) {
        self.mass += &other.mass;
        self.gradient += &other.gradient;
        self.curvature += &other.curvature;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.mass *= by;
        self.gradient *= by;
        self.curvature *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.mass.sum()
    }
}

pub(super) struct LogisticEm {
    pub ridge: f64,
}

/// Rows (x, 1), and the answers as a column of ±1 and as one of 0 and 1.
pub(super) struct Answers {
    rows: Observations,
    sign: Matrix,
    yes: Matrix,
}

impl Answers {
    pub fn new(rows: Observations, y: &[usize]) -> Result<Self> {
        let column = |yes: f64, no: f64| {
            let numbers: Vec<f64> = y.iter().map(|&v| if v == 1 { yes } else { no }).collect();
            Matrix::column(rows.device(), &numbers)
        };
        let (sign, yes) = (column(1.0, -1.0)?, column(1.0, 0.0)?);
        Ok(Answers { rows, sign, yes })
    }
}

/// `log π_k + log σ(s_i (w_k^T x_i + b_k))`, and `w_k^T x_i + b_k`: both `n x K`.
pub(super) fn log_joint(params: &Params, x: &Matrix, sign: &Matrix) -> Result<(Matrix, Matrix)> {
    let up = |a: ArrayView2<f64>| Matrix::from_array(&x.device(), a);
    let f = gemm(1.0, x, Trans::No, &up(params.coefficients.view())?, Trans::Yes)?;
    let signed = zip(&f, sign, Zip::Mul)?;
    // log σ(t) = min(t, 0) - log(1 + exp(-|t|)): neither term overflows.
    let minus = |a: &Matrix| map(a, Map::Affine { scale: -1.0, shift: 0.0 });
    let below = minus(&map(&minus(&signed)?, Map::MaxWith(0.0))?)?;
    let small = map(&minus(&map(&signed, Map::Abs)?)?, Map::Exp)?;
    let rest = map(&map(&small, Map::Affine { scale: 1.0, shift: 1.0 })?, Map::Log)?;
    let top = Array2::from_shape_fn((1, params.weights.len()), |(_, k)| log_weight(params.weights[k]));
    Ok((zip(&zip(&below, &rest, Zip::Sub)?, &up(top.view())?, Zip::Add)?, f))
}

impl EmModel for LogisticEm {
    const NAME: &'static str = "LogisticRegressionMixture";
    type Batch = Answers;
    type Params = Params;
    type Stats = Slope;

    fn expect(&self, params: &Params, batch: &Answers) -> Result<Slope> {
        let x = batch.rows.x()?;
        let (log, f) = log_joint(params, x, &batch.sign)?;
        let (r, log_likelihood) = responsibilities(log, &batch.rows)?;
        let mass = reduce(&r, Along::EachColumn, Reduction::Sum)?.to_array()?.index_axis_move(Axis(0), 0);
        let p = map(&f, Map::Sigmoid)?;
        let miss = map(&zip(&p, &batch.yes, Zip::Sub)?, Map::Affine { scale: -1.0, shift: 0.0 })?;
        let gradient = gemm(1.0, &zip(&r, &miss, Zip::Mul)?, Trans::Yes, x, Trans::No)?.to_array()?;
        let no = map(&p, Map::Affine { scale: -1.0, shift: 1.0 })?;
        let bend = zip(&r, &zip(&p, &no, Zip::Mul)?, Zip::Mul)?;
        let origin =
            Matrix::from_array(&x.device(), Array2::<f64>::zeros(params.coefficients.raw_dim()).view())?;
        let curvature = moments(x, &bend, &origin, Second::Full)?.second;
        Ok(Slope { mass, gradient, curvature, log_likelihood })
    }

    fn maximise(&self, params: &Params, slope: &Slope) -> Result<Params> {
        self.ascend(params, slope, 1.0)
    }

    fn ascend(&self, params: &Params, slope: &Slope, step: f64) -> Result<Params> {
        let (k, d) = params.coefficients.dim();
        let weights = &slope.mass / slope.mass.sum();
        let mut next = Params { weights, coefficients: params.coefficients.clone() };
        // The intercept, the last coefficient, has no ridge but for what keeps the matrix invertible.
        let ridge = |j: usize| if j + 1 < d { self.ridge } else { 0.0 };
        for k in 0..k {
            let mut curvature = slope.curvature.slice(s![k * d..(k + 1) * d, ..]).to_owned();
            // In the units of each coefficient, whatever those of the others are.
            curvature.diag_mut().indexed_iter_mut().for_each(|(j, v)| *v += ridge(j) + 1e-10 * (1.0 + *v));
            let whiten = invert_lower(lower_cholesky(curvature.view())?)?;
            let own = params.coefficients.row(k);
            let uphill = Array1::from_shape_fn(d, |j| slope.gradient[[k, j]] - ridge(j) * own[j]);
            next.coefficients.row_mut(k).scaled_add(step, &whiten.t().dot(&whiten.dot(&uphill)));
        }
        Ok(next)
    }

    fn objective(&self, params: &Params, slope: &Slope) -> f64 {
        let d = params.coefficients.ncols() - 1;
        let slopes = params.coefficients.slice(s![.., ..d]);
        slope.log_likelihood - 0.5 * self.ridge * slopes.iter().map(|v| v * v).sum::<f64>()
    }
}
