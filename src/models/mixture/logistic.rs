//! Mixtures of logistic regressions, by generalised EM. Checked in `tests/mixture/regressions.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::factors::{invert_lower, log_weight, lower_cholesky};
use super::gaussian_em::responsibilities;
use super::linear::random_labels;
use crate::check::components;
use crate::inference::em::{Em, EmModel, Mode, Observations, Statistics};
use crate::ops::{Along, Map, Reduction, Second, Trans, Zip, gemm, map, moments, reduce, softmax, zip};
use crate::{Device, Error, Matrix, Result};

/// `p(y = 1 | x) = sum_k π_k σ(w_k^T x + b_k)`, σ the logistic function: K groups that answer differently.
///
/// The M-step has no closed form. Generalised EM makes one Newton step instead, shortened as often as the objective would
/// fall, from sums that add: the gradient and the curvature of each component. A `ridge` keeps separable data finite.
///
/// ```
/// use mercer::{Device, models::mixture::LogisticRegressionMixture};
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 10.0 - 3.0);
/// let y: Vec<bool> = (0..60).map(|i| (x[[i, 0]] > 0.0) ^ (i % 7 == 0)).collect();
/// let fit = LogisticRegressionMixture::new(1).fit(&Device::cpu(), x.view(), &y)?;
/// let p = fit.predict_proba(ndarray::array![[-2.0], [2.0]].view())?;
/// assert!(p[0] < 0.3 && p[1] > 0.7);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LogisticRegressionMixture {
    /// K.
    pub components: usize,
    /// λ in `log-likelihood - (λ / 2) sum_k |w_k|²`; the intercepts are free.
    pub ridge: f64,
    /// Iterations, tolerance, restarts, seed, progress. The mode is always the generalised one.
    pub em: Em,
}

/// Fitted [`LogisticRegressionMixture`].
#[derive(Debug, Clone)]
pub struct FittedLogisticRegressionMixture {
    /// π, of length K.
    pub weights: Array1<f64>,
    /// w, `K x d`.
    pub slopes: Array2<f64>,
    /// b.
    pub intercepts: Array1<f64>,
    /// `sum_i log p(y_i | x_i)`.
    pub log_likelihood: f64,
    /// The log-likelihood, less the ridge, at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
}

/// π and `(w_k, b_k)`, `K x (d + 1)`.
#[derive(Debug, Clone)]
struct Params {
    weights: Array1<f64>,
    coefficients: Array2<f64>,
}

/// What a Newton step needs, at the parameters of the E-step.
#[derive(Debug, Clone)]
struct Slope {
    mass: Array1<f64>,
    /// `sum_i r_ik (y_i - p_ik) (x_i, 1)`.
    gradient: Array2<f64>,
    /// `sum_i r_ik p_ik (1 - p_ik) (x_i, 1)(x_i, 1)^T`, one below the other.
    curvature: Array2<f64>,
    log_likelihood: f64,
}

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

struct LogisticEm {
    ridge: f64,
}

/// Rows (x, 1), and the answers as a column of ±1 and as one of 0 and 1.
struct Answers {
    rows: Observations,
    sign: Matrix,
    yes: Matrix,
}

/// `log π_k + log σ(s_i (w_k^T x_i + b_k))`, and `w_k^T x_i + b_k`: both `n x K`.
fn log_joint(params: &Params, x: &Matrix, sign: &Matrix) -> Result<(Matrix, Matrix)> {
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
        let x = &batch.rows.x;
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
            let little = 1e-10 * (1.0 + curvature.diag().sum());
            curvature.diag_mut().indexed_iter_mut().for_each(|(j, v)| *v += ridge(j) + little);
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

impl LogisticRegressionMixture {
    /// k components with a ridge of 0.01, the best of ten starts.
    pub fn new(k: usize) -> Self {
        let em = Em { restarts: 10, max_iterations: 500, ..Em::default() };
        LogisticRegressionMixture { components: k, ridge: 0.01, em }
    }

    /// Fits the answers `y`, of length n, on `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n or the ridge not positive; [`Error::Shape`], [`Error::NotFinite`],
    /// [`Error::Cancelled`].
    pub fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[bool],
    ) -> Result<FittedLogisticRegressionMixture> {
        let ((n, d), k) = (x.dim(), self.components);
        components("components", k, n)?;
        if y.len() != n {
            let what = format!("x has {n} rows, y {}", y.len());
            return Err(Error::Shape { op: "LogisticRegressionMixture", what });
        }
        if !(self.ridge > 0.0 && self.ridge.is_finite()) {
            let (name, requirement) = ("ridge".to_owned(), "must be positive and finite");
            return Err(Error::Parameter { name, value: self.ridge, requirement });
        }
        let device = device.suited_to(4.0 * (n * d * d * k) as f64 * self.em.max_iterations as f64);
        let ones = with_ones(x);
        let number = |yes: f64, no: f64| y.iter().map(|&v| if v { yes } else { no }).collect::<Vec<f64>>();
        let batch = Answers {
            rows: Observations::new(&device, ones.view(), None)?,
            sign: Matrix::column(&device, &number(1.0, -1.0))?,
            yes: Matrix::column(&device, &number(1.0, 0.0))?,
        };
        let Mode::Generalised { step } = self.em.mode else {
            let em = Em { mode: Mode::Generalised { step: 1.0 }, ..self.em.clone() };
            return LogisticRegressionMixture { em, ..self.clone() }.fit(&device, x, y);
        };
        let em = Em { mode: Mode::Generalised { step }, ..self.em.clone() };
        let model = LogisticEm { ridge: self.ridge };
        let run = em.run(&model, std::slice::from_ref(&batch), |seed| Ok(start(&ones, y, k, seed)))?;
        Ok(FittedLogisticRegressionMixture {
            weights: run.params.weights,
            slopes: run.params.coefficients.slice(s![.., ..d]).to_owned(),
            intercepts: run.params.coefficients.column(d).to_owned(),
            log_likelihood: run.stats.log_likelihood,
            trace: run.trace,
            iterations: run.iterations,
            converged: run.converged,
        })
    }
}

/// Each component starts along the difference of the mean x of the two answers, in a group drawn at random.
fn start(x: &Array2<f64>, y: &[bool], k: usize, seed: u64) -> Params {
    let labels = random_labels(x.nrows(), k, seed);
    let spread = x.var_axis(Axis(0), 0.0).mapv(|v| if v > 0.0 { v } else { 1.0 });
    let mut coefficients = Array2::zeros((k, x.ncols()));
    for own in 0..k {
        let mean = |answer: bool| {
            let rows: Vec<usize> = (0..y.len()).filter(|&i| labels[i] == own && y[i] == answer).collect();
            x.select(Axis(0), &rows).mean_axis(Axis(0))
        };
        if let (Some(yes), Some(no)) = (mean(true), mean(false)) {
            let slope = (&yes - &no) / &spread;
            let half = 0.5 * (&yes + &no);
            let last = x.ncols() - 1;
            let mut row = coefficients.row_mut(own);
            row.assign(&slope);
            row[last] = -slope.dot(&half);
        }
    }
    Params { weights: Array1::from_elem(k, 1.0 / k as f64), coefficients }
}

fn with_ones(x: ArrayView2<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    Array2::from_shape_fn((n, d + 1), |(i, j)| if j < d { x[[i, j]] } else { 1.0 })
}

impl FittedLogisticRegressionMixture {
    /// `p(y = 1 | x_i)`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows of `x` do not have d entries.
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(self.probabilities(x)?.dot(&self.weights))
    }

    /// `σ(w_k^T x_i + b_k)`, `m x K`: what each group says.
    ///
    /// # Errors
    /// As [`FittedLogisticRegressionMixture::predict_proba`].
    pub fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.check(x)?;
        let sigmoid = |f: f64| 1.0 / (1.0 + (-f).exp());
        Ok((x.dot(&self.slopes.t()) + &self.intercepts).mapv(sigmoid))
    }

    /// Responsibilities once y is seen, `p(k | x_i, y_i)`, `m x K`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` and `y` do not fit, [`Error::NotFinite`].
    pub fn responsibilities(&self, x: ArrayView2<f64>, y: &[bool]) -> Result<Array2<f64>> {
        self.check(x)?;
        let cpu = Device::cpu();
        let sign: Vec<f64> = y.iter().map(|&v| if v { 1.0 } else { -1.0 }).collect();
        let d = self.slopes.ncols();
        let last = |k: usize, j: usize| if j < d { self.slopes[[k, j]] } else { self.intercepts[k] };
        let params = Params {
            weights: self.weights.clone(),
            coefficients: Array2::from_shape_fn((self.weights.len(), d + 1), |(k, j)| last(k, j)),
        };
        let ones = Matrix::from_array(&cpu, with_ones(x).view())?;
        softmax(&log_joint(&params, &ones, &Matrix::column(&cpu, &sign)?)?.0)?.to_array()
    }

    fn check(&self, x: ArrayView2<f64>) -> Result<()> {
        let d = self.slopes.ncols();
        if x.ncols() == d {
            return Ok(());
        }
        let what = format!("x has {} columns, not {d}", x.ncols());
        Err(Error::Shape { op: "LogisticRegressionMixture", what })
    }
}
