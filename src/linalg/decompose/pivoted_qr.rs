//! Householder's QR with rows and columns interchanged, for matrices whose rows or columns differ by orders of magnitude.
//!
//! With the largest column next, and its largest entry on top, the rounding of each row is that of its own entries (Powell
//! and Reid; Cox and Higham): a row of 1e15 does not drown one of ones, as it does in a decomposition whose error is that
//! of the whole matrix. Q is kept as its reflections. What they leave of a vector has its own digits too, where the
//! difference between that vector and its projection would have none.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1};
use rayon::prelude::*;

/// Roundings that an entry may be off by.
const ROUNDINGS: f64 = 32.0;
/// Entries from which columns are worth a thread each.
const LARGE: usize = 1 << 14;

/// `A = Q R` for `a`, n x c, of rank r.
pub(crate) struct PivotedQr {
    /// The row of A that each row was: Q is of rows in this order.
    rows: Vec<usize>,
    /// The column of A that each pivot was, and after them those that depend on them.
    columns: Vec<usize>,
    /// `I - τ v vᵀ`, v from the row of its pivot on, one on top.
    reflections: Vec<(f64, Vec<f64>)>,
    /// r x c, in the order of A's columns.
    r: Array2<f64>,
}

/// A column on its way, and the largest that each entry was, or was a difference of.
struct Column {
    values: Vec<f64>,
    sizes: Vec<f64>,
}

impl Column {
    fn new(values: Vec<f64>) -> Self {
        let sizes = values.iter().map(|v| v.abs()).collect();
        Column { values, sizes }
    }

    /// Applies a reflection of the rows from `k` on.
    fn reflect(&mut self, k: usize, tau: f64, v: &[f64]) {
        let (values, sizes) = (&mut self.values[k..], &mut self.sizes[k..]);
        let (along, size) = dot(values, v);
        let (along, size) = (tau * along, tau * size);
        for ((a, s), v) in values.iter_mut().zip(sizes).zip(v) {
            *a -= along * v;
            *s = s.max(size * v.abs());
        }
    }

    /// The length from row `k` on: zero if every entry is the rounding of what it came from, and then they are made so.
    fn left(&mut self, k: usize) -> f64 {
        let (values, sizes) = (&mut self.values[k..], &self.sizes[k..]);
        if values.iter().zip(sizes).all(|(a, s)| a.abs() <= ROUNDINGS * f64::EPSILON * s) {
            values.fill(0.0);
        }
        length(values)
    }
}

impl PivotedQr {
    /// The next column is the longest beside its scale: with [`typical`] ones that whose largest rows stray farthest,
    /// whatever its units.
    pub fn new(a: ArrayView2<f64>, scales: &[f64]) -> Self {
        let (n, c) = a.dim();
        let mut rows: Vec<usize> = (0..n).collect();
        let mut columns: Vec<usize> = (0..c).collect();
        let mut work: Vec<Column> = a.columns().into_iter().map(|a| Column::new(a.to_vec())).collect();
        let mut reflections: Vec<(f64, Vec<f64>)> = Vec::new();
        for k in 0..n.min(c) {
            let lengths: Vec<f64> = work[k..].iter_mut().map(|column| column.left(k)).collect();
            let beside = |j: usize| lengths[j] / scales[columns[k + j]];
            let longest = (0..lengths.len()).fold(0, |b, j| if beside(j) > beside(b) { j } else { b });
            if lengths[longest] == 0.0 {
                break;
            }
            work.swap(k, k + longest);
            columns.swap(k, k + longest);
            let pivot = &work[k].values;
            let top = (k..n).fold(k, |b, i| if pivot[i].abs() > pivot[b].abs() { i } else { b });
            rows.swap(k, top);
            for (j, (_, v)) in reflections.iter_mut().enumerate() {
                v.swap(k - j, top - j);
            }
            for column in &mut work {
                column.values.swap(k, top);
                column.sizes.swap(k, top);
            }
            let (tau, v) = reflection(&mut work[k].values[k..], lengths[longest]);
            let rest = &mut work[k + 1..];
            if rest.len() * v.len() < LARGE {
                for column in rest {
                    column.reflect(k, tau, &v);
                }
            } else {
                rest.par_iter_mut().for_each(|column| column.reflect(k, tau, &v));
            }
            reflections.push((tau, v));
        }
        let mut r = Array2::zeros((reflections.len(), c));
        for (&j, column) in columns.iter().zip(&work) {
            r.column_mut(j).iter_mut().zip(&column.values).for_each(|(r, v)| *r = *v);
        }
        PivotedQr { rows, columns, reflections, r }
    }

    pub fn rank(&self) -> usize {
        self.reflections.len()
    }

    /// R, r x c, in the order of A's columns.
    pub fn r(&self) -> &Array2<f64> {
        &self.r
    }

    /// `Qᵀ a` for each column of `a`, n x t, all n rows of it: those from r on are what is out of A's reach.
    pub fn turned(&self, a: ArrayView2<f64>) -> Array2<f64> {
        let columns = a.columns().into_iter().map(|a| self.rows.iter().map(|&i| a[i]).collect());
        self.apply(columns.collect())
    }

    /// [`turned`](PivotedQr::turned) of unit vectors: zero out of A's reach if that is all rounding.
    pub fn turned_units(&self, which: &[usize]) -> Array2<f64> {
        self.apply(
            which
                .iter()
                .map(|&one| self.rows.iter().map(|&i| f64::from(u8::from(i == one))).collect())
                .collect(),
        )
    }

    fn apply(&self, columns: Vec<Vec<f64>>) -> Array2<f64> {
        let (n, rank) = (self.rows.len(), self.rank());
        let done: Vec<Column> = columns
            .into_par_iter()
            .map(|values| {
                let mut column = Column::new(values);
                self.reflections.iter().enumerate().for_each(|(k, (tau, v))| column.reflect(k, *tau, v));
                column.left(rank);
                column
            })
            .collect();
        let mut out = Array2::zeros((n, done.len()));
        for (to, column) in out.columns_mut().into_iter().zip(done) {
            fill(to, &column.values);
        }
        out
    }

    /// `Q a` for each column of `a`, n x t.
    pub fn restored(&self, a: ArrayView2<f64>) -> Array2<f64> {
        let done: Vec<Vec<f64>> = (0..a.ncols())
            .into_par_iter()
            .map(|t| {
                let mut column = Column::new(a.column(t).to_vec());
                let each = self.reflections.iter().enumerate().rev();
                each.for_each(|(k, (tau, v))| column.reflect(k, *tau, v));
                let mut out = vec![0.0; column.values.len()];
                self.rows.iter().zip(&column.values).for_each(|(&i, v)| out[i] = *v);
                out
            })
            .collect();
        let mut out = Array2::zeros(a.raw_dim());
        for (to, from) in out.columns_mut().into_iter().zip(done) {
            fill(to, &from);
        }
        out
    }

    /// The first r columns of Q, n x r.
    pub fn thin(&self) -> Array2<f64> {
        let mut eye = Array2::zeros((self.rows.len(), self.rank()));
        eye.diag_mut().fill(1.0);
        self.restored(eye.view())
    }

    /// X with `R X = B` for `b`, r x t; zero for columns that depend on others.
    pub fn solve(&self, b: ArrayView2<f64>) -> Array2<f64> {
        let mut x = Array2::zeros((self.r.ncols(), b.ncols()));
        for (k, &j) in self.columns[..self.rank()].iter().enumerate().rev() {
            let mut row = b.row(k).to_owned();
            for &i in &self.columns[k + 1..self.rank()] {
                row.scaled_add(-self.r[[k, i]], &x.row(i));
            }
            x.row_mut(j).assign(&(row / self.r[[k, j]]));
        }
        x
    }
}

/// The size of the middle one of each column's entries that are not zero, of two the smaller: that is not the one that
/// strays.
pub(crate) fn typical(a: ArrayView2<f64>) -> Vec<f64> {
    let of = |column: ArrayView1<f64>| {
        let mut sizes: Vec<f64> = column.iter().map(|v| v.abs()).filter(|v| *v > 0.0).collect();
        if sizes.is_empty() {
            return 1.0;
        }
        let half = (sizes.len() - 1) / 2;
        *sizes.select_nth_unstable_by(half, f64::total_cmp).1
    };
    a.columns().into_iter().map(of).collect()
}

fn fill(to: ArrayViewMut1<f64>, from: &[f64]) {
    to.into_iter().zip(from).for_each(|(to, from)| *to = *from);
}

/// The reflection that leaves of `a` its first entry alone, which it then does.
fn reflection(a: &mut [f64], length: f64) -> (f64, Vec<f64>) {
    let signed = if a[0] > 0.0 { -length } else { length };
    let first = a[0] - signed;
    let mut v: Vec<f64> = a.iter().map(|a| a / first).collect();
    v[0] = 1.0;
    a.fill(0.0);
    a[0] = signed;
    (-first / signed, v)
}

/// `Σ a_i v_i` and `Σ |a_i v_i|`, in sums that do not wait for each other.
fn dot(a: &[f64], v: &[f64]) -> (f64, f64) {
    let (mut sums, mut sizes) = ([0.0; 8], [0.0; 8]);
    for (a, v) in a.chunks(8).zip(v.chunks(8)) {
        for (((a, v), sum), size) in a.iter().zip(v).zip(&mut sums).zip(&mut sizes) {
            *sum += a * v;
            *size += (a * v).abs();
        }
    }
    (sums.iter().sum(), sizes.iter().sum())
}

/// `‖a‖₂`, without overflow.
fn length(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * a.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use super::{PivotedQr, typical};

    /// Rows of 1e12, 1 and 1e-12: each is `QR` to its own digits.
    #[test]
    fn each_row_keeps_its_own_digits() {
        let size = |i: usize| [1.0, 1e12, 1e-12][i % 3];
        let a = Array2::from_shape_fn((12, 4), |(i, j)| size(i) * (1.3 * (i * (j + 2) + 1) as f64).sin());
        let qr = PivotedQr::new(a.view(), &typical(a.view()));
        assert_eq!(qr.rank(), 4);
        let mut r = Array2::zeros(a.raw_dim());
        r.slice_mut(s![..4, ..]).assign(qr.r());
        let again = qr.restored(r.view());
        let solved = qr.solve(qr.r().view());
        for ((i, j), want) in a.indexed_iter() {
            assert!((again[[i, j]] - want).abs() <= 1e-14 * size(i), "row {i}: {} {want}", again[[i, j]]);
            if i < 4 {
                assert!((solved[[i, j]] - f64::from(u8::from(i == j))).abs() < 1e-12, "{solved}");
            }
        }
    }

    /// `e_i - Q Qᵀ e_i` of a row of 1e12: its square is 1e-24, which no difference from one can tell.
    #[test]
    fn what_is_out_of_reach_has_digits() {
        let a = Array2::from_shape_fn((6, 1), |(i, _)| if i == 2 { 1e12 } else { (i + 1) as f64 });
        let qr = PivotedQr::new(a.view(), &typical(a.view()));
        let own = qr.turned_units(&[2]);
        let left: f64 = own.column(0).iter().skip(1).map(|v| v * v).sum();
        let others: f64 = [1.0, 2.0, 4.0, 5.0, 6.0].iter().map(|v| v * v).sum();
        let want = others / (1e24 + others);
        assert!((left / want - 1.0).abs() < 1e-14, "{left:e} {want:e}");
        let q = qr.thin();
        assert!((1.0 - q[[2, 0]].powi(2) - want).abs() > 0.5 * want);
    }

    #[test]
    fn what_depends_on_others_is_left_out() {
        let mut a = Array2::from_shape_fn((9, 4), |(i, j)| ((i * (j + 2) + 1) as f64).cos());
        let sum = &a.column(0) * 3.0 - &a.column(1) * 1e5;
        a.column_mut(3).assign(&sum);
        assert_eq!(PivotedQr::new(a.view(), &typical(a.view())).rank(), 3);
        assert_eq!(PivotedQr::new(Array2::zeros((3, 2)).view(), &[1.0, 1.0]).rank(), 0);
    }
}
