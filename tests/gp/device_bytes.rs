//! The bytes that a plan names on a device, against those that a fit has in use there.

use mercer::learn::plan::Method;
use mercer::models::gp::GpRegressor;
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};

use crate::data;
use crate::support::adapters;

/// A device that no other test uses, so that its counters are ours.
fn own(shared: &Device) -> Device {
    Device::nth(shared.adapter().unwrap().index).unwrap()
}

/// A plan promises room: it must be enough, and not many times too much.
#[test]
fn plans_of_device_memory_are_kept() {
    let search = Minimiser::new().max_iterations(2);
    let gp = GpRegressor::new(1.3 * Kernel::matern52(1.1)).noise(0.1);
    let cases = [
        ("stored", gp.clone(), 300, 3),
        ("stored, many features", gp.clone(), 200, 60),
        ("searched", gp.clone().optimise(search.clone()), 300, 3),
        ("matrix-free", gp.clone().memory_budget(1), 1000, 3),
        ("matrix-free, many features", gp.clone().memory_budget(1), 400, 60),
        ("matrix-free, searched", gp.memory_budget(1).optimise(search), 400, 3),
    ];
    let mut broken = Vec::new();
    for shared in adapters() {
        for (name, gp, n, d) in &cases {
            let device = own(shared);
            let (x, y) = data(*n, *d, 321);
            let fitted = gp.fit(&device, x.view(), y.view()).unwrap();
            let (plan, peak) = (*fitted.plan(), device.counters().peak_used_bytes);
            assert_eq!(plan.method == Method::Dense, !name.starts_with("matrix-free"), "{name}");
            assert!(fitted.report().certificate.fallback.is_none(), "{name} on {device}");
            let found = format!("{name}: {peak} bytes in use, {} planned, on {device}", plan.device_bytes);
            println!("{found}");
            if !(peak <= plan.device_bytes && plan.device_bytes <= 2 * peak) {
                broken.push(found);
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
