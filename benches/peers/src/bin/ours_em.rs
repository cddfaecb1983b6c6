//! Our side of the comparisons of EM. The data are uploaded inside the clock, as every peer's are checked inside theirs.

use mercer::Device;
use mercer::models::cluster::{KMeans, KMeansStart};
use mercer::inference::em::Em;
use mercer::models::mixture::{Covariance, CovarianceKind, GaussianMixture, GaussianParams, MixtureStart};
use mercer_peers::{Failure, Job, check, peak_megabytes, serve, size, timed, uniform};
use ndarray::{Array1, Array2, s};
use serde_json::Value;

type Fit = Box<dyn Fn() -> Result<Array2<f64>, Failure>>;

fn main() {
    serve(|request| {
        let op = request["op"].as_str().unwrap_or_default();
        let fit = match op {
            "mixture" | "mixture_memory" => mixture(request)?,
            "kmeans" | "kmeans_memory" => kmeans(request)?,
            _ => return Err(format!("no such request: {request}").into()),
        };
        if op.ends_with("_memory") { Ok(memory(fit)) } else { Ok(clocked(fit)) }
    });
}

fn clocked(fit: Fit) -> Job {
    timed(move || fit(), |means| Ok((means.iter().copied().collect(), means.ncols())))
}

/// Peak memory of this process, in MB. The driver gives this request a process of its own.
fn memory(fit: Fit) -> Job {
    Box::new(move |_| {
        let means = fit()?;
        let peak = peak_megabytes()?;
        Ok((peak, Some(check(means.as_slice().ok_or("a fresh array is contiguous")?, means.ncols()))))
    })
}

fn data(request: &Value) -> Result<(Device, Array2<f64>, usize, Em), Failure> {
    let (n, d, k) = (size(request, "n")?, size(request, "d")?, size(request, "k")?);
    let name = request["device"].as_str().unwrap_or("cpu");
    let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
    let x = Array2::from_shape_vec((n, d), uniform(6, n * d))?;
    let em =
        Em { max_iterations: size(request, "iterations")?, tolerance: 0.0, restarts: 1, ..Em::default() };
    Ok((device, x, k, em))
}

fn mixture(request: &Value) -> Result<Fit, Failure> {
    let (device, x, k, em) = data(request)?;
    let start = GaussianParams {
        weights: Array1::from_elem(k, 1.0 / k as f64),
        means: x.slice(s![..k, ..]).to_owned(),
        covariance: Covariance::Spherical(Array1::from_elem(k, 1.0 / 12.0)),
    };
    let covariance = if request["kind"] == "diag" { CovarianceKind::Diagonal } else { CovarianceKind::Full };
    let model = GaussianMixture {
        covariance,
        covariance_floor: 0.0,
        start: MixtureStart::Given(start),
        em,
        ..GaussianMixture::new(k)
    };
    Ok(Box::new(move || Ok(model.fit(&device, x.view())?.params.means)))
}

fn kmeans(request: &Value) -> Result<Fit, Failure> {
    let (device, x, k, em) = data(request)?;
    let start = KMeansStart::Given(x.slice(s![..k, ..]).to_owned());
    let model = KMeans { start, em, ..KMeans::new(k) };
    Ok(Box::new(move || Ok(model.fit(&device, x.view())?.centres)))
}
