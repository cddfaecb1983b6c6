//! How much classes weigh.

use crate::Result;
use crate::check::{parameter, require};

/// How much each class counts, as a factor of the weights of its rows.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClassWeights {
    /// A class weighs as much as its rows.
    #[default]
    Equal,
    /// A row of class k weighs `n / (K n_k)` times as much: a rare class counts as much as a frequent one.
    Balanced,
    /// These factors, in the ascending order of the classes.
    Each(Vec<f64>),
}

impl ClassWeights {
    /// The factor of each class, whose rows weigh `mass` together.
    pub(crate) fn factors(&self, op: &'static str, mass: &[f64]) -> Result<Vec<f64>> {
        let classes = mass.len();
        let factors: Vec<f64> = match self {
            ClassWeights::Equal => vec![1.0; classes],
            ClassWeights::Balanced => {
                let total: f64 = mass.iter().sum();
                mass.iter().map(|m| total / (classes as f64 * m)).collect()
            }
            ClassWeights::Each(each) => each.clone(),
        };
        require(op, factors.len() == classes, || {
            format!("there are {classes} classes and {} class weights", factors.len())
        })?;
        let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
        let fit = factors.iter().all(|f| *f > 0.0 && f.is_finite());
        parameter("class weight", least, fit, "must be positive and finite")?;
        Ok(factors)
    }
}
