//! Statistics and tests on distributions, against plain loops, published values, full enumeration and every adapter.

#[path = "../support/mod.rs"]
mod support;

mod asymptotic;
mod bandwidth;
mod calibration;
mod crossings;
mod dhsic;
mod distance;
mod embedding;
mod finite_set;
mod hsic;
mod hyppo;
mod independence;
mod input;
mod level;
mod loops;
mod mmd;
mod progress;
mod stein;
mod trusted;
mod two_sample;
