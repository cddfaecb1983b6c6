//! Our side of the comparisons of principal components. Data lies in memory before the clock starts, as theirs does.

use mercer::Device;
use mercer::models::latent::Pca;
use mercer_peers::{Failure, Job, check, peak_megabytes, serve, size, timed, uniform};
use ndarray::{Array2, Axis};

fn main() {
    serve(|request| {
        let (n, d, k) = (size(request, "n")?, size(request, "d")?, size(request, "k")?);
        let mut x = Array2::from_shape_vec((n, d), uniform(6, n * d))?;
        for (j, mut column) in x.axis_iter_mut(Axis(1)).enumerate() {
            column *= (2.0 - j as f64 / (d - 1) as f64).powi(2);
        }
        let run = move || -> Result<Vec<f64>, Failure> {
            let pca = Pca::new(k).fit(&Device::cpu(), x.view())?;
            let scaled = &pca.components * &pca.explained_variance.insert_axis(Axis(1));
            Ok(scaled.iter().copied().collect())
        };
        match request["op"].as_str() {
            Some("pca") => Ok(timed(run, move |values| Ok((values, d)))),
            Some("pca_memory") => {
                let job: Job = Box::new(move |_| {
                    let values = run()?;
                    Ok((peak_megabytes()?, Some(check(&values, d))))
                });
                Ok(job)
            }
            _ => Err(format!("no such request: {request}").into()),
        }
    });
}
