//! What a fit would cost.

use super::likelihood::Likelihood;
use super::model::GpClassifier;
use crate::learn::plan::{Method, Plan, affords, kernel_flops, row_bytes};
use crate::ops::factoring_bytes;
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
        let (nf, df, c) = (n as f64, d as f64, classes.max(2) as f64);
        let (host, step) = if self.likelihood == Likelihood::Softmax {
            // K, three for each class (B, its factor, E) and S with its factor and what they are made of. A gradient
            // holds one more for each class.
            let more = if gradient { c + 3.0 } else { 0.0 };
            (3.0 * c + 5.0 + more, (4.0 * c + 1.0) / 3.0)
        } else {
            // K, B, its factor and a copy; B and its factor stay with every class fitted against the rest.
            let others = if classes > 2 { c - 1.0 } else { 0.0 };
            let more = if gradient { 3.0 } else { 0.0 };
            (2.0 * others + 4.0 + more, 1.0 / 3.0)
        };
        let (flops, flops_per_iteration) = (0.5 * nf * nf * kernel_flops(d), step * nf.powi(3));
        // K stays there; B, its factor and two panels of it come and go.
        let device = device.suited_to(flops + flops_per_iteration);
        let device = if self.likelihood == Likelihood::Softmax { Device::cpu() } else { device };
        let on_device = nf * (row_bytes(n) + row_bytes(d)) + nf * row_bytes(n) + factoring_bytes(&device, n);
        let host = 8.0 * nf * (host * nf + 2.0 * df + 6.0 * c);
        Plan::on(&device, Method::Dense, [host, on_device], [flops, flops_per_iteration])
    }

    /// An error if the covariance of m points and so many draws of them pass the memory budget.
    pub(super) fn affords_draws(
        &self,
        op: &'static str,
        m: usize,
        count: usize,
        classes: usize,
    ) -> Result<()> {
        let (m, values) = (m as f64, count as f64 * classes as f64);
        let need = (8.0 * m * (3.0 * m + 2.0 * values)) as u64;
        affords(op, need, self.budget, "ask for fewer points, or draws, at a time")
    }

    /// The plan for `(n, d, classes)`, or an error if its matrices pass the memory budget.
    pub(super) fn affords(
        &self,
        op: &'static str,
        device: &Device,
        size: (usize, usize, usize),
        gradient: bool,
    ) -> Result<Plan> {
        let plan = self.cost(device, size, gradient);
        affords(op, plan.need(), self.budget, "fit to fewer points")?;
        Ok(plan)
    }
}
