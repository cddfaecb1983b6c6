//! Our side of the comparisons of ridge regressions. Inputs are made before the clock starts.

use std::ops::ControlFlow;

use mercer::models::kernel_methods::{Falkon, KernelRidge};
use mercer::models::linear::Ridge;
use mercer::{Device, Error, Kernel, Progress, Step};
use mercer_peers::{Failure, Job, check, peak_megabytes, serve, size, timed, uniform};
use ndarray::{Array1, Array2, Axis};

/// The root mean square by which a fit on landmarks may miss the function below the noise, whose own is 0.029.
const MISSED: f64 = 1e-2;

fn main() {
    serve(|request| {
        let name = request["device"].as_str().unwrap_or("cpu");
        let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
        let (n, d) = (size(request, "n")?, size(request, "d")?);
        let x = Array2::from_shape_vec((n, d), uniform(4, n * d))?;
        let noise = Array1::from(uniform(5, n));
        let y = (x.sum_axis(Axis(1)).mapv(f64::sin) + noise * 0.1).insert_axis(Axis(1));
        match request["op"].as_str() {
            Some("ridge") => Ok(timed(
                move || Ok(Ridge::new(1.0).fit(&device, x.view(), y.view())?),
                |fit| Ok((fit.coefficients().iter().chain(fit.intercept()).copied().collect(), 1)),
            )),
            Some("kernel_ridge") => Ok(timed(
                move || Ok(KernelRidge::new(Kernel::rbf(1.0), 0.1).fit(&device, x.view(), y.view())?),
                |fit| Ok((fit.dual_coefficients().iter().copied().collect(), 1)),
            )),
            Some("kernel_ridge_memory") => Ok(memory(device, x, y)),
            Some("falkon_memory") => Ok(landmarks(device, x, y, size(request, "m")?)),
            _ => Err(format!("no such request: {request}").into()),
        }
    });
}

/// Peak memory of this process, in MB, after two iterations of conjugate gradients: later ones allocate the same.
fn memory(device: Device, x: Array2<f64>, y: Array2<f64>) -> Job {
    Box::new(move |_| {
        let two =
            |step: &Step| if step.made < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let model = KernelRidge::new(Kernel::rbf(1.0), 0.1).progress(Progress::new(two));
        match model.fit(&device, x.view(), y.view()) {
            Err(Error::Cancelled { .. }) => Ok((peak_megabytes()?, Some(check(&[1.0], 1)))),
            Err(e) => Err(e.into()),
            Ok(fit) => {
                Err(Failure::from(format!("it was to take more than two iterations: {:?}", fit.report())))
            }
        }
    })
}

/// Peak memory of this process, in MB, after a whole fit on m landmarks that finds the function below the noise.
fn landmarks(device: Device, x: Array2<f64>, y: Array2<f64>, m: usize) -> Job {
    Box::new(move |_| {
        let fit = Falkon::new(Kernel::rbf(1.0), 0.01, m).fit(&device, x.view(), y.view())?;
        let peak = peak_megabytes()?;
        let new = Array2::from_shape_vec((1000, x.ncols()), uniform(6, 1000 * x.ncols()))?;
        let truth = new.sum_axis(Axis(1)).mapv(f64::sin).insert_axis(Axis(1));
        let missed = (fit.predict(new.view())? - truth).mapv(|e| e * e).mean().unwrap_or(f64::NAN).sqrt();
        // Written so that a NaN fails.
        if missed <= MISSED {
            Ok((peak, Some(check(&[1.0], 1))))
        } else {
            Err(Failure::from(format!("it misses the function by {missed:e}, more than {MISSED:e}")))
        }
    })
}
