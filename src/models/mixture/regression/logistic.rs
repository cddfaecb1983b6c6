//! Mixtures of logistic regressions: what is fitted, and how.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::linear::random_labels;
use super::logistic_fitted::FittedLogisticRegressionMixture;
use super::logistic_steps::{Answers, LogisticEm, Params};
use crate::check::{components, parameter, positive};
use crate::inference::em::{Em, Mode, Observations, em_setters};
use crate::learn::classify::Task;
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::ranks::{FitAcross, Meeting, Ranks, across, meet};
use crate::learn::{Fit, Labels};
use crate::matrix::{Origin, Points};
use crate::saved::{Wire, garbled};
use crate::{Device, Result};

const OP: &str = "LogisticRegressionMixture::fit";

/// `p(y = 1 | x) = sum_k π_k σ(w_k^T x + b_k)`, σ the logistic function: K groups that answer differently.
///
/// There are two classes, of which the larger is "1". The M-step has no closed form: generalised EM makes one Newton step
/// instead, shortened as often as the objective would fall, from sums that add: the gradient and the curvature of each
/// component. A `ridge` keeps separable data finite. Inputs are measured from their mean, so that the answer does not
/// depend on where their origin is.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((60, 1), |(i, _)| i as f64 / 10.0 - 3.0);
/// let y: Vec<bool> = (0..60).map(|i| (x[[i, 0]] > 0.0) ^ (i % 7 == 0)).collect();
/// let fit = LogisticRegressionMixture::new(1).fit(&Device::cpu(), &x, &y)?;
/// let p = fit.predict_proba(ndarray::array![[-2.0], [2.0]])?;
/// assert!(p[[0, 1]] < 0.3 && p[[1, 1]] > 0.7);
/// assert_eq!(fit.predict(ndarray::array![[-2.0], [2.0]])?, [false, true]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LogisticRegressionMixture {
    components: usize,
    ridge: f64,
    em: Em,
}

impl LogisticRegressionMixture {
    /// k components with a ridge of 0.01, the best of ten starts.
    pub fn new(k: usize) -> Self {
        let em = Em::new().restarts(10).max_iterations(500);
        LogisticRegressionMixture { components: k, ridge: 0.01, em }
    }
}

setters!(LogisticRegressionMixture {
    /// How many groups there are: K.
    components: usize,
    /// λ in `log-likelihood - (λ / 2) sum_k |w_k|²`; the intercepts are free. 0.01 by default.
    ridge: f64,
});

em_setters!(LogisticRegressionMixture: max_iterations, tolerance, restarts, seed, progress, checkpoint);

fits!(LogisticRegressionMixture: Classify -> FittedLogisticRegressionMixture);

impl<L: Ord + Clone> Fit<[L]> for LogisticRegressionMixture {
    type Fitted = FittedLogisticRegressionMixture<L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let (labels, task) = Task::new(OP, x, y, None)?;
        self.run(&Meeting::alone_here(), device, labels, &task)
    }
}

across!(
    @methods LogisticRegressionMixture [L: Ord + Clone + Wire] [L] => FittedLogisticRegressionMixture<L>
);

impl<L: Ord + Clone + Wire> FitAcross<[L]> for LogisticRegressionMixture {
    fn fit_across(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
    ) -> Result<Self::Fitted> {
        meet(ranks, |all| {
            let (labels, task) = Task::across(all, OP, x, y, None)?;
            self.run(all, device, labels, &task)
        })
    }
}

impl LogisticRegressionMixture {
    fn run<L: Ord + Clone>(
        &self,
        all: &Meeting,
        device: &Device,
        labels: Labels<L>,
        task: &Task,
    ) -> Result<FittedLogisticRegressionMixture<L>> {
        let (x, y) = (task.x.view(), &task.index);
        let (d, k, part) = (x.ncols(), self.components, all.part(OP, x)?);
        components("components", k, part.total)?;
        positive("ridge", self.ridge)?;
        parameter("classes", task.classes as f64, task.classes == 2, "there must be two")?;
        let mean = Array1::from(all.sum(OP, x.sum_axis(Axis(0)).to_vec())?) / part.total as f64;
        let ones = with_ones((&x - &mean).view());
        let flops = 4.0 * ones.len() as f64 * d as f64 * k as f64 * self.em.max_iterations as f64;
        // About their mean already, and the column of ones must stay one.
        let new = || Points::new(OP, device, ones.view(), Origin::Fixed, flops);
        let points = (x.nrows() > 0).then(new).transpose()?;
        let rows = points.map(|points| Observations::unchecked(points, None));
        let exact = rows.as_ref().and_then(Observations::exact);
        let device = rows.as_ref().map_or_else(Device::cpu, |rows| rows.device().clone());
        let answers = |rows: Observations| Ok::<_, crate::Error>(vec![Answers::new(rows, y)?]);
        let exact = exact.map(answers).transpose()?;
        let batch = rows.map(answers).transpose()?.unwrap_or_default();
        let model = LogisticEm { ridge: self.ridge };
        // Rows to start from, their answers beside them.
        let last = Array2::from_shape_fn((y.len(), 1), |(i, _)| y[i] as f64);
        let both = concatenate(Axis(1), &[ones.view(), last.view()]).map_err(|_| garbled())?;
        let sampled = all.sample(OP, part, both.view(), None, self.em.seed)?;
        let begin = |seed| {
            let answers: Vec<usize> = sampled.x.column(d + 1).iter().map(|v| *v as usize).collect();
            start(&sampled.x.slice(s![.., ..=d]).to_owned(), &answers, k, seed)
        };
        let mut em = self.em.known_by(self, both.view(), None);
        if !matches!(em.mode, Mode::Generalised { .. }) {
            em.mode = Mode::Generalised { step: 1.0 };
        }
        let run = em.run_exactly_across(all, &model, &batch, exact.as_ref(), begin)?;
        let mut params = run.params;
        // From the mean back to the origin of the data.
        let moved = params.coefficients.slice(s![.., ..d]).dot(&mean);
        let mut intercepts = params.coefficients.column_mut(d);
        intercepts -= &moved;
        Ok(FittedLogisticRegressionMixture::new(
            labels,
            params,
            run.stats.log_likelihood,
            part.total,
            run.report,
            device,
        ))
    }
}

/// Each component starts along the difference of the mean x of the two answers, in a group drawn at random.
fn start(x: &Array2<f64>, y: &[usize], k: usize, seed: u64) -> Result<Params> {
    let labels = random_labels(x.nrows(), k, seed)?;
    let spread = x.var_axis(Axis(0), 0.0).mapv(|v| if v > 0.0 { v } else { 1.0 });
    let mut coefficients = Array2::zeros((k, x.ncols()));
    for own in 0..k {
        let mean = |answer: usize| {
            let rows: Vec<usize> = (0..y.len()).filter(|&i| labels[i] == own && y[i] == answer).collect();
            x.select(Axis(0), &rows).mean_axis(Axis(0))
        };
        if let (Some(yes), Some(no)) = (mean(1), mean(0)) {
            let slope = (&yes - &no) / &spread;
            let half = 0.5 * (&yes + &no);
            let last = x.ncols() - 1;
            let mut row = coefficients.row_mut(own);
            row.assign(&slope);
            row[last] = -slope.dot(&half);
        }
    }
    Ok(Params { weights: Array1::from_elem(k, 1.0 / k as f64), coefficients })
}

pub(super) fn with_ones(x: ArrayView2<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    Array2::from_shape_fn((n, d + 1), |(i, j)| if j < d { x[[i, j]] } else { 1.0 })
}
