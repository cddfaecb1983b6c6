//! Generators without a density: adversarial training and its divergences. Checked in `tests/neural/gan.rs`.

mod divergence;
mod fitted;
mod game;
mod model;

pub use divergence::VariationalDivergence;
pub use fitted::{FittedGan, Generator};
pub use game::GanRound;
pub use model::{Gan, GanLoss};
