//! The penalised negative log-likelihood, its gradient and its Hessian, over columns of mean zero and size one.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};

use crate::Result;
use crate::learn::classify::{Task, log_sum_exp, sigmoid, softplus};
use crate::learn::ranks::Meeting;
use crate::ops::product;
use crate::probability::normal::{hazard, log_cdf};

/// What a score of one column says of the second class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Logistic,
    Probit,
}

impl Link {
    /// `-ln p(t | a)` and its first two derivatives by a, for t = 1 (`up`) or 0.
    fn local(self, a: f64, up: bool) -> [f64; 3] {
        let m = if up { a } else { -a };
        let [value, slope, curvature] = match self {
            Link::Logistic => {
                let p = sigmoid(-m);
                [softplus(-m), -p, p * sigmoid(m)]
            }
            Link::Probit => {
                let (r, c) = hazard(m);
                [-log_cdf(m), -r, r * c]
            }
        };
        [value, if up { slope } else { -slope }, curvature]
    }
}

/// `Σ s_i ℓ_i(z_iᵀW) + Σ_j l1_j |W_j| + ½ Σ_j l2_j W_j²`.
pub(super) struct Problem<'a> {
    pub z: Array2<f64>,
    pub index: &'a [usize],
    pub weights: Array1<f64>,
    /// One for two classes, else one for each.
    pub columns: usize,
    pub link: Link,
    pub offset: Option<Array1<f64>>,
    pub l1: Array1<f64>,
    pub l2: Array1<f64>,
    /// The features that vary: the columns of z, but for the last, of ones, if there is an intercept.
    live: Vec<usize>,
    shift: Array1<f64>,
    scale: Array1<f64>,
    intercept: bool,
    features: usize,
    /// Those who have the other rows.
    all: &'a Meeting<'a>,
    /// The weight of all rows.
    pub total: f64,
}

const OP: &str = "logistic regression";

/// Penalties, and whether there is an intercept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub l1: f64,
    pub l2: f64,
    pub intercept: bool,
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
        let x = &task.x;
        let (n, d) = x.dim();
        let total = all.total(OP, weights.sum())?;
        let fold = |from: f64, f: fn(f64, f64) -> f64| x.map_axis(Axis(0), |c| c.fold(from, |m, v| f(m, *v)));
        let (least, most) =
            all.extent(OP, fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max))?;
        let mut shift = Array1::zeros(d);
        if shape.intercept {
            // About the middle of the range: exact far from the origin.
            let middle = 0.5 * &least + 0.5 * &most;
            let sum =
                |(c, m): (ArrayView1<f64>, &f64)| c.iter().zip(&weights).map(|(v, w)| w * (v - m)).sum();
            let own = x.axis_iter(Axis(1)).zip(&middle).map(sum).collect();
            shift = middle + Array1::from(all.sum(OP, own)?) / total;
        }
        let scale = Array1::from_shape_fn(d, |j| {
            let constant = shape.intercept && least[j] == most[j];
            if constant { 0.0 } else { (least[j] - shift[j]).abs().max((most[j] - shift[j]).abs()) }
        });
        let live: Vec<usize> = (0..d).filter(|&j| scale[j] > 0.0).collect();
        let p = live.len() + usize::from(shape.intercept);
        let z = Array2::from_shape_fn((n, p), |(i, j)| {
            live.get(j).map_or(1.0, |&j| (x[[i, j]] - shift[j]) / scale[j])
        });
        let penalty = |by: &dyn Fn(f64) -> f64| {
            Array1::from_shape_fn(p, |j| live.get(j).map_or(0.0, |&j| by(scale[j])))
        };
        let l1 = penalty(&|s| shape.l1 / s);
        let l2 = penalty(&|s| shape.l2 / s / s);
        let columns = if task.classes == 2 { 1 } else { task.classes };
        let (index, intercept, features) = (&task.index[..], shape.intercept, d);
        Ok(Problem {
            z,
            index,
            weights,
            columns,
            link,
            offset,
            l1,
            l2,
            live,
            shift,
            scale,
            intercept,
            features,
            all,
            total,
        })
    }

    /// Parameters of a column.
    pub fn width(&self) -> usize {
        self.z.ncols()
    }

    pub fn penalised(&self) -> bool {
        self.l1.iter().chain(&self.l2).any(|v| *v > 0.0)
    }

    /// `Z W` without the offset.
    pub fn scores(&self, w: ArrayView2<f64>) -> Array2<f64> {
        let mut a = Array2::zeros((self.z.nrows(), self.columns));
        product(1.0, self.z.view(), w, 0.0, a.view_mut());
        a
    }

    fn shifted(&self, w: ArrayView2<f64>) -> Array2<f64> {
        let mut a = self.scores(w);
        if let Some(offset) = &self.offset {
            a.column_mut(0).zip_mut_with(offset, |a, o| *a += o);
        }
        a
    }

    /// The likelihood's part of the objective.
    pub fn loss(&self, w: ArrayView2<f64>) -> Result<f64> {
        self.all.total(OP, self.own_loss(w))
    }

    fn own_loss(&self, w: ArrayView2<f64>) -> f64 {
        let a = self.shifted(w);
        let each = a.rows().into_iter().zip(self.index).zip(&self.weights);
        each.map(|((a, &k), s)| {
            s * if self.columns == 1 { self.link.local(a[0], k == 1)[0] } else { log_sum_exp(a) - a[k] }
        })
        .sum()
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

    /// The objective but for its absolute values.
    pub fn smooth(&self, w: ArrayView2<f64>) -> Result<f64> {
        Ok(self.loss(w)? + self.ridge(w))
    }

    /// The largest score of any row.
    pub fn largest_score(&self, w: ArrayView2<f64>) -> Result<f64> {
        self.all.together(OP, self.scores(w).fold(0f64, |m, v| m.max(v.abs())), |a, b| {
            *a = b.max(*a);
            Ok(())
        })
    }

    /// The gradient of the smooth part, `p x c`; beside it `s_i ℓ''` for one column, or the class probabilities.
    pub fn gradient(&self, w: ArrayView2<f64>) -> Result<(Array2<f64>, Array2<f64>)> {
        let mut slope = self.shifted(w);
        let mut curvature = slope.clone();
        for (i, (&k, s)) in self.index.iter().zip(&self.weights).enumerate() {
            if self.columns == 1 {
                let [_, g, h] = self.link.local(slope[[i, 0]], k == 1);
                (slope[[i, 0]], curvature[[i, 0]]) = (s * g, s * h);
                continue;
            }
            let level = log_sum_exp(slope.row(i));
            for c in 0..self.columns {
                let p = (slope[[i, c]] - level).exp();
                curvature[[i, c]] = p;
                slope[[i, c]] = s * (p - f64::from(u8::from(c == k)));
            }
        }
        let mut g = Array2::zeros((self.width(), self.columns));
        product(1.0, self.z.t(), slope.view(), 0.0, g.view_mut());
        let mut g = self.all.add(OP, g)?;
        Zip::from(g.rows_mut()).and(w.rows()).and(&self.l2).for_each(|mut g, w, l| g.scaled_add(*l, &w));
        Ok((g, curvature))
    }

    /// The Hessian of the smooth part, column after column: `pc x pc`.
    pub fn hessian(&self, curvature: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (p, c) = (self.width(), self.columns);
        let mut h = Array2::zeros((p * c, p * c));
        for a in 0..c {
            for b in 0..=a {
                let each = |i: usize| {
                    if c == 1 {
                        return curvature[[i, 0]];
                    }
                    let own = if a == b { 1.0 } else { 0.0 };
                    self.weights[i] * curvature[[i, a]] * (own - curvature[[i, b]])
                };
                let weighted = Array2::from_shape_fn(self.z.dim(), |(i, j)| each(i) * self.z[[i, j]]);
                let mut block = Array2::zeros((p, p));
                product(1.0, self.z.t(), weighted.view(), 0.0, block.view_mut());
                h.slice_mut(ndarray::s![a * p..(a + 1) * p, b * p..(b + 1) * p]).assign(&block);
                if a != b {
                    h.slice_mut(ndarray::s![b * p..(b + 1) * p, a * p..(a + 1) * p]).assign(&block.t());
                }
            }
        }
        let mut h = self.all.add(OP, h)?;
        for a in 0..c {
            for j in 0..p {
                h[[a * p + j, a * p + j]] += self.l2[j];
            }
        }
        Ok(h)
    }

    /// Whether these parameters tell all classes apart: then the likelihood has no maximum.
    pub fn separates(&self, w: ArrayView2<f64>) -> Result<bool> {
        let a = self.scores(w);
        let own = a.rows().into_iter().zip(self.index).all(|(a, &k)| {
            if self.columns == 1 {
                return if k == 1 { a[0] > 0.0 } else { a[0] < 0.0 };
            }
            (0..a.len()).all(|c| c == k || a[c] < a[k])
        });
        Ok(!self.all.any(OP, !own)?)
    }

    /// Coefficients, `d x c`, and intercepts of the features as they were given.
    pub fn restored(&self, w: ArrayView2<f64>) -> (Array2<f64>, Array1<f64>) {
        let mut coefficients = Array2::zeros((self.features, self.columns));
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
        let full = self.features + usize::from(self.intercept);
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
