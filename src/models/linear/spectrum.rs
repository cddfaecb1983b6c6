//! One decomposition from which ridge regression is solved for any penalty, however small.
//!
//! `X = U Σ Vᵀ`, the rows of X being centred and weighted before. What a fit leaves of the targets is
//! `(I - qqᵀ - UUᵀ) y + U λ/(Σ² + λ) Uᵀ y`, q being the direction of the intercept: sums of what is left, not differences
//! between two numbers that agree to all digits when λ is small. Of X itself and not of its square: a feature in small
//! units beside one in large ones would be lost in the rounding of that.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::centred::Centred;
use super::ridge::Form;
use crate::Result;
use crate::linalg::thin_svd;
use crate::ops::product;

/// Squared length of what neither U nor q has of a unit vector, below which it is measured and not subtracted.
const SMALL: f64 = 1e-6;
/// The most that rounding is taken to leave of it.
const NOTHING: f64 = 1e-12;
/// Roundings that an entry of U may be off by.
const ROUNDINGS: f64 = 32.0;

pub(super) struct Spectrum {
    pub form: Form,
    /// Σ, descending; zero where it is nothing beside the rounding of the largest.
    pub values: Array1<f64>,
    /// U, n x k, orthonormal and orthogonal to q: all there is in the dual form, the range of X in the primal one.
    u: Array2<f64>,
    /// `1 - q_i² - Σ_k u_ik²`: what no penalty can fit of observation i.
    beyond: Array1<f64>,
    /// V, d x k.
    v: Array2<f64>,
    /// Squared length of what rounding leaves of a unit vector that is all in U and q.
    pub rounding: f64,
    /// How many of the values are more than the rounding of the largest.
    pub rank: usize,
    /// The largest value of X beside the least that is not nothing.
    pub reach: f64,
}

/// What a decomposition keeps of the targets.
pub(super) struct Targets {
    /// `Uᵀ Y`, k x t.
    pub projection: Array2<f64>,
    /// `(I - qqᵀ - UUᵀ) Y`, n x t.
    pub beyond: Array2<f64>,
}

impl Spectrum {
    /// Of data that were centred if there is an intercept.
    pub fn of(data: &Centred, intercept: bool) -> Result<Self> {
        let n = data.x.nrows();
        let total = data.weights.map_or(n as f64, |w| w.sum());
        let q = Array1::from_shape_fn(n, |i| data.root(i) / total.sqrt());
        Spectrum::new(data.rows(), intercept.then_some(&q))
    }

    /// Of centred, weighted rows; `q` is the unit vector that centring made orthogonal to them, if it did.
    pub fn new(x: Array2<f64>, q: Option<&Array1<f64>>) -> Result<Self> {
        let (n, d) = x.dim();
        // A reflection takes q to the first axis: without its row there is no null direction left to be mistaken for
        // one of X.
        let mirror = q.map(mirror);
        let inner = match &mirror {
            None => x,
            Some(mirror) => {
                let mut turned = x;
                reflect(mirror, &mut turned);
                turned.slice_move(s![1.., ..])
            }
        };
        // Where the features are enough to meet every observation, all that a fit leaves is λ's doing: that takes all of U.
        let form = if d < inner.nrows() { Form::Primal } else { Form::Dual };
        let found = thin_svd(inner.view())?;
        let least = n.max(d) as f64 * f64::EPSILON * found.values.first().copied().unwrap_or(0.0);
        let rank = found.values.iter().take_while(|v| **v > least).count();
        let kept = if form == Form::Primal { rank } else { found.values.len() };
        let values = Array1::from_shape_fn(kept, |i| if i < rank { found.values[i] } else { 0.0 });
        let v = found.v.slice_move(s![.., ..kept]);
        let mut u = Array2::zeros((n, kept));
        u.slice_mut(s![n - inner.nrows().., ..]).assign(&found.u.slice(s![.., ..kept]));
        if let Some(mirror) = &mirror {
            reflect(mirror, &mut u);
        }
        // The range of X is known to a rounding of the largest value beside the least.
        let reach = if rank > 0 { found.values[0] / found.values[rank - 1] } else { 1.0 };
        let rounding = NOTHING.min(n as f64 * (ROUNDINGS * f64::EPSILON * reach).powi(2));
        let beyond = if form == Form::Primal { beyond(&u, q, rounding) } else { Array1::zeros(n) };
        Ok(Spectrum { form, values, u, beyond, v, rounding, rank, reach })
    }

    /// All that is needed of centred, weighted targets.
    pub fn project(&self, y: Array2<f64>) -> Targets {
        let projection = times(self.u.t(), y.view());
        let beyond =
            if self.form == Form::Dual { Array2::zeros(y.raw_dim()) } else { self.outside(y, &projection) };
        Targets { projection, beyond }
    }

    fn outside(&self, mut y: Array2<f64>, projection: &Array2<f64>) -> Array2<f64> {
        product(-1.0, self.u.view(), projection.view(), 1.0, y.view_mut());
        // Of an observation that is all in U nothing is outside, but rounding.
        y *= &self.beyond.mapv(|v| f64::from(u8::from(v > 0.0))).insert_axis(Axis(1));
        y
    }

    /// λ/(Σ² + λ): what is left of each direction, all of those that X has not.
    fn left(&self, penalty: f64) -> Array1<f64> {
        self.values.mapv(|v| if v > 0.0 { (penalty / v) / (v + penalty / v) } else { 1.0 })
    }

    /// What the fit leaves of the targets, n x t.
    pub fn residuals(&self, penalty: f64, of: &Targets) -> Array2<f64> {
        let scaled = &of.projection * &self.left(penalty).insert_axis(Axis(1));
        let mut out = of.beyond.clone();
        product(1.0, self.u.view(), scaled.view(), 1.0, out.view_mut());
        out
    }

    /// `1 - h_ii`: what the fit leaves of a change of each target.
    pub fn freedoms(&self, penalty: f64) -> Array1<f64> {
        let left = self.left(penalty);
        let own = |u: ArrayView1<f64>| u.iter().zip(&left).map(|(u, l)| u * u * l).sum::<f64>();
        self.u.map_axis(Axis(1), own) + &self.beyond
    }

    /// `tr X (XᵀX + λI)⁻¹ Xᵀ`.
    pub fn trace(&self, penalty: f64) -> f64 {
        self.values.iter().filter(|v| **v > 0.0).map(|v| v / (v + penalty / v)).sum()
    }

    /// `(XᵀX)⁺ = V Σ⁻² Vᵀ`, d x d.
    pub fn inverse_of_squares(&self) -> Array2<f64> {
        let scaled = &self.v * &self.values.mapv(|v| if v > 0.0 { v.recip() } else { 0.0 });
        times(scaled.view(), scaled.t())
    }

    /// The coefficients, d x t.
    pub fn coefficients(&self, penalty: f64, of: &Targets) -> Array2<f64> {
        // Nothing where X has no direction: of all solutions the shortest.
        let inverse = self.values.mapv(|v| if v > 0.0 { (v + penalty / v).recip() } else { 0.0 });
        let scaled = &of.projection * &inverse.insert_axis(Axis(1));
        times(self.v.view(), scaled.view())
    }
}

/// `1 - q_i² - Σ_k u_ik²` of each observation; zero where it is rounding.
///
/// One far from all others, a stray 1e9 among numbers near one, leaves so little that the difference has no digits:
/// there it is the squared length of `e_i - q q_i - U u_i`. Only as many as U has columns can be so far away.
fn beyond(u: &Array2<f64>, q: Option<&Array1<f64>>, rounding: f64) -> Array1<f64> {
    Array1::from_shape_fn(u.nrows(), |i| {
        let own = q.map_or(0.0, |q| q[i]);
        let mut left = 1.0 - own * own - u.row(i).dot(&u.row(i));
        if left < SMALL {
            let mut rest = u.dot(&u.row(i));
            if let Some(q) = q {
                rest.scaled_add(own, q);
            }
            rest[i] -= 1.0;
            left = rest.dot(&rest);
        }
        if left > rounding { left } else { 0.0 }
    })
}

fn times(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    product(1.0, a, b, 0.0, out.view_mut());
    out
}

/// The unit vector m for which `I - 2mmᵀ` exchanges the unit vector q, of no negative entries, and minus the first axis.
fn mirror(q: &Array1<f64>) -> Array1<f64> {
    let mut m = q.clone();
    m[0] += 1.0;
    let length = m.dot(&m).sqrt();
    m / length
}

/// `(I - 2mmᵀ) a`.
fn reflect(m: &Array1<f64>, a: &mut Array2<f64>) {
    let along = m.dot(&*a);
    for (mut row, m) in a.rows_mut().into_iter().zip(m) {
        row.scaled_add(-2.0 * m, &along);
    }
}
