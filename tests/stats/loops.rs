//! The definitions, as plain loops in f64, and samples to try them on.

use std::sync::OnceLock;

use mercer::device::{DeviceOptions, LimitPolicy, ProductShape};
use mercer::{Device, Kernel};
use ndarray::{Array2, ArrayView2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every adapter, with all of its limits and as hardware would be used, that takes problems of any size.
pub fn gpus() -> &'static [Device] {
    static GPUS: OnceLock<Vec<Device>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let usable = Device::adapters().into_iter().filter(|a| a.usable);
        let both = |index| {
            let as_it_is = DeviceOptions::new().index(index).threshold(0.0);
            let as_hardware =
                as_it_is.clone().limits(LimitPolicy::WebGpuDefaults).products(ProductShape::Tiled);
            [as_it_is, as_hardware].map(|options| options.open().expect("a usable adapter opens"))
        };
        let all: Vec<Device> = usable.flat_map(|a| both(a.index)).collect();
        assert!(!all.is_empty(), "no GPU adapter: the tests never skip the GPU");
        all
    })
}

/// Every adapter once, with all of its limits.
pub fn adapters() -> impl Iterator<Item = &'static Device> {
    gpus().iter().step_by(2)
}

/// Standard normal numbers plus a shift, by Box and Muller.
pub fn normal(rows: usize, cols: usize, shift: f64, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((rows, cols), |_| {
        let (u, v): (f64, f64) = (rng.random(), rng.random());
        shift + (-2.0 * (1.0 - u).ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    })
}

pub fn column(values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((values.len(), 1), values.to_vec()).unwrap()
}

/// `k(a_i, b_j)`, by definition.
pub fn gram(k: &Kernel, a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
        k.value(a.row(i).to_slice().unwrap(), b.row(j).to_slice().unwrap()).unwrap()
    })
}

/// Biased and unbiased MMD² from a pooled Gram matrix and the indices of the two samples.
pub fn mmd(k: &Array2<f64>, first: &[usize], second: &[usize]) -> (f64, f64) {
    let (m, n) = (first.len() as f64, second.len() as f64);
    let (mut xx, mut yy, mut xy, mut dx, mut dy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &i in first {
        for &j in first {
            if i == j { dx += k[[i, j]] } else { xx += k[[i, j]] }
        }
        for &j in second {
            xy += k[[i, j]];
        }
    }
    for &i in second {
        for &j in second {
            if i == j { dy += k[[i, j]] } else { yy += k[[i, j]] }
        }
    }
    let across = 2.0 * xy / (m * n);
    let biased = (xx + dx) / (m * m) + (yy + dy) / (n * n) - across;
    (biased, xx / (m * (m - 1.0)) + yy / (n * (n - 1.0)) - across)
}

/// `H K H` by definition.
pub fn centred(k: &Array2<f64>) -> Array2<f64> {
    let n = k.nrows();
    let h = Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(i == j)) - 1.0 / n as f64);
    h.dot(k).dot(&h)
}

#[track_caller]
pub fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1e-300), "{what}: {got:e} and not {want:e}");
}
