//! First-order methods: rules that step by a gradient, and the loops that drive them.

mod adaptive;
mod batches;
mod driver;
mod early_stopping;
mod lipschitz;
mod rule;
mod sgd;

pub use adaptive::{AdaGrad, Adam, RmsProp};
pub use batches::{Batches, Order};
pub use driver::{FirstOrder, Trained};
pub use early_stopping::EarlyStopping;
pub use lipschitz::{largest_eigenvalue, sum_of_parts};
pub use rule::StepRule;
pub use sgd::Sgd;
