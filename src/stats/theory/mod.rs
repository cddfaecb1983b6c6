//! Learning theory: how many examples are enough, and what a class of hypotheses can tell apart. Checked in
//! `tests/probability/theory.rs`.
//!
//! | to do | use |
//! |---|---|
//! | sample complexity of finite, quantised, realisable classes, and its inverse | [`pac_samples`], [`quantised_pac_samples`], [`realisable_pac_samples`], [`pac_error`] |
//! | bounds for means and for all hypotheses at once | [`hoeffding`], [`uniform_convergence`] |
//! | choose among nested classes | [`structural_risk`], [`srm_penalty`] |
//! | growth, shattering, VC dimension | [`shatters`], [`vc_dimension`], [`Thresholds`], [`Intervals`], [`Rectangles`], [`Halfplanes`], [`Sines`], [`FiniteClass`] |
//! | VC bounds and scaling | [`sauer`], [`vc_bound`], [`fundamental_scaling`] |
//! | the threshold experiment | [`ThresholdExperiment`] |
//! | whether a learner is probably approximately correct, by simulation | [`pac_check`] |

mod bounds;
mod classes;
mod experiment;
mod pac;
mod shattering;

pub use bounds::{
    fundamental_scaling, hoeffding, pac_error, pac_samples, quantised_pac_samples, realisable_pac_samples,
    sauer, srm_penalty, structural_risk, uniform_convergence, vc_bound,
};
pub use classes::{FiniteClass, Halfplanes, Hypothesis, Intervals, Rectangles, Sines, Thresholds};
pub use experiment::ThresholdExperiment;
pub use pac::{PacCheck, pac_check};
pub use shattering::{Hypotheses, shatters, vc_dimension};
