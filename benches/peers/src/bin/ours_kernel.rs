//! Our side of the comparisons of kernel machines and graphs; `groups/kernel.py` says what each request is.

use std::f64::consts::PI;

use mercer::prelude::*;
use mercer_peers::{Failure, Job, check, peak_megabytes, serve, size, timed, uniform};
use ndarray::{Array1, Array2, s};

/// Sums of four uniform numbers.
fn noise(seed: u64, n: usize, d: usize) -> Array2<f64> {
    let all = uniform(seed, 4 * n * d);
    let at = |(i, j)| (0..4).map(|k| all[(k * n + i) * d + j]).sum();
    Array2::from_shape_fn((n, d), at)
}

fn letters(n: usize, d: usize, classes: usize, new: usize) -> (Array2<f64>, Vec<usize>, Array2<f64>) {
    let centres = uniform(11, classes * 3 * d);
    let x = noise(12, n + new, d);
    let shape = |i: usize| i % (classes * 3);
    let x = Array2::from_shape_fn((n + new, d), |(i, j)| 2.0 * centres[shape(i) * d + j] + 0.8 * x[[i, j]]);
    let y = (0..n).map(|i| shape(i) % classes).collect();
    (x.slice(s![..n, ..]).to_owned(), y, x.slice(s![n.., ..]).to_owned())
}

fn two(n: usize, d: usize, new: usize) -> (Array2<f64>, Vec<usize>, Array2<f64>) {
    let x = 2.0 * noise(13, n + new, d);
    let wrong = uniform(14, n + new);
    let score = |i: usize| {
        let x = x.row(i);
        x[0] * x[1] + x[2] * x[2] + x[3] - x[4] - 1.3
    };
    let y = (0..n).map(|i| usize::from((score(i) > 0.0) != (wrong[i] > 0.45))).collect();
    (x.slice(s![..n, ..]).to_owned(), y, x.slice(s![n.., ..]).to_owned())
}

fn curve(n: usize, d: usize, new: usize) -> (Array2<f64>, Array1<f64>, Array2<f64>) {
    let x = 2.0 * Array2::from_shape_vec((n + new, d), uniform(15, (n + new) * d)).expect("as many as asked for");
    let error = uniform(16, n + new);
    let wave = |i: usize| {
        let x = x.row(i);
        (0..4).map(|j| (3.0 * x[j]).sin()).sum::<f64>() + x[4] * x[5] + 0.5 * error[i]
    };
    let y = (0..n).map(wave).collect();
    (x.slice(s![..n, ..]).to_owned(), y, x.slice(s![n.., ..]).to_owned())
}

fn rings(n: usize, clusters: usize) -> Array2<f64> {
    let (off, turn) = (uniform(17, n), uniform(18, n));
    Array2::from_shape_fn((n, 2), |(i, j)| {
        let (radius, angle) = (1.0 + 2.0 * (i % clusters) as f64 + 0.3 * off[i], 2.0 * PI * turn[i]);
        radius * if j == 0 { angle.cos() } else { angle.sin() }
    })
}

fn clouds(n: usize, d: usize) -> Array2<f64> {
    let (centres, x) = (uniform(19, 10 * d), noise(20, n, d));
    Array2::from_shape_fn((n, d), |(i, j)| 4.0 * centres[i % 10 * d + j] + x[[i, j]])
}

/// The kernel of scikit-learn's gamma.
fn rbf(gamma: f64) -> Kernel {
    Kernel::rbf((0.5 / gamma).sqrt())
}

fn numbers(labels: Vec<usize>) -> Vec<f64> {
    labels.into_iter().map(|l| l as f64).collect()
}

fn main() {
    serve(|request| {
        let name = request["device"].as_str().unwrap_or("cpu");
        let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
        let (n, d) = (size(request, "n")?, size(request, "d")?);
        let new = size(request, "new").unwrap_or(0);
        match request["op"].as_str() {
            Some("svc_fit") => {
                let (x, y, x_new) = letters(n, d, size(request, "classes")?, new);
                let model = SvmClassifier::new(rbf(0.125), 10.0);
                let run = move || Ok(model.fit(&device, &x, &y)?);
                Ok(timed(run, move |fitted| Ok((numbers(fitted.predict(&x_new)?), 1))))
            }
            Some("svc_predict") => {
                let (x, y, x_new) = letters(n, d, size(request, "classes")?, new);
                let fitted = SvmClassifier::new(rbf(0.125), 10.0).fit(&device, &x, &y)?;
                Ok(timed(move || Ok(fitted.predict(&x_new)?), |labels| Ok((numbers(labels), 1))))
            }
            Some("svc_binary") => {
                let (x, y, x_new) = two(n, d, new);
                let model = SvmClassifier::new(rbf(0.5 / d as f64), 1.0);
                let run = move || Ok(model.fit(&device, &x, &y)?);
                Ok(timed(run, move |fitted| {
                    if std::env::var_os("PEERS_SAY").is_some() {
                        eprintln!("{} iterations, {}", fitted.report().iterations, fitted.certificates()[0]);
                    }
                    Ok((fitted.decision(&x_new)?.into_iter().collect(), 1))
                }))
            }
            Some("svc_memory") => Ok(Box::new(move |_| {
                let (x, y, x_new) = two(n, d, new);
                let fitted = SvmClassifier::new(rbf(0.5 / d as f64), 1.0).fit(&device, &x, &y)?;
                let said: Vec<f64> = fitted.decision(&x_new)?.into_iter().collect();
                Ok((peak_megabytes()?, Some(check(&said, 1))))
            }) as Job),
            Some("svr_fit") => {
                let (x, y, x_new) = curve(n, d, new);
                let model = SvmRegressor::new(rbf(0.5), 10.0, 0.1).tolerance(1e-3 / spread(&y));
                let run = move || Ok(model.fit(&device, &x, &y)?);
                Ok(timed(run, move |fitted| Ok((fitted.predict(&x_new)?.to_vec(), 1))))
            }
            Some("kernel_pca") => {
                let (x, k) = (noise(21, n, d), size(request, "components")?);
                let model = KernelPca::new(rbf(0.5 / d as f64), k);
                Ok(timed(move || Ok(model.fit(&device, &x)?), |fitted| Ok((fitted.eigenvalues().to_vec(), 1))))
            }
            Some("spectral") => {
                let k = size(request, "clusters")?;
                let x = rings(n, k);
                let model = SpectralClustering::new(k);
                Ok(timed(move || Ok(model.fit(&device, &x)?), move |fitted| {
                    let mut sizes = vec![0usize; k];
                    fitted.labels().iter().for_each(|&l| sizes[l] += 1);
                    sizes.sort_unstable();
                    Ok((numbers(sizes), 1))
                }))
            }
            Some("tsne") => {
                let x = clouds(n, d);
                let model = TSne::new(2);
                Ok(timed(move || Ok(model.fit(&device, &x)?), |fitted| Ok((vec![fitted.divergence()], 1))))
            }
            _ => Err::<Job, Failure>(format!("no such request: {request}").into()),
        }
    });
}

/// The deviation of the targets, which our tolerance is measured in.
fn spread(y: &Array1<f64>) -> f64 {
    y.std(0.0)
}
