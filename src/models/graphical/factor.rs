//! Tables over discrete variables, as logarithms: products, sums, maxima, evidence. Checked in `tests/graphical/exact.rs`.

use crate::Result;
use crate::check::{parameter, require, table};
use crate::configure::getters;
use crate::inference::logs::log_sum_exp;

/// `ψ(x_a, x_b, ...) ≥ 0`, a table over a few variables; it holds logarithms, the last variable running fastest.
///
/// ```
/// use mercer::models::graphical::Factor;
/// // Variables 0 and 1, of two values each, that like to be equal.
/// let f = Factor::new(&[0, 1], &[2, 2], &[3.0, 1.0, 1.0, 3.0])?;
/// assert!((f.sum_out(&[1])?.log_values()[0] - 4f64.ln()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Factor {
    variables: Vec<usize>,
    sizes: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    log_values: Vec<f64>,
}

getters!(Factor {
    /// The variables of the table, each once.
    variables: &[usize],
    /// The number of values of each of them.
    sizes: &[usize],
    /// The logarithms of the table's entries.
    log_values: &[f64],
});

const OP: &str = "Factor";

/// Every combination of values in the order of a table.
pub(super) fn states(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let all: usize = sizes.iter().product();
    (0..all).map(move |mut i| {
        let mut at = vec![0; sizes.len()];
        for (v, s) in at.iter_mut().zip(sizes).rev() {
            *v = i % s;
            i /= s;
        }
        at
    })
}

impl Factor {
    /// The table with these entries, none negative.
    ///
    /// # Errors
    /// A variable that occurs twice or has no values, another number of entries, an entry that is negative or not finite.
    pub fn new(variables: &[usize], sizes: &[usize], values: &[f64]) -> Result<Self> {
        for (i, v) in values.iter().enumerate() {
            parameter(
                &format!("entry {i} of a table"),
                *v,
                *v >= 0.0 && v.is_finite(),
                "must be finite and not negative",
            )?;
        }
        Self::of_logs(variables, sizes, values.iter().map(|v| v.ln()).collect())
    }

    /// The table whose entries have these logarithms; minus infinity is zero.
    ///
    /// # Errors
    /// As [`Factor::new`].
    pub fn of_logs(variables: &[usize], sizes: &[usize], log_values: Vec<f64>) -> Result<Self> {
        let twice = variables.iter().enumerate().any(|(i, v)| variables[..i].contains(v));
        require(OP, !twice && variables.len() == sizes.len(), || {
            "a variable occurs twice, or has no size".to_owned()
        })?;
        let entries: f64 = sizes.iter().map(|s| *s as f64).product();
        require(OP, entries > 0.0 && entries == log_values.len() as f64, || {
            format!("{sizes:?} values make {entries} entries, {} were given", log_values.len())
        })?;
        for v in &log_values {
            parameter(
                "log entry of a table",
                *v,
                !v.is_nan() && *v < f64::INFINITY,
                "must be the logarithm of a number",
            )?;
        }
        Ok(Factor { variables: variables.to_vec(), sizes: sizes.to_vec(), log_values })
    }

    /// The table of no variables, with the entry one.
    pub(super) fn one() -> Self {
        Factor { variables: vec![], sizes: vec![], log_values: vec![0.0] }
    }

    /// The log entry at the values of these variables in a whole assignment.
    pub(super) fn at(&self, assignment: &[usize]) -> f64 {
        let place = self.variables.iter().zip(&self.sizes).fold(0, |i, (v, s)| i * s + assignment[*v]);
        self.log_values[place]
    }

    /// The steps that a table of `variables` takes in this one, for each of them.
    fn steps(&self, variables: &[usize]) -> Vec<usize> {
        let stride = |v: &usize| {
            self.variables.iter().position(|own| own == v).map_or(0, |i| self.sizes[i + 1..].iter().product())
        };
        variables.iter().map(stride).collect()
    }

    /// `Σ_i x_i steps_i` for every combination of values.
    fn places(sizes: &[usize], steps: &[usize]) -> Vec<usize> {
        let mut out = vec![0];
        for (s, step) in sizes.iter().zip(steps) {
            out = out.iter().flat_map(|p| (0..*s).map(move |v| p + v * step)).collect();
        }
        out
    }

    /// The product of two tables, over the variables of both.
    ///
    /// # Errors
    /// Sizes of a shared variable that differ; [`Error::OverBudget`](crate::Error::OverBudget) for a table that is too large.
    pub fn times(&self, other: &Factor) -> Result<Factor> {
        let (mut variables, mut sizes) = (self.variables.clone(), self.sizes.clone());
        for (v, s) in other.variables.iter().zip(&other.sizes) {
            if let Some(i) = variables.iter().position(|own| own == v) {
                require(OP, sizes[i] == *s, || format!("variable {v} has {} and {s} values", sizes[i]))?;
            } else {
                variables.push(*v);
                sizes.push(*s);
            }
        }
        table(
            OP,
            sizes.iter().map(|s| *s as f64).product(),
            "use `BeliefPropagation`, which makes no such table",
        )?;
        let own = Self::places(&sizes, &self.steps(&variables));
        let others = Self::places(&sizes, &other.steps(&variables));
        // Nothing times anything is nothing; minus infinity is never added to plus infinity.
        let log_values =
            own.iter().zip(&others).map(|(a, b)| self.log_values[*a] + other.log_values[*b]).collect();
        Ok(Factor { variables, sizes, log_values })
    }

    fn fold(&self, out: &[usize], f: impl Fn(&[f64]) -> f64) -> Result<Factor> {
        let known = out.iter().all(|v| self.variables.contains(v));
        require(OP, known, || format!("{out:?} are not all variables of the table {:?}", self.variables))?;
        let split = |keep: bool| -> (Vec<usize>, Vec<usize>) {
            self.variables
                .iter()
                .zip(&self.sizes)
                .filter(|(v, _)| out.contains(v) != keep)
                .map(|(v, s)| (*v, *s))
                .unzip()
        };
        let ((variables, sizes), (gone, gone_sizes)) = (split(true), split(false));
        let kept = Self::places(&sizes, &self.steps(&variables));
        let inside = Self::places(&gone_sizes, &self.steps(&gone));
        let mut part = vec![0.0; inside.len()];
        let log_values = kept
            .iter()
            .map(|k| {
                part.iter_mut().zip(&inside).for_each(|(p, i)| *p = self.log_values[k + i]);
                f(&part)
            })
            .collect();
        Ok(Factor { variables, sizes, log_values })
    }

    /// The table without these variables, whose values are summed over.
    ///
    /// # Errors
    /// A variable that the table does not have.
    pub fn sum_out(&self, variables: &[usize]) -> Result<Factor> {
        self.fold(variables, log_sum_exp)
    }

    /// The table without these variables, at the best of their values.
    ///
    /// # Errors
    /// A variable that the table does not have.
    pub fn max_out(&self, variables: &[usize]) -> Result<Factor> {
        self.fold(variables, |v| v.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    /// All but these variables summed over.
    pub(super) fn onto(&self, variables: &[usize], maximum: bool) -> Result<Factor> {
        let gone: Vec<usize> = self.variables.iter().copied().filter(|v| !variables.contains(v)).collect();
        if maximum { self.max_out(&gone) } else { self.sum_out(&gone) }
    }

    /// The table with variable `v` known to be `value`: zero elsewhere.
    pub(super) fn observed(mut self, v: usize, value: usize) -> Factor {
        if let Some(i) = self.variables.iter().position(|own| *own == v) {
            let after: usize = self.sizes[i + 1..].iter().product();
            for (place, log) in self.log_values.iter_mut().enumerate() {
                if place / after % self.sizes[i] != value {
                    *log = f64::NEG_INFINITY;
                }
            }
        }
        self
    }

    /// The table less another over some of its variables; zero over zero is zero.
    pub(super) fn over(&self, other: &Factor) -> Factor {
        let places = Self::places(&self.sizes, &other.steps(&self.variables));
        let log_values = self
            .log_values
            .iter()
            .zip(&places)
            .map(|(a, b)| if *a == f64::NEG_INFINITY { *a } else { a - other.log_values[*b] })
            .collect();
        Factor { log_values, ..self.clone() }
    }

    /// Entries as probabilities, and the logarithm of what they were divided by.
    pub(super) fn normalised(&self) -> (Vec<f64>, f64) {
        let all = log_sum_exp(&self.log_values);
        (
            self.log_values
                .iter()
                .map(|v| if all == f64::NEG_INFINITY { 0.0 } else { (v - all).exp() })
                .collect(),
            all,
        )
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(Factor);

#[cfg(feature = "serde")]
impl crate::saved::Checked for Factor {
    fn check(&self) -> Result<()> {
        Factor::of_logs(&self.variables, &self.sizes, self.log_values.clone()).map(|_| ())
    }
}
