//! What a plan says before a fit.

use mercer::learn::plan::Method;
use mercer::models::kernel_methods::{Falkon, KernelRidge, KernelSolver};
use mercer::{Device, Kernel};

use crate::support::adapters;

#[test]
fn the_method_follows_the_budget() {
    let cpu = Device::cpu();
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1);
    assert_eq!(model.plan(&cpu, 4000, 8, 1).method, Method::Dense);
    let large = model.plan(&cpu, 200_000, 8, 1);
    assert!(matches!(large.method, Method::MatrixFree { rank } if rank > 100), "{large}");
    assert!(large.host_bytes < 2_000_000_000, "{large}");
    assert_eq!(model.clone().solver(KernelSolver::Dense).plan(&cpu, 200_000, 8, 1).method, Method::Dense);
    // An n whose square no machine can count still has a plan.
    let absurd = model.plan(&cpu, usize::MAX / 64, 1, 1);
    assert!(matches!(absurd.method, Method::MatrixFree { rank: 1 }));
    assert_eq!(model.plan(&cpu, 1000, usize::MAX, 1).host_bytes, u64::MAX);
}

#[test]
fn costs_grow_as_they_should() {
    let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).solver(KernelSolver::Dense);
    let (one, two) = (model.plan(&Device::cpu(), 4000, 8, 1), model.plan(&Device::cpu(), 8000, 8, 1));
    assert!((one.host_bytes as f64 / (16.0 * 4000f64.powi(2)) - 1.0).abs() < 0.01);
    assert!((two.host_bytes as f64 / one.host_bytes as f64 - 4.0).abs() < 0.05);
    assert!((two.flops / one.flops - 8.0).abs() < 0.2);
    assert_eq!(one.flops_per_iteration, 0.0);
    assert_eq!(one.device_bytes, 0);
    let free = model.solver(KernelSolver::MatrixFree);
    let (one, two) = (free.plan(&Device::cpu(), 100_000, 8, 1), free.plan(&Device::cpu(), 200_000, 8, 1));
    assert!((two.flops_per_iteration / one.flops_per_iteration - 4.0).abs() < 0.05);
    assert!(one.to_string().contains("matrix-free"), "{one}");
}

#[test]
fn landmarks_take_a_number_for_each_point() {
    let model = Falkon::new(Kernel::rbf(1.0), 0.1, 1000);
    let (some, many) =
        (model.plan(&Device::cpu(), 100_000, 8, 1), model.plan(&Device::cpu(), 10_000_000, 8, 1));
    // They are drawn from the numbers of all points; nothing else depends on n.
    assert!(many.host_bytes >= 8 * 10_000_000, "{many}");
    assert!(many.host_bytes - some.host_bytes <= 8 * (10_000_000 - 100_000), "{some}, {many}");
    assert_eq!(many.method, Method::Landmarks { count: 1000 });
    assert!((many.flops_per_iteration / some.flops_per_iteration - 100.0).abs() < 1e-6);
    assert_eq!(model.plan(&Device::cpu(), 10, 8, 1).method, Method::Landmarks { count: 10 });
}

#[test]
fn a_gpu_has_bytes_of_its_own() {
    for device in adapters() {
        let plan = KernelRidge::new(Kernel::rbf(1.0), 0.1).plan(device, 2000, 3, 1);
        assert_eq!(plan.method, Method::Dense);
        assert!(plan.device_bytes >= 2 * 4 * 2000 * 2000, "{plan}");
        assert!(Falkon::new(Kernel::rbf(1.0), 0.1, 50).plan(device, 2000, 3, 1).device_bytes > 0);
    }
}
