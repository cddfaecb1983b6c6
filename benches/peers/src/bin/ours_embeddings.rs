//! Our side of the kernel tests: the whole test is timed, from arrays on the host to the p-value. What is checked is the
//! statistic, in hyppo's normalisation.

use mercer::stats::{Hsic, IndependenceTest, Mmd, Null, TwoSampleTest};
use mercer::{Device, Kernel, Matrix, ops};
use mercer_peers::{Failure, Job, serve, size, timed, uniform};
use ndarray::{Array2, Axis, concatenate};
use serde_json::Value;

fn main() {
    serve(prepare);
}

fn prepare(request: &Value) -> Result<Job, Failure> {
    let name = request["device"].as_str().unwrap_or("cpu");
    let device = if name == "cpu" { Device::cpu() } else { Device::named(name)? };
    let (n, d) = (size(request, "n")?, size(request, "d")?);
    let null = Null::Permutations(size(request, "permutations")?);
    let input = |seed| Array2::from_shape_vec((n, d), uniform(seed, n * d));
    let (x, y, kernel) = (input(6)?, input(7)?, Kernel::rbf(1.0));
    match request["op"].as_str() {
        Some("mmd_test") => {
            let y = y + 0.05;
            let statistic = labels_alignment(&device, &kernel, &x, &y)?;
            let test = TwoSampleTest::with_kernel(kernel).null(null);
            let run = move || Ok(test.run(&device, x.view(), y.view())?);
            Ok(timed(run, move |outcome| {
                // The test's own statistic must be the one that the check is made of.
                let same = (outcome.statistic - statistic.0).abs() <= 1e-12;
                if same { Ok((vec![statistic.1], 1)) } else { Err("the statistics differ".into()) }
            }))
        }
        Some("hsic_test") => {
            let y = y + &x * 0.2;
            let cka = Hsic::new(kernel.clone(), kernel.clone()).cka(&device, x.view(), y.view())?;
            let test = IndependenceTest::with_kernels(kernel.clone(), kernel).null(null);
            let run = move || Ok(test.run(&device, x.view(), y.view())?);
            Ok(timed(run, move |_| Ok((vec![cka.sqrt()], 1))))
        }
        _ => Err(format!("no such request: {request}").into()),
    }
}

/// The unbiased MMD², and the biased one as hyppo normalises it.
fn labels_alignment(
    device: &Device,
    kernel: &Kernel,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> Result<(f64, f64), Failure> {
    let (m, n) = (x.nrows() as f64, y.nrows() as f64);
    let pooled = concatenate(Axis(0), &[x.view(), y.view()])?;
    let centred = ops::centre(&ops::gram(kernel, &Matrix::from_array(device, pooled.view())?, None)?)?;
    let norm = centred.to_array()?.iter().map(|k| k * k).sum::<f64>().sqrt();
    let mmd = Mmd::new(kernel.clone());
    let alignment = mmd.biased(device, x.view(), y.view())? * (m * n / (m + n)) / norm;
    let theirs = alignment.sqrt() * 2.0 * m * m * n * n / (m + n).powi(4);
    Ok((mmd.unbiased(device, x.view(), y.view())?, theirs))
}
