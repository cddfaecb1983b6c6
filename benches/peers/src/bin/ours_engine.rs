//! Our side of the engine's comparisons. Inputs lie on the device before the clock starts; it stops after `sync`.

use mercer::ops::{self, Trans};
use mercer::{Device, Kernel, Matrix};
use mercer_peers::{Failure, Job, check, peak_megabytes, positive_definite, serve, size, timed, uniform};
use ndarray::{ArrayView2, Axis, concatenate};
use serde_json::Value;

fn main() {
    serve(|request| {
        let name = request["device"].as_str().unwrap_or("cpu");
        let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
        let n = size(request, "n")?;
        let input = |seed, cols: usize| upload(&device, &uniform(seed, n * cols), cols);
        match request["op"].as_str() {
            Some("gemm") => {
                let (a, b) = (input(1, n)?, input(2, n)?);
                Ok(job(device, move || ops::gemm(1.0, &a, Trans::No, &b, Trans::No)))
            }
            Some("cholesky") => {
                let a = upload(&device, &positive_definite(3, n), n)?;
                Ok(job(device, move || ops::cholesky(&a)))
            }
            Some("gram") => {
                let x = input(4, size(request, "d")?)?;
                Ok(job(device, move || ops::gram(&Kernel::rbf(1.0), &x, None)))
            }
            Some("gram_vec") => {
                let (x, v) = (input(4, size(request, "d")?)?, input(5, 1)?);
                Ok(job(device, move || ops::gram_vec(&Kernel::rbf(1.0), &x, None, &v)))
            }
            Some("gram_vec_cross") => {
                let d = size(request, "d")?;
                let (x, y, v) = (input(4, d)?, input(6, d)?, input(5, 1)?);
                Ok(job(device, move || ops::gram_vec(&Kernel::rbf(1.0), &x, Some(&y), &v)))
            }
            Some("gram_vec_memory") => memory(request, &device, n),
            _ => Err(format!("no such request: {request}").into()),
        }
    });
}

fn upload(device: &Device, values: &[f64], cols: usize) -> Result<Matrix, Failure> {
    Ok(Matrix::from_array(device, ArrayView2::from_shape((values.len() / cols, cols), values)?)?)
}

fn job(device: Device, mut verb: impl FnMut() -> mercer::Result<Matrix> + 'static) -> Job {
    let run = move || {
        let result = verb()?;
        device.sync()?;
        Ok(result)
    };
    timed(run, |m| Ok((m.to_array()?.iter().copied().collect(), m.cols())))
}

/// Peak memory of this process, in MB, after a few rows against all and all against a few: a buffer that grows with
/// either side shows. The driver gives this request a process of its own.
fn memory(request: &Value, device: &Device, n: usize) -> Result<Job, Failure> {
    let (d, rows, kernel) = (size(request, "d")?, size(request, "rows")?, Kernel::rbf(1.0));
    let side = |count: usize| -> Result<(Matrix, Matrix), Failure> {
        Ok((upload(device, &uniform(4, count * d), d)?, upload(device, &uniform(5, count), 1)?))
    };
    let (all, few) = (side(n)?, side(rows)?);
    Ok(Box::new(move |_| {
        let across = ops::gram_vec(&kernel, &few.0, Some(&all.0), &all.1)?.to_array()?;
        let down = ops::gram_vec(&kernel, &all.0, Some(&few.0), &few.1)?.to_array()?;
        let peak = peak_megabytes()?;
        let both = concatenate(Axis(0), &[across.view(), down.view()])?;
        Ok((peak, Some(check(both.as_slice().ok_or("a fresh array is contiguous")?, 1))))
    }))
}
