//! What a fit would cost.

use super::model::Falkon;
use super::operator;
use crate::Device;
use crate::learn::plan::{Method, Plan, kernel_flops};

impl Falkon {
    /// What a fit of n observations with d features and t targets would do on `device`: nothing is run.
    pub fn plan(&self, device: &Device, n: usize, d: usize, targets: usize) -> Plan {
        let m = self.count.min(n);
        let (nf, mf, df, tf) = (n as f64, m as f64, d as f64, targets as f64);
        let rows = (operator::rows(device, m) as f64).min(nf);
        let block = |matrices: f64| rows * (matrices * mf + df + 2.0 * tf);
        // K_zz, L, the preconditioner before and after its factorisation.
        let small = 8.0 * mf * (4.0 * mf + 4.0 * df + 12.0 * tf);
        let sketch = operator::sketch(n, m) as f64;
        // The rows of the sketch are drawn from the numbers of all; blocks come later, of kernel values, whitened, and as
        // the solve with L has them.
        let fitting = small + 8.0 * sketch + 8.0 * block(3.0).max(nf);
        let there = operator::device_bytes(device, n, d, m, targets);
        let once = sketch * mf * (kernel_flops(d) + 3.0 * mf) + mf.powi(3);
        let each = nf * mf * (kernel_flops(d) + 4.0 * tf);
        let host = fitting.max(self.landmarks.bytes(n, d, m));
        Plan::on(device, Method::Landmarks { count: m }, [host, there], [once, each])
    }
}
