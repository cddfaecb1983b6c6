//! Our side of the comparisons of inference: the same data and the same start as `groups/inference.py` makes.

use mercer::Device;
use mercer::models::energy::{NegativePhase, Rbm};
use mercer::models::graphical::Ising;
use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use mercer::models::topics::TopicModel;
use mercer_peers::{Failure, Job, serve, size, timed, uniform};
use ndarray::{Array1, Array2, Array3, Axis, s};
use serde_json::Value;

fn main() {
    serve(|request| match request["op"].as_str().unwrap_or_default() {
        "lda" => lda(request),
        "hmm" => hmm(request),
        "rbm" => rbm(request),
        "ising" => ising(request),
        _ => Err(format!("no such request: {request}").into()),
    });
}

fn device(request: &Value) -> Result<Device, Failure> {
    let name = request["device"].as_str().unwrap_or("cpu");
    Ok(if name == "cpu" { Device::cpu() } else { Device::named(name)? })
}

fn clocked(mut run: impl FnMut() -> Result<Array2<f64>, Failure> + 'static) -> Job {
    timed(move || run(), |found| Ok((found.iter().copied().collect(), found.ncols())))
}

fn lda(request: &Value) -> Result<Job, Failure> {
    let [documents, words, topics, passes] =
        ["documents", "words", "topics", "passes"].map(|key| size(request, key));
    let (documents, words, topics, device) = (documents?, words?, topics?, device(request)?);
    let mut x = Array2::<f64>::zeros((documents, words));
    for (i, u) in uniform(11, documents * 100).into_iter().enumerate() {
        let (d, u) = (i / 100, u + 0.5);
        let near = (u * u * (words / 10) as f64) as usize;
        x[[d, (d * 37 % 20 * (words / 20) + near) % words]] += 1.0;
    }
    let start = Array2::from_shape_vec((topics, words), uniform(12, topics * words))? + 1.0;
    // scikit-learn makes its shares once more after the last pass; a pass of ours begins with them.
    let model = TopicModel::new(topics).start(start).local_passes(passes? + 1).max_iterations(1);
    Ok(clocked(move || Ok(model.fit(&device, &x)?.lambda().clone())))
}

fn hmm(request: &Value) -> Result<Job, Failure> {
    let (k, length, d) = (size(request, "states")?, size(request, "length")?, size(request, "features")?);
    let bit = |c: usize, j: usize| (c >> j & 1) as f64 * 2.0;
    let noise = Array2::from_shape_vec((length, d), uniform(13, length * d))?;
    let x = Array2::from_shape_fn((length, d), |(t, j)| bit(t / 10 * 5 % k, j) + 2.0 * noise[[t, j]]);
    let start = FittedHiddenMarkov::new(
        Array1::from_elem(k, 1.0 / k as f64),
        Array2::from_elem((k, k), 0.1 / k as f64) + Array2::<f64>::eye(k) * 0.9,
        Emission::Gaussian {
            means: Array2::from_shape_fn((k, d), |(c, j)| bit(c, j)),
            covariances: Array3::from_shape_fn((k, d, d), |(_, i, j)| if i == j { 0.5 } else { 0.0 }),
        },
    )?;
    let model = HiddenMarkov::new(k, Emissions::Gaussian).start(start).floor(0.0).max_iterations(1);
    let sequences = [x];
    Ok(clocked(move || {
        let learned = model.learn(&sequences)?;
        let Emission::Gaussian { means, covariances } = learned.emission() else {
            return Err("the emissions are normal".into());
        };
        let flat = covariances.to_shape((k, d * d))?.into_owned();
        Ok(ndarray::concatenate(Axis(1), &[learned.transition().view(), means.view(), flat.view()])?)
    }))
}

fn rbm(request: &Value) -> Result<Job, Failure> {
    let (n, d, hidden, device) =
        (size(request, "n")?, size(request, "d")?, size(request, "hidden")?, device(request)?);
    let prototypes = Array2::from_shape_vec((10, d), uniform(14, 10 * d))?;
    let noise = Array2::from_shape_vec((n, d), uniform(15, n * d))?;
    let x = Array2::from_shape_fn((n, d), |(i, j)| {
        f64::from(u8::from((prototypes[[i * 7 % 10, j]] > 0.1) != (noise[[i, j]] > 0.4)))
    });
    let model = Rbm::new(hidden).phase(NegativePhase::Persistent(1)).rate(0.01).batch(10).passes(1);
    Ok(clocked(move || {
        let learned = model.fit(&device, &x)?;
        let some = x.slice(s![..500, ..]);
        let back = learned.inverse_transform(&learned.transform(some)?)?;
        Ok(back.mean_axis(Axis(0)).ok_or("there are rows")?.insert_axis(Axis(1)))
    }))
}

fn ising(request: &Value) -> Result<Job, Failure> {
    let (n, sweeps, device) = (size(request, "size")?, size(request, "sweeps")?, device(request)?);
    let ising = Ising::new(0.3, Array2::zeros((n, n)))?.periodic(true)?.on(&device);
    // The last sum, of 1024 x 1024 sites, is inside the clock on either side.
    Ok(clocked(move || {
        let spins = ising.sweep(&ising.start(0), sweeps)?;
        let agree = ising.agreement(spins.sites().view()) / (n * n) as f64;
        Ok(ndarray::array![[agree, 1.0]])
    }))
}
