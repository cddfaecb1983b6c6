//! Bayesian optimisation.

#[path = "../../examples/support/landscapes.rs"]
mod landscapes;
#[path = "../support/mod.rs"]
mod support;

mod acquisition;
mod asking;
mod input;
mod minima;
mod models;
mod pending;
mod small;
mod thompson;
mod tuning;

use landscapes::branin;

const BRANIN: [(f64, f64); 2] = [(-5.0, 10.0), (0.0, 15.0)];
