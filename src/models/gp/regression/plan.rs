//! What a fit would do: the choice of the method, and its cost.

use super::matrix_free::MatrixFreeParams;
use super::model::GpRegressor;
use crate::learn::plan::{Method, Plan, affords, kernel_flops, row_bytes};
use crate::ops::{factoring_bytes, inverses_bytes};
use crate::{Device, Error, Result};

/// Most columns of the preconditioner unless told otherwise: it is made anew for every set of hyper-parameters.
const RANK: f64 = 200.0;
/// Host vectors of length n for each right-hand side that the iterations and their products hold at their peak.
const VECTORS: f64 = 24.0;
/// Copies of the inputs, packed ones included.
const COPIES: f64 = 6.0;
/// Rows of a block on the diagonal, whose inverse a device holds beside it.
const BLOCK: f64 = 64.0;
/// Bytes of K that a device's product with many vectors stores at a time, and the rows that it stores at least.
const STRIP: f64 = (64 << 20) as f64;
const ROWS: f64 = 64.0;

impl GpRegressor {
    /// What [`fit`](GpRegressor::fit) would do with n observations of d features and q targets: nothing is run.
    /// Operations are those of one evaluation; one with a gradient takes about three times as many if the matrix is
    /// stored, and about twice as many iterations if it is not.
    pub fn plan(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        // Too few operations for a GPU run on the CPU.
        let device = &device.suited_to(dense(device, n, d, targets, false).flops);
        let stored = dense(device, n, d, targets, self.learns());
        let fits = stored.need() <= self.budget && one_matrix(n) <= largest_buffer(device);
        if fits { stored } else { self.without_matrix(device, n, d, targets) }
    }

    /// Without the matrix. An iteration is a product with all right-hand sides of α and all probes.
    fn without_matrix(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let (nf, df) = (n as f64, d as f64);
        let vectors = targets.saturating_add(self.matrix_free.log_det.probes);
        let columns = vectors as f64;
        let rank = rank(n, &self.matrix_free, self.budget);
        let r = rank as f64;
        // What is multiplied, the product and a strip of K; for a gradient instead the two sides of its weights.
        let row = row_bytes(n);
        let strip = (nf * row).min(STRIP.max(ROWS * row));
        let sides = if self.learns() { 2.0 * nf * row_bytes(vectors.saturating_add(rank)) } else { 0.0 };
        let on_device = nf * row_bytes(d) + sides.max(2.0 * nf * row_bytes(vectors) + strip);
        let host = 16.0 * nf * r + 8.0 * nf * (VECTORS * columns + COPIES * df);
        let once = nf * r * (kernel_flops(d) + 2.0 * r);
        let each = nf * nf * (kernel_flops(d) + 2.0 * columns) + 4.0 * nf * r * columns;
        Plan::on(device, Method::MatrixFree { rank }, [host, on_device], [once, each])
    }

    /// Why [`plan`](GpRegressor::plan) stores no matrix, for what needs one.
    pub(super) fn refusal(
        &self,
        op: &'static str,
        device: &Device,
        (n, d, targets): (usize, usize, usize),
        instead: &'static str,
    ) -> Error {
        let (need, budget) = (dense(device, n, d, targets, self.learns()).need(), self.budget);
        if need > budget {
            return Error::OverBudget { op, need, budget, instead };
        }
        let what = format!("{op}: the factored covariance");
        Error::TooLarge { what, need: one_matrix(n), limit: largest_buffer(device) }
    }

    /// An error if the covariance between m points, given n, and `count` functions of q values at each of them pass the
    /// memory budget. A solve that is refined holds eight blocks of what crosses, one in f64 holds one.
    pub(in crate::models::gp) fn affords_joint(
        &self,
        op: &'static str,
        (n, m): (usize, usize),
        (count, q): (usize, usize),
        refined: bool,
    ) -> Result<()> {
        let (n, m, values) = (n as f64, m as f64, count as f64 * q as f64);
        let blocks = if refined { 8.0 } else { 1.0 };
        let need = (8.0 * m * (blocks * n + 3.0 * m + values + 4.0 * q as f64)) as u64;
        affords(op, need, self.budget, "ask for fewer points at a time, or variances only")
    }

    /// An error if the matrices that `op` would store for `(n, d, targets)` pass the memory budget.
    pub(super) fn affords(
        &self,
        op: &'static str,
        device: &Device,
        (n, d, targets): (usize, usize, usize),
        gradient: bool,
        instead: &'static str,
    ) -> Result<()> {
        affords(op, dense(device, n, d, targets, gradient).need(), self.budget, instead)
    }
}

fn one_matrix(n: usize) -> u64 {
    (n as f64 * row_bytes(n)) as u64
}

fn largest_buffer(device: &Device) -> u64 {
    device.adapter().map_or(u64::MAX, |a| a.limits.buffer_bytes)
}

/// Columns of the preconditioner: it may take half of the budget, and its factor exists twice while it is made.
pub(super) fn rank(n: usize, params: &MatrixFreeParams, budget: u64) -> usize {
    let usual = (budget as f64 / (32.0 * n as f64)).clamp(1.0, RANK) as usize;
    params.rank.unwrap_or(usual).clamp(1, n.max(1))
}

/// With the matrix, and with its inverse for a gradient.
pub(super) fn dense(device: &Device, n: usize, d: usize, targets: usize, gradient: bool) -> Plan {
    let (nf, df, q) = (n as f64, d as f64, targets as f64);
    // The factor takes the place of K on the host; for a gradient, the inverse stands beside it. On a device K, the factor
    // and two panels of it are there at once, and for an inverse four matrices beside the factor and what it brings.
    let matrices = if gradient { 2.0 } else { 1.0 };
    let inverting = if gradient { 5.0 * nf * row_bytes(n) + inverses_bytes(n) } else { 0.0 };
    let on_device =
        inverting.max(factoring_bytes(device, n)) + nf * row_bytes(d) + 4.0 * (BLOCK + 1.0) * BLOCK;
    let host = 8.0 * nf * (matrices * nf + 8.0 * q + 4.0 * df);
    let flops = 0.5 * nf * nf * kernel_flops(d) + nf.powi(3) / 3.0 + 4.0 * nf * nf * q;
    Plan::on(device, Method::Dense, [host, on_device], [flops, 0.0])
}
