//! Markov random fields: a product of tables, and its exact answers by enumeration. Checked in `tests/graphical/exact.rs`.

use super::factor::{Factor, states};
use super::graph::Graph;
use super::names::distinct;
use crate::Result;
use crate::check::{parameter, require};
use crate::configure::getters;
use crate::inference::logs::{log_sum_exp, normalise};
use crate::inference::monte_carlo::{Chains, McmcParams, gibbs};
use crate::saved::Format;

/// `p(x) = (1/Z) Π_c ψ_c(x_c)` over discrete variables, which have numbers and, by [`MarkovField::named`], names.
///
/// ```
/// use mercer::models::graphical::{Factor, MarkovField};
/// let like = |a, b| Factor::new(&[a, b], &[2, 2], &[2.0, 1.0, 1.0, 2.0]);
/// let field = MarkovField::new(&[2; 3], vec![like(0, 1)?, like(1, 2)?])?.observe(&[(0, 1)])?;
/// let exact = field.enumerate()?;
/// assert!((exact.marginals[1][1] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct MarkovField {
    format: Format,
    sizes: Vec<usize>,
    factors: Vec<Factor>,
    names: Vec<String>,
}

getters!(MarkovField {
    /// The number of values of each variable.
    sizes: &[usize],
    /// The tables.
    factors: &[Factor],
    /// The names of the variables; there are none unless [`MarkovField::named`] gave them.
    names: &[String],
});

/// The answers of enumeration.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Exact {
    /// `log Z`, with observations `log p(observed) + log Z`; minus infinity if they are impossible.
    pub log_partition: f64,
    /// `p(x_i = v)` of each variable.
    pub marginals: Vec<Vec<f64>>,
    /// The most probable assignment, the first of several.
    pub mode: Vec<usize>,
    /// Its log probability, up to `log Z`.
    pub log_mode: f64,
}

const OP: &str = "MarkovField";
/// The most assignments that are enumerated.
const MOST: f64 = 67_108_864.0;

impl MarkovField {
    /// Variables of so many values, and tables over them.
    ///
    /// # Errors
    /// A table whose variables are not there or have another size.
    pub fn new(sizes: &[usize], factors: Vec<Factor>) -> Result<Self> {
        require(OP, !sizes.is_empty() && sizes.iter().all(|s| *s > 0), || {
            "a variable has no values".to_owned()
        })?;
        for f in &factors {
            let fits = f.variables().iter().zip(f.sizes()).all(|(v, s)| sizes.get(*v) == Some(s));
            require(OP, fits, || format!("a table over {:?} of {:?} values", f.variables(), f.sizes()))?;
        }
        Ok(MarkovField { format: Format, sizes: sizes.to_vec(), factors, names: vec![] })
    }

    /// The field whose variables have these names.
    pub(super) fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        let fits = names.is_empty() || names.len() == self.sizes.len();
        require(OP, fits, || format!("{} variables, {} names", self.sizes.len(), names.len()))?;
        distinct(OP, &names)?;
        self.names = names;
        Ok(self)
    }

    /// The field with one more table, which is of its variables.
    pub(super) fn with(mut self, factor: Factor) -> Self {
        self.factors.push(factor);
        self
    }

    /// The graph whose edges join variables of one table.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::empty(self.sizes.len());
        self.factors.iter().for_each(|f| graph.marry(f.variables()));
        graph
    }

    /// The field in which these variables are known to have these values.
    ///
    /// # Errors
    /// A variable or a value that is not there.
    pub fn observe(&self, evidence: &[(usize, usize)]) -> Result<Self> {
        let mut field = self.clone();
        for &(v, value) in evidence {
            let fits = self.sizes.get(v).is_some_and(|s| value < *s);
            require(OP, fits, || format!("variable {v} cannot be {value}"))?;
            let logs = (0..self.sizes[v]).map(|i| if i == value { 0.0 } else { f64::NEG_INFINITY }).collect();
            field.factors.push(Factor::of_logs(&[v], &[self.sizes[v]], logs)?);
        }
        Ok(field)
    }

    /// `Σ_c log ψ_c(x_c)` of an assignment.
    ///
    /// # Errors
    /// Another number of variables, a value that is not there.
    pub fn log_potential(&self, x: &[usize]) -> Result<f64> {
        let fits = x.len() == self.sizes.len() && x.iter().zip(&self.sizes).all(|(v, s)| v < s);
        require(OP, fits, || format!("{x:?} is no assignment of {:?} values", self.sizes))?;
        Ok(self.factors.iter().map(|f| f.at(x)).sum())
    }

    /// Every answer by going through all assignments: the reference, for at most 2²⁶ of them.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more.
    pub fn enumerate(&self) -> Result<Exact> {
        let count: f64 = self.sizes.iter().map(|s| *s as f64).product();
        parameter(
            "assignments",
            count,
            count <= MOST,
            "too many to go through: use `JunctionTree` or `BeliefPropagation`",
        )?;
        let logs: Vec<f64> =
            states(&self.sizes).map(|x| self.factors.iter().map(|f| f.at(&x)).sum()).collect();
        let log_partition = log_sum_exp(&logs);
        let mut marginals: Vec<Vec<f64>> = self.sizes.iter().map(|s| vec![0.0; *s]).collect();
        let (mut mode, mut log_mode) = (vec![0; self.sizes.len()], f64::NEG_INFINITY);
        for (x, l) in states(&self.sizes).zip(&logs) {
            let p = if log_partition == f64::NEG_INFINITY { 0.0 } else { (l - log_partition).exp() };
            x.iter().zip(&mut marginals).for_each(|(v, m)| m[*v] += p);
            if *l > log_mode {
                (mode, log_mode) = (x, *l);
            }
        }
        Ok(Exact { log_partition, marginals, mode, log_mode })
    }

    /// Gibbs sampling: each variable in turn from the normalised product of the tables that contain it. Columns of the
    /// chains are variables, numbers their values; each row of `starts` starts a chain.
    ///
    /// # Errors
    /// As [`gibbs`]; starts that are no assignments; a variable all of whose values are impossible.
    pub fn gibbs(&self, starts: &ndarray::Array2<f64>, params: &McmcParams) -> Result<Chains> {
        let whole = |v: f64, s: usize| v >= 0.0 && v.fract() == 0.0 && v < s as f64;
        let fits = starts.ncols() == self.sizes.len()
            && starts.rows().into_iter().all(|r| r.iter().zip(&self.sizes).all(|(v, s)| whole(*v, *s)));
        require(OP, fits, || "starts must be assignments, one a row".to_owned())?;
        let mine: Vec<Vec<&Factor>> = (0..self.sizes.len())
            .map(|v| self.factors.iter().filter(|f| f.variables().contains(&v)).collect())
            .collect();
        gibbs(starts, self.sizes.len(), params, |v, x, rng| {
            let mut at: Vec<usize> = x.iter().map(|v| *v as usize).collect();
            let mut logs = Vec::with_capacity(self.sizes[v]);
            for value in 0..self.sizes[v] {
                at[v] = value;
                logs.push(mine[v].iter().map(|f| f.at(&at)).sum::<f64>());
            }
            let all = normalise(&mut logs);
            parameter(
                "log weight of all values",
                all,
                all > f64::NEG_INFINITY,
                "a start must not be impossible",
            )?;
            x[v] = rng.categorical(&logs) as f64;
            Ok(())
        })
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(MarkovField);

#[cfg(feature = "serde")]
impl crate::saved::Checked for MarkovField {
    fn check(&self) -> Result<()> {
        MarkovField::new(&self.sizes, self.factors.clone())?.with_names(self.names.clone()).map(|_| ())
    }
}
