//! Linear regression with a squared loss: theorems, oracles, every adapter, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod adapters;
mod bayesian;
mod cv;
mod evidence;
mod input;
mod least_squares;
mod oracle;
mod polynomials;
mod ridge;

use support::regressions::{close, problem, solved};
