//! What a fit would do: the choice of the method, and its cost.

use super::model::{KernelRidge, KernelSolver};
use crate::learn::plan::{Method, Plan, affords, kernel_flops, row_bytes};
use crate::ops::{factoring_bytes, slabs_bytes};
use crate::{Device, Result};

/// Most columns of the preconditioner: beyond, its O(n r²) is better spent on iterations.
const RANK: f64 = 400.0;
/// Host vectors of length n for each target that conjugate gradients and the products hold at their peak.
const VECTORS: f64 = 24.0;
/// Copies of the inputs: the caller's values as the operator has them, packed for the tiles, and to predict with.
const COPIES: f64 = 6.0;
/// Columns of the inverses of diagonal blocks that solves with a factor make on a GPU.
const BLOCK: usize = 64;
/// Vectors of length n for each target that solves with a factor hold on a GPU.
const SOLVES: f64 = 6.0;

impl KernelRidge {
    /// What a fit of n observations with d features and t targets would do on `device`: nothing is run.
    ///
    /// The host bytes of a dense fit on a GPU are those of the f64 fallback, which it may need.
    pub fn plan(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let dense = dense(device, n, d, targets);
        let buffer = device.adapter().map_or(f64::INFINITY, |a| a.limits.buffer_bytes as f64);
        let fits = dense.need() <= self.budget && n as f64 * row_bytes(n) <= buffer;
        match self.solver {
            KernelSolver::Dense => dense,
            KernelSolver::Auto if fits => dense,
            KernelSolver::Auto | KernelSolver::MatrixFree => self.matrix_free(device, n, d, targets),
        }
    }

    /// An error if the plan is to store a matrix that passes the memory budget.
    pub(super) fn affords(&self, plan: &Plan) -> Result<()> {
        let need = if plan.method == Method::Dense { plan.need() } else { 0 };
        affords("KernelRidge::fit", need, self.budget, "let `KernelSolver::Auto` choose")
    }

    fn matrix_free(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let (nf, df, tf) = (n as f64, d as f64, targets as f64);
        // The preconditioner may take half of the budget; its factor exists twice while it is made.
        let rank = (self.budget as f64 / 32.0 / nf.max(1.0)).floor().clamp(1.0, RANK.min(nf.max(1.0)));
        // Inputs and the diagonal, each again to be read back; vectors up, down, and to be read back; partial sums.
        let on_device = nf * (2.0 * row_bytes(d) + 2.0 * row_bytes(1) + 3.0 * row_bytes(targets))
            + slabs_bytes(n, n, targets);
        let host = 16.0 * rank * (nf + rank) + 8.0 * nf * (VECTORS * tf + COPIES * df);
        let once = nf * rank * (kernel_flops(d) + 2.0 * rank);
        // On the CPU each pair is visited once, on a GPU twice.
        let pairs = nf * nf * if device.is_gpu() { 1.0 } else { 0.5 };
        let each = pairs * kernel_flops(d) + nf * tf * (2.0 * nf + 4.0 * rank);
        Plan::on(device, Method::MatrixFree { rank: rank as usize }, [host, on_device], [once, each])
    }
}

fn dense(device: &Device, n: usize, d: usize, targets: usize) -> Plan {
    let (nf, df, tf) = (n as f64, d as f64, targets as f64);
    // Inputs with their noise and scale; the inverses of diagonal blocks, and what solves hold of each target.
    let beside = nf * (row_bytes(d.saturating_add(2)) + 2.0 * row_bytes(BLOCK) + SOLVES * row_bytes(targets));
    let on_device = factoring_bytes(device, n) + beside;
    // K and its factor.
    let host = 16.0 * nf * nf + 8.0 * nf * (8.0 * tf + 4.0 * df);
    let flops = 0.5 * nf * nf * kernel_flops(d) + nf.powi(3) / 3.0 + 4.0 * nf * nf * tf;
    Plan::on(device, Method::Dense, [host, on_device], [flops, 0.0])
}
