//! Which points are joined, and by what weight.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::similarity::Graph;
use crate::check::{blame, not_negative, parameter, positive, require, room, sample};
use crate::learn::Inputs;
use crate::matrix::SparseMatrix;
use crate::ops::nearest_k;
use crate::{Matrix, Result};

/// The rule that joins points to a graph.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [1.0], [1.8], [5.0], [5.5], [9.0]];
/// let near = Neighbourhood::epsilon(1.0).graph(&x)?;
/// assert_eq!(near.edges(), [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)]);
/// assert_eq!(Neighbourhood::nearest(2).graph(&x)?.edges().len(), 7);
/// assert_eq!(Neighbourhood::mutual(2).graph(&x)?.edges().len(), 5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbourhood {
    rule: Rule,
    width: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Rule {
    Within(f64),
    Nearest { k: usize, mutual: bool },
    Everyone,
}

impl Neighbourhood {
    /// Joins points at a distance of at most ε >= 0, with weight 1.
    pub fn epsilon(epsilon: f64) -> Self {
        Neighbourhood { rule: Rule::Within(epsilon), width: None }
    }

    /// Joins two points if either is among the k nearest of the other, with weight 1. Of equally near ones the lower
    /// index counts as nearer.
    pub fn nearest(k: usize) -> Self {
        Neighbourhood { rule: Rule::Nearest { k, mutual: false }, width: None }
    }

    /// Joins two points if each is among the k nearest of the other, with weight 1. It may leave points alone.
    pub fn mutual(k: usize) -> Self {
        Neighbourhood { rule: Rule::Nearest { k, mutual: true }, width: None }
    }

    /// Joins every two points, with weight `exp(-|x_i - x_j|² / (2 γ²))` for this width γ > 0. It stores n² numbers.
    pub fn gaussian(width: f64) -> Self {
        Neighbourhood { rule: Rule::Everyone, width: Some(width) }
    }

    /// The same edges with Gaussian weights `exp(-|x_i - x_j|² / (2 γ²))`.
    #[must_use]
    pub fn weighted(mut self, width: f64) -> Self {
        self.width = Some(width);
        self
    }

    /// The graph of the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are no rows, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for an ε below zero, a width that is not positive, no neighbour, or
    /// as many neighbours as points.
    pub fn graph(&self, x: impl Inputs) -> Result<Graph> {
        self.build(x.inputs().view())
    }

    pub(super) fn build(&self, x: ArrayView2<f64>) -> Result<Graph> {
        const OP: &str = "Neighbourhood::graph";
        sample(OP, "x", x, 1)?;
        let n = x.nrows();
        self.check(n)?;
        if let Rule::Everyone = self.rule {
            room("observations", n, n.saturating_mul(16))?;
        }
        let weight = |d2: f64| self.width.map_or(1.0, |width| (-0.5 * d2 / (width * width)).exp());
        let others = |i: usize| distances(x, x.row(i)).enumerate().filter(move |(j, _)| *j != i);
        let rows: Vec<Vec<(usize, f64)>> = match self.rule {
            Rule::Within(e) => {
                (0..n).into_par_iter().map(|i| others(i).filter(|(_, d2)| d2.sqrt() <= e).collect()).collect()
            }
            Rule::Nearest { k, .. } => {
                // A point is the nearest to itself, unless others stand there too.
                let x = Matrix::from_host(x.to_owned());
                let found = nearest_k(&x, &x, k + 1)?;
                let listed = found.index.rows().into_iter().zip(found.squared_distance.rows());
                listed
                    .enumerate()
                    .map(|(i, (index, d2))| {
                        let all = index.into_iter().copied().zip(d2.into_iter().copied());
                        all.filter(|(j, _)| *j != i).take(k).collect()
                    })
                    .collect()
            }
            Rule::Everyone => (0..n).into_par_iter().map(|i| others(i).collect()).collect(),
        };
        if rows.iter().flatten().any(|(_, d2)| !d2.is_finite()) {
            return Err(blame(OP, x));
        }
        let flat = rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |(j, d2)| (i, *j, *d2)));
        let weights = match self.rule {
            Rule::Nearest { mutual, .. } => {
                let directed = SparseMatrix::from_triplets(
                    n,
                    n,
                    &flat.map(|(i, j, d2)| (i, j, weight(d2))).collect::<Vec<_>>(),
                )?;
                joined(&directed, mutual)?
            }
            _ => SparseMatrix::from_triplets(
                n,
                n,
                &flat.map(|(i, j, d2)| (i, j, weight(d2))).collect::<Vec<_>>(),
            )?,
        };
        Graph::from_sparse(&weights)
    }

    fn check(&self, n: usize) -> Result<()> {
        if let Some(width) = self.width {
            positive("width", width)?;
        }
        match self.rule {
            Rule::Within(e) => not_negative("epsilon", e),
            Rule::Nearest { k, .. } => {
                let requirement = "must be at least 1 and below the number of points";
                parameter("neighbours", k as f64, k >= 1 && k < n, requirement)
            }
            Rule::Everyone => Ok(()),
        }
    }

    /// How new rows hang on the points of a graph by this rule: for each its neighbours there, by shares that sum to one.
    ///
    /// Mutual neighbours of a point that nobody knows yet are its nearest ones; where nobody is within ε, the nearest one
    /// stands in. A row that equals a point of the graph hangs on that point alone.
    pub(super) fn attach(&self, x: ArrayView2<f64>, new: ArrayView2<f64>) -> Vec<Vec<(usize, f64)>> {
        let rows: Vec<usize> = (0..new.nrows()).collect();
        rows.into_par_iter()
            .map(|i| {
                let all: Vec<(usize, f64)> = distances(x, new.row(i)).enumerate().collect();
                let first = nearest(all.clone(), 1);
                let least = first[0].1;
                if least == 0.0 {
                    return vec![(first[0].0, 1.0)];
                }
                let near = match self.rule {
                    Rule::Within(e) => all.into_iter().filter(|(_, d2)| d2.sqrt() <= e).collect(),
                    Rule::Nearest { k, .. } => nearest(all, k),
                    Rule::Everyone => all,
                };
                let near = if near.is_empty() { first } else { near };
                // Relative to the nearest, so that not all of them vanish.
                let share = |d2: f64| self.width.map_or(1.0, |w| (-0.5 * (d2 - least) / (w * w)).exp());
                let total: f64 = near.iter().map(|(_, d2)| share(*d2)).sum();
                near.into_iter().map(|(j, d2)| (j, share(d2) / total)).collect()
            })
            .collect()
    }
}

/// Values at points of a graph, carried to new rows: what minimises `Σ_j w_j |z - z_j|²` over their neighbours.
pub(super) fn carried(
    op: &'static str,
    rule: &Neighbourhood,
    x: ArrayView2<f64>,
    values: ArrayView2<f64>,
    new: ArrayView2<f64>,
) -> Result<ndarray::Array2<f64>> {
    crate::check::inputs(op, new, x.ncols())?;
    let mut out = crate::check::zeros("rows", new.nrows(), values.ncols())?;
    for (mut to, near) in out.rows_mut().into_iter().zip(rule.attach(x, new)) {
        for (j, share) in near {
            to.scaled_add(share, &values.row(j));
        }
    }
    require(op, out.iter().all(|v| v.is_finite()), || "distances to the new rows are not finite".to_owned())?;
    Ok(out)
}

fn distances<'a>(x: ArrayView2<'a, f64>, from: ArrayView1<'a, f64>) -> impl Iterator<Item = f64> + 'a {
    (0..x.nrows()).map(move |j| x.row(j).iter().zip(&from).map(|(a, b)| (a - b) * (a - b)).sum())
}

/// The k entries of least distance, the lower index of equals.
fn nearest(mut all: Vec<(usize, f64)>, k: usize) -> Vec<(usize, f64)> {
    let k = k.min(all.len());
    let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if k < all.len() {
        all.select_nth_unstable_by(k, order);
        all.truncate(k);
    }
    all.sort_by(order);
    all
}

/// Edges in either direction, or only those in both.
fn joined(directed: &SparseMatrix, mutual: bool) -> Result<SparseMatrix> {
    let back = directed.transpose();
    let mut all = Vec::new();
    for i in 0..directed.rows() {
        let (mut out, mut come) = (directed.row(i).peekable(), back.row(i).peekable());
        loop {
            let place = |e: Option<&(usize, f64)>| e.map_or(usize::MAX, |e| e.0);
            let j = place(out.peek()).min(place(come.peek()));
            if j == usize::MAX {
                break;
            }
            let (a, b) = (out.next_if(|e| e.0 == j), come.next_if(|e| e.0 == j));
            // Both directions have the same distance, and so the same weight.
            if let Some((_, w)) = if mutual { a.and(b) } else { a.or(b) } {
                all.push((i, j, w));
            }
        }
    }
    SparseMatrix::from_triplets(directed.rows(), directed.cols(), &all)
}
