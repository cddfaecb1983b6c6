use std::time::Duration;

use mercer::device::DeviceOptions;
use mercer::kernel::Custom;
use mercer::ops::{Trans, gemm, gram};
use mercer::{Device, Error, Kernel, Matrix};
use ndarray::Array2;

use crate::support::{adapters, on, random};

fn index(device: &Device) -> usize {
    device.adapter().unwrap().index
}

#[test]
fn a_lost_device_is_an_error_not_a_crash() {
    for shared in adapters() {
        let device = Device::nth(index(shared)).unwrap();
        let a = on(&device, &random(30, 30, 1));
        gemm(1.0, &a, Trans::No, &a, Trans::No).unwrap().to_array().unwrap();
        device.destroy();
        let later = gemm(1.0, &a, Trans::No, &a, Trans::No).and_then(|m| m.to_array());
        assert!(matches!(later, Err(Error::DeviceLost(_))), "{later:?} on {shared}");
        let upload = Matrix::from_array(&device, random(3, 3, 1).view()).and_then(|m| m.to_array());
        assert!(matches!(upload, Err(Error::DeviceLost(_))), "{upload:?} on {shared}");
        assert!(device.sync().is_err(), "on {shared}");
        // A new device works, and the lost one's matrices drop quietly.
        let again = Device::nth(index(shared)).unwrap();
        assert!(on(&again, &random(3, 3, 1)).to_array().is_ok());
    }
}

#[test]
fn too_large_is_known_before_anything_is_allocated() {
    for device in adapters() {
        let limit = device.adapter().unwrap().limits.buffer_bytes;
        let n = ((limit / 4) as f64).sqrt() as usize + 1000;
        let x = on(device, &Array2::zeros((n, 1)));
        let before = device.counters().device_bytes;
        let e = gram(&Kernel::rbf(1.0), &x, None);
        assert!(
            matches!(e, Err(Error::TooLarge { need, limit: l, .. }) if need > l && l == limit),
            "{e:?} on {device}"
        );
        assert!(device.counters().device_bytes < before + limit / 4, "on {device}");
    }
}

#[test]
fn a_slow_answer_is_a_timeout() {
    for shared in adapters() {
        let options = DeviceOptions::new().index(index(shared)).timeout(Duration::from_micros(1));
        let device = options.open().unwrap();
        let a = on(&device, &random(300, 300, 1));
        let mut b = a.clone();
        for _ in 0..8 {
            b = gemm(0.01, &a, Trans::No, &b, Trans::No).unwrap();
        }
        let e = b.to_array();
        assert!(matches!(e, Err(Error::Timeout { .. })), "{e:?} on {shared}");
    }
}

/// What the driver rejects is reported by the operation that asked for it, and spoils nothing else.
#[test]
fn a_rejected_shader_is_an_error_of_its_own_operation() {
    let broken = Kernel::custom(Custom::new("broken", |_, _, _| 1.0).wgsl("return a + ;", "return s;"));
    for shared in adapters() {
        let device = Device::nth(index(shared)).unwrap();
        let x = on(&device, &random(5, 2, 1));
        let good = gemm(1.0, &x, Trans::No, &x, Trans::Yes).unwrap();
        let e = gram(&broken, &x, None);
        assert!(matches!(e, Err(Error::Gpu { op: "gram", .. })), "{e:?} on {shared}");
        assert!(good.to_array().is_ok(), "on {shared}");
        assert!(gram(&Kernel::rbf(1.0), &x, None).unwrap().to_array().is_ok(), "on {shared}");
    }
}

#[test]
fn a_kernel_without_wgsl_is_unsupported_on_a_gpu_and_fine_on_the_cpu() {
    let host_only = Kernel::custom(Custom::new("host only", |_, _, _| 1.0));
    let e = gram(&host_only, &on(adapters().next().unwrap(), &random(4, 2, 1)), None);
    assert!(matches!(e, Err(Error::Unsupported { .. })), "{e:?}");
    assert!(gram(&host_only, &on(&Device::cpu(), &random(4, 2, 1)), None).is_ok());
}
