//! The engine's Rust peers: faer and burn for dense algebra, numr for a Cholesky factorisation on the GPU.
//!
//! burn and numr take their adapter from the Vulkan loader, so the driver starts this process with one driver visible.

use burn::tensor::{Device, DeviceKind, Tensor, TensorData};
use faer::{Mat, Par, Side};
use mercer_peers::{Failure, Job, positive_definite, serve, size, timed, uniform};
use numr::algorithm::LinearAlgebraAlgorithms;
use numr::prelude::{Runtime, WgpuDevice, WgpuRuntime};
use serde_json::Value;

fn main() {
    serve(|request| match (request["impl"].as_str(), request["op"].as_str()) {
        (Some("faer"), Some("cholesky")) => faer_cholesky(request),
        (Some("burn"), Some("gemm")) => burn_gemm(request),
        (Some("numr"), Some("cholesky")) => numr_cholesky(request),
        _ => Err(format!("no such peer: {request}").into()),
    });
}

fn faer_cholesky(request: &Value) -> Result<Job, Failure> {
    let n = size(request, "n")?;
    let values = positive_definite(3, n);
    let a = Mat::from_fn(n, n, |i, j| values[i * n + j]);
    faer::set_global_parallelism(Par::rayon(0));
    let run = move || a.llt(Side::Lower).map_err(|e| format!("{e:?}").into());
    Ok(timed(run, move |llt| {
        let l = llt.L();
        Ok(((0..n * n).map(|k| if k % n <= k / n { l[(k / n, k % n)] } else { 0.0 }).collect(), n))
    }))
}

fn burn_gemm(request: &Value) -> Result<Job, Failure> {
    let n = size(request, "n")?;
    let device = Device::wgpu(DeviceKind::Cpu);
    let operand = |seed| -> Tensor<2> {
        let values: Vec<f32> = uniform(seed, n * n).into_iter().map(|v| v as f32).collect();
        Tensor::from_data(TensorData::new(values, [n, n]), &device)
    };
    let (a, b) = (operand(1), operand(2));
    let multiply = move || -> Result<Tensor<2>, Failure> {
        let c = a.clone().matmul(b.clone());
        device.sync().map_err(|e| format!("{e:?}"))?;
        Ok(c)
    };
    // burn tries several kernels on first use and keeps the fastest; that is not part of a product's time.
    for _ in 0..3 {
        multiply()?;
    }
    Ok(timed(multiply, move |c| {
        let values = c.into_data().try_to_vec::<f32>().map_err(|e| format!("{e:?}"))?;
        Ok((values.into_iter().map(f64::from).collect(), n))
    }))
}

fn numr_cholesky(request: &Value) -> Result<Job, Failure> {
    let n = size(request, "n")?;
    let device = WgpuDevice::new(0);
    let client = WgpuRuntime::default_client(&device);
    let values: Vec<f32> = positive_definite(3, n).into_iter().map(|v| v as f32).collect();
    let a = numr::prelude::Tensor::<WgpuRuntime>::from_slice(&values, &[n, n], &device)?;
    let run = move || Ok(client.cholesky_decompose(&a)?.l);
    Ok(timed(run, move |l| Ok((l.to_vec::<f32>().into_iter().map(f64::from).collect(), n))))
}
