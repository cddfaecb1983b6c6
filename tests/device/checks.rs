//! Shaders run without wgpu's run-time checks; with them they give the same bits.

use mercer::device::{DeviceOptions, LimitPolicy, ProductShape};
use mercer::kernel::Custom;
use mercer::ops::{Map, gram, map};
use mercer::{Device, Kernel, Matrix};

use crate::support::verbs::{points, verbs};

/// Every verb at the edges of its tiles, as hardware would run it, with and without checks.
#[test]
fn checks_change_no_bit() {
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let options = DeviceOptions::new()
            .index(adapter.index)
            .limits(LimitPolicy::WebGpuDefaults)
            .products(ProductShape::Tiled);
        let [free, checked] = [false, true].map(|on| options.clone().checked(on).open().unwrap());
        for verb in verbs() {
            let (free, checked) = ((verb.run)(&free).unwrap(), (verb.run)(&checked).unwrap());
            assert_eq!(free, checked, "{} on {}", verb.name, adapter.name);
        }
    }
}

/// Parameters in a uniform buffer, as in browsers, are the same parameters.
#[test]
fn a_uniform_buffer_changes_no_bit() {
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let options = DeviceOptions::new().index(adapter.index).products(ProductShape::Tiled);
        let [immediate, uniform] = [false, true].map(|on| options.clone().uniforms(on).open().unwrap());
        for verb in verbs() {
            let (one, other) = ((verb.run)(&immediate).unwrap(), (verb.run)(&uniform).unwrap());
            assert_eq!(one, other, "{} on {}", verb.name, adapter.name);
        }
        let texts =
            |device: &Device, word: &str| device.shaders().iter().filter(|s| s.1.contains(word)).count();
        assert_eq!(texts(&uniform, "var<immediate>"), 0);
        assert_eq!(texts(&uniform, "var<uniform> params"), uniform.shaders().len());
    }
}

/// More dispatches than a submission holds, each with parameters of its own: none sees those of another.
#[test]
fn every_dispatch_has_its_own_slot() {
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).uniforms(true).open().unwrap();
        let a = Matrix::from_array(&device, points(5, 4, 1).view()).unwrap();
        let scaled: Vec<Matrix> =
            (0..600).map(|i| map(&a, Map::Affine { scale: f64::from(i), shift: 0.0 }).unwrap()).collect();
        for (i, m) in scaled.iter().enumerate() {
            let want = points(5, 4, 1) * i as f64;
            let off = (m.to_array().unwrap() - &want).fold(0f64, |w, e| w.max(e.abs()));
            assert!(off <= 1e-6 * i as f64, "{off} of the {i}-th on {}", adapter.name);
        }
    }
}

/// A user's kernel that reads past the end of its own array finds the last entry there, on any device.
#[test]
fn the_text_of_a_user_keeps_its_checks() {
    let kernel = Kernel::custom(
        Custom::new("past the end", |_, _, _| 5.0)
            .wgsl("0.0", "var t = array<f32, 2>(3.0, 5.0); return t[u32(s) + 7u];"),
    );
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).open().unwrap();
        let x = Matrix::from_array(&device, points(3, 2, 1).view()).unwrap();
        let k = gram(&kernel, &x, None).unwrap().to_array().unwrap();
        assert!(k.iter().all(|&v| v == 5.0), "{k} on {}", adapter.name);
    }
}
