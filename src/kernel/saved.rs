//! Expressions as they are saved: no deeper than what will be read again.

use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::expr::Expr;

/// Kernels within kernels: half of what JSON allows of its own brackets, as a sum takes two. A binary format allows any
/// number of them, and the stack does not.
const MOST: usize = 50;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One kernel within another, as long as it lives.
struct Level;

impl Level {
    fn enter() -> Result<Self, String> {
        DEPTH.set(DEPTH.get() + 1);
        let level = Level;
        if DEPTH.get() <= MOST { Ok(level) } else { Err(format!("kernels nested more than {MOST} deep")) }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

// Within these, the functions of that name are those that serde has derived.

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let _level = Level::enter().map_err(serde::ser::Error::custom)?;
        Expr::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let _level = Level::enter().map_err(serde::de::Error::custom)?;
        Expr::deserialize(from)
    }
}
