//! Our side of the comparisons of Gaussian processes; `groups/gp.py` says what each request is.

use mercer::models::gp::{GpRegressor, Predictive};
use mercer::{Device, Kernel};
use mercer_peers::{Failure, Job, check, peak_megabytes, serve, size, timed, uniform};
use ndarray::{Array2, Axis};

fn main() {
    serve(|request| {
        let name = request["device"].as_str().unwrap_or("cpu");
        let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
        let (n, d) = (size(request, "n")?, size(request, "d")?);
        let x = Array2::from_shape_vec((n, d), uniform(4, n * d))?;
        let noise = uniform(5, n);
        let wave = |(i, _)| x.row(i).iter().map(|v| (3.0 * v).sin()).sum::<f64>() + 0.2 * noise[i];
        let y = Array2::from_shape_fn((n, 1), wave);
        let lengthscales: Vec<f64> = (0..d).map(|f| 0.6 + 0.1 * f as f64).collect();
        let model = GpRegressor::new(Kernel::rbf(lengthscales).scaled(1.5)).noise(0.01);
        match request["op"].as_str() {
            Some("gp_fit") => {
                let run = move || Ok(model.fit(&device, x.view(), y.view())?);
                Ok(timed(run, |fitted| Ok((fitted.alpha().iter().copied().collect(), 1))))
            }
            Some("gp_lml") => {
                let run = move || Ok(model.device_evidence(&device, x.view(), y.view())?);
                Ok(timed(run, |e| Ok(([vec![e.value], e.gradient].concat(), 1))))
            }
            Some("gp_lml_memory") => Ok(Box::new(move |_| {
                let e = model.device_evidence(&device, x.view(), y.view())?;
                Ok((peak_megabytes()?, Some(check(&[vec![e.value], e.gradient].concat(), 1))))
            })),
            Some("gp_predict") => {
                let count = size(request, "new")?;
                let new = Array2::from_shape_vec((count, d), uniform(6, count * d))?;
                let fitted = model.fit(&device, x.view(), y.view())?;
                let run = move || Ok(fitted.predict_with(new.view(), Predictive::Latent)?);
                Ok(timed(run, |p| {
                    let both = ndarray::concatenate(Axis(1), &[p.mean.view(), p.std().insert_axis(Axis(1)).view()])?;
                    Ok((both.iter().copied().collect(), 2))
                }) as Job)
            }
            _ => Err::<Job, Failure>(format!("no such request: {request}").into()),
        }
    });
}
