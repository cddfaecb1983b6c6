//! What a fit would cost.

use super::classifier::GpClassifier;
use super::likelihood::Likelihood;
use crate::learn::plan::{Method, Plan, affords, kernel_flops, row_bytes};
use crate::{Device, Result};

impl GpClassifier {
    /// What a fit of n points with d features and C classes would take on `device`: nothing is run.
    ///
    /// `flops` are those of K; an iteration is a step of Newton's method. The mode takes five to ten of those, for each
    /// class that is fitted against the rest and for each evaluation of a search.
    pub fn plan(&self, device: &Device, n: usize, d: usize, classes: usize) -> Plan {
        self.cost(device, (n, d, classes), self.minimiser.is_some())
    }

    fn cost(&self, device: &Device, (n, d, classes): (usize, usize, usize), gradient: bool) -> Plan {
        // In floating point: no size is so large that it overflows, and a cast back ends at the largest integer.
        let (nf, df, c) = (n as f64, d as f64, classes.max(2) as f64);
        let (host, on_device, step) = if self.likelihood == Likelihood::Softmax {
            // K, three for each class (B, its factor, E) and S with its factor and what they are made of. A gradient
            // holds one more for each class.
            let more = if gradient { c + 3.0 } else { 0.0 };
            (3.0 * c + 5.0 + more, 2.0 * c + 4.0, (4.0 * c + 1.0) / 3.0)
        } else {
            // K, B, its factor and a copy; B and its factor stay with every class fitted against the rest.
            let others = if classes > 2 { c - 1.0 } else { 0.0 };
            let more = if gradient { 3.0 } else { 0.0 };
            (2.0 * others + 4.0 + more, others + 3.0, 1.0 / 3.0)
        };
        Plan {
            method: Method::Dense,
            host_bytes: (8.0 * nf * (host * nf + 2.0 * df + 6.0 * c)) as u64,
            device_bytes: if device.is_gpu() {
                (nf * (on_device * row_bytes(n) + 4.0 * df)) as u64
            } else {
                0
            },
            flops: 0.5 * nf * nf * kernel_flops(d),
            flops_per_iteration: step * nf.powi(3),
        }
    }

    /// An error if the matrices for `(n, d, classes)` pass the memory budget.
    pub(super) fn affords(
        &self,
        op: &'static str,
        device: &Device,
        size: (usize, usize, usize),
        gradient: bool,
    ) -> Result<()> {
        affords(op, self.cost(device, size, gradient).need(), self.budget, "fit to fewer points")
    }
}
