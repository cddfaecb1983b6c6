//! The optimisers that training can use, as one value.

use crate::Result;
use crate::ops::Descent;
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

/// How an optimiser goes about it.
pub(super) enum Method<'a> {
    /// Step after step, a batch at a time.
    Rule(Box<dyn StepRule>),
    /// All rows at every evaluation.
    Minimiser(&'a Minimiser),
}

impl Optimiser {
    /// The step of this number, from 1, as a verb of a device; none if it has no such form.
    pub(super) fn verb(&self, step: usize) -> Result<Option<Descent>> {
        match self {
            Optimiser::Sgd(rule) => rule.verb(step),
            Optimiser::AdaGrad(rule) => rule.verb(step).map(Some),
            Optimiser::RmsProp(rule) => rule.verb(step).map(Some),
            Optimiser::Adam(rule) => rule.verb(step).map(Some),
            Optimiser::Lbfgs(_) => Ok(None),
        }
    }

    /// The method; a rule is at its first step.
    pub(super) fn method(&self) -> Method<'_> {
        let mut rule: Box<dyn StepRule> = match self {
            Optimiser::Sgd(rule) => Box::new(rule.clone()),
            Optimiser::AdaGrad(rule) => Box::new(rule.clone()),
            Optimiser::RmsProp(rule) => Box::new(rule.clone()),
            Optimiser::Adam(rule) => Box::new(rule.clone()),
            Optimiser::Lbfgs(minimiser) => return Method::Minimiser(minimiser),
        };
        rule.reset();
        Method::Rule(rule)
    }
}
