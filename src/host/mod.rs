//! The machine that everything starts from: its memory, its vector units and what they do best.

pub(crate) mod memory;
pub(crate) mod pool;
pub(crate) mod product;
pub(crate) mod zero_upper;
