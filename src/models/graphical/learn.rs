//! Learning the tables of a network: counts, priors, ties, gaps. Checked in `tests/graphical/learn.rs`.

use ndarray::{Array2, ArrayView2};

use super::bayes_net::BayesNet;
use super::factor::{Factor, states};
use super::junction_tree::JunctionTree;
use crate::check::{not_negative, parameter, require};
use crate::configure::setters;
use crate::inference::em::{Em, EmModel, Statistics, em_setters};
use crate::{Error, Result};

/// How counts become probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimate {
    /// Shares of counts, `N/ΣN`; a row that was never seen is an error.
    Likelihood,
    /// The mode of the posterior under Dirichlet priors, `(N + α - 1)/Σ(...)`, α ≥ 1; a row that was never seen keeps the
    /// prior's mode.
    Mode {
        /// α of every entry.
        alpha: f64,
    },
    /// The mean of the posterior under Dirichlet priors, `(N + α)/Σ(...)`.
    Mean {
        /// α of every entry.
        alpha: f64,
    },
}

/// Learns the tables of a network whose graph is known, from rows of values, one column a variable.
///
/// ```
/// use mercer::models::graphical::{BayesNet, NetLearner, Node};
/// use ndarray::array;
/// let net = BayesNet::new(&[Node::new("a", 2), Node::new("b", 2).given(&["a"], &[0.5; 4])])?;
/// let learned = NetLearner::new().learn(&net, &array![[0.0, 1.0], [0.0, 0.0], [1.0, 1.0]])?;
/// assert!((learned.tables()[0].log_values()[0].exp() - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NetLearner {
    estimate: Estimate,
    ties: Vec<Vec<usize>>,
    missing: bool,
    em: Em,
}

impl Default for NetLearner {
    fn default() -> Self {
        NetLearner { estimate: Estimate::Likelihood, ties: vec![], missing: false, em: Em::new() }
    }
}

impl NetLearner {
    /// Maximum likelihood from complete rows, each table by itself.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(NetLearner {
    /// How counts become probabilities.
    estimate: Estimate,
    /// Groups of variables that share one table: their counts are pooled.
    ties: Vec<Vec<usize>>,
    /// Whether NaN is a value that is missing, instead of an error: learned by EM from the network's own tables on.
    allow_missing => missing: bool,
});

em_setters!(NetLearner: max_iterations, tolerance, progress);

const OP: &str = "NetLearner";

/// Counts of every table, in its order, and the log-likelihood.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Counts {
    tables: Vec<Vec<f64>>,
    rows: f64,
    log_likelihood: f64,
}

impl Statistics for Counts {
    fn add(&mut self, other: &Self) {
        for (a, b) in self.tables.iter_mut().zip(&other.tables) {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        }
        self.rows += other.rows;
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.tables.iter_mut().flatten().for_each(|v| *v *= by);
        self.rows *= by;
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.rows
    }
}

impl NetLearner {
    fn check(&self, net: &BayesNet, x: ArrayView2<f64>) -> Result<()> {
        let n = net.sizes().len();
        require(OP, x.nrows() > 0 && x.ncols() == n, || format!("{n} variables, data of {:?}", x.dim()))?;
        for ((i, j), &v) in x.indexed_iter() {
            let fits =
                (self.missing && v.is_nan()) || (v >= 0.0 && v.fract() == 0.0 && v < net.sizes()[j] as f64);
            parameter(&format!("x[{i}, {j}]"), v, fits, "must be one of the variable's values, from 0 on")?;
        }
        match self.estimate {
            Estimate::Likelihood => {}
            Estimate::Mode { alpha } => {
                parameter("alpha", alpha, alpha >= 1.0 && alpha.is_finite(), "must be at least 1")?;
            }
            Estimate::Mean { alpha } => not_negative("alpha", alpha)?,
        }
        let mut tied = vec![false; n];
        for group in &self.ties {
            let fits = !group.is_empty() && group.iter().all(|v| *v < n);
            require(OP, fits, || format!("a tie of {group:?}"))?;
            for v in group {
                require(OP, !std::mem::replace(&mut tied[*v], true), || {
                    format!("variable {v} is tied twice")
                })?;
            }
            let same = group.iter().all(|v| net.tables()[*v].sizes() == net.tables()[group[0]].sizes());
            require(OP, same, || format!("tables of {group:?} have different shapes"))?;
        }
        Ok(())
    }

    /// The network with learned tables.
    ///
    /// # Errors
    /// Values that are not there, NaN where nothing may be missing, a combination of parents that never occurs (maximum
    /// likelihood says nothing of it: take a prior), a row that the network excludes, ties of nothing, between tables of
    /// different shapes or of a variable in two of them, [`Error::Cancelled`].
    pub fn learn(&self, net: &BayesNet, x: &Array2<f64>) -> Result<BayesNet> {
        self.check(net, x.view())?;
        if x.iter().all(|v| !v.is_nan()) {
            let counts = self.expect(net, x)?;
            return self.maximise(net, &counts);
        }
        let start = self.tied(net)?;
        Ok(self.em.run(self, std::slice::from_ref(x), |_| Ok(start.clone()))?.params)
    }

    /// What is added to every count.
    fn added(&self) -> f64 {
        match self.estimate {
            Estimate::Likelihood => 0.0,
            Estimate::Mode { alpha } => alpha - 1.0,
            Estimate::Mean { alpha } => alpha,
        }
    }

    /// The network with the mean of its tables in each tie: EM must start from tables that it could have found.
    fn tied(&self, net: &BayesNet) -> Result<BayesNet> {
        let mut tables = net.tables().to_vec();
        for group in &self.ties {
            let share = |i: usize| group.iter().map(|v| net.tables()[*v].log_values()[i].exp()).sum::<f64>();
            let size = net.tables()[group[0]].log_values().len();
            let values: Vec<f64> = (0..size).map(|i| share(i) / group.len() as f64).collect();
            for v in group {
                tables[*v] = Factor::new(net.tables()[*v].variables(), net.tables()[*v].sizes(), &values)?;
            }
        }
        Ok(net.with_tables(tables))
    }
}

impl EmModel for NetLearner {
    const NAME: &'static str = OP;
    type Batch = Array2<f64>;
    type Params = BayesNet;
    type Stats = Counts;

    /// Posteriors of each family given what is there of each row.
    fn expect(&self, net: &BayesNet, x: &Array2<f64>) -> Result<Counts> {
        let mut counts = Counts {
            tables: net.tables().iter().map(|t| vec![0.0; t.log_values().len()]).collect(),
            rows: x.nrows() as f64,
            log_likelihood: 0.0,
        };
        for row in x.rows() {
            let place = |f: &Factor| {
                f.variables().iter().zip(f.sizes()).fold(0, |i, (v, s)| i * s + row[*v] as usize)
            };
            if row.iter().all(|v| !v.is_nan()) {
                for (k, f) in net.tables().iter().enumerate() {
                    counts.tables[k][place(f)] += 1.0;
                    counts.log_likelihood += f.log_values()[place(f)].max(-1e300);
                }
                continue;
            }
            let seen: Vec<(usize, usize)> =
                row.iter().enumerate().filter(|(_, v)| !v.is_nan()).map(|(j, v)| (j, *v as usize)).collect();
            let tree = JunctionTree::new(&net.field()?.observe(&seen)?)?;
            let log = tree.log_partition();
            parameter(
                "log p(row)",
                log,
                log > f64::NEG_INFINITY,
                "a row is impossible under the tables to start from",
            )?;
            counts.log_likelihood += log;
            for (k, f) in net.tables().iter().enumerate() {
                let Some((order, p)) = tree.joint(f.variables())? else {
                    return Err(Error::Shape { op: OP, what: "a family is in no clique".to_owned() });
                };
                let sizes: Vec<usize> = order.iter().map(|v| net.sizes()[*v]).collect();
                for (at, p) in states(&sizes).zip(p) {
                    let value = |v: &usize| at[order.iter().position(|o| o == v).expect("the family's own")];
                    let place = f.variables().iter().zip(f.sizes()).fold(0, |i, (v, s)| i * s + value(v));
                    counts.tables[k][place] += p;
                }
            }
        }
        Ok(counts)
    }

    fn maximise(&self, net: &BayesNet, counts: &Counts) -> Result<BayesNet> {
        let mut pooled = counts.tables.clone();
        for group in &self.ties {
            let mut sum = vec![0.0; pooled[group[0]].len()];
            for v in group {
                sum.iter_mut().zip(&counts.tables[*v]).for_each(|(s, c)| *s += c);
            }
            for v in group {
                pooled[*v].clone_from(&sum);
            }
        }
        let mut tables = Vec::new();
        for (k, f) in net.tables().iter().enumerate() {
            let size = net.sizes()[k];
            let added = self.added();
            let mut values = Vec::new();
            for (r, row) in pooled[k].chunks(size).enumerate() {
                let all: f64 = row.iter().map(|c| c + added).sum();
                if all > 0.0 {
                    values.extend(row.iter().map(|c| (c + added) / all));
                } else {
                    // A flat prior's mode is flat; without a prior nothing is known.
                    let known = self.estimate != Estimate::Likelihood;
                    let name = format!("rows with parents' values {r} of {:?}", net.dag().names()[k]);
                    parameter(&name, 0.0, known, "every combination of parents must occur: take a prior")?;
                    values.extend(vec![1.0 / size as f64; size]);
                }
            }
            tables.push(Factor::new(f.variables(), f.sizes(), &values)?);
        }
        Ok(net.with_tables(tables))
    }

    /// The log-likelihood and `a Σ log p` with a what is added to each count, once for all tables of a tie: what the M-step
    /// maximises. The mean of Dir(N + α) is the mode of Dir(N + α + 1).
    fn objective(&self, net: &BayesNet, counts: &Counts) -> f64 {
        if self.added() == 0.0 {
            return counts.log_likelihood;
        }
        let repeated = |k: usize| self.ties.iter().any(|group| group[1..].contains(&k));
        let own = net.tables().iter().enumerate().filter(|(k, _)| !repeated(*k));
        // A zero of the tables to start from excludes nothing that the next step does not allow.
        let logs = own.flat_map(|(_, f)| f.log_values()).map(|l| l.max(-1e290)).sum::<f64>();
        counts.log_likelihood + self.added() * logs
    }
}
