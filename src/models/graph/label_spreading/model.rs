//! How labels are to spread along edges.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::fitted::FittedLabelSpreading;
use crate::check::{finite, parameter, require};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, Label, Labels};
use crate::linalg::{CgParams, Jacobi, SparseOperator, conjugate_gradients};
use crate::matrix::SparseMatrix;
use crate::models::graph::neighbourhood::Neighbourhood;
use crate::models::graph::similarity::Graph;
use crate::models::graph::spectral_clustering::usual;
use crate::ops::{Multiplier, Zip, zip};
use crate::{Device, Error, Matrix, Result};

/// The relative change of every share that ends the iteration, times `1 - α`.
const EXACT: f64 = 1e-11;
/// What is left of an error of size one when f32 tells no more.
const SINGLE: f64 = 1e-6;
/// Most iterations on a device.
const MOST_THERE: f64 = 1000.0;
/// Most iterations; an error of size one shrinks by α in each.
const ITERATIONS: usize = 100_000;

/// `F = (1 - α) (I - α S)⁻¹ Y` with `S = D^-½ W D^-½`: each point takes the share α of its label from its neighbours and
/// keeps the rest of what it was given; rows of F are then scaled to sum to one.
///
/// It is the limit of `F ← α S F + (1 - α) Y`. The graph is that of the labelled points of the fit and of those given as
/// [`unlabelled`](LabelSpreading::unlabelled), in this order. A GPU makes the first iterations in f32, by
/// [`spmm`](crate::ops::spmm()) with F and S there; the last ones are in f64 on the CPU.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [10.0]];
/// let more = ndarray::array![[1.0], [2.0], [8.0], [9.0]];
/// let model = LabelSpreading::new(0.2).neighbourhood(Neighbourhood::nearest(1)).unlabelled(more);
/// let fit = model.fit(&Device::cpu(), &x, ["low", "high"])?;
/// assert_eq!(fit.transduction()?[2..], ["low", "low", "high", "high"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LabelSpreading {
    alpha: f64,
    neighbourhood: Option<Neighbourhood>,
    unlabelled: Option<Array2<f64>>,
}

impl LabelSpreading {
    /// With the share α of a label that comes from neighbours, between 0 and 1.
    pub fn new(alpha: f64) -> Self {
        LabelSpreading { alpha, neighbourhood: None, unlabelled: None }
    }
}

setters!(LabelSpreading {
    /// The share α, between 0 and 1.
    alpha: f64,
    /// How points are joined; the 10 nearest of either by default.
    neighbourhood: into Option<Neighbourhood>,
    /// The points without a label.
    unlabelled: into Option<Array2<f64>>,
});

fits!(LabelSpreading: Classify -> FittedLabelSpreading);

impl<L: Label> Fit<[L]> for LabelSpreading {
    type Fitted = FittedLabelSpreading<L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedLabelSpreading<L>> {
        const OP: &str = "LabelSpreading::fit";
        let alpha = self.alpha;
        parameter("alpha", alpha, alpha > 0.0 && alpha < 1.0, "must lie between 0 and 1")?;
        let given = Given::new(OP, x, self.unlabelled.as_ref(), y, self.neighbourhood)?;
        let d = given.graph.degrees();
        let walk = given.graph.weights().map(|i, j, w| alpha * w / d[i].sqrt() / d[j].sqrt())?;
        let kept = &given.one_hot * (1.0 - alpha);
        // By its series, whose terms are not negative: far from all labels shares are tiny, and their ratio still counts.
        let mut spread = warmed(device, &walk, &kept, alpha)?;
        for iteration in 1.. {
            let next = walk.times(spread.view())? + &kept;
            let moved = next
                .iter()
                .zip(&spread)
                .map(|(new, old)| if *new > 0.0 { (new - old).abs() / new } else { 0.0 });
            let moved = moved.fold(0.0, f64::max);
            spread = next;
            if moved <= EXACT * (1.0 - alpha) {
                break;
            }
            if iteration >= ITERATIONS {
                let (residual, tolerance) = (moved, EXACT * (1.0 - alpha));
                return Err(Error::NoConvergence { op: OP, iterations: iteration, residual, tolerance });
            }
        }
        Ok(given.fitted(spread))
    }
}

/// The iteration as far as f32 can tell, if a device makes it: all terms are positive, so that every share keeps its digits.
fn warmed(device: &Device, walk: &SparseMatrix, kept: &Array2<f64>, alpha: f64) -> Result<Array2<f64>> {
    let steps = (SINGLE.ln() / alpha.ln()).ceil().clamp(1.0, MOST_THERE);
    let flops = 2.0 * steps * walk.values().len() as f64 * kept.ncols() as f64;
    let device = device.suited_to(flops);
    if !device.is_gpu() {
        return Ok(kept.clone());
    }
    let there = || -> Result<Array2<f64>> {
        let (walk, kept) =
            (Multiplier::new(&device, walk.clone())?, Matrix::from_array(&device, kept.view())?);
        let mut spread = walk.times(&kept)?;
        for _ in 1..steps as usize {
            spread = walk.times(&zip(&spread, &kept, Zip::Add)?)?;
        }
        zip(&spread, &kept, Zip::Add)?.to_array()
    };
    match there() {
        Ok(spread) if spread.iter().all(|v| v.is_finite()) => Ok(spread),
        Ok(_) | Err(Error::Unsupported { .. } | Error::TooLarge { .. }) => Ok(kept.clone()),
        Err(e) => Err(e),
    }
}

/// `f_i = Σ_j w_ij f_j / d_i` at every point without a label, and its label where there is one: the harmonic function, where
/// a walk along edges first meets a label.
///
/// Otherwise as [`LabelSpreading`], of which it is the limit without forgetting; by conjugate gradients on the CPU in f64,
/// whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let more = ndarray::array![[1.0], [2.0], [3.0]];
/// let model = LabelPropagation::new().neighbourhood(Neighbourhood::epsilon(1.0)).unlabelled(more);
/// let fit = model.fit(&Device::cpu(), ndarray::array![[0.0], [4.0]], [false, true])?;
/// assert!((fit.shares()[[2, 1]] - 0.25).abs() < 1e-12); // a quarter of the way
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelPropagation {
    neighbourhood: Option<Neighbourhood>,
    unlabelled: Option<Array2<f64>>,
}

impl LabelPropagation {
    /// With the graph of the 10 nearest neighbours.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(LabelPropagation {
    /// How points are joined; the 10 nearest of either by default.
    neighbourhood: into Option<Neighbourhood>,
    /// The points without a label.
    unlabelled: into Option<Array2<f64>>,
});

fits!(LabelPropagation: Classify -> FittedLabelSpreading);

impl<L: Label> Fit<[L]> for LabelPropagation {
    type Fitted = FittedLabelSpreading<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedLabelSpreading<L>> {
        let given = Given::new("LabelPropagation::fit", x, self.unlabelled.as_ref(), y, self.neighbourhood)?;
        let (n, known) = (given.points.nrows(), y.len());
        let free: Vec<usize> = (known..n).filter(|&i| given.reached[i]).collect();
        let mut spread = given.one_hot.clone();
        if !free.is_empty() {
            let mut place = vec![usize::MAX; n];
            free.iter().enumerate().for_each(|(at, &i)| place[i] = at);
            let (graph, m) = (&given.graph, free.len());
            let inside = free.iter().enumerate().flat_map(|(at, &i)| {
                let edges = graph.weights().row(i).filter(|(j, _)| *j >= known).map(|(j, w)| (j, -w));
                edges.chain([(i, graph.degrees()[i])]).map(move |(j, w)| (at, j, w))
            });
            let inside: Vec<_> = inside.map(|(at, j, w)| (at, place[j], w)).collect();
            let mut from = Array2::zeros((m, given.one_hot.ncols()));
            for (at, &i) in free.iter().enumerate() {
                for (j, w) in graph.weights().row(i).filter(|(j, _)| *j < known) {
                    from.row_mut(at).scaled_add(w, &given.one_hot.row(j));
                }
            }
            let found = solved(&SparseMatrix::from_triplets(m, m, &inside)?, from.view())?;
            free.iter().zip(found.rows()).for_each(|(&i, row)| spread.row_mut(i).assign(&row));
        }
        Ok(given.fitted(spread))
    }
}

/// `A⁻¹ B` of a sparse positive definite A.
fn solved(a: &SparseMatrix, b: ArrayView2<f64>) -> Result<Array2<f64>> {
    let op = SparseOperator::new(a)?;
    let params = CgParams::new().max_iterations(10_000).tolerance(1e-12).accept_unconverged(true);
    let found = conjugate_gradients(&op, b, &Jacobi::new(&op)?, &params)?;
    let worst = found.info.relative_residuals.iter().copied().fold(0.0, f64::max);
    if worst <= 1e-8 {
        return Ok(found.x);
    }
    let iterations = found.info.iterations;
    Err(crate::Error::NoConvergence {
        op: "LabelPropagation::fit",
        iterations,
        residual: worst,
        tolerance: 1e-8,
    })
}

/// Points, labels and the graph of all of them.
struct Given<L> {
    labels: Labels<L>,
    points: Array2<f64>,
    graph: Graph,
    rule: Neighbourhood,
    one_hot: Array2<f64>,
    /// Whether a path leads from each point to a label.
    reached: Vec<bool>,
}

impl<L: Label> Given<L> {
    fn new(
        op: &'static str,
        x: ArrayView2<f64>,
        more: Option<&Array2<f64>>,
        y: &[L],
        rule: Option<Neighbourhood>,
    ) -> Result<Self> {
        let points = together(op, x, more)?;
        require(op, x.nrows() == y.len(), || format!("{} points, {} labels", x.nrows(), y.len()))?;
        let (labels, index) = Labels::of_classes(y)?;
        let rule = usual(rule, points.nrows());
        let graph = rule.build(points.view())?;
        let mut one_hot = Array2::zeros((points.nrows(), labels.classes().len()));
        index.iter().enumerate().for_each(|(i, &c)| one_hot[[i, c]] = 1.0);
        let parts = graph.components();
        let mut labelled = vec![false; graph.component_count()];
        (0..y.len()).for_each(|i| labelled[parts[i]] = true);
        let reached = parts.iter().map(|p| labelled[*p]).collect();
        Ok(Given { labels, points, graph, rule, one_hot, reached })
    }

    fn fitted(self, mut spread: Array2<f64>) -> FittedLabelSpreading<L> {
        let classes = spread.ncols() as f64;
        for (mut row, reached) in spread.rows_mut().into_iter().zip(&self.reached) {
            let total: f64 = row.sum();
            if *reached && total > 0.0 { row /= total } else { row.fill(1.0 / classes) }
        }
        let unreached = (0..self.reached.len()).filter(|&i| !self.reached[i]).collect();
        FittedLabelSpreading::new(self.labels, spread, unreached, self.points, self.rule)
    }
}

/// Labelled points above those without labels, once both are known to be in order.
pub(in crate::models::graph) fn together(
    op: &'static str,
    x: ArrayView2<f64>,
    more: Option<&Array2<f64>>,
) -> Result<Array2<f64>> {
    finite(op, "x", x)?;
    let Some(more) = more.filter(|m| m.nrows() > 0) else { return Ok(x.to_owned()) };
    finite(op, "the unlabelled points", more.view())?;
    require(op, x.ncols() == more.ncols(), || {
        format!("x has {} features, the unlabelled points have {}", x.ncols(), more.ncols())
    })?;
    concatenate(Axis(0), &[x, more.view()]).map_err(|e| crate::Error::Shape { op, what: e.to_string() })
}
