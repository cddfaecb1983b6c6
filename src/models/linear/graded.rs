//! Ridge regression for any penalty, on observations or features that differ by orders of magnitude.
//!
//! An observation of 1e15 among others of size one leaves those no digits once a mean is subtracted or singular vectors
//! are found: the error of both is that of the largest. Here the intercept is a column as others are, and all is done by
//! [`PivotedQr`], whose error is that of each row. `[X 1] = QR` once; for each penalty `[R; √λ I 0] = Q'R'`, and what a
//! vector has out of the reach of both is what the fit leaves of it: `1 - h_ii = ‖that of e_i‖²`, and the residual is
//! its product with that of y. Sums of squares and products of numbers with digits of their own: none is a difference.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::at_penalty::AtPenalty;
use super::centred::Centred;
use crate::linalg::{PivotedQr, typical};
use crate::ops::product;

/// What Q leaves of a unit vector, squared, below which it is measured and not subtracted from one. No more than the
/// rank over `1 - DIRECT` of them can be so near.
const DIRECT: f64 = 0.1;

/// How many times as large as usual is far.
const FAR: f64 = 1e3;

pub(super) struct Graded {
    /// Those with a weight.
    seen: Vec<usize>,
    all: usize,
    /// Where x was taken to be centred, and y.
    x_middle: Array1<f64>,
    y_middle: Array1<f64>,
    /// X was divided by it.
    unit: f64,
    /// `Xᵀ = Q R`, if there are more features than observations: then R' is X.
    turn: Option<PivotedQr>,
    /// R of `[X 1]`, r x c, its columns those of X and the intercept's if there is one.
    r: Array2<f64>,
    /// The usual size of an entry in each of its columns.
    scales: Vec<f64>,
    /// Features, or observations if they are fewer.
    features: usize,
    /// The intercept's column is the roots of the weights divided by this; none without one.
    largest: Option<f64>,
    /// Q, n x r.
    q: Array2<f64>,
    /// `1 - ‖q_i‖²`.
    beyond: Array1<f64>,
    /// `Qᵀ Y`, r x t.
    head: Array2<f64>,
    /// `(I - QQᵀ) Y`, n x t.
    rest: Array2<f64>,
}

impl Graded {
    /// None if no value strays far from what is usual of its feature, and no feature is in units of its own: then the
    /// error of each row is that of all, and singular vectors are as good.
    pub fn new(data: &Centred, intercept: bool) -> Option<Self> {
        let all = data.x.nrows();
        let seen: Vec<usize> = (0..all).filter(|&i| data.root(i) > 0.0).collect();
        let roots: Array1<f64> = seen.iter().map(|&i| data.root(i)).collect();
        let place = |a: ArrayView2<f64>| {
            let some = a.select(Axis(0), &seen);
            let middle = if intercept { middle(&some) } else { Array1::zeros(a.ncols()) };
            let rows = (some - &middle) * roots.view().insert_axis(Axis(1));
            (rows, middle)
        };
        let ((mut x, x_middle), (y, y_middle)) = (place(data.x), place(data.y));
        if !is_graded(&x, &roots) {
            return None;
        }
        let unit = power(&x);
        x /= unit;
        let turn = (x.ncols() > x.nrows()).then(|| PivotedQr::new(x.t(), &typical(x.t())));
        if let Some(turn) = &turn {
            x = turn.r().t().to_owned();
        }
        let features = x.ncols();
        let largest = intercept.then(|| roots.iter().fold(0f64, |m, v| m.max(*v)));
        if let Some(largest) = largest {
            let mut wide = Array2::zeros((x.nrows(), features + 1));
            wide.slice_mut(s![.., ..features]).assign(&x);
            wide.column_mut(features).assign(&(&roots / largest));
            x = wide;
        }
        let scales = typical(x.view());
        let qr = PivotedQr::new(x.view(), &scales);
        let (n, rank) = (x.nrows(), qr.rank());
        let q = qr.thin();
        let turned = qr.turned(y.view());
        let mut out = turned.clone();
        out.slice_mut(s![..rank, ..]).fill(0.0);
        let mut rest = qr.restored(out.view());
        let mut beyond = if rank < n { q.map_axis(Axis(1), |q| 1.0 - q.dot(&q)) } else { Array1::zeros(n) };
        let near: Vec<usize> = (0..n).filter(|&i| beyond[i] < DIRECT && rank < n).collect();
        let own = qr.turned_units(&near);
        for (&i, own) in near.iter().zip(own.columns()) {
            let own = own.slice(s![rank..]);
            beyond[i] = own.dot(&own);
            rest.row_mut(i).assign(&own.dot(&turned.slice(s![rank.., ..])));
        }
        let (head, r) = (turned.slice_move(s![..rank, ..]), qr.r().clone());
        Some(Graded {
            seen,
            all,
            x_middle,
            y_middle,
            unit,
            turn,
            r,
            scales,
            features,
            largest,
            q,
            beyond,
            head,
            rest,
        })
    }

    /// All that this penalty gives.
    pub fn at(&self, penalty: f64) -> AtPenalty {
        let (rank, c) = self.r.dim();
        let mut stacked = Array2::zeros((rank + self.features, c));
        stacked.slice_mut(s![..rank, ..]).assign(&self.r);
        stacked.slice_mut(s![rank.., ..]).diag_mut().fill(penalty.sqrt() / self.unit);
        let qr = PivotedQr::new(stacked.view(), &self.scales);
        let below = qr.rank();
        let mut targets = Array2::zeros((rank + self.features, self.head.ncols()));
        targets.slice_mut(s![..rank, ..]).assign(&self.head);
        let targets = qr.turned(targets.view());
        let units = qr.turned_units(&(0..rank).collect::<Vec<_>>());
        let units = units.slice(s![below.., ..]);
        let mut own = Array2::zeros((self.q.nrows(), units.nrows()));
        product(1.0, self.q.view(), units.t(), 0.0, own.view_mut());
        let mut left = self.rest.clone();
        product(1.0, own.view(), targets.slice(s![below.., ..]), 1.0, left.view_mut());
        let free = own.map_axis(Axis(1), |h| h.dot(&h)) + &self.beyond;

        let mut residuals = Array2::zeros((self.all, left.ncols()));
        let mut freedoms = Array1::ones(self.all);
        for (k, &i) in self.seen.iter().enumerate() {
            residuals.row_mut(i).assign(&left.row(k));
            freedoms[i] = free[k];
        }
        let found = qr.solve(targets.slice(s![..below, ..]));
        let (coefficients, intercept) = self.placed(&found);
        let trace = rank as f64 - units.iter().map(|u| u * u).sum::<f64>();
        AtPenalty { residuals, freedoms, trace, coefficients, intercept }
    }

    /// Coefficients and intercept in the units of the data, from those of the columns.
    fn placed(&self, found: &Array2<f64>) -> (Array2<f64>, Array1<f64>) {
        let own = found.slice(s![..self.features, ..]);
        let coefficients = match &self.turn {
            None => &own / self.unit,
            Some(turn) => {
                let mut all = Array2::zeros((self.x_middle.len(), found.ncols()));
                all.slice_mut(s![..self.features, ..]).assign(&own);
                turn.restored(all.view()) / self.unit
            }
        };
        let Some(largest) = self.largest else { return (coefficients, Array1::zeros(found.ncols())) };
        let intercept =
            &found.row(self.features) / largest + &self.y_middle - self.x_middle.dot(&coefficients);
        (coefficients, intercept)
    }
}

/// Whether an entry is much larger than is usual of its column, a column than another, or a weight than another.
fn is_graded(x: &Array2<f64>, roots: &Array1<f64>) -> bool {
    let usual = typical(x.view());
    let stray = x.rows().into_iter().any(|row| row.iter().zip(&usual).any(|(v, u)| v.abs() > FAR * u));
    stray || spread(&usual) > FAR || spread(roots) > FAR
}

/// The largest beside the least.
pub(super) fn spread<'a>(sizes: impl IntoIterator<Item = &'a f64>) -> f64 {
    let (least, most) = sizes.into_iter().fold((f64::INFINITY, 0f64), |(l, m), u| (l.min(*u), m.max(*u)));
    most / least
}

/// The middle value of each column: near what most rows are near, wherever a few of them stray.
fn middle(rows: &Array2<f64>) -> Array1<f64> {
    let of = |column: ArrayView1<f64>| {
        let mut values = column.to_vec();
        let half = values.len() / 2;
        *values.select_nth_unstable_by(half, f64::total_cmp).1
    };
    rows.columns().into_iter().map(of).collect()
}

/// The power of two below the largest entry; one if there is none.
fn power(x: &Array2<f64>) -> f64 {
    let largest = x.iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 }
}
