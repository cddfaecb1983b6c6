//! K-means: scikit-learn, the notes, theorems, every adapter.

use mercer::Device;
use mercer::models::cluster::{FittedKMeans, KMeans, KMeansStart, plus_plus};
use ndarray::{Array2, Axis};

use crate::support::{adapters, random};
use crate::{clouds, list, oracle, same, table, x1};

fn from(start: Array2<f64>) -> KMeans {
    KMeans::new(start.nrows()).tolerance(0.0).max_iterations(200).start(KMeansStart::Given(start))
}

fn fit(model: &KMeans, x: &Array2<f64>) -> FittedKMeans {
    model.fit(&Device::cpu(), x.view()).unwrap()
}

#[test]
fn scikit_learn_from_the_same_centres() {
    let truth = oracle("cluster_kmeans");
    let (x, weights, model) = (table(&truth["x"]), list(&truth["weights"]), from(table(&truth["start"])));
    for want in truth["fits"].as_array().unwrap() {
        let got = if want["weighted"].as_bool().unwrap() {
            model.fit_weighted(&Device::cpu(), &x, &weights).unwrap()
        } else {
            fit(&model, &x)
        };
        same(got.centres(), &table(&want["centres"]), 1e-10, "centres");
        same(&[got.cost()], &[want["cost"].as_f64().unwrap()], 1e-10, "cost");
        let labels: Vec<usize> = list(&want["labels"]).into_iter().map(|v| v as usize).collect();
        assert_eq!(got.labels(), labels);
        assert!(got.report().converged() && got.empty().is_empty());
    }
}

/// Amsterdam 7.1 and Simeone 6.2: six points, seven points.
#[test]
fn the_steps_of_the_notes() {
    let near = fit(&from(ndarray::array![[-1.0], [1.0]]), &x1());
    same(near.centres(), &[-1.5, 5.0 / 3.0], 1e-12, "centres");
    same(&[near.cost()], &[5.0 / 3.0], 1e-12, "cost");
    let far = fit(&from(ndarray::array![[2.0], [2.5]]), &x1());
    // Costs of each assignment to the means before it.
    let trace = &far.report().trace;
    same(&trace[..4], &[38.5, 7.09, 3.171_875, 5.0 / 3.0], 1e-12, "the notes");
    same(&[far.cost()], &[5.0 / 3.0], 1e-12, "the same optimum");
    assert!(far.report().trace.windows(2).all(|w| w[1] <= w[0]), "{:?}", far.report().trace);
    let x = ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0], [2.5]];
    let fit = fit(&from(ndarray::array![[-1.0], [1.0]]), &x);
    same(fit.centres(), &[-1.5, 1.75], 1e-12, "Simeone");
    same(&[fit.cost()], &[1.75], 1e-12, "Simeone");
}

#[test]
fn what_must_hold() {
    let x = random(60, 3, 1);
    assert!(fit(&KMeans::new(60), &x).cost() < 1e-20, "K = n costs nothing");
    let z = &x - &x.mean_axis(Axis(0)).unwrap();
    same(
        &[fit(&KMeans::new(1), &x).cost()],
        &[z.iter().map(|v| v * v).sum()],
        1e-12,
        "K = 1 is the variance",
    );
    let one = fit(&KMeans::new(5).restarts(1), &x);
    let ten = fit(&KMeans::new(5), &x);
    assert!(
        ten.cost() <= one.cost() && ten.report().starts[0] == one.cost() && ten.report().starts.len() == 10
    );
    assert_eq!(ten.centres(), fit(&KMeans::new(5), &x).centres(), "the same seed, the same bits");
    for (k, centre) in ten.centres().rows().into_iter().enumerate() {
        let rows: Vec<usize> = (0..60).filter(|&i| ten.labels()[i] == k).collect();
        same(centre, &x.select(Axis(0), &rows).mean_axis(Axis(0)).unwrap(), 1e-12, "centres are means");
        assert_eq!(ten.mass()[k], rows.len() as f64);
    }
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..60usize).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let model = from(x.select(Axis(0), &[1, 2, 4]));
    let weighted = model.fit_weighted(&Device::cpu(), &x, &weights).unwrap();
    let repeated = fit(&model, &x.select(Axis(0), &rows));
    same(weighted.centres(), repeated.centres(), 1e-12, "weights are repetitions");
    same(&weighted.report().trace, &repeated.report().trace, 1e-12, "weights are repetitions");
}

/// Oxford (1.18): `E[W] <= 8 (log K + 2) W*`, in the mean over seeds, and the exact expectation on the notes' points.
#[test]
fn plus_plus_keeps_its_promise() {
    let seeding = |x: &Array2<f64>, k, seed| {
        let rows = plus_plus(x, k, seed).unwrap();
        let far = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum();
        (0..x.nrows()).map(|i| rows.iter().map(|&j| far(i, j)).fold(f64::INFINITY, f64::min)).sum::<f64>()
    };
    let seeds = 4000;
    let mean = (0..seeds).map(|s| seeding(&x1(), 2, s)).sum::<f64>() / seeds as f64;
    // The standard error is below 0.06.
    assert!((mean - 4.431_013_132).abs() < 0.25, "{mean}");
    let x = clouds(90, 2, 2);
    for k in [2, 5, 9] {
        let best = fit(&KMeans::new(k), &x).cost();
        let mean = (0..100).map(|s| seeding(&x, k, s)).sum::<f64>() / 100.0;
        assert!(mean >= best && mean <= 8.0 * ((k as f64).ln() + 2.0) * best, "{k}: {mean} {best}");
    }
}

/// After -2 is drawn the others have the chances of the notes.
#[test]
fn plus_plus_draws_by_squared_distance() {
    let want = [0.0, 0.005_847_953_216, 0.023_391_812_87, 0.210_526_315_8, 0.286_549_707_6, 0.473_684_210_5];
    let draws: Vec<Vec<usize>> = (0..60_000).map(|s| plus_plus(x1(), 2, s).unwrap()).collect();
    let second: Vec<usize> = draws.iter().filter(|d| d[0] == 0).map(|d| d[1]).collect();
    for (i, p) in want.iter().enumerate() {
        let share = second.iter().filter(|&&j| j == i).count() as f64 / second.len() as f64;
        assert!((share - p).abs() < 0.02, "{i}: {share} {p}");
    }
    assert!(!second.contains(&0), "a point is never drawn twice");
}

/// All rows on one centre, the other centres far from everything: each gets the farthest row there is.
#[test]
fn empty_clusters_are_filled() {
    let x = clouds(90, 2, 3);
    let mut start = Array2::from_elem((4, 2), 1e6);
    start.row_mut(2).fill(0.0);
    let fit = fit(&from(start), &x);
    assert!(fit.empty().is_empty() && fit.mass().iter().all(|m| *m > 0.0), "{}", fit.mass());
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0]), "{:?}", fit.report().trace);
    assert!(fit.cost() < 2.0 * self::fit(&KMeans::new(4), &x).cost());
}

#[test]
fn mini_batches_and_single_rows_learn_too() {
    let x = clouds(3000, 2, 4);
    let whole = fit(&KMeans::new(3), &x);
    let batches = fit(&KMeans::new(3).batch(100).restarts(2).max_iterations(3), &x);
    assert!(batches.cost() < 1.02 * whole.cost(), "{} {}", batches.cost(), whole.cost());
    assert_eq!(batches.labels().len(), 3000);
    // On-line: a centre is the mean of all the rows it ever took.
    let mut online = fit(&from(x.select(Axis(0), &[0, 1, 2])), &x.select(Axis(0), &[0, 1, 2]));
    let (mut sums, mut counts) = (online.centres().clone(), [1.0; 3]);
    for row in x.rows().into_iter().skip(3) {
        let row = row.insert_axis(Axis(0));
        let k = online.predict(row).unwrap()[0];
        online.update(row).unwrap();
        counts[k] += 1.0;
        let mut sum = sums.row_mut(k);
        sum += &row.row(0);
        same(online.centres().row(k), &(&sums.row(k) / counts[k]), 1e-9, "running means");
    }
    let cost = online
        .squared_distances(x.view())
        .unwrap()
        .map_axis(Axis(1), |r| r.fold(f64::INFINITY, |a, &b| a.min(b)));
    assert!(cost.sum() < 1.3 * whole.cost(), "{} {}", cost.sum(), whole.cost());
}

#[test]
fn every_adapter_agrees_with_the_cpu() {
    let x = clouds(3000, 5, 5);
    let model = KMeans::new(6).restarts(1).max_iterations(2000);
    let want = fit(&model, &x);
    for device in adapters() {
        let before = device.counters();
        let got = model.fit(device, x.view()).unwrap();
        assert!(device.counters() != before, "never came to {device}");
        same(&[got.cost()], &[want.cost()], 1e-4, &device.to_string());
        let different = got.labels().iter().zip(want.labels()).filter(|(a, b)| a != b).count();
        assert!(different < 15, "{different} of 3000 on {device}");
    }
}
