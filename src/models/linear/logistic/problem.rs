//! The penalised negative log-likelihood, its gradient and its Hessian, over columns of mean zero and size one.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Zip};

use super::columns::columns;
use super::passes::{self, Order};
use crate::Result;
use crate::learn::classify::Task;
use crate::learn::ranks::Meeting;
use crate::probability::normal::{hazard, log_cdf};

/// What a score of one column says of the second class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Logistic,
    Probit,
}

impl Link {
    /// `-ln p(t | a)` and its first two derivatives by a, for t = 1 (`up`) or 0.
    pub fn local(self, a: f64, up: bool) -> [f64; 3] {
        let m = if up { a } else { -a };
        let [value, slope, curvature] = match self {
            Link::Logistic => {
                // One exponential, of a number that is not positive, for all three.
                let e = (-m.abs()).exp();
                let small = e / (1.0 + e);
                let p = if m >= 0.0 { small } else { 1.0 / (1.0 + e) };
                [(-m).max(0.0) + e.ln_1p(), -p, small / (1.0 + e)]
            }
            Link::Probit => {
                let (r, c) = hazard(m);
                [-log_cdf(m), -r, r * c]
            }
        };
        [value, if up { slope } else { -slope }, curvature]
    }
}

/// `Σ s_i ℓ_i(z_iᵀW) + Σ_j l1_j |W_j| + ½ Σ_j l2_j W_j²` over the rows of this rank, z being rows of x that are shifted and
/// scaled as they are read.
pub(super) struct Data<'a> {
    pub x: ArrayView2<'a, f64>,
    pub index: &'a [usize],
    pub weights: Array1<f64>,
    /// One for two classes, else one for each.
    pub columns: usize,
    pub link: Link,
    pub offset: Option<Array1<f64>>,
    pub l1: Array1<f64>,
    pub l2: Array1<f64>,
    /// The features that vary: the columns of z, but for the last, of ones, if there is an intercept.
    pub live: Vec<usize>,
    pub shift: Array1<f64>,
    pub scale: Array1<f64>,
    /// One over the scale, and zero of columns that do not vary.
    pub inverse: Array1<f64>,
    pub intercept: bool,
}

/// The same over the rows of all ranks.
pub(super) struct Problem<'a> {
    pub data: Data<'a>,
    /// Those who have the other rows.
    pub all: &'a Meeting<'a>,
    /// The weight of all rows.
    pub total: f64,
}

impl<'a> std::ops::Deref for Problem<'a> {
    type Target = Data<'a>;

    fn deref(&self) -> &Data<'a> {
        &self.data
    }
}

const OP: &str = "logistic regression";

/// Penalties, and whether there is an intercept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub l1: f64,
    pub l2: f64,
    pub intercept: bool,
}

/// The smooth part of the objective at some parameters, and as many of its derivatives as were asked for.
pub(super) struct Local {
    pub value: f64,
    /// The likelihood's part of the value.
    pub loss: f64,
    /// `p x c`.
    pub gradient: Array2<f64>,
    /// Column after column: `pc x pc`.
    pub hessian: Option<Array2<f64>>,
    /// Whether the scores, without the offset, tell all classes apart: then the likelihood has no maximum.
    pub separated: bool,
}

impl Data<'_> {
    /// Parameters of a column.
    pub fn width(&self) -> usize {
        self.live.len() + usize::from(self.intercept)
    }

    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Rows of z.
    pub fn fill(&self, rows: Range<usize>, z: &mut ArrayViewMut2<f64>) {
        let whole = self.live.len() == self.x.ncols();
        for (i, mut to) in rows.zip(z.rows_mut()) {
            let from = self.x.row(i);
            if whole {
                Zip::from(to.slice_mut(ndarray::s![..self.live.len()]))
                    .and(from)
                    .and(&self.shift)
                    .and(&self.inverse)
                    .for_each(|to, x, shift, inverse| *to = (x - shift) * inverse);
            } else {
                for (to, &j) in to.iter_mut().zip(&self.live) {
                    *to = (from[j] - self.shift[j]) * self.inverse[j];
                }
            }
            if self.intercept {
                to[self.live.len()] = 1.0;
            }
        }
    }
}

impl<'a> Problem<'a> {
    pub fn new(
        all: &'a Meeting<'a>,
        task: &'a Task,
        weights: Array1<f64>,
        offset: Option<Array1<f64>>,
        link: Link,
        shape: Shape,
    ) -> Result<Self> {
        let x = task.x.view();
        let d = x.ncols();
        let own = columns(x, &weights);
        let (low, high) = all.extent(OP, own.low, own.high)?;
        let (total, mean) = all.together(OP, (weights.sum(), own.mean), |a, b| {
            if b.0 > 0.0 {
                let whole = a.0 + b.0;
                let gap = &b.1 - &a.1;
                a.1.scaled_add(b.0 / whole, &gap);
                a.0 = whole;
            }
            Ok(())
        })?;
        let (mut shift, mut scale) = (Array1::zeros(d), Array1::zeros(d));
        for j in 0..d {
            if shape.intercept {
                shift[j] = mean[j];
                if low[j] == high[j] {
                    continue;
                }
            }
            scale[j] = (high[j] - shift[j]).abs().max((low[j] - shift[j]).abs());
        }
        let live: Vec<usize> = (0..d).filter(|&j| scale[j] > 0.0).collect();
        let p = live.len() + usize::from(shape.intercept);
        let penalty = |by: &dyn Fn(f64) -> f64| {
            Array1::from_shape_fn(p, |j| live.get(j).map_or(0.0, |&j| by(scale[j])))
        };
        let l1 = penalty(&|s| shape.l1 / s);
        let l2 = penalty(&|s| shape.l2 / s / s);
        let columns = if task.classes == 2 { 1 } else { task.classes };
        let (index, intercept) = (&task.index[..], shape.intercept);
        let inverse = scale.mapv(|s: f64| if s > 0.0 { 1.0 / s } else { 0.0 });
        let data =
            Data { x, index, weights, columns, link, offset, l1, l2, live, shift, scale, inverse, intercept };
        Ok(Problem { data, all, total })
    }

    pub fn penalised(&self) -> bool {
        self.l1.iter().chain(&self.l2).any(|v| *v > 0.0)
    }

    /// The objective but for its absolute values, and its derivatives up to an order.
    pub fn at(&self, w: ArrayView2<f64>, order: Order) -> Result<Local> {
        let sums = self.everywhere(passes::sums(&self.data, w, order))?;
        Ok(self.with_ridge(w, sums))
    }

    /// The sums over the rows of all ranks, in one exchange.
    fn everywhere(&self, mut own: Local) -> Result<Local> {
        if self.all.alone() {
            return Ok(own);
        }
        let mut numbers = vec![own.loss, f64::from(u8::from(!own.separated))];
        numbers.extend(own.gradient.iter().chain(own.hessian.iter().flatten()));
        let mut sums = self.all.sum(OP, numbers)?.into_iter();
        let mut next = || sums.next().expect("as many as were sent");
        own.loss = next();
        own.separated = next() == 0.0;
        own.gradient.iter_mut().chain(own.hessian.iter_mut().flatten()).for_each(|v| *v = next());
        Ok(own)
    }

    /// What the squared penalty adds to sums over rows.
    pub fn with_ridge(&self, w: ArrayView2<f64>, mut sums: Local) -> Local {
        sums.value = sums.loss + self.ridge(w);
        if !sums.gradient.is_empty() {
            let each = Zip::from(sums.gradient.rows_mut()).and(w.rows()).and(&self.l2);
            each.for_each(|mut g, w, l| g.scaled_add(*l, &w));
        }
        if let Some(h) = &mut sums.hessian {
            let p = self.width();
            h.diag_mut().iter_mut().enumerate().for_each(|(j, h)| *h += self.l2[j % p]);
        }
        sums
    }

    /// The objective but for its absolute values.
    pub fn smooth(&self, w: ArrayView2<f64>) -> Result<f64> {
        Ok(self.at(w, Order::Value)?.value)
    }

    /// The largest score that parameters make of any row, without the offset.
    pub fn largest_score(&self, w: ArrayView2<f64>) -> Result<f64> {
        self.all.together(OP, passes::largest_score(&self.data, w), |a, b| {
            *a = b.max(*a);
            Ok(())
        })
    }

    /// The squared part of the penalty.
    pub fn ridge(&self, w: ArrayView2<f64>) -> f64 {
        0.5 * w.rows().into_iter().zip(&self.l2).map(|(w, l)| l * w.dot(&w)).sum::<f64>()
    }

    /// The absolute part of the penalty.
    pub fn lasso(&self, w: ArrayView2<f64>) -> f64 {
        let size = |w: ndarray::ArrayView1<f64>| w.iter().map(|v| v.abs()).sum::<f64>();
        w.rows().into_iter().zip(&self.l1).map(|(w, l)| if *l > 0.0 { l * size(w) } else { 0.0 }).sum()
    }

    /// Coefficients, `d x c`, and intercepts of the features as they were given.
    pub fn restored(&self, w: ArrayView2<f64>) -> (Array2<f64>, Array1<f64>) {
        let mut coefficients = Array2::zeros((self.x.ncols(), self.columns));
        let mut constant: Array1<f64> =
            if self.intercept { w.row(self.width() - 1).to_owned() } else { Array1::zeros(self.columns) };
        for (place, &j) in self.live.iter().enumerate() {
            let row = &w.row(place) / self.scale[j];
            constant.scaled_add(-self.shift[j], &row);
            coefficients.row_mut(j).assign(&row);
        }
        (coefficients, constant)
    }

    /// The covariance of what [`Problem::restored`] gives, from that of the parameters: in each block the features as they
    /// were given, then the intercept if there is one.
    pub fn restored_covariance(&self, covariance: ArrayView2<f64>) -> Array2<f64> {
        let (p, c) = (self.width(), self.columns);
        let full = self.x.ncols() + usize::from(self.intercept);
        let mut map = Array2::<f64>::zeros((full, p));
        for (place, &j) in self.live.iter().enumerate() {
            map[[j, place]] = 1.0 / self.scale[j];
            if self.intercept {
                map[[full - 1, place]] = -self.shift[j] / self.scale[j];
            }
        }
        if self.intercept {
            map[[full - 1, p - 1]] = 1.0;
        }
        let mut out = Array2::zeros((full * c, full * c));
        for a in 0..c {
            for b in 0..c {
                let block = covariance.slice(ndarray::s![a * p..(a + 1) * p, b * p..(b + 1) * p]);
                let (rows, columns) = (a * full..(a + 1) * full, b * full..(b + 1) * full);
                out.slice_mut(ndarray::s![rows, columns]).assign(&map.dot(&block).dot(&map.t()));
            }
        }
        out
    }
}
