//! [`PageRank`]. Checked in `tests/graph/page_rank.rs` against the linear system and networkx.

use ndarray::{Array1, Axis};

use crate::check::{parameter, require, weights};
use crate::learn::configure::{getters, setters};
use crate::learn::{Report, Reported};
use crate::matrix::SparseMatrix;
use crate::{Progress, Result};

/// Where a walker goes from a page without links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dangling {
    /// To any page, as when it jumps: ranks sum to one.
    #[default]
    Jump,
    /// Nowhere: that much of the rank is lost, and ranks sum to less than one.
    Lost,
    /// It stays.
    Stay,
}

/// `p = (1 - d) v + d M p`: how often a walker is on each page that follows a link with probability d and otherwise jumps to
/// a page drawn from v.
///
/// `M_ij` is the share of the links of j that lead to i. v is uniform, or given ([`PageRank::personalised`]). The course's
/// `p_i = (1 - d) + d Σ_j (L_ij / C_j) p_j` is n times this: [`Ranks::mean_one`]. Each iteration shrinks the error by d,
/// on the CPU in f64.
///
/// ```
/// use mercer::matrix::SparseMatrix;
/// use mercer::prelude::*;
/// // Row j has the links from page j: 1 -> 2, 1 -> 3, 2 -> 3, 3 -> 1, 4 -> 3.
/// let links = SparseMatrix::from_triplets(4, 4, &[(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 2, 1.0)])?;
/// let p = PageRank::new(0.85).rank(&links)?.mean_one();
/// assert!((p[2] - 1.5765969).abs() < 1e-7 && (p[3] - 0.15).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PageRank {
    damping: f64,
    dangling: Dangling,
    personalised: Option<Array1<f64>>,
    self_links: bool,
    tolerance: f64,
    max_iterations: usize,
    progress: Progress,
}

impl Default for PageRank {
    fn default() -> Self {
        PageRank::new(0.85)
    }
}

impl PageRank {
    /// With the probability d of following a link, between 0 and 1.
    pub fn new(damping: f64) -> Self {
        PageRank {
            damping,
            dangling: Dangling::Jump,
            personalised: None,
            self_links: false,
            tolerance: 1e-12,
            max_iterations: 10_000,
            progress: Progress::none(),
        }
    }

    /// The ranks of pages with these links: row j of the matrix has the weights, not negative, of the links from page j.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is empty or not square, or v has another length;
    /// [`Error::Parameter`](crate::Error::Parameter) for a negative weight, a d outside of [0, 1), a bad v;
    /// [`Error::NoConvergence`](crate::Error::NoConvergence); [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn rank(&self, links: &SparseMatrix) -> Result<Ranks> {
        const OP: &str = "PageRank::rank";
        let n = links.rows();
        require(OP, n == links.cols() && n > 0, || format!("the links are {n} x {}", links.cols()))?;
        let d = self.damping;
        parameter("damping", d, (0.0..1.0).contains(&d), "must be at least 0 and below 1")?;
        parameter("tolerance", self.tolerance, self.tolerance > 0.0, "must be positive")?;
        for (i, j, w) in links.entries() {
            parameter(&format!("weight of the link ({i}, {j})"), w, w >= 0.0, "must not be negative")?;
        }
        let jump = match &self.personalised {
            None => Array1::from_elem(n, 1.0 / n as f64),
            Some(v) => {
                weights(OP, v.view(), n)?;
                v / v.sum()
            }
        };
        let kept = links.entries().filter(|(i, j, w)| *w > 0.0 && (self.self_links || i != j));
        let links = SparseMatrix::from_triplets(n, n, &kept.collect::<Vec<_>>())?;
        let out = links.row_sums();
        let ends: Vec<usize> = (0..n).filter(|&j| out[j] == 0.0).collect();
        let walk = links.map(|j, _, w| w / out[j])?.transpose();
        let (mut p, mut trace) = (jump.clone(), Vec::new());
        loop {
            let mut next = walk.times(p.view().insert_axis(Axis(1)))?.index_axis_move(Axis(1), 0);
            match self.dangling {
                Dangling::Jump => next.scaled_add(ends.iter().map(|&j| p[j]).sum(), &jump),
                Dangling::Stay => ends.iter().for_each(|&j| next[j] += p[j]),
                Dangling::Lost => {}
            }
            next *= d;
            next.scaled_add(1.0 - d, &jump);
            let moved = (&next - &p).mapv(f64::abs).sum();
            p = next;
            trace.push(moved);
            self.progress.report(OP, trace.len(), self.max_iterations, moved)?;
            // The distance left is at most d / (1 - d) times the last step.
            if moved * d <= self.tolerance * (1.0 - d) || moved == 0.0 {
                break;
            }
            if trace.len() >= self.max_iterations {
                let (iterations, tolerance) = (trace.len(), self.tolerance);
                return Err(crate::Error::NoConvergence { op: OP, iterations, residual: moved, tolerance });
            }
        }
        let iterations = trace.len();
        let last = trace[iterations - 1];
        Ok(Ranks { scores: p, dangling: ends, report: Report::new(trace, iterations, true, vec![last]) })
    }
}

setters!(PageRank {
    /// The probability d of following a link.
    damping: f64,
    /// Where a walker goes from a page without links; anywhere by default.
    dangling: Dangling,
    /// Where jumps lead: weights v of the pages, scaled to sum to one; all alike by default.
    personalised: into Option<Array1<f64>>,
    /// Whether links from a page to itself count; they do not by default.
    self_links: bool,
    /// The error of the ranks, as a sum over pages, that is small enough; 1e-12 by default.
    tolerance: f64,
    /// The most iterations; 10,000 by default.
    max_iterations: usize,
    /// Called after every iteration; it can cancel.
    progress: Progress,
});

/// What [`PageRank`] has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranks {
    scores: Array1<f64>,
    dangling: Vec<usize>,
    report: Report,
}

getters!(Ranks {
    /// The rank of each page: they sum to one, unless some of it is lost.
    scores: &Array1<f64>,
    /// The pages without links.
    dangling: &[usize],
    /// How it went; the trace has the distance between iterations.
    report: &Report,
});

impl Ranks {
    /// n times the ranks, so that their mean is one.
    pub fn mean_one(&self) -> Array1<f64> {
        &self.scores * self.scores.len() as f64
    }

    /// The pages, the highest rank first; of equals the lower number.
    pub fn order(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.scores.len()).collect();
        all.sort_by(|&a, &b| self.scores[b].total_cmp(&self.scores[a]).then(a.cmp(&b)));
        all
    }
}

impl Reported for Ranks {
    fn report(&self) -> &Report {
        &self.report
    }
}
