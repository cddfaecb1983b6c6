//! What every test binary shares: the devices to test on, deterministic data, and comparisons that name the worst entry.
#![allow(dead_code)] // each test binary uses its own part

pub mod assembled;
pub mod oracle;
pub mod regressions;
pub mod ridge;
pub mod verbs;
pub mod zoo;

use std::sync::OnceLock;

use mercer::device::{DeviceOptions, LimitPolicy, ProductShape};
use mercer::{Device, Matrix};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every adapter of this machine: with all of its limits, and as hardware would be used, within WebGPU's default
/// limits; the last of them as a browser would be, without immediates. No problem is too small for them. Never empty.
pub fn gpus() -> &'static [Device] {
    static GPUS: OnceLock<Vec<Device>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let adapters = Device::adapters();
        assert!(
            adapters.iter().any(|a| a.usable),
            "no GPU adapter: the tests never skip the GPU. Run scripts/test.sh, which installs software adapters, \
             or `apt-get install mesa-vulkan-drivers libvulkan1`"
        );
        let usable = adapters.iter().filter(|a| a.usable);
        let last = usable.clone().map(|a| a.index).max();
        usable
            .flat_map(|a| {
                let as_it_is = DeviceOptions::new().index(a.index).threshold(0.0);
                let as_hardware = as_it_is.clone().limits(LimitPolicy::WebGpuDefaults).products(ProductShape::Tiled);
                let as_hardware = as_hardware.uniforms(Some(a.index) == last);
                [as_it_is, as_hardware].map(|options| options.open().expect("a usable adapter opens"))
            })
            .collect()
    })
}

/// Every adapter once, with all of its limits: for tests that compile many kernels.
pub fn adapters() -> impl Iterator<Item = &'static Device> {
    gpus().iter().step_by(2)
}

/// Every adapter as a user opens it: small problems stay on the CPU.
pub fn as_opened() -> Vec<Device> {
    let indices = Device::adapters().into_iter().filter(|a| a.usable).map(|a| a.index);
    indices.map(|i| DeviceOptions::new().index(i).open().expect("opens")).collect()
}

/// Every adapter, opened for one test alone: its counters count nothing else.
pub fn alone() -> Vec<Device> {
    let indices = Device::adapters().into_iter().filter(|a| a.usable).map(|a| a.index);
    indices.map(|i| DeviceOptions::new().index(i).threshold(0.0).open().expect("opens")).collect()
}

/// What `work` costs a device that does nothing else: launches, submissions, bytes up, bytes down; and what it made.
pub fn cost<T>(device: &Device, work: impl FnOnce() -> T) -> ([u64; 4], T) {
    let before = device.counters();
    let made = work();
    let after = device.counters();
    let spent = [
        after.dispatches - before.dispatches,
        after.submissions - before.submissions,
        after.bytes_up - before.bytes_up,
        after.bytes_down - before.bytes_down,
    ];
    (spent, made)
}

/// Every adapter again, with bindings so small that every operation must be split.
pub fn cramped() -> &'static [Device] {
    static CRAMPED: OnceLock<Vec<Device>> = OnceLock::new();
    CRAMPED.get_or_init(|| {
        let indices = Device::adapters().into_iter().filter(|a| a.usable).map(|a| a.index);
        let limits = LimitPolicy::BindingBytes(96 << 10);
        indices
            .map(|i| DeviceOptions::new().index(i).threshold(0.0).limits(limits).open().expect("opens"))
            .collect()
    })
}

/// Uniform entries in [-1, 1).
pub fn random(rows: usize, cols: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((rows, cols), |_| rng.random::<f64>() * 2.0 - 1.0)
}

/// A well-conditioned symmetric positive definite matrix.
pub fn spd(n: usize, seed: u64) -> Array2<f64> {
    let a = random(n, n, seed);
    a.dot(&a.t()) / n as f64 + Array2::<f64>::eye(n)
}

pub fn on(device: &Device, a: &Array2<f64>) -> Matrix {
    Matrix::from_array(device, a.view()).expect("finite and not empty")
}

/// `|got - want| <= tolerance * scale` entry by entry, with the scale of the largest entry of `want`.
#[track_caller]
pub fn assert_close(got: &Matrix, want: &Array2<f64>, tolerance: f64, what: &str) {
    let got = got.to_array().expect("reads back");
    assert_eq!(got.dim(), want.dim(), "{what}: shape");
    let scale = want.iter().fold(0f64, |s, v| s.max(v.abs())).max(f64::MIN_POSITIVE);
    for ((i, j), w) in want.indexed_iter() {
        let off = (got[[i, j]] - w).abs() / scale;
        // Written so that a NaN fails.
        assert!(
            off <= tolerance,
            "{what}: [{i}, {j}] is {} and should be {w} ({off:e} of the scale)",
            got[[i, j]]
        );
    }
}

/// Sizes around the edges of a tile, and a prime.
pub fn edges(tile: usize) -> [usize; 6] {
    [1, tile - 1, tile, tile + 1, 2 * tile + 3, 37]
}

/// Every adapter, willing to take the smallest problem.
pub fn eager() -> &'static [Device] {
    static EAGER: OnceLock<Vec<Device>> = OnceLock::new();
    EAGER.get_or_init(|| {
        let indices = Device::adapters().into_iter().filter(|a| a.usable).map(|a| a.index);
        indices.map(|i| DeviceOptions::new().index(i).threshold(0.0).open().expect("opens")).collect()
    })
}

/// `|got - want| <= tolerance (1 + |want|)`, entry by entry.
#[track_caller]
pub fn same<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (got, want): (Vec<_>, Vec<_>) = (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        assert!(
            (**g - **w).abs() <= tolerance * (1.0 + w.abs()),
            "{what}: entry {i} is {g} and should be {w}"
        );
    }
}
