//! Labels as the user has them, numbered.

use super::softmax::Classes;
use crate::{Error, Result};

/// The labels of n points.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    /// The different labels, in ascending order.
    pub names: Vec<usize>,
    /// Each point's place in `names`.
    index: Vec<usize>,
}

impl Labels {
    pub fn new(labels: &[usize], n: usize) -> Result<Self> {
        let refuse = |what| Err(Error::Shape { op: "GpClassifier", what });
        if labels.len() != n {
            return refuse(format!("{n} points, {} labels", labels.len()));
        }
        let mut names = labels.to_vec();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            return refuse(format!("all {n} labels are {names:?}: at least two classes are needed"));
        }
        let index = labels.iter().map(|l| names.binary_search(l).unwrap_or(0)).collect();
        Ok(Labels { names, index })
    }

    /// All classes at once.
    pub fn classes(&self) -> Classes {
        Classes { y: self.index.clone(), classes: self.names.len() }
    }

    /// ±1 for the second of two classes against the first, or for each of more against the rest.
    pub fn against_the_rest(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        let first = usize::from(self.names.len() == 2);
        let sign = |yes: bool| if yes { 1.0 } else { -1.0 };
        (first..self.names.len()).map(move |class| self.index.iter().map(|&i| sign(i == class)).collect())
    }
}
