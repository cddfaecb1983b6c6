//! Training on a device: the trajectory of the CPU to f32's rounding, the same bits twice, and little that crosses over.

use mercer::optim::{AdaGrad, Adam, Order, RmsProp, Schedule, Sgd};
use mercer::prelude::*;
use ndarray::{Array1, Array2};

use crate::support::{alone, gpus, random};

const ROWS: usize = 150;

fn data() -> (Array2<f64>, Array2<f64>, Vec<usize>) {
    let x = random(ROWS, 7, 1);
    let y = Array2::from_shape_fn((ROWS, 2), |(n, j)| (x[[n, j]] + 0.5 * x[[n, j + 2]]).sin());
    let labels =
        x.rows().into_iter().map(|r| usize::from(r[0] > 0.3) + usize::from(r[0] + r[1] > 0.0)).collect();
    (x, y, labels)
}

fn close(got: &[f64], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len());
    let off = got.iter().zip(want).fold(0f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
    assert!(off < 5e-5, "{what}: {off:e}");
    assert!(got.iter().zip(want).any(|(a, b)| a != b), "{what}: did not run in f32");
}

/// Every optimiser and every kind of unit, with weights, decay and rows held out.
#[test]
fn a_regressor_takes_the_path_of_the_cpu() {
    let (x, y, _) = data();
    let w: Array1<f64> = (0..ROWS).map(|n| [1.0, 0.5, 2.0, 0.0][n % 4]).collect();
    let (inverse, cosine) = (
        Schedule::Inverse { rate: 0.05, decay: 0.3 },
        Schedule::Cosine { rate: 0.02, last: 1e-3, warm_up: 3, total: 12 },
    );
    let optimisers: [Training; 7] = [
        Training::new(Sgd::new(0.05)),
        Training::new(Sgd::new(0.02).momentum(0.8).weight_decay(1e-3)),
        Training::new(Adam::new(0.01).weight_decay(1e-2)),
        Training::new(AdaGrad::new(0.05)),
        Training::new(RmsProp::new(0.01)),
        Training::new(Sgd::new(inverse)),
        Training::new(Adam::new(cosine)),
    ];
    let units =
        [Activation::Tanh, Activation::Relu, Activation::Sigmoid, Activation::Softplus, Activation::Identity];
    for (i, (training, unit)) in optimisers.into_iter().zip(units.into_iter().cycle()).enumerate() {
        let (decay, held) = if i % 2 == 0 { (0.0, 0.0) } else { (0.01, 0.2) };
        let training = training.epochs(3).batch(37).weight_decay(decay).validation(held).seed(i as u64);
        let model = NeuralRegressor::new(&[9, 5]).activation(unit).training(training);
        let want = model.fit_weighted(&Device::cpu(), &x, &y, &w).unwrap();
        for device in gpus() {
            let got = model.fit_weighted(device, &x, &y, &w).unwrap();
            let what = format!("{unit:?} on {device}");
            close(got.parameters(), want.parameters(), &what);
            close(&got.report().trace, &want.report().trace, &what);
            assert_eq!(
                (got.best_epoch(), got.validation().len()),
                (want.best_epoch(), want.validation().len())
            );
        }
    }
}

#[test]
fn a_classifier_takes_the_path_of_the_cpu_and_its_own_twice() {
    let (x, _, labels) = data();
    for order in [Order::Shuffled, Order::Poisson, Order::Replacement] {
        let training = Training::new(Adam::new(0.02)).epochs(4).batch(32).order(order).seed(3);
        let model = NeuralClassifier::new(&[11]).activation(Activation::Relu).training(training);
        let want = model.fit(&Device::cpu(), &x, &labels).unwrap();
        for device in gpus() {
            let got = model.fit(device, &x, &labels).unwrap();
            close(got.parameters(), want.parameters(), &format!("{order:?} on {device}"));
            let again = model.fit(device, &x, &labels).unwrap();
            assert_eq!(got.parameters(), again.parameters(), "the same bits on {device}");
            assert_eq!(got.predict(&x).unwrap(), want.predict(&x).unwrap());
        }
    }
}

/// Counts by Poisson, shares by Bernoulli.
#[test]
fn other_outputs_train_there_as_well() {
    let (x, y, _) = data();
    let training = Training::new(Adam::new(0.01)).epochs(3).batch(50);
    for (loss, t) in [
        (OutputLoss::Poisson, y.mapv(|v| (4.0 * v.abs()).floor())),
        (OutputLoss::Bernoulli, y.mapv(|v| 0.5 + 0.5 * v)),
    ] {
        let model = NeuralRegressor::new(&[6]).loss(loss).training(training.clone());
        let want = model.fit(&Device::cpu(), &x, &t).unwrap();
        for device in gpus() {
            let got = model.fit(device, &x, &t).unwrap();
            close(got.parameters(), want.parameters(), &format!("{loss:?} on {device}"));
        }
    }
}

/// Layers and optimisers without a verb run on the CPU whatever the device: the same bits. So does a loss that explodes.
#[test]
fn what_has_no_verb_runs_on_the_cpu() {
    let (x, y, labels) = data();
    let training = Training::new(Adam::new(0.01)).epochs(2).batch(50);
    let ahead = Training::new(Sgd::new(0.01).momentum(0.9).nesterov(true)).epochs(2);
    let wild = Training::new(Sgd::new(1e30)).epochs(3).batch(50);
    for device in gpus() {
        for model in [
            NeuralRegressor::new(&[4]).activation(Activation::Erf).training(training.clone()),
            NeuralRegressor::new(&[4]).dropout(0.2).training(training.clone()),
            NeuralRegressor::new(&[4]).skip(true).training(training.clone()),
            NeuralRegressor::new(&[4]).training(ahead.clone()),
        ] {
            let (a, b) = (model.fit(&Device::cpu(), &x, &y).unwrap(), model.fit(device, &x, &y).unwrap());
            assert_eq!(a.parameters(), b.parameters());
        }
        let model = NeuralClassifier::new(&[4]).activation(Activation::Relu).training(wild.clone());
        let said = |d: &Device| format!("{:?}", model.fit(d, &x, &labels).map(|f| f.exploded()));
        assert_eq!(said(device), said(&Device::cpu()));
        // Far from the origin f32 would see other inputs.
        let far = &x + 1e7;
        let model = NeuralRegressor::new(&[4]).training(training.clone());
        let (a, b) = (model.fit(&Device::cpu(), &far, &y).unwrap(), model.fit(device, &far, &y).unwrap());
        assert_eq!(a.parameters(), b.parameters());
    }
}

/// Of an epoch the list of rows goes up; its loss waits on the device until all are read, unless somebody watches. A batch
/// is a fixed number of launches.
#[test]
fn an_epoch_moves_a_list_up_and_reads_nothing_back() {
    let (x, _, labels) = data();
    let fit = |device: &Device, epochs: usize, progress: Progress| {
        let training = Training::new(Adam::new(0.02)).epochs(epochs).batch(32).progress(progress);
        let before = device.counters();
        NeuralClassifier::new(&[11]).training(training).fit(device, &x, &labels).unwrap();
        let c = device.counters();
        [
            c.dispatches - before.dispatches,
            c.bytes_up - before.bytes_up,
            c.bytes_down - before.bytes_down,
            c.read_backs - before.read_backs,
        ]
    };
    for device in alone() {
        fit(&device, 1, Progress::none());
        let (two, three) = (fit(&device, 2, Progress::none()), fit(&device, 3, Progress::none()));
        let epoch = [0, 1, 2, 3].map(|i| three[i] - two[i]);
        // Five batches: two gathers, two products, units, loss; two gradients, a product back, slopes, two steps. The
        // direct shape of products transposes four operands of each batch. Then the sum of losses.
        let each = if epoch[0] > 5 * 12 + 4 { 16 } else { 12 };
        assert!((5 * each..=5 * each + 4).contains(&epoch[0]), "{epoch:?} on {device}");
        // Lists of 32 rows are padded to 64.
        assert_eq!(epoch[1], 4 * 5 * 64, "{epoch:?} on {device}");
        assert_eq!((epoch[2], epoch[3]), (4 * 64, 0), "{epoch:?} on {device}");
        // All losses, then the parameters.
        assert_eq!(three[3], 2, "{three:?} on {device}");
        let told = |epochs: usize| fit(&device, epochs, Progress::watch(|_| ()));
        assert_eq!(told(3)[3] - told(2)[3], 1, "a watched epoch on {device}");
    }
}

/// More epochs than losses that wait, a loss each; and what a watcher is told is what nobody was told.
#[test]
fn losses_that_wait_are_those_that_are_watched() {
    let (x, _, labels) = data();
    let training = Training::new(Adam::new(0.01)).epochs(70).batch(75);
    let model = NeuralClassifier::new(&[4]).training(training.clone());
    for device in gpus() {
        let quiet = model.fit(device, &x, &labels).unwrap();
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let told = seen.clone();
        let watch = Progress::watch(move |s| told.lock().unwrap().push(s.value));
        let watched =
            model.clone().training(training.clone().progress(watch)).fit(device, &x, &labels).unwrap();
        assert_eq!(quiet.report().trace.len(), 70);
        assert_eq!(quiet.report().trace, watched.report().trace, "on {device}");
        assert_eq!(quiet.parameters(), watched.parameters(), "on {device}");
        assert!(seen.lock().unwrap().ends_with(&quiet.report().trace[60..]), "on {device}");
    }
}
