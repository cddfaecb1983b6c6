//! Directed graphs without cycles: order, ancestors, d-separation, moralisation. Checked in `tests/graphical/structure.rs`.

use std::collections::BTreeSet;

use super::graph::{Graph, apart, reaches};
use crate::Result;
use crate::check::require;
use crate::configure::getters;

/// A directed acyclic graph over the variables `0..n`.
///
/// ```
/// use mercer::models::graphical::Dag;
/// // Both the rain (0) and the sprinkler (1) wet the grass (2).
/// let dag = Dag::new(&["rain", "sprinkler", "grass"], &[(0, 2), (1, 2)])?;
/// assert!(dag.d_separated(&[0], &[1], &[])?);
/// assert!(!dag.d_separated(&[0], &[1], &[2])?); // wet grass makes them compete
/// let circle = Dag::new(&["a", "b", "c"], &[(0, 1), (1, 2), (2, 0)]).unwrap_err();
/// assert!(circle.to_string().contains("a -> b -> c -> a"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Dag {
    names: Vec<String>,
    parents: Vec<Vec<usize>>,
    order: Vec<usize>,
}

getters!(Dag {
    /// The names of the variables.
    names: &[String],
    /// The parents of each variable.
    parents: &[Vec<usize>],
    /// An order in which parents stand before their children.
    order: &[usize],
});

impl Dag {
    /// Variables with these names and edges (from, to).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for an edge to nowhere, one that is given twice, or a cycle, which it names.
    pub fn new(names: &[&str], edges: &[(usize, usize)]) -> Result<Self> {
        let n = names.len();
        let mut parents = vec![Vec::new(); n];
        for &(a, b) in edges {
            require("Dag", a < n && b < n, || format!("an edge from {a} to {b} of {n} variables"))?;
            require("Dag", !parents[b].contains(&a), || {
                format!("two edges from {} to {}", names[a], names[b])
            })?;
            parents[b].push(a);
        }
        Self::of_parents(names.iter().map(|s| (*s).to_owned()).collect(), parents)
    }

    pub(super) fn of_parents(names: Vec<String>, parents: Vec<Vec<usize>>) -> Result<Self> {
        let n = names.len();
        let (mut order, mut placed) = (Vec::with_capacity(n), vec![false; n]);
        while let Some(v) = (0..n).find(|v| !placed[*v] && parents[*v].iter().all(|p| placed[*p])) {
            placed[v] = true;
            order.push(v);
        }
        if let Some(first) = (0..n).find(|v| !placed[*v]) {
            // From a variable that could not be placed parents lead back for ever: once around is the cycle.
            let mut back = vec![first];
            let cycle = loop {
                let last = back[back.len() - 1];
                let from = parents[last].iter().copied().find(|p| !placed[*p]).unwrap_or(last);
                if let Some(at) = back.iter().position(|v| *v == from) {
                    break back[at..].iter().rev().copied().collect::<Vec<_>>();
                }
                back.push(from);
            };
            let least = (0..cycle.len()).min_by_key(|i| cycle[*i]).unwrap_or(0);
            let around: Vec<&str> =
                (0..=cycle.len()).map(|i| names[cycle[(least + i) % cycle.len()]].as_str()).collect();
            require("Dag", false, || {
                format!("the graph has a cycle: {}; remove an edge of it", around.join(" -> "))
            })?;
        }
        Ok(Dag { names, parents, order })
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// These variables and everything that leads to them.
    fn ancestral(&self, of: &[usize]) -> BTreeSet<usize> {
        let mut all: BTreeSet<usize> = of.iter().copied().collect();
        let mut open = of.to_vec();
        while let Some(v) = open.pop() {
            self.parents[v].iter().filter(|p| all.insert(**p)).for_each(|p| open.push(*p));
        }
        all
    }

    /// Whether a and b are independent given `given` in every distribution of the graph: in the subgraph of all ancestors
    /// of the three sets, moralised, `given` separates them.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for variables that are not there, or that are in two of the sets.
    pub fn d_separated(&self, a: &[usize], b: &[usize], given: &[usize]) -> Result<bool> {
        apart("Dag::d_separated", self.len(), a, b, given)?;
        let kept = self.ancestral(&[a, b, given].concat());
        let mut graph = Graph::empty(self.len());
        for &v in &kept {
            let family: Vec<usize> = self.parents[v].iter().copied().chain([v]).collect();
            graph.marry(&family);
        }
        graph.separated(a, b, given)
    }

    /// The moral graph: parents of a common child are joined, directions dropped.
    pub fn moral(&self) -> Graph {
        let mut graph = Graph::empty(self.len());
        for (v, parents) in self.parents.iter().enumerate() {
            let family: Vec<usize> = parents.iter().copied().chain([v]).collect();
            graph.marry(&family);
        }
        graph
    }

    /// Whether `through` meets the back-door criterion for the effect of `cause` on `effect`: no descendant of the cause, and
    /// every path into the cause is blocked.
    pub(super) fn back_door(&self, cause: usize, effect: usize, through: &[usize]) -> Result<bool> {
        apart("BayesNet::intervene", self.len(), &[cause], &[effect], through)?;
        if reaches(&[cause], through, &[], |v| {
            (0..self.len()).filter(|c| self.parents[*c].contains(&v)).collect()
        }) {
            return Ok(false);
        }
        // Without the edges that leave the cause.
        let mut parents = self.parents.clone();
        for p in &mut parents {
            p.retain(|v| *v != cause);
        }
        Dag::of_parents(self.names.clone(), parents)?.d_separated(&[cause], &[effect], through)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(Dag);

#[cfg(feature = "serde")]
impl crate::saved::Checked for Dag {
    fn check(&self) -> Result<()> {
        let n = self.names.len();
        let fits = self.parents.len() == n && self.parents.iter().flatten().all(|p| *p < n);
        require("Dag", fits, || format!("{n} names, parents of {}", self.parents.len()))?;
        let own = Dag::of_parents(self.names.clone(), self.parents.clone())?;
        require("Dag", own.order == self.order, || "the order is not that of the graph".to_owned())
    }
}
