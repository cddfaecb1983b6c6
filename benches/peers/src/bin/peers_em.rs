//! EM's Rust peer: linfa's k-means from given centres. Its mixtures cannot be started alike, so they are not compared.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_clustering::{KMeans, KMeansInit};
use mercer_peers::{Failure, Job, serve, size, timed, uniform};
use ndarray_linfa::{Array2, s};
use serde_json::Value;

fn main() {
    serve(|request| match (request["impl"].as_str(), request["op"].as_str()) {
        (Some("linfa"), Some("kmeans")) => kmeans(request),
        _ => Err(format!("no such peer: {request}").into()),
    });
}

fn kmeans(request: &Value) -> Result<Job, Failure> {
    let (n, d, k) = (size(request, "n")?, size(request, "d")?, size(request, "k")?);
    let iterations = size(request, "iterations")? as u64;
    let x = Array2::from_shape_vec((n, d), uniform(6, n * d))?;
    let start = x.slice(s![..k, ..]).to_owned();
    let data = DatasetBase::from(x);
    let run = move || -> Result<Array2<f64>, Failure> {
        let model = KMeans::params(k)
            .init_method(KMeansInit::Precomputed(start.clone()))
            .n_runs(1)
            .max_n_iterations(iterations)
            .tolerance(f64::MIN_POSITIVE);
        Ok(model.fit(&data).map_err(|e| format!("{e:?}"))?.centroids().clone())
    };
    Ok(timed(run, |c| Ok((c.iter().copied().collect(), c.ncols()))))
}
