//! The device bytes of a plan against those that a fit takes on every adapter, by the device's own count.

use std::ops::ControlFlow;

use mercer::learn::plan::Plan;
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::{Device, Error, Kernel, Progress, Result};

use crate::problem;
use crate::support::adapters;

/// Two iterations hold all that a whole fit holds.
fn two() -> Progress {
    Progress::new(|step| if step.made < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
}

/// On a device that nobody else uses: what it holds at most, idle buffers kept for reuse included, must be within the plan
/// and not far from it.
fn compare<T>(
    name: &str,
    shared: &Device,
    plan: impl Fn(&Device) -> Plan,
    fit: impl Fn(&Device) -> Result<T>,
) {
    let device = Device::nth(shared.adapter().unwrap().index).unwrap();
    let plan = plan(&device);
    let out = fit(&device);
    assert!(matches!(out, Ok(_) | Err(Error::Cancelled { .. })), "{name}: {:?}", out.err());
    let bytes = device.counters().peak_device_bytes;
    let share = bytes as f64 / plan.device_bytes as f64;
    println!("{name}: {:.2} MB taken, {plan}, {share:.3} on {device}", bytes as f64 / 1e6);
    assert!(
        share <= 1.0 && share > 0.5,
        "{name} on {device}: {bytes} bytes taken, {} planned",
        plan.device_bytes
    );
}

#[test]
fn plans_are_kept_on_the_device() {
    for shared in adapters() {
        for (n, d) in [(600, 3), (1100, 30)] {
            let (x, y) = problem(n, d, 141);
            let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::Dense);
            compare("dense", shared, |on| model.plan(on, n, d, 2), |on| model.fit(on, x.view(), y.view()));
        }
        for (n, d) in [(1500, 3), (3001, 30)] {
            let (x, y) = problem(n, d, 142);
            let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::MatrixFree);
            let model = model.tolerance(1e-14).progress(two());
            compare(
                "matrix-free",
                shared,
                |on| model.plan(on, n, d, 2),
                |on| model.fit(on, x.view(), y.view()),
            );
        }
        for (n, d, m) in [(3000, 3, 200), (40_000, 3, 50), (3000, 30, 300)] {
            let (x, y) = problem(n, d, 143);
            let model = Falkon::new(Kernel::rbf(1.0), 0.1, m).tolerance(1e-14).progress(two());
            compare("Falkon", shared, |on| model.plan(on, n, d, 2), |on| model.fit(on, x.view(), y.view()));
        }
    }
}
