//! Metrics of clusters, against a truth or alone. Checked in `tests/learn/clustering.rs` against scikit-learn.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::confusion::same_length;
use crate::Result;
use crate::check::{finite, number, parameter, require, sample};
use crate::learn::data::{Inputs, Targets};
use crate::learn::labels::Labels;

/// `Σ_i ‖x_i - c_{k(i)}‖²`: the squared distances of the rows of `x` to the centres of their clusters, k x d.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for data that do not fit together, or a cluster that has no centre.
pub fn inertia<X: Inputs, C: Inputs>(x: &X, clusters: &[usize], centres: &C) -> Result<f64> {
    let (x, c) = (x.inputs(), centres.inputs());
    finite("inertia", "x", x.view())?;
    finite("inertia", "centres", c.view())?;
    same_length("inertia", x.nrows(), clusters.len())?;
    let fits = x.ncols() == c.ncols() && clusters.iter().all(|k| *k < c.nrows());
    require("inertia", fits, || {
        format!("x is {:?}, the centres {:?}, or a cluster is beyond them", x.dim(), c.dim())
    })?;
    Ok(x.rows().into_iter().zip(clusters).map(|(row, &k)| squared(row, c.row(k))).sum())
}

/// `Σ_k Σ_{i in k} ‖x_i - x̄_k‖²`: the deviance within the clusters of a partition, about their own means.
///
/// ```
/// use mercer::learn::metrics::{pairwise_deviance, within_deviance};
/// let x = ndarray::array![[0.0], [2.0], [5.0], [9.0]];
/// assert_eq!(within_deviance(&x, &["a", "a", "b", "b"])?, 10.0);
/// assert_eq!(pairwise_deviance(&x, &["a", "a", "b", "b"])?, 10.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no rows or another number of labels,
/// [`Error::NotFinite`](crate::Error::NotFinite); [`Error::Overflow`](crate::Error::Overflow).
pub fn within_deviance<X: Inputs, P, K>(x: &X, clusters: &P) -> Result<f64>
where
    P: Targets<Of = [K]> + ?Sized,
    K: Ord + Clone,
{
    let x = x.inputs();
    let (count, of) = partition("within_deviance", x.view(), clusters)?;
    let (mut means, mut sizes) = (Array2::zeros((count, x.ncols())), vec![0.0; count]);
    for (row, &k) in x.rows().into_iter().zip(&of) {
        sizes[k] += 1.0;
        // A running mean: sums of numbers far from zero would lose digits.
        let step = (&row - &means.row(k)) / sizes[k];
        means.row_mut(k).scaled_add(1.0, &step);
    }
    let sum = x.rows().into_iter().zip(&of).map(|(row, &k)| squared(row, means.row(k))).sum();
    number("within_deviance", "the deviance", sum)
}

/// `Σ_k (1/2n_k) Σ_{i,j in k} ‖x_i - x_j‖²`, the same deviance by pairs: no means are needed. It takes `Σ_k n_k²` distances.
///
/// # Errors
/// As [`within_deviance`].
pub fn pairwise_deviance<X: Inputs, P, K>(x: &X, clusters: &P) -> Result<f64>
where
    P: Targets<Of = [K]> + ?Sized,
    K: Ord + Clone,
{
    let x = x.inputs();
    let (count, of) = partition("pairwise_deviance", x.view(), clusters)?;
    let mut sizes = vec![0.0; count];
    for &k in &of {
        sizes[k] += 1.0;
    }
    let own = |i: usize| {
        let others = (0..i).filter(|&j| of[j] == of[i]);
        others.map(|j| squared(x.row(i), x.row(j))).sum::<f64>() / sizes[of[i]]
    };
    let parts: Vec<f64> = (0..of.len()).into_par_iter().map(own).collect();
    number("pairwise_deviance", "the deviance", parts.iter().sum())
}

/// The number of clusters, and that of each row.
fn partition<P, K>(op: &'static str, x: ArrayView2<f64>, clusters: &P) -> Result<(usize, Vec<usize>)>
where
    P: Targets<Of = [K]> + ?Sized,
    K: Ord + Clone,
{
    finite(op, "x", x)?;
    let clusters = clusters.targets();
    same_length(op, x.nrows(), clusters.len())?;
    let (labels, of) = Labels::of(&clusters)?;
    Ok((labels.classes().len(), of))
}

/// `Σ_k max_j n_jk / n`: the share that is of the most frequent class of its cluster.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are none, or not as many of one as of the other.
pub fn purity<T, P, L, K>(truth: &T, clusters: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    L: Ord + Clone,
    K: Ord + Clone,
{
    let table = Contingency::of("purity", truth, clusters)?;
    let most = table.counts.columns().into_iter().map(|c| c.fold(0f64, |m, v| m.max(*v)));
    Ok(most.sum::<f64>() / table.n)
}

/// The Rand index, adjusted for chance: pairs on which both agree, 0 on average for clusters at random and 1 if they are
/// the classes.
///
/// # Errors
/// As [`purity`].
pub fn adjusted_rand<T, P, L, K>(truth: &T, clusters: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    L: Ord + Clone,
    K: Ord + Clone,
{
    let table = Contingency::of("adjusted_rand", truth, clusters)?;
    let pairs = |v: &f64| 0.5 * v * (v - 1.0);
    let both: f64 = table.counts.iter().map(pairs).sum();
    let (a, b): (f64, f64) = (table.rows.iter().map(pairs).sum(), table.columns.iter().map(pairs).sum());
    let all = pairs(&table.n);
    let (expected, most) = (if all > 0.0 { a * b / all } else { 0.0 }, 0.5 * (a + b));
    Ok(if most == expected { 1.0 } else { (both - expected) / (most - expected) })
}

/// `Σ p_jk log (p_jk / (p_j p_k))`, in nats.
///
/// # Errors
/// As [`purity`].
pub fn mutual_information<T, P, L, K>(truth: &T, clusters: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    L: Ord + Clone,
    K: Ord + Clone,
{
    Contingency::of("mutual_information", truth, clusters).map(|table| table.information())
}

/// `I / ((H_j + H_k) / 2)`: [`mutual_information`] as a share of the mean entropy; 1 if both are of one class.
///
/// # Errors
/// As [`purity`].
pub fn normalised_mutual_information<T, P, L, K>(truth: &T, clusters: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    L: Ord + Clone,
    K: Ord + Clone,
{
    let table = Contingency::of("normalised_mutual_information", truth, clusters)?;
    let (a, b) = (entropy(&table.rows, table.n), entropy(&table.columns, table.n));
    Ok(if a + b == 0.0 { 1.0 } else { (2.0 * table.information() / (a + b)).clamp(0.0, 1.0) })
}

/// `(I - E I) / ((H_j + H_k) / 2 - E I)`, where `E I` is the expectation over clusters of the same sizes at random.
///
/// # Errors
/// As [`purity`].
pub fn adjusted_mutual_information<T, P, L, K>(truth: &T, clusters: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    L: Ord + Clone,
    K: Ord + Clone,
{
    let table = Contingency::of("adjusted_mutual_information", truth, clusters)?;
    let (a, b) = (entropy(&table.rows, table.n), entropy(&table.columns, table.n));
    if table.rows.len() == table.columns.len()
        && (table.rows.len() == 1 || table.rows.len() as f64 == table.n)
    {
        return Ok(1.0);
    }
    let expected = table.expected_information();
    let room = 0.5 * (a + b) - expected;
    // As in scikit-learn: a difference of rounding size is none.
    let room = if room < 0.0 { room.min(-f64::EPSILON) } else { room.max(f64::EPSILON) };
    Ok((table.information() - expected) / room)
}

/// `mean (b_i - a_i) / max(a_i, b_i)` with Euclidean distances: a to the rest of its cluster, b to the nearest other
/// cluster; 0 for a row alone in its cluster. In `O(n²)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) or [`Error::NotFinite`](crate::Error::NotFinite) for bad data,
/// [`Error::Parameter`](crate::Error::Parameter) unless there are between 2 and n - 1 clusters.
pub fn silhouette<X, P, K>(x: &X, clusters: &P) -> Result<f64>
where
    X: Inputs + ?Sized,
    P: Targets<Of = [K]> + ?Sized,
    K: Ord + Clone,
{
    let (x, clusters) = (x.inputs(), clusters.targets());
    sample("silhouette", "x", x.view(), 2)?;
    same_length("silhouette", x.nrows(), clusters.len())?;
    let (labels, index) = Labels::of(&clusters)?;
    let (n, k) = (x.nrows(), labels.classes().len());
    parameter("clusters", k as f64, k > 1 && k < n, "there must be at least two, and fewer than rows")?;
    let mut sizes = vec![0usize; k];
    for &c in &index {
        sizes[c] += 1;
    }
    let of = |i: usize| width(x.view(), &index, &sizes, i);
    let each: Vec<f64> = (0..n).into_par_iter().map(of).collect();
    number("silhouette", "the mean", each.iter().sum::<f64>() / n as f64)
}

/// The silhouette of row i.
fn width(x: ArrayView2<f64>, index: &[usize], sizes: &[usize], i: usize) -> f64 {
    let home = index[i];
    if sizes[home] == 1 {
        return 0.0;
    }
    let mut sums = vec![0.0; sizes.len()];
    x.rows().into_iter().zip(index).for_each(|(row, &c)| sums[c] += squared(row, x.row(i)).sqrt());
    let inside = sums[home] / (sizes[home] - 1) as f64;
    let others = (0..sizes.len()).filter(|&c| c != home).map(|c| sums[c] / sizes[c] as f64);
    let outside = others.fold(f64::INFINITY, f64::min);
    let larger = inside.max(outside);
    if larger > 0.0 { (outside - inside) / larger } else { 0.0 }
}

fn squared(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// How many rows are of each class and cluster.
struct Contingency {
    counts: Array2<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    n: f64,
}

impl Contingency {
    fn of<T, P, L, K>(op: &'static str, truth: &T, clusters: &P) -> Result<Self>
    where
        T: Targets<Of = [L]> + ?Sized,
        P: Targets<Of = [K]> + ?Sized,
        L: Ord + Clone,
        K: Ord + Clone,
    {
        let (y, c) = (truth.targets(), clusters.targets());
        same_length(op, y.len(), c.len())?;
        let ((classes, y), (clusters, c)) = (Labels::of(&y)?, Labels::of(&c)?);
        let mut counts = crate::check::zeros("classes", classes.classes().len(), clusters.classes().len())?;
        y.iter().zip(&c).for_each(|(&i, &j)| counts[[i, j]] += 1.0);
        let (rows, columns) = (counts.rows(), counts.columns());
        let rows = rows.into_iter().map(|r| r.sum()).collect();
        let columns = columns.into_iter().map(|c| c.sum()).collect();
        Ok(Contingency { counts, rows, columns, n: y.len() as f64 })
    }

    fn information(&self) -> f64 {
        let term = |((i, j), &v): ((usize, usize), &f64)| {
            if v == 0.0 { 0.0 } else { v / self.n * (v * self.n / (self.rows[i] * self.columns[j])).ln() }
        };
        self.counts.indexed_iter().map(term).sum::<f64>().max(0.0)
    }

    /// The mean of [`Contingency::information`] over all tables with these margins: hypergeometric counts.
    fn expected_information(&self) -> f64 {
        let n = self.n as usize;
        let mut log_factorial = vec![0.0; n + 1];
        (1..=n).for_each(|i| log_factorial[i] = log_factorial[i - 1] + (i as f64).ln());
        let f = |v: f64| log_factorial[v as usize];
        let mut sum = 0.0;
        for &a in &self.rows {
            for &b in &self.columns {
                let (least, most) = ((a + b - self.n).max(1.0) as usize, a.min(b) as usize);
                for v in (least..=most).map(|v| v as f64) {
                    let log_p = f(a) + f(b) + f(self.n - a) + f(self.n - b)
                        - f(self.n)
                        - f(v)
                        - f(a - v)
                        - f(b - v)
                        - f(self.n - a - b + v);
                    sum += v / self.n * (self.n * v / (a * b)).ln() * log_p.exp();
                }
            }
        }
        sum
    }
}

/// `-Σ p log p` of counts of n.
fn entropy(counts: &[f64], n: f64) -> f64 {
    -counts.iter().map(|c| c / n * (c / n).ln()).sum::<f64>()
}
