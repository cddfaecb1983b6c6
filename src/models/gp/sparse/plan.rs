//! What a fit through inducing points would cost.

use super::data::chunk;
use super::inducing::Inducing;
use super::model::{SparseGpRegressor, SparseMethod};
use crate::Device;
use crate::learn::plan::{Method, Plan, kernel_flops};

impl SparseGpRegressor {
    /// What a fit of n observations with d features and p targets would take on `device`: nothing is run.
    ///
    /// Only a search runs on the device: without one there are no bytes there. The operations are those of one evaluation
    /// of F; `flops_per_iteration` are those of one with its gradient, which a search makes about one of for each
    /// iteration.
    pub fn plan(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let count = match &self.inducing {
            Inducing::Given(z) => z.nrows(),
            Inducing::Among { count, .. } => *count,
        };
        let (nf, df, mf, q) = (n as f64, d as f64, count as f64, targets as f64);
        let rows = self.chunk.unwrap_or_else(|| chunk(count)).clamp(1, n.max(1)) as f64;
        // Of m x m: K_zz, L, B, its factor, its inverse and what they are made of. Of a chunk: K, A and W, and copies.
        // Of n: x as it is and in chunks, y and its shares; before them prior variances, for which a kernel has x twice more.
        let each = 2.0 * df + q + 2.0 + (3.0 * q).max(2.0 * df + 1.0);
        let host = 8.0 * (nf * each + 8.0 * mf * mf + 4.0 * rows * mf);
        let choice = match &self.inducing {
            Inducing::Given(_) => 0.0,
            Inducing::Among { by, .. } => by.bytes(n, d, count),
        };
        let on_device = 4.0 * (nf * df + 4.0 * mf * mf + 6.0 * rows * mf);
        let kernels = nf * mf * kernel_flops(d);
        // A triangular solve and half a product; for a gradient one product more, and two for FITC.
        let value = kernels + 2.0 * nf * mf * mf;
        let products = if self.method == SparseMethod::Fitc { 6.0 } else { 2.0 };
        let inputs = if self.move_inducing { kernels } else { 0.0 };
        let device = if self.minimiser.is_some() { device } else { &Device::cpu() };
        let each = 2.0 * value + products * nf * mf * mf + 2.0 * kernels + inputs;
        let method = Method::Landmarks { count };
        Plan::on(device, method, [host.max(choice), on_device], [value + mf.powi(3), each])
    }
}
