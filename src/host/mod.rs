//! The machine that everything starts from: its memory, and the state of its vector units.

pub(crate) mod memory;
pub(crate) mod pool;
pub(crate) mod zero_upper;
