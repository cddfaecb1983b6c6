//! The joint distribution of several discrete variables as a table.

use ndarray::{ArrayD, ArrayViewD, Axis, Dimension, IxDyn};

use crate::check::{parameter, require};
use crate::probability::distributions::Categorical;
use crate::{Error, Result};

/// `p(x_0, .. x_{D-1})`, one axis a variable: sum rule, product rule, chain rule.
///
/// ```
/// use mercer::probability::tables::JointTable;
/// // Rows: rain or not; columns: late or not.
/// let seen = JointTable::from_counts(ndarray::array![[3.0, 1.0], [2.0, 14.0]].into_dyn().view())?;
/// assert_eq!(seen.marginal(&[0])?.probability(&[0])?, 0.2);
/// assert!((seen.conditional(&[(0, 0)])?.probability(&[0])? - 0.75).abs() < 1e-15); // p(late | rain)
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointTable {
    p: ArrayD<f64>,
}

impl JointTable {
    /// `p = n/N` of a table of counts.
    ///
    /// # Errors
    /// [`Error::Shape`] for no entries, [`Error::Parameter`] for a count that is negative or not finite, or all zero.
    pub fn from_counts(counts: ArrayViewD<f64>) -> Result<Self> {
        require("JointTable", !counts.is_empty() && counts.ndim() > 0, || "the table is empty".to_owned())?;
        for &n in &counts {
            parameter("a count", n, n >= 0.0 && n.is_finite(), "must be finite and not negative")?;
        }
        let total = counts.sum();
        parameter("sum of counts", total, total > 0.0 && total.is_finite(), "must be positive and finite")?;
        Ok(JointTable { p: &counts / total })
    }

    /// A table of probabilities, which must sum to one.
    ///
    /// # Errors
    /// As [`from_counts`](Self::from_counts), and [`Error::Parameter`] for another sum.
    pub fn new(p: ArrayViewD<f64>) -> Result<Self> {
        let sum = p.sum();
        let table = Self::from_counts(p)?;
        parameter("sum of probabilities", sum, (sum - 1.0).abs() < 1e-9, "must be one")?;
        Ok(table)
    }

    /// The table of observations, one a row: each entry a value of a variable that has so many.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of columns or a value that is not there, [`Error::Parameter`] for no rows.
    pub fn from_rows(values: &[usize], rows: &[Vec<usize>]) -> Result<Self> {
        let cells = values.iter().try_fold(1usize, |all, &v| all.checked_mul(v)).unwrap_or(usize::MAX);
        crate::check::room("values", cells, 8)?;
        let mut counts = ArrayD::zeros(IxDyn(values));
        for row in rows {
            let inside = row.len() == values.len() && row.iter().zip(values).all(|(x, v)| x < v);
            require("JointTable::from_rows", inside, || {
                format!("{row:?} is no entry of a table {values:?}")
            })?;
            counts[IxDyn(row)] += 1.0;
        }
        Self::from_counts(counts.view())
    }

    /// The table itself.
    pub fn probabilities(&self) -> &ArrayD<f64> {
        &self.p
    }

    /// `p(x)` of one value of each variable.
    ///
    /// # Errors
    /// [`Error::Shape`] for an entry that is not there.
    pub fn probability(&self, x: &[usize]) -> Result<f64> {
        let missing =
            || Error::Shape { op: "JointTable", what: format!("no entry {x:?} in {:?}", self.p.shape()) };
        self.p.get(IxDyn(x)).copied().ok_or_else(missing)
    }

    fn known(&self, variable: usize) -> Result<()> {
        let d = self.p.ndim();
        parameter("variable", variable as f64, variable < d, "must be below the number of variables")
    }

    /// Sum rule: the table of some variables, in this order.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a variable that is not there, [`Error::Shape`] for none or one named twice.
    pub fn marginal(&self, variables: &[usize]) -> Result<Self> {
        require("JointTable::marginal", !variables.is_empty(), || "no variables are named".to_owned())?;
        for (at, &v) in variables.iter().enumerate() {
            self.known(v)?;
            require("JointTable::marginal", !variables[..at].contains(&v), || format!("variable {v} twice"))?;
        }
        let mut p = self.p.clone();
        let mut kept: Vec<usize> = (0..p.ndim()).collect();
        for v in (0..p.ndim()).rev().filter(|v| !variables.contains(v)) {
            p = p.sum_axis(Axis(v));
            kept.remove(v);
        }
        let order: Vec<usize> = variables.iter().filter_map(|v| kept.iter().position(|k| k == v)).collect();
        Ok(JointTable { p: p.permuted_axes(IxDyn(&order)).as_standard_layout().into_owned() })
    }

    /// Product rule: the table of the other variables, in their order, given `(variable, value)` pairs.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal), and [`Error::Parameter`] if what is given has probability zero.
    pub fn conditional(&self, given: &[(usize, usize)]) -> Result<Self> {
        require("JointTable::conditional", given.len() < self.p.ndim(), || "nothing is left".to_owned())?;
        let mut given = given.to_vec();
        given.sort_unstable();
        let mut p = self.p.clone();
        for (at, &(variable, value)) in given.iter().enumerate().rev() {
            self.known(variable)?;
            require("JointTable::conditional", at == 0 || given[at - 1].0 != variable, || {
                format!("variable {variable} is given twice")
            })?;
            let values = self.p.shape()[variable];
            parameter("value", value as f64, value < values, "must be below the number of values")?;
            p = p.index_axis_move(Axis(variable), value);
        }
        let total = p.sum();
        parameter("probability of what is given", total, total > 0.0, "must be positive")?;
        Ok(JointTable { p: p / total })
    }

    /// Chain rule: the factors `ln p(x_d | what comes before d in the order)`; their sum is `ln p(x)` in any order.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal); [`Error::Parameter`] if what comes before has probability zero.
    pub fn chain(&self, x: &[usize], order: &[usize]) -> Result<Vec<f64>> {
        self.probability(x)?;
        require("JointTable::chain", order.len() == self.p.ndim(), || "the order must name all".to_owned())?;
        let mut before = 1.0;
        let mut factors = Vec::with_capacity(order.len());
        for at in 1..=order.len() {
            let here: Vec<usize> = order[..at].iter().map(|&v| x.get(v).copied().unwrap_or(0)).collect();
            let p = self.marginal(&order[..at])?.probability(&here)?;
            parameter("probability of what comes before", before, before > 0.0, "must be positive")?;
            factors.push((p / before).ln());
            before = p;
        }
        Ok(factors)
    }

    /// Ancestral sampling: one variable after the other, each given those before it; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
        crate::check::room("count", count, 8 * (self.p.ndim() + 3))?;
        let mut next = crate::random::uniforms(seed, 0);
        let marginals: Vec<JointTable> =
            (1..=self.p.ndim()).map(|d| self.marginal(&(0..d).collect::<Vec<_>>())).collect::<Result<_>>()?;
        (0..count)
            .map(|_| {
                let mut x: Vec<usize> = Vec::with_capacity(self.p.ndim());
                let mut before = 1.0;
                for table in &marginals {
                    let mut u = next() * before;
                    let values = table.p.shape()[x.len()];
                    x.push(0);
                    let at = x.len() - 1;
                    let mut last = (0, 0.0);
                    for v in 0..values {
                        x[at] = v;
                        let p = table.probability(&x)?;
                        if p > 0.0 {
                            last = (v, p);
                        }
                        if u < p {
                            break;
                        }
                        u -= p;
                    }
                    x[at] = last.0;
                    before = last.1;
                }
                Ok(x)
            })
            .collect()
    }

    /// `max |p(x, y) - p(x) p(y)|` over two sets of variables: zero if and only if they are independent.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal).
    pub fn dependence(&self, x: &[usize], y: &[usize]) -> Result<f64> {
        let both = self.marginal(&[x, y].concat())?;
        let (px, py) = (self.marginal(x)?, self.marginal(y)?);
        let gap = both.p.indexed_iter().map(|(at, p)| {
            let at = at.slice();
            (p - px.p[IxDyn(&at[..x.len()])] * py.p[IxDyn(&at[x.len()..])]).abs()
        });
        Ok(gap.fold(0.0, f64::max))
    }

    /// Covariance of two variables whose values are these numbers; zero does not say that they are independent.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal), and [`Error::Shape`] for other than one number for each value.
    pub fn covariance(&self, (x, at_x): (usize, &[f64]), (y, at_y): (usize, &[f64])) -> Result<f64> {
        let both = self.marginal(&[x, y])?;
        require("JointTable::covariance", both.p.shape() == [at_x.len(), at_y.len()], || {
            format!("a table {:?}, {} and {} numbers", both.p.shape(), at_x.len(), at_y.len())
        })?;
        let mean = |f: &dyn Fn(usize, usize) -> f64| -> f64 {
            both.p.indexed_iter().map(|(at, p)| p * f(at[0], at[1])).sum()
        };
        let (mx, my) = (mean(&|i, _| at_x[i]), mean(&|_, j| at_y[j]));
        Ok(mean(&|i, j| (at_x[i] - mx) * (at_y[j] - my)))
    }

    /// `E[f(X)]`.
    pub fn expectation(&self, f: impl Fn(&[usize]) -> f64) -> f64 {
        self.p.indexed_iter().filter(|(_, p)| **p > 0.0).map(|(at, p)| p * f(at.slice())).sum()
    }

    /// The back-door formula: `p(t | do(x)) = Σ_g p(g) p(t | x, g)` for causes g that x and t have in common, over the values
    /// of t. Seeing x tells of g; doing x does not.
    ///
    /// # Errors
    /// As [`conditional`](Self::conditional): every g that occurs must occur with x.
    pub fn adjusted(&self, t: usize, (x, value): (usize, usize), causes: &[usize]) -> Result<Categorical> {
        self.known(t)?;
        self.known(x)?;
        let strata = self.marginal(causes)?;
        let all = self.marginal(&[&[t, x], causes].concat())?;
        let mut out = vec![0.0; self.p.shape()[t]];
        for (at, &p) in strata.p.indexed_iter().filter(|(_, p)| **p > 0.0) {
            let mut given = vec![(1, value)];
            given.extend(at.slice().iter().enumerate().map(|(i, &g)| (2 + i, g)));
            let own = all.conditional(&given)?;
            out.iter_mut().zip(own.p.iter()).for_each(|(o, q)| *o += p * q);
        }
        Categorical::new(&out)
    }
}
