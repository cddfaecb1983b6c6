//! Bayesian networks: a table for each variable given its parents. Checked in `tests/graphical/bayes_net.rs`.

use ndarray::Array2;

use super::dag::Dag;
use super::factor::Factor;
use super::field::MarkovField;
use super::junction_tree::JunctionTree;
use super::names::{distinct, find};
use crate::Result;
use crate::check::{probabilities, require, zeros};
use crate::configure::getters;
use crate::random::Philox;
use crate::saved::Format;

/// A variable of a network: its name, its number of values, its parents and its table.
#[derive(Debug, Clone)]
pub struct Node {
    name: String,
    size: usize,
    parents: Vec<String>,
    table: Vec<f64>,
}

impl Node {
    /// A variable of so many values, without parents and with equal probabilities.
    pub fn new(name: &str, size: usize) -> Self {
        Node { name: name.to_owned(), size, parents: vec![], table: vec![1.0 / size.max(1) as f64; size] }
    }

    /// Its parents by their names, and `p(x | parents)`: the values of x run fastest, then those of the last parent.
    #[must_use]
    pub fn given(mut self, parents: &[&str], table: &[f64]) -> Self {
        self.parents = parents.iter().map(|s| (*s).to_owned()).collect();
        self.table = table.to_vec();
        self
    }

    /// The probabilities of a variable without parents.
    #[must_use]
    pub fn table(self, table: &[f64]) -> Self {
        self.given(&[], table)
    }
}

/// `p(x) = Π_k p(x_k | x_{parents of k})` over named discrete variables.
///
/// ```
/// use mercer::models::graphical::{BayesNet, Node};
/// let net = BayesNet::new(&[
///     Node::new("rain", 2).table(&[0.8, 0.2]),
///     Node::new("wet", 2).given(&["rain"], &[0.9, 0.1, 0.2, 0.8]),
/// ])?;
/// let rain = net.query("rain", &[("wet", 1)])?;
/// assert!((rain[1] - 0.16 / 0.24).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct BayesNet {
    format: Format,
    dag: Dag,
    sizes: Vec<usize>,
    /// `p(x | parents)`, parents first in the order that they were given.
    tables: Vec<Factor>,
}

getters!(BayesNet {
    /// The graph.
    dag: &Dag,
    /// The number of values of each variable.
    sizes: &[usize],
    /// The table of each variable, over its parents and itself.
    tables: &[Factor],
});

const OP: &str = "BayesNet";

impl BayesNet {
    /// The network of these variables, in any order.
    ///
    /// # Errors
    /// [`Error::UnknownName`](crate::Error::UnknownName) for a parent that is not there;
    /// [`Error::Shape`](crate::Error::Shape) for a name that occurs twice, a cycle, or a table of another size;
    /// [`Error::Parameter`](crate::Error::Parameter) for probabilities that do not sum to one.
    pub fn new(nodes: &[Node]) -> Result<Self> {
        let names: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        distinct(OP, &names)?;
        for (i, name) in names.iter().enumerate() {
            require(OP, nodes[i].size > 0, || format!("{name:?} has no values"))?;
        }
        let find = |name: &String| find(&names, name);
        let parents: Vec<Vec<usize>> =
            nodes.iter().map(|n| n.parents.iter().map(&find).collect()).collect::<Result<_>>()?;
        let sizes: Vec<usize> = nodes.iter().map(|n| n.size).collect();
        let dag = Dag::of_parents(names, parents)?;
        let mut tables = Vec::new();
        for (k, node) in nodes.iter().enumerate() {
            let variables: Vec<usize> = dag.parents()[k].iter().copied().chain([k]).collect();
            let own: Vec<usize> = variables.iter().map(|v| sizes[*v]).collect();
            tables.push(Factor::new(&variables, &own, &node.table)?);
            for (row, p) in node.table.chunks(node.size).enumerate() {
                probabilities(&format!("p({} | row {row})", node.name), p)?;
            }
        }
        Ok(BayesNet { format: Format, dag, sizes, tables })
    }

    pub(super) fn with_tables(&self, tables: Vec<Factor>) -> Self {
        BayesNet { tables, ..self.clone() }
    }

    /// The number of the variable with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`](crate::Error::UnknownName).
    pub fn index(&self, name: &str) -> Result<usize> {
        find(self.dag.names(), name)
    }

    fn evidence(&self, given: &[(&str, usize)]) -> Result<Vec<(usize, usize)>> {
        given.iter().map(|(name, value)| Ok((self.index(name)?, *value))).collect()
    }

    /// `log p(x)` of a whole assignment.
    ///
    /// # Errors
    /// As [`MarkovField::log_potential`].
    pub fn log_joint(&self, x: &[usize]) -> Result<f64> {
        self.field()?.log_potential(x)
    }

    /// The same distribution as a field with the same names: `ψ_k = p(x_k | parents)`, Z = 1. Its graph is the moral one.
    ///
    /// # Errors
    /// None that a network can meet.
    pub fn field(&self) -> Result<MarkovField> {
        MarkovField::new(&self.sizes, self.tables.clone())?.with_names(self.dag.names().to_vec())
    }

    /// `p(variable | given)`, exactly, by a junction tree.
    ///
    /// # Errors
    /// Unknown names, values that are not there, evidence of probability zero, cliques too large for memory.
    pub fn query(&self, variable: &str, given: &[(&str, usize)]) -> Result<Vec<f64>> {
        let v = self.index(variable)?;
        let tree = JunctionTree::new(&self.field()?.observe(&self.evidence(given)?)?)?;
        let log = tree.log_partition();
        crate::check::parameter(
            "log p(evidence)",
            log,
            log > f64::NEG_INFINITY,
            "what was observed is impossible",
        )?;
        tree.marginal(v)
    }

    /// `log p(given)`: minus infinity if it is impossible.
    ///
    /// # Errors
    /// As [`BayesNet::query`].
    pub fn log_evidence(&self, given: &[(&str, usize)]) -> Result<f64> {
        Ok(JunctionTree::new(&self.field()?.observe(&self.evidence(given)?)?)?.log_partition())
    }

    /// Draws by ancestors: each variable in topological order from its table, `count x variables`.
    ///
    /// # Errors
    /// More than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let mut out = zeros("count", count, self.sizes.len())?;
        for (i, mut row) in out.rows_mut().into_iter().enumerate() {
            let mut rng = Philox::new(seed, i as u64);
            let mut x = vec![0usize; self.sizes.len()];
            for &v in self.dag.order() {
                let p: Vec<f64> = (0..self.sizes[v])
                    .map(|value| {
                        x[v] = value;
                        self.tables[v].at(&x).exp()
                    })
                    .collect();
                x[v] = rng.categorical(&p);
            }
            x.iter().zip(&mut row).for_each(|(v, r)| *r = *v as f64);
        }
        Ok(out)
    }

    /// `p(effect | do(cause = value))`: the arrows into the cause are cut and its value is set.
    ///
    /// # Errors
    /// Unknown names, a value that is not there.
    pub fn intervene(&self, effect: &str, cause: &str, value: usize) -> Result<Vec<f64>> {
        let c = self.index(cause)?;
        require(OP, value < self.sizes[c], || format!("{cause:?} cannot be {value}"))?;
        let mut tables = self.tables.clone();
        tables[c] = Factor::of_logs(&[c], &[self.sizes[c]], vec![0.0; self.sizes[c]])?.observed(c, value);
        JunctionTree::new(&MarkovField::new(&self.sizes, tables)?)?.marginal(self.index(effect)?)
    }

    /// `p(effect | do(cause = value)) = Σ_g p(g) p(effect | cause = value, g)`: the back-door adjustment through the
    /// variables `through`, which uses observational probabilities alone.
    ///
    /// # Errors
    /// As [`BayesNet::intervene`]; variables that leave a back door open, or that the cause has an effect on.
    pub fn adjust(&self, effect: &str, cause: &str, value: usize, through: &[&str]) -> Result<Vec<f64>> {
        let (e, c) = (self.index(effect)?, self.index(cause)?);
        let z: Vec<usize> = through.iter().map(|n| self.index(n)).collect::<Result<_>>()?;
        let allowed = self.dag.back_door(c, e, &z)?;
        require(OP, allowed, || {
            format!("{through:?} does not close every back door from {cause:?} to {effect:?}")
        })?;
        let sizes: Vec<usize> = z.iter().map(|v| self.sizes[*v]).collect();
        let (field, mut out) = (self.field()?, vec![0.0; self.sizes[e]]);
        for g in super::factor::states(&sizes) {
            let mut given: Vec<(usize, usize)> = z.iter().copied().zip(g).collect();
            let p = JunctionTree::new(&field.observe(&given)?)?.log_partition().exp();
            if p > 0.0 {
                given.push((c, value));
                let both = JunctionTree::new(&field.observe(&given)?)?;
                let log = both.log_partition();
                crate::check::parameter(
                    "log p(cause, adjustment)",
                    log,
                    log > f64::NEG_INFINITY,
                    "the cause never has this value there",
                )?;
                both.marginal(e)?.iter().zip(&mut out).for_each(|(q, o)| *o += p * q);
            }
        }
        Ok(out)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(BayesNet);

#[cfg(feature = "serde")]
impl crate::saved::Checked for BayesNet {
    fn check(&self) -> Result<()> {
        let n = self.dag.names().len();
        require(OP, self.sizes.len() == n && self.tables.len() == n, || {
            format!("{n} variables, other tables")
        })?;
        for (k, table) in self.tables.iter().enumerate() {
            let variables: Vec<usize> = self.dag.parents()[k].iter().copied().chain([k]).collect();
            let sizes: Vec<usize> = variables.iter().map(|v| self.sizes[*v]).collect();
            require(OP, table.variables() == variables && table.sizes() == sizes, || {
                format!("the table of {} is of other variables", self.dag.names()[k])
            })?;
            let values: Vec<f64> = table.log_values().iter().map(|v| v.exp()).collect();
            for (row, p) in values.chunks(self.sizes[k]).enumerate() {
                probabilities(&format!("p({} | row {row})", self.dag.names()[k]), p)?;
            }
        }
        Ok(())
    }
}
