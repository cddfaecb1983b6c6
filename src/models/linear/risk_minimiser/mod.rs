//! Regularised empirical risk minimisation over any loss and any penalty. Checked in `tests/regression/risk.rs`.

mod density_ratio;
mod fitted;
mod model;

pub use density_ratio::density_ratio;
pub use fitted::FittedRiskMinimiser;
pub use model::RiskMinimiser;
