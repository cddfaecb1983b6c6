//! The EM driver, and the models it fits.

#[path = "../support/mod.rs"]
mod support;

mod em;
