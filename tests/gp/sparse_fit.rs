//! Fits of sparse processes: what the search gains, where inducing points start and go.

use std::ops::ControlFlow;

use mercer::learn::plan::Method;
use mercer::models::gp::{FittedSparseGp, Inducing, Predictive, SparseGpRegressor, SparseMethod};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array2, ArrayView1, array};

use crate::everywhere;
use crate::sparse::{METHODS, data};
use crate::support::adapters;

fn model(inducing: Inducing) -> SparseGpRegressor {
    SparseGpRegressor::new(1.0 * Kernel::rbf([1.0, 1.0]), inducing).noise(0.5)
}

fn search() -> Minimiser {
    Minimiser::new().max_iterations(60)
}

#[test]
fn the_search_gains_and_moving_points_gains_more() {
    let (x, y) = data(200, 2, 1, 41);
    let cpu = Device::cpu();
    let m = model(Inducing::uniform(10, 1));
    let before = m.fit(&cpu, x.view(), y.view()).unwrap();
    let after = m.clone().optimise(search()).fit(&cpu, x.view(), y.view()).unwrap();
    let moved = m.clone().optimise(search()).optimise_inducing(true).fit(&cpu, x.view(), y.view()).unwrap();
    let values = [&before, &after, &moved].map(FittedSparseGp::log_evidence);
    println!("{values:?}, noise {} {}", after.noise(), moved.noise());
    assert!(values[1] > values[0] + 10.0 && values[2] > values[1] + 5.0, "{values:?}");
    assert_eq!(before.inducing(), after.inducing(), "they stay unless asked to move");
    assert_ne!(before.inducing(), moved.inducing());
    let trace = &moved.search().unwrap().trace;
    assert!(trace.windows(2).all(|w| w[1] <= w[0]), "-F never rises");
    assert!((trace.last().unwrap() + moved.log_evidence()).abs() < 1e-9);
    // A fixed noise and a fixed parameter stay.
    let kernel = m.clone().optimise(search()).fixed_noise();
    assert_eq!(kernel.fit(&cpu, x.view(), y.view()).unwrap().noise(), 0.5);
}

#[test]
fn every_method_fits_and_starts_are_what_they_say() {
    let (x, y) = data(120, 2, 1, 42);
    let cpu = Device::cpu();
    let starts = [Inducing::uniform(12, 3), Inducing::k_means_plus_plus(12, 3), Inducing::greedy(12)];
    for start in &starts {
        let gp = model(start.clone()).fit(&cpu, x.view(), y.view()).unwrap();
        assert_eq!(gp.inducing().dim(), (12, 2));
        for z in gp.inducing().rows() {
            assert_eq!(x.rows().into_iter().filter(|r| r == z).count(), 1, "a point of the data: {start:?}");
        }
        let mut seen: Vec<Vec<u64>> =
            gp.inducing().rows().into_iter().map(|r| r.iter().map(|v| v.to_bits()).collect()).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 12, "no point twice: {start:?}");
        assert_eq!(gp.inducing(), model(start.clone()).fit(&cpu, x.view(), y.view()).unwrap().inducing());
    }
    // What greedy choice is for, and what spreading is for.
    let unexplained = |s: Inducing| model(s).fit(&cpu, x.view(), y.view()).unwrap().unexplained();
    let far = |s: Inducing| {
        let gp = model(s).fit(&cpu, x.view(), y.view()).unwrap();
        let near = |x: ArrayView1<f64>| {
            let to = |z: ArrayView1<f64>| (&x - &z).mapv(|v| v * v).sum();
            gp.inducing().rows().into_iter().map(to).fold(f64::INFINITY, f64::min)
        };
        x.rows().into_iter().map(near).fold(0.0, f64::max)
    };
    let seeds = 0..10;
    let greedy = unexplained(Inducing::greedy(12));
    let mut gaps = [0.0, 0.0];
    for seed in seeds {
        let uniform = Inducing::uniform(12, seed);
        assert!(greedy < unexplained(uniform.clone()), "seed {seed}");
        gaps[0] += far(uniform);
        gaps[1] += far(Inducing::k_means_plus_plus(12, seed));
    }
    println!("the largest gap, uniform and k-means++: {gaps:?}");
    assert!(gaps[1] < 0.9 * gaps[0]);
    for method in METHODS {
        let gp = model(Inducing::greedy(20)).method(method).optimise(search());
        let gp = gp.fit(&cpu, x.view(), y.view()).unwrap();
        let error = (gp.predict(x.view()).unwrap() - &y).mapv(|v| v * v).mean().unwrap();
        println!("{method:?}: mean square {error:.4}, noise {:.4}", gp.noise());
        assert!(error < 0.1, "{method:?}: {error}");
    }
}

#[test]
fn copies_of_few_points_make_few_inducing_points() {
    let base = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let x = Array2::from_shape_fn((30, 2), |(i, f)| base[[i % 3, f]]);
    let y = Array2::from_shape_fn((30, 1), |(i, _)| (i % 3) as f64);
    for start in [Inducing::k_means_plus_plus(10, 0), Inducing::greedy(10)] {
        let gp = model(start).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        assert_eq!(gp.inducing().nrows(), 3, "there are no more than three");
        assert!(gp.unexplained() < 1e-3);
    }
    // A uniform subset cannot tell, and the jitter carries it.
    let gp = model(Inducing::uniform(10, 0)).optimise(search()).optimise_inducing(true);
    let gp = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!((gp.predict(base.view()).unwrap()[[2, 0]] - 2.0).abs() < 0.1);
}

#[test]
fn adapters_find_the_same_optimum() {
    let (x, y) = data(100, 2, 1, 43);
    let start = model(Inducing::greedy(8)).optimise(search());
    let want = start.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for device in adapters() {
        let got = start.fit(device, x.view(), y.view()).unwrap();
        assert_eq!(got.inducing(), want.inducing(), "the same decisions on {device}");
        let (g, w) = (got.log_evidence(), want.log_evidence());
        println!("{g} and {w}, noise {} and {} on {device}", got.noise(), want.noise());
        // At its top F is flat: what the gradient in f32 is off by moves the parameters more than the value.
        assert!((g - w).abs() < 1e-7 * w.abs(), "{g} {w} on {device}");
        let (a, b) = (got.predict(x.view()).unwrap(), want.predict(x.view()).unwrap());
        let off = (a - b).iter().fold(0f64, |m, v| m.max(v.abs()));
        println!("means off by {off:e}");
        assert!(off < 1e-4, "{device}: {off:e}");
    }
}

/// With little noise F is a difference of large numbers, and far from the origin the inputs have no digits left:
/// f32 alone ends elsewhere.
#[test]
fn a_search_that_f32_would_mislead() {
    let x = Array2::from_shape_fn((150, 1), |(i, _)| 5e4 + i as f64 / 15.0);
    let y = x.mapv(|v| (v - 5e4).sin());
    let new = Array2::from_shape_fn((30, 1), |(i, _)| 5e4 + 0.31 * i as f64);
    for method in METHODS {
        let start = SparseGpRegressor::new(1.0 * Kernel::rbf(0.7), Inducing::greedy(20)).method(method);
        let start = start.noise(1e-5).fixed_noise().jitter(1e-8).optimise(search());
        let want = start.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for device in adapters() {
            let got = start.fit(device, x.view(), y.view()).unwrap();
            let (g, w) = (got.log_evidence(), want.log_evidence());
            let stops = (got.search().unwrap().stop, want.search().unwrap().stop);
            println!("{method:?}: {g} and {w}, {stops:?} on {device}");
            assert!((g - w).abs() < 1e-4 * w.abs(), "{method:?}: {g}, not {w} on {device}");
            let at = |gp: &FittedSparseGp| gp.predict_with(new.view(), Predictive::Latent).unwrap();
            let (a, b) = (at(&got), at(&want));
            assert!((&a.mean - &b.mean).iter().all(|v| v.abs() < 1e-3), "{method:?} on {device}");
        }
    }
}

#[test]
fn nothing_to_learn_is_no_search() {
    let (x, y) = data(40, 2, 1, 45);
    let kernel = (1.0 * Kernel::rbf(1.0)).fixed("scale").unwrap().fixed("rbf.lengthscale").unwrap();
    let model = SparseGpRegressor::new(kernel, Inducing::greedy(6)).fixed_noise();
    let plain = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for device in everywhere() {
        let fixed = model.clone().optimise(search()).fit(&device, x.view(), y.view()).unwrap();
        assert!(fixed.search().is_none(), "{device}");
        assert_eq!(fixed.log_evidence(), plain.log_evidence(), "{device}");
    }
    // Where the inducing points may move there is something to learn.
    let moving = model.optimise(search()).optimise_inducing(true).fit(&Device::cpu(), x.view(), y.view());
    assert!(moving.unwrap().search().is_some());
}

#[test]
fn what_was_set_and_learned_can_be_read() {
    let (x, y) = data(60, 2, 1, 46);
    let start = model(Inducing::greedy(8)).method(SparseMethod::Fitc).optimise(search());
    assert_eq!(start.inducing(), &Inducing::greedy(8));
    assert_eq!((start.noise_variance(), start.approximation()), (0.5, SparseMethod::Fitc));
    let gp = start.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert_eq!(gp.model().kernel().theta(), gp.kernel().theta());
    assert_ne!(gp.kernel().theta(), start.kernel().theta());
    assert_eq!(gp.model().noise_variance(), gp.noise());
    let again = gp.clone();
    assert_eq!(again.predict(x.view()).unwrap(), gp.predict(x.view()).unwrap());
    let rest = (gp.predict(x.view()).unwrap() - &y).mapv(|v| v * v).sum();
    let spread = (&y - y.mean().unwrap()).mapv(|v| v * v).sum();
    assert!((gp.score(x.view(), y.view()).unwrap() - (1.0 - rest / spread)).abs() < 1e-12);
    assert!(matches!(gp.score(x.view(), array![[1.0]].view()), Err(Error::Shape { .. })));
}

#[test]
fn it_can_be_watched_and_cancelled() {
    let (x, y) = data(60, 2, 1, 44);
    let stop = Minimiser::new().progress(Progress::new(|step| {
        if step.made == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    let e = model(Inducing::greedy(5)).optimise(stop).fit(&Device::cpu(), x.view(), y.view());
    assert!(matches!(e, Err(Error::Cancelled { iterations: 2, .. })), "{e:?}");
}

#[test]
fn the_plan_grows_with_n_but_never_by_m() {
    let cpu = Device::cpu();
    let plan = |n: usize, m: usize| model(Inducing::uniform(m, 0)).plan(&cpu, n, 2, 1);
    assert_eq!(plan(1000, 50).method, Method::Landmarks { count: 50 });
    let each = |m: usize| (plan(2_000_000, m).host_bytes - plan(1_000_000, m).host_bytes) / 1_000_000;
    assert_eq!(each(50), each(1000), "a million more rows cost as much whatever m is");
    assert!(each(1000) < 100 && plan(1_000_000, 1000).host_bytes < 300 << 20, "{}", plan(1_000_000, 1000));
    let ratio = plan(100_000, 400).flops / plan(100_000, 200).flops;
    assert!((3.0..4.1).contains(&ratio), "O(n m²): {ratio}");
    let largest = model(Inducing::uniform(10, 0)).plan(&cpu, usize::MAX, 2, 1);
    assert!(largest.host_bytes == u64::MAX);
    let searching = model(Inducing::uniform(50, 0)).optimise_inducing(true).plan(&cpu, 1000, 2, 1);
    assert!(searching.flops_per_iteration > plan(1000, 50).flops_per_iteration);
}

/// Bounds that nobody set do not move the start of a search.
#[test]
fn a_search_begins_where_it_is_told_to() {
    let (x, y) = data(60, 2, 1, 48);
    let cpu = Device::cpu();
    for unit in [1e-5, 1e5] {
        let (size, y) = (unit * unit, &y * unit);
        let m = SparseGpRegressor::new(size * Kernel::rbf([1.0, 1.0]), Inducing::uniform(10, 1))
            .noise(0.5 * size);
        let before = m.fit(&cpu, x.view(), y.view()).unwrap().log_evidence();
        let found = m.optimise(search()).fit(&cpu, x.view(), y.view()).unwrap();
        assert!((found.search().unwrap().trace[0] + before).abs() < 1e-9 * before.abs(), "{unit:e}");
        assert!(found.log_evidence() >= before, "{unit:e}");
    }
}
