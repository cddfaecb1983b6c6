//! Undirected graphs: neighbours, separation, cliques. Checked in `tests/graphical/structure.rs`.

use std::collections::BTreeSet;

use crate::Result;
use crate::check::require;

/// An undirected graph over the variables `0..n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    neighbours: Vec<BTreeSet<usize>>,
}

impl Graph {
    /// n variables and these edges.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an edge to nowhere or to itself.
    pub fn new(n: usize, edges: &[(usize, usize)]) -> Result<Self> {
        let mut graph = Self::empty(n);
        for &(a, b) in edges {
            require("Graph", a < n && b < n && a != b, || {
                format!("an edge between {a} and {b} of {n} variables")
            })?;
            graph.join(a, b);
        }
        Ok(graph)
    }

    /// n variables without edges.
    pub(super) fn empty(n: usize) -> Self {
        Graph { neighbours: vec![BTreeSet::new(); n] }
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        self.neighbours[a].insert(b);
        self.neighbours[b].insert(a);
    }

    /// Joins all of these to each other.
    pub(super) fn marry(&mut self, all: &[usize]) {
        for (i, &a) in all.iter().enumerate() {
            all[..i].iter().for_each(|&b| self.join(a, b));
        }
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// The neighbours of a variable in ascending order.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for one that is not there.
    pub fn neighbours(&self, of: usize) -> Result<Vec<usize>> {
        require("Graph", of < self.len(), || format!("variable {of} of {}", self.len()))?;
        Ok(self.neighbours[of].iter().copied().collect())
    }

    /// Every edge once, the smaller end first.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        let from = |(a, s): (usize, &BTreeSet<usize>)| {
            s.iter().filter(move |b| **b > a).map(move |b| (a, *b)).collect::<Vec<_>>()
        };
        self.neighbours.iter().enumerate().flat_map(from).collect()
    }

    /// Whether every path from `a` to `b` passes through `given`: then a and b are independent given it, in every
    /// distribution that factorises over the cliques.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for variables that are not there, or that are in two of the sets.
    pub fn separated(&self, a: &[usize], b: &[usize], given: &[usize]) -> Result<bool> {
        apart("Graph::separated", self.len(), a, b, given)?;
        Ok(!reaches(a, b, given, |v| self.neighbours[v].iter().copied().collect()))
    }

    /// An elimination order that joins few neighbours at each step, and the cliques that it makes: the maximal ones.
    pub(super) fn triangulated(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut left = self.clone();
        let mut rest: BTreeSet<usize> = (0..self.len()).collect();
        let (mut order, mut cliques) = (Vec::new(), Vec::<BTreeSet<usize>>::new());
        while !rest.is_empty() {
            let missing = |v: usize| {
                let all: Vec<usize> = left.neighbours[v].iter().copied().collect();
                let pairs =
                    |i: usize| all[..i].iter().filter(|b| !left.neighbours[all[i]].contains(b)).count();
                (0..all.len()).map(pairs).sum::<usize>()
            };
            let next = rest
                .iter()
                .copied()
                .min_by_key(|v| (missing(*v), left.neighbours[*v].len(), *v))
                .expect("not empty");
            let around: Vec<usize> = left.neighbours[next].iter().copied().collect();
            left.marry(&around);
            let clique: BTreeSet<usize> = around.iter().copied().chain([next]).collect();
            if !cliques.iter().any(|c| c.is_superset(&clique)) {
                cliques.push(clique);
            }
            for v in around {
                left.neighbours[v].remove(&next);
            }
            left.neighbours[next].clear();
            rest.remove(&next);
            order.push(next);
        }
        (order, cliques.into_iter().map(|c| c.into_iter().collect()).collect())
    }
}

/// Three sets of variables that have nothing in common.
pub(super) fn apart(op: &'static str, n: usize, a: &[usize], b: &[usize], given: &[usize]) -> Result<()> {
    let all: Vec<usize> = [a, b, given].concat();
    require(op, all.iter().all(|v| *v < n), || format!("a variable beyond the {n} that there are"))?;
    let shared = a.iter().any(|v| b.contains(v) || given.contains(v)) || b.iter().any(|v| given.contains(v));
    require(op, !shared, || "a variable is in two of the sets".to_owned())
}

/// Whether a path leads from `a` to `b` without entering `without`.
pub(super) fn reaches(
    a: &[usize],
    b: &[usize],
    without: &[usize],
    next: impl Fn(usize) -> Vec<usize>,
) -> bool {
    let (mut seen, mut open): (BTreeSet<usize>, Vec<usize>) = (a.iter().copied().collect(), a.to_vec());
    while let Some(v) = open.pop() {
        for w in next(v) {
            if !without.contains(&w) && seen.insert(w) {
                open.push(w);
            }
        }
    }
    b.iter().any(|v| seen.contains(v))
}
