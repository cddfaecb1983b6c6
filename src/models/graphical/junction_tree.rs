//! Junction trees: exact answers at a cost exponential in the largest clique alone. Checked in `tests/graphical/exact.rs`.

use super::factor::Factor;
use super::field::MarkovField;
use crate::Result;
use crate::check::{require, table};
use crate::configure::getters;

/// Cliques of a triangulated graph, in a tree where every variable's cliques hang together, calibrated by messages.
#[derive(Debug, Clone)]
pub struct JunctionTree {
    cliques: Vec<Vec<usize>>,
    /// Edges of the tree: the clique, its parent.
    edges: Vec<(usize, usize)>,
    beliefs: Vec<Factor>,
    log_partition: f64,
}

getters!(JunctionTree {
    /// The maximal cliques, each a set of variables.
    cliques: &[Vec<usize>],
    /// The edges of the tree between cliques.
    edges: &[(usize, usize)],
    /// `log Z`, with the observations of the field.
    log_partition: f64,
});

const OP: &str = "JunctionTree";

impl JunctionTree {
    /// Triangulates the field's graph, spans its cliques by a tree of largest separators, and passes messages to a root
    /// and back.
    ///
    /// # Errors
    /// [`Error::OverBudget`](crate::Error::OverBudget) for a clique whose table memory has no room for, with its bytes.
    pub fn new(field: &MarkovField) -> Result<Self> {
        let (_, cliques) = field.graph().triangulated();
        for c in &cliques {
            let entries = c.iter().map(|v| field.sizes()[*v] as f64).product();
            table(OP, entries, "use `BeliefPropagation` or Gibbs sampling, which make no such table")?;
        }
        let mut beliefs: Vec<Factor> = Vec::new();
        for c in &cliques {
            let sizes: Vec<usize> = c.iter().map(|v| field.sizes()[*v]).collect();
            beliefs.push(Factor::of_logs(c, &sizes, vec![0.0; sizes.iter().product()])?);
        }
        for f in field.factors() {
            let home = cliques.iter().position(|c| f.variables().iter().all(|v| c.contains(v)));
            require(OP, home.is_some(), || "a table is in no clique".to_owned())?;
            let home = home.unwrap_or(0);
            beliefs[home] = beliefs[home].times(f)?;
        }
        let edges = spanning(&cliques);
        let shared = |a: usize, b: usize| {
            cliques[a].iter().copied().filter(|v| cliques[b].contains(v)).collect::<Vec<_>>()
        };
        // Towards the root: children stand after their parents in the list of edges.
        let mut sent: Vec<Factor> = vec![Factor::one(); cliques.len()];
        for &(child, parent) in edges.iter().rev() {
            let message = beliefs[child].onto(&shared(child, parent), false)?;
            beliefs[parent] = beliefs[parent].times(&message)?;
            sent[child] = message;
        }
        for &(child, parent) in &edges {
            let back = beliefs[parent].onto(&shared(child, parent), false)?.over(&sent[child]);
            beliefs[child] = beliefs[child].times(&back)?;
        }
        let log_partition = beliefs.first().map_or(0.0, |b| b.normalised().1);
        Ok(JunctionTree { cliques, edges, beliefs, log_partition })
    }

    /// `p(x_v)`; zeros if what was observed is impossible.
    ///
    /// # Errors
    /// A variable that is not there.
    pub fn marginal(&self, v: usize) -> Result<Vec<f64>> {
        let home = self.cliques.iter().position(|c| c.contains(&v));
        require(OP, home.is_some(), || format!("there is no variable {v}"))?;
        Ok(self.beliefs[home.unwrap_or(0)].onto(&[v], false)?.normalised().0)
    }

    /// The joint distribution of each clique, as tables of log probabilities up to `log Z`.
    pub fn beliefs(&self) -> &[Factor] {
        &self.beliefs
    }

    /// `p(x_a, x_b, ...)` of variables that are in one clique together, in the clique's order.
    pub(super) fn joint(&self, variables: &[usize]) -> Result<Option<(Vec<usize>, Vec<f64>)>> {
        let Some(home) = self.cliques.iter().position(|c| variables.iter().all(|v| c.contains(v))) else {
            return Ok(None);
        };
        let f = self.beliefs[home].onto(variables, false)?;
        Ok(Some((f.variables().to_vec(), f.normalised().0)))
    }

    /// The number of variables of the largest clique, less one.
    pub fn width(&self) -> usize {
        self.cliques.iter().map(Vec::len).max().unwrap_or(1) - 1
    }

    /// Whether, for any two cliques, what they share is in every clique between them: the property that makes the tree one.
    pub fn has_running_intersection(&self) -> bool {
        let variables = self.cliques.iter().flatten().copied().max().map_or(0, |m| m + 1);
        (0..variables).all(|v| {
            let holds = |c: &usize| self.cliques[*c].contains(&v);
            let count = (0..self.cliques.len()).filter(holds).count();
            // A forest of the cliques with v is one tree exactly if it has one edge less than cliques.
            let edges = self.edges.iter().filter(|(a, b)| holds(a) && holds(b)).count();
            count == 0 || edges + 1 == count
        })
    }
}

/// A spanning tree of largest separators (Prim): (clique, parent), parents first.
fn spanning(cliques: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let shared = |a: usize, b: usize| cliques[a].iter().filter(|v| cliques[b].contains(v)).count();
    let (mut inside, mut edges) = (vec![0usize], Vec::new());
    while inside.len() < cliques.len() {
        let pairs = (0..cliques.len())
            .filter(|c| !inside.contains(c))
            .flat_map(|c| inside.iter().map(move |p| (c, *p)));
        // The first of the largest, so that the tree is the same every time.
        let (child, parent) = pairs
            .fold(None, |best: Option<(usize, usize)>, (c, p)| match best {
                Some((bc, bp)) if shared(bc, bp) >= shared(c, p) => best,
                _ => Some((c, p)),
            })
            .expect("a clique is outside");
        edges.push((child, parent));
        inside.push(child);
    }
    edges
}
