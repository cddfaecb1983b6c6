//! The Rust peer of our Gaussian processes: gprx.

use gprx::kernel::{ConstantKernel, KernelSpec, RbfArdKernel};
use gprx::{Fixed, GaussianLikelihood, Gpr};
use mercer_peers::{Failure, Job, serve, size, timed, uniform};
use serde_json::Value;

fn main() {
    serve(|request| match (request["impl"].as_str(), request["op"].as_str()) {
        (Some("gprx"), Some("gp_lml")) => evidence(request),
        _ => Err(format!("no such peer: {request}").into()),
    });
}

fn evidence(request: &Value) -> Result<Job, Failure> {
    let (n, d) = (size(request, "n")?, size(request, "d")?);
    let (rows, noise) = (uniform(4, n * d), uniform(5, n));
    let wave = |i: usize| rows[i * d..][..d].iter().map(|v| (3.0 * v).sin()).sum::<f64>() + 0.2 * noise[i];
    let y: Vec<f64> = (0..n).map(wave).collect();
    // Theirs is column-major.
    let x: Vec<f64> = (0..n * d).map(|k| rows[k % n * d + k / n]).collect();
    let lengthscales: Vec<f64> = (0..d).map(|f| 0.6 + 0.1 * f as f64).collect();
    let kernel = KernelSpec::from(ConstantKernel::new(1.5)?) * KernelSpec::from(RbfArdKernel::new(&lengthscales)?);
    // Their likelihood holds the variance of the noise; a factor at given parameters, no search.
    let model = Gpr::new(kernel, GaussianLikelihood::new(0.01)?).with_optimizer(Fixed);
    let mut fitted = model.factor(&x, n, d, &y).map_err(|(_, e)| e)?;
    let mut theta = vec![0.0; fitted.num_params()];
    fitted.get_params(&mut theta)?;
    let run = move || {
        let mut gradient = vec![0.0; theta.len()];
        let value = fitted.value_and_gradient_into(&theta, &mut gradient)?;
        Ok((value, gradient))
    };
    // Theirs is the negative logarithm.
    Ok(timed(run, |(value, gradient)| {
        Ok((std::iter::once(-value).chain(gradient.into_iter().map(|g| -g)).collect(), 1))
    }))
}
