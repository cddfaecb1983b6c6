//! The optimisers that training can use, as one value.

use crate::optim::{AdaGrad, Adam, Minimiser, RmsProp, Sgd, StepRule};

/// The rule that moves parameters.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Optimiser {
    /// Gradient descent, with or without momentum.
    Sgd(Sgd),
    /// `AdaGrad`.
    AdaGrad(AdaGrad),
    /// `RMSprop`.
    RmsProp(RmsProp),
    /// Adam and `AdamW`.
    Adam(Adam),
    /// L-BFGS on all rows at once: exact to rounding on small problems, and without a rate. An epoch is an iteration.
    Lbfgs(Minimiser),
}

macro_rules! optimisers {
    ($($rule:ident => $name:ident),+) => { $(
        impl From<$rule> for Optimiser {
            fn from(rule: $rule) -> Self {
                Optimiser::$name(rule)
            }
        }
    )+ };
}

optimisers!(Sgd => Sgd, AdaGrad => AdaGrad, RmsProp => RmsProp, Adam => Adam, Minimiser => Lbfgs);

impl Optimiser {
    /// The rule, at its first step; none for L-BFGS, which is no rule.
    pub(super) fn rule(&self) -> Option<Box<dyn StepRule>> {
        let mut rule: Box<dyn StepRule> = match self {
            Optimiser::Sgd(rule) => Box::new(rule.clone()),
            Optimiser::AdaGrad(rule) => Box::new(rule.clone()),
            Optimiser::RmsProp(rule) => Box::new(rule.clone()),
            Optimiser::Adam(rule) => Box::new(rule.clone()),
            Optimiser::Lbfgs(_) => return None,
        };
        rule.reset();
        Some(rule)
    }
}
