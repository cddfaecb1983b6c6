//! Our side of the comparisons of networks and factors. Data lie in memory before the clock starts, as theirs do.

use std::collections::HashSet;

use mercer::Device;
use mercer::models::latent::Nmf;
use mercer::models::neural::{Activation, NeuralClassifier, Training};
use mercer::models::recommend::{Als, Feedback, Rating, Ratings};
use mercer::optim::{Adam, Order};
use mercer_peers::{Failure, Job, serve, size, timed, uniform};
use ndarray::Array2;
use serde_json::Value;

fn main() {
    serve(|request| match request["op"].as_str() {
        Some("mlp") => mlp(request),
        Some("als") => als(request),
        Some("nmf") => nmf(request),
        _ => Err(format!("no such request: {request}").into()),
    });
}

fn mlp(request: &Value) -> Result<Job, Failure> {
    let (n, d, batch) = (size(request, "n")?, size(request, "d")?, size(request, "batch")?);
    let (h, k) = (size(request, "hidden")?, size(request, "classes")?);
    let x = Array2::from_shape_vec((n, d), uniform(6, n * d))?;
    let score = x.dot(&Array2::from_shape_vec((d, k), uniform(7, d * k))?);
    let largest = |row: ndarray::ArrayView1<f64>| (0..k).fold(0, |b, j| if row[j] > row[b] { j } else { b });
    let y: Vec<usize> = score.rows().into_iter().map(largest).collect();
    let mut start: Vec<f64> = uniform(8, h * d + k * h).into_iter().map(|v| 0.1 * v).collect();
    start.splice(h * d..h * d, vec![0.0; h]);
    start.extend(vec![0.0; k]);
    let training = Training::new(Adam::new(1e-3).epsilon(1e-14)).epochs(1).batch(batch).order(Order::Sequential);
    let model = NeuralClassifier::new(&[h]).activation(Activation::Relu).start(start).training(training);
    let run = move || Ok(model.fit(&Device::cpu(), &x, &y)?.parameters().to_vec());
    Ok(timed(run, |parameters| Ok((parameters, 10))))
}

fn als(request: &Value) -> Result<Job, Failure> {
    let (users, items) = (size(request, "users")?, size(request, "items")?);
    let (count, k) = (size(request, "count")?, size(request, "k")?);
    let draws = 4 * count;
    let (a, b, values) = (uniform(1, draws), uniform(2, draws), uniform(3, count));
    let (mut seen, mut entries) = (HashSet::new(), Vec::with_capacity(count));
    for (a, b) in a.into_iter().zip(b) {
        let user = (users as f64 * (a + 0.5).powf(1.5)) as usize;
        let item = (items as f64 * (b + 0.5) * (b + 0.5)) as usize;
        if entries.len() < count && seen.insert((user, item)) {
            entries.push((user, item));
        }
    }
    // The peers number the draws of pairs, and so do we; values belong to the pairs in that order.
    let rated = entries.iter().zip(values).map(|(&(user, item), v)| Rating {
        user,
        item,
        value: 1.0 + (5.0 * (v + 0.5)).floor(),
        weight: 1.0,
    });
    let table = Ratings::of(users, items, rated.collect())?;
    let start = Array2::from_shape_vec((items, k), uniform(4, items * k))? * 0.1;
    let model = Als::new(k)
        .penalty(0.1)
        .feedback(Feedback::Implicit { alpha: 1.0 })
        .start(start)
        .max_iterations(size(request, "iterations")?)
        .tolerance(0.0);
    let run = move || Ok(model.fit_ratings(&table)?.item_factors().clone());
    Ok(timed(run, move |factors| Ok((factors.iter().copied().collect(), k))))
}

fn nmf(request: &Value) -> Result<Job, Failure> {
    let (n, d, k) = (size(request, "n")?, size(request, "d")?, size(request, "k")?);
    let x = Array2::from_shape_vec((n, d), uniform(6, n * d))? + 0.5;
    let w = Array2::from_shape_vec((n, k), uniform(7, n * k))? / 10.0 + 0.1;
    let h = Array2::from_shape_vec((k, d), uniform(8, k * d))? / 10.0 + 0.1;
    let model = Nmf::new(k).start((w, h)).tolerance(0.0).max_iterations(size(request, "iterations")?);
    let run = move || Ok(model.fit(&Device::cpu(), &x)?.components().clone());
    Ok(timed(run, move |parts| Ok((parts.iter().copied().collect(), d))))
}
