//! Devices: choosing one, what it counts, and every failure that a software adapter can be made to show.

#[path = "../support/mod.rs"]
mod support;

mod checks;
mod choice;
mod counters;
mod failures;
mod matrix;
mod model;
mod progress;
mod vector_state;
