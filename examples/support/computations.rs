//! Five computations of the upper floors, each at three sizes: `gpu_vs_cpu` measures them, `forecast` models them.

use mercer::models::gp::GpRegressor;
use mercer::models::mixture::{GaussianMixture, MixtureStart};
use mercer::ops::gram_vec;
use mercer::stats::{Null, TwoSampleTest};
use mercer::{Device, Kernel, Matrix, Result};
use ndarray::{Array1, Array2};

pub struct Computation {
    pub name: &'static str,
    pub sizes: [usize; 3],
    /// How often the thing that is named is done in one run.
    pub times: f64,
    pub run: fn(&Device, usize) -> Result<()>,
}

fn points(n: usize, d: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| {
        ((i * 7919 + j * 104_729 + seed * 15_485_863 + i * j * 31) % 2001) as f64 / 1000.0 - 1.0
    })
}

fn targets(n: usize) -> Array1<f64> {
    Array1::from_shape_fn(n, |i| ((i % 97) as f64 / 10.0).sin())
}

pub fn computations() -> Vec<Computation> {
    vec![
        Computation {
            name: "GP fit, d = 8",
            sizes: [1000, 4000, 10_000],
            times: 1.0,
            run: |device, n| {
                let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
                gp.fit(device, points(n, 8, 1), targets(n)).map(drop)
            },
        },
        Computation {
            name: "GP evidence and gradient, d = 8",
            sizes: [1000, 4000, 10_000],
            times: 1.0,
            run: |device, n| {
                let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).memory_budget(8 << 30);
                gp.device_evidence(device, points(n, 8, 1), targets(n)).map(drop)
            },
        },
        Computation {
            name: "MMD test, 20 kernels, 199 permutations, d = 8, n each",
            sizes: [500, 2000, 5000],
            times: 1.0,
            run: |device, n| {
                let test = TwoSampleTest::new().null(Null::Permutations(199));
                test.run(device, points(n, 8, 1), points(n, 8, 2)).map(drop)
            },
        },
        Computation {
            name: "EM iteration, 8 Gaussians, d = 16",
            sizes: [10_000, 100_000, 1_000_000],
            // The start is looked at too.
            times: 2.0,
            run: |device, n| {
                let em = GaussianMixture::new(8).start(MixtureStart::Random).tolerance(0.0).max_iterations(1);
                em.fit(device, points(n, 16, 1)).map(drop)
            },
        },
        Computation {
            name: "gram_vec, one column, d = 8",
            sizes: [10_000, 100_000, 1_000_000],
            times: 1.0,
            run: |device, n| {
                let x = Matrix::from_array(device, points(n, 8, 1).view())?;
                let v = Matrix::from_array(device, points(n, 1, 2).view())?;
                gram_vec(&Kernel::rbf(1.0), &x, None, &v)?;
                device.sync()
            },
        },
    ]
}
