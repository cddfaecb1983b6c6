//! EM for linear state spaces (Shumway and Stoffer 1982). Checked in `tests/sequence/linear_gaussian.rs`.

use ndarray::{Array1, Array2, Axis};

use super::model::{LinearGaussian, OP};
use crate::Result;
use crate::check::{not_negative, require};
use crate::configure::setters;
use crate::inference::em::{Em, EmModel, Statistics, em_setters};
use crate::linalg::small_cholesky::Small;

/// Learns all parameters of a [`LinearGaussian`] from sequences, by EM from given ones on: the smoother is the E-step.
///
/// ```
/// use mercer::models::sequence::{LinearGaussian, LinearGaussianEm};
/// use ndarray::array;
/// let truth = LinearGaussian::new(
///     array![0.0], array![[1.0]], array![[0.9]], array![[0.5]], array![[1.0]], array![[0.2]],
/// )?;
/// let start = LinearGaussian::new(
///     array![0.0], array![[1.0]], array![[0.2]], array![[1.0]], array![[1.0]], array![[1.0]],
/// )?;
/// let (x, _) = truth.sample(400, 2)?;
/// let learned = LinearGaussianEm::new(start).learn(&[x])?;
/// assert!((learned.transition()[[0, 0]] - 0.9).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearGaussianEm {
    start: LinearGaussian,
    floor: f64,
    em: Em,
}

impl LinearGaussianEm {
    /// EM from these parameters on.
    pub fn new(start: LinearGaussian) -> Self {
        LinearGaussianEm { start, floor: 1e-9, em: Em::new() }
    }
}

setters!(LinearGaussianEm {
    /// What is added to the diagonals of sums of squares, as priors of the covariances would: 1e-9.
    floor: f64,
});

em_setters!(LinearGaussianEm: max_iterations, tolerance, progress);

impl LinearGaussianEm {
    /// Learns from sequences, `T x d` each.
    ///
    /// # Errors
    /// As [`LinearGaussian::smooth`]; no sequences, or none of two observations; [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn learn(&self, sequences: &[Array2<f64>]) -> Result<LinearGaussian> {
        not_negative("floor", self.floor)?;
        require(OP, sequences.iter().any(|x| x.nrows() > 1), || {
            "no sequence has two observations".to_owned()
        })?;
        let outcome = self.em.run(self, sequences, |_| Ok(self.start.clone()))?;
        let mut learned = outcome.params;
        learned.report = outcome.report;
        Ok(learned)
    }
}

/// Sums of expected products of states and observations.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Products {
    sequences: f64,
    observed: f64,
    moves: f64,
    first: Array1<f64>,
    first_square: Array2<f64>,
    /// `Σ E[z_t z_tᵀ]` over all observed t; over all but the first; over all but the last; of `z_t z_{t-1}ᵀ`.
    seen: Array2<f64>,
    later: Array2<f64>,
    earlier: Array2<f64>,
    lagged: Array2<f64>,
    cross: Array2<f64>,
    squares: Array2<f64>,
    log_likelihood: f64,
}

impl Products {
    fn matrices(&mut self) -> [&mut Array2<f64>; 7] {
        [
            &mut self.first_square,
            &mut self.seen,
            &mut self.later,
            &mut self.earlier,
            &mut self.lagged,
            &mut self.cross,
            &mut self.squares,
        ]
    }
}

impl Statistics for Products {
    fn add(&mut self, other: &Self) {
        let mut other = other.clone();
        self.matrices().into_iter().zip(other.matrices()).for_each(|(a, b)| *a += &*b);
        self.first += &other.first;
        self.sequences += other.sequences;
        self.observed += other.observed;
        self.moves += other.moves;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.matrices().into_iter().for_each(|a| *a *= by);
        self.first *= by;
        for v in [&mut self.sequences, &mut self.observed, &mut self.moves, &mut self.log_likelihood] {
            *v *= by;
        }
    }

    fn mass(&self) -> f64 {
        self.observed
    }
}

fn outer(a: ndarray::ArrayView1<f64>, b: ndarray::ArrayView1<f64>) -> Array2<f64> {
    a.insert_axis(Axis(1)).dot(&b.insert_axis(Axis(0)))
}

/// `(B A⁻¹, (S - B A⁻¹ Bᵀ + floor I)/n)`: the regression of something on states, and what it leaves.
fn regress(
    on: &Array2<f64>,
    cross: &Array2<f64>,
    square: &Array2<f64>,
    n: f64,
    floor: f64,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let weights = Small::new(OP, on.view())?.solve_rows(cross.view());
    let rest = square - &weights.dot(&cross.t());
    let even = ((&rest + &rest.t()) * 0.5 + Array2::<f64>::eye(rest.nrows()) * floor) / n;
    Ok((weights, even))
}

impl EmModel for LinearGaussianEm {
    const NAME: &'static str = "LinearGaussianEm";
    type Batch = Array2<f64>;
    type Params = LinearGaussian;
    type Stats = Products;

    fn expect(&self, params: &LinearGaussian, x: &Array2<f64>) -> Result<Products> {
        let s = params.smooth(x)?;
        let (k, d, t) = (params.initial_mean.len(), params.emission.nrows(), x.nrows());
        let square =
            |i: usize| &s.covariances.index_axis(Axis(0), i) + &outer(s.means.row(i), s.means.row(i));
        let zero = Array2::<f64>::zeros((k, k));
        let mut out = Products {
            sequences: 1.0,
            observed: 0.0,
            moves: t as f64 - 1.0,
            first: s.means.row(0).to_owned(),
            first_square: square(0),
            seen: zero.clone(),
            later: zero.clone(),
            earlier: zero.clone(),
            lagged: zero,
            cross: Array2::zeros((d, k)),
            squares: Array2::zeros((d, d)),
            log_likelihood: s.log_likelihood,
        };
        for i in 0..t {
            let own = square(i);
            if i > 0 {
                out.later += &own;
                out.lagged +=
                    &(&s.lagged.index_axis(Axis(0), i) + &outer(s.means.row(i), s.means.row(i - 1)));
            }
            if i + 1 < t {
                out.earlier += &own;
            }
            if x.row(i).iter().all(|v| v.is_finite()) {
                out.observed += 1.0;
                out.seen += &own;
                out.cross += &outer(x.row(i), s.means.row(i));
                out.squares += &outer(x.row(i), x.row(i));
            }
        }
        Ok(out)
    }

    fn maximise(&self, params: &LinearGaussian, s: &Products) -> Result<LinearGaussian> {
        let mean = &s.first / s.sequences;
        let spread = &s.first_square - &(outer(mean.view(), mean.view()) * s.sequences);
        let spread =
            ((&spread + &spread.t()) * 0.5 + Array2::<f64>::eye(mean.len()) * self.floor) / s.sequences;
        let (a, q) = regress(&s.earlier, &s.lagged, &s.later, s.moves, self.floor)?;
        let (c, r) = regress(&s.seen, &s.cross, &s.squares, s.observed, self.floor)?;
        Ok(LinearGaussian::new(mean, spread, a, q, c, r)?.allow_missing(params.missing))
    }

    /// The log-likelihood, and what the floor is as a prior: `-½ floor Σ tr C⁻¹`.
    fn objective(&self, params: &LinearGaussian, s: &Products) -> f64 {
        let trace = |c: &Array2<f64>| {
            Small::new(OP, c.view()).map_or(f64::NAN, |f| f.inverse(c.nrows()).diag().sum())
        };
        let all = [&params.initial_covariance, &params.transition_noise, &params.emission_noise];
        let prior = if self.floor > 0.0 { all.map(trace).iter().sum::<f64>() } else { 0.0 };
        s.log_likelihood - 0.5 * self.floor * prior
    }
}
