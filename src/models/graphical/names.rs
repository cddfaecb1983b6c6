//! Fields whose variables have names. Checked in `tests/graphical/names.rs`.

use super::factor::Factor;
use super::field::MarkovField;
use super::junction_tree::JunctionTree;
use crate::check::{parameter, require};
use crate::{Error, Result};

/// The place of a name among these.
pub(super) fn find(names: &[String], name: &str) -> Result<usize> {
    names.iter().position(|n| n == name).ok_or_else(|| Error::UnknownName {
        kind: "variable",
        name: name.to_owned(),
        known: names.join(", "),
    })
}

/// No name occurs twice.
pub(super) fn distinct(op: &'static str, names: &[String]) -> Result<()> {
    let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
    twice.map_or(Ok(()), |(_, name)| require(op, false, || format!("two variables are called {name:?}")))
}

impl MarkovField {
    /// Variables with these names and numbers of values, and no tables yet: [`MarkovField::table`] adds them.
    ///
    /// ```
    /// use mercer::models::graphical::MarkovField;
    /// // Neighbours like to vote alike; Ann is twice as likely to vote yes as no.
    /// let votes = MarkovField::named(&[("Ann", 2), ("Bob", 2), ("Cleo", 2)])?
    ///     .table(&["Ann"], &[1.0, 2.0])?
    ///     .table(&["Ann", "Bob"], &[3.0, 1.0, 1.0, 3.0])?
    ///     .table(&["Bob", "Cleo"], &[3.0, 1.0, 1.0, 3.0])?;
    /// assert!((votes.query("Bob", &[])?[1] - 7.0 / 12.0).abs() < 1e-12);
    /// assert!((votes.query("Cleo", &[("Bob", 1)])?[1] - 0.75).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// No variables, one without values, a name that occurs twice.
    pub fn named(variables: &[(&str, usize)]) -> Result<Self> {
        let sizes: Vec<usize> = variables.iter().map(|v| v.1).collect();
        Self::new(&sizes, vec![])?.with_names(variables.iter().map(|v| v.0.to_owned()).collect())
    }

    /// The number of the variable with this name: its place in every answer, and in every [`Factor`].
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn index(&self, name: &str) -> Result<usize> {
        find(self.names(), name)
    }

    /// A table over variables of this field; the values of the last one run fastest.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; as [`Factor::new`].
    pub fn factor(&self, names: &[&str], values: &[f64]) -> Result<Factor> {
        let variables: Vec<usize> = names.iter().map(|n| self.index(n)).collect::<Result<_>>()?;
        let sizes: Vec<usize> = variables.iter().map(|v| self.sizes()[*v]).collect();
        Factor::new(&variables, &sizes, values)
    }

    /// The field with one more table, that of [`MarkovField::factor`].
    ///
    /// # Errors
    /// As [`MarkovField::factor`].
    pub fn table(self, names: &[&str], values: &[f64]) -> Result<Self> {
        let factor = self.factor(names, values)?;
        Ok(self.with(factor))
    }

    /// [`MarkovField::observe`] by names.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; a value that is not there.
    pub fn observe_named(&self, evidence: &[(&str, usize)]) -> Result<Self> {
        let evidence: Vec<(usize, usize)> =
            evidence.iter().map(|(name, value)| Ok((self.index(name)?, *value))).collect::<Result<_>>()?;
        self.observe(&evidence)
    }

    /// `p(variable | given)`, exactly, by a junction tree.
    ///
    /// # Errors
    /// As [`MarkovField::observe_named`] and [`JunctionTree::new`]; evidence of probability zero.
    pub fn query(&self, name: &str, given: &[(&str, usize)]) -> Result<Vec<f64>> {
        let variable = self.index(name)?;
        let tree = JunctionTree::new(&self.observe_named(given)?)?;
        let log = tree.log_partition();
        parameter("log weight of what is given", log, log > f64::NEG_INFINITY, "must be possible")?;
        tree.marginal(variable)
    }
}
