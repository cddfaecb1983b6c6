//! Kernel functions.

/// A kernel expression.
pub struct Kernel;
