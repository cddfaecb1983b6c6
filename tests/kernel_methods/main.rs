//! Kernel ridge regression, exactly and on landmarks, and features that stand for kernels: theorems, oracles, every
//! adapter, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod adapters;
mod cv;
mod device_memory;
mod falkon;
mod fourier;
mod fourier_device;
mod input;
mod kernel_ridge;
mod memory;
mod nystrom;
mod oracle;
mod plan;
mod shifted;

use support::regressions::{close, problem, solved};

/// How conjugate gradients went.
fn info<D>(fit: &mercer::models::kernel_methods::FittedFalkon<D>) -> &mercer::linalg::CgInfo {
    match fit.report() {
        mercer::linalg::SolveReport::Iterative(info) => info,
        other => panic!("{other:?}"),
    }
}
