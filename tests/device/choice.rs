use std::process::Command;

use mercer::device::{AdapterKind, DeviceOptions};
use mercer::{Device, Error, Matrix};

use crate::support::{adapters, gpus};

#[test]
fn adapters_are_described() {
    assert!(!gpus().is_empty());
    for (i, a) in Device::adapters().iter().enumerate() {
        assert_eq!(a.index, i);
        assert!(!a.name.is_empty() && !a.backend.is_empty() && !a.features.is_empty(), "{a:?}");
        assert!(
            a.limits.binding_bytes >= 128 << 20 && a.limits.buffer_bytes >= a.limits.binding_bytes,
            "{a:?}"
        );
    }
}

#[test]
fn an_adapter_is_found_by_name_and_by_index() {
    for device in adapters() {
        let adapter = device.adapter().unwrap();
        let shouted = adapter.name.to_uppercase();
        assert_eq!(Device::named(&shouted).unwrap().adapter().unwrap().name, adapter.name);
        assert_eq!(Device::nth(adapter.index).unwrap().adapter().unwrap().name, adapter.name);
    }
    assert!(!Device::named("CPU").unwrap().is_gpu());
    let missing = Device::named("no such adapter");
    assert!(matches!(&missing, Err(Error::NoGpu(why)) if why.contains("there are:")), "{missing:?}");
    assert!(matches!(Device::nth(999), Err(Error::NoGpu(_))));
}

#[test]
fn the_best_device_is_never_software() {
    if let Some(adapter) = Device::best().adapter() {
        assert_ne!(adapter.kind, AdapterKind::Software);
    }
}

#[test]
fn small_problems_stay_on_the_cpu() {
    let gpu = Device::gpu().unwrap();
    assert!(!gpu.suited_to(1e3).is_gpu());
    assert!(gpus()[0].suited_to(1.0).is_gpu(), "a threshold of zero keeps nothing on the CPU");
    assert!(gpu.suited_to(1e12).is_gpu());
    assert!(!Device::cpu().suited_to(1e12).is_gpu());
}

#[test]
fn two_openings_are_two_devices() {
    let index = gpus()[0].adapter().unwrap().index;
    let (a, b) = (Device::nth(index).unwrap(), Device::nth(index).unwrap());
    assert!(a == a.clone() && a != b && a != Device::cpu());
    let (x, y) = (Matrix::column(&a, &[1.0]).unwrap(), Matrix::column(&b, &[1.0]).unwrap());
    let e = mercer::ops::gemm(1.0, &x, mercer::ops::Trans::No, &y, mercer::ops::Trans::No);
    assert!(matches!(e, Err(Error::DeviceMismatch { .. })), "{e:?}");
    assert_eq!(x.to_device(&b).unwrap().to_array().unwrap(), y.to_array().unwrap());
}

#[test]
fn a_pretended_device_checks_and_computes_nothing() {
    let device = DeviceOptions::new().pretend().open().unwrap();
    let x = Matrix::column(&device, &[1.0, 2.0]).unwrap();
    let product = mercer::ops::syrk(1.0, &x, mercer::ops::Trans::No).unwrap();
    assert_eq!(product.to_array().unwrap().dim(), (2, 2));
    assert!(device.shaders().iter().any(|(name, text)| name.contains("gemm") && text.contains("fn main")));
}

/// Runs one of the `child_*` tests below in a process of its own, with its own environment.
fn in_child(test: &str, variable: (&str, &str)) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("choice::{test}"), "--nocapture"])
        .env("MERCER_CHILD", "1")
        .env(variable.0, variable.1)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&child.stderr)
    );
}

fn is_child() -> bool {
    std::env::var_os("MERCER_CHILD").is_some()
}

/// Without any driver: `gpu` fails loudly, `best` is the CPU.
#[test]
fn a_machine_without_drivers() {
    if !is_child() {
        return in_child("a_machine_without_drivers", ("WGPU_BACKEND", "dx12"));
    }
    assert!(Device::adapters().is_empty());
    let e = Device::gpu();
    assert!(matches!(&e, Err(Error::NoGpu(why)) if why.contains("mesa-vulkan-drivers")), "{e:?}");
    assert!(!Device::best().is_gpu());
}

/// `WGPU_ADAPTER_NAME` decides which adapter `gpu` opens.
#[test]
fn the_environment_names_the_adapter() {
    let last = Device::adapters().into_iter().rfind(|a| a.usable).unwrap();
    if !is_child() {
        return in_child("the_environment_names_the_adapter", ("WGPU_ADAPTER_NAME", &last.name));
    }
    assert_eq!(Device::gpu().unwrap().adapter().unwrap().name, last.name);
}
