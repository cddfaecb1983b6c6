use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::{adapters, alone, cost, random};
use crate::{oracle, table, whole};

/// P of the definition: the precision of each point by bisection, over all others.
fn affinities(x: &Array2<f64>, perplexity: f64) -> Array2<f64> {
    let n = x.nrows();
    let d2 = |a: &Array2<f64>, i: usize, j: usize| (&a.row(i) - &a.row(j)).mapv(|v| v * v).sum();
    let mut p = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        let squares: Vec<f64> = (0..n).map(|j| d2(x, i, j)).collect();
        let (mut low, mut high) = (0f64, 1e6f64);
        for _ in 0..80 {
            let beta = 0.5 * (low + high);
            let w: Vec<f64> = (0..n).map(|j| if j == i { 0.0 } else { (-beta * squares[j]).exp() }).collect();
            let sum: f64 = w.iter().sum();
            let entropy: f64 = w.iter().filter(|w| **w > 0.0).map(|w| -w / sum * (w / sum).ln()).sum();
            if entropy > perplexity.ln() {
                low = beta;
            } else {
                high = beta;
            }
            (0..n).for_each(|j| p[[i, j]] = w[j] / sum);
        }
    }
    let p = (&p + &p.t()) / (2.0 * n as f64);
    assert!((p.sum() - 1.0).abs() < 1e-12);
    p
}

/// KL(P‖Q) of a picture, from the definition.
fn divergence(x: &Array2<f64>, y: &Array2<f64>, perplexity: f64) -> f64 {
    let (n, p) = (x.nrows(), affinities(x, perplexity));
    let d2 = |a: &Array2<f64>, i: usize, j: usize| (&a.row(i) - &a.row(j)).mapv(|v| v * v).sum();
    let q = Array2::from_shape_fn((n, n), |(i, j)| if i == j { 0.0 } else { 1.0 / (1.0 + d2(y, i, j)) });
    let q = &q / q.sum();
    p.iter().zip(&q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * (p / q).ln()).sum()
}

#[test]
fn the_divergence_is_its_definition_and_the_descent_follows_its_gradient() {
    let (x, y) = (random(12, 3, 1), random(12, 2, 2));
    let still = TSne::new(2).perplexity(4.0).start(TSneStart::Given(y.clone())).max_iterations(0);
    let at = |y: &Array2<f64>| {
        let fit = still.clone().start(TSneStart::Given(y.clone())).fit(&Device::cpu(), &x).unwrap();
        assert_eq!(fit.embedding(), y);
        fit.divergence()
    };
    assert!((at(&y) - divergence(&x, &y, 4.0)).abs() < 1e-8);
    // One step from rest with gain 0.8 and rate r moves by -0.8 r times the gradient.
    let rate = 1e-3;
    let step = TSne::new(2).perplexity(4.0).start(TSneStart::Given(y.clone())).learning_rate(rate);
    let moved = step.exaggerated_iterations(0).max_iterations(1).fit(&Device::cpu(), &x).unwrap();
    let gradient = (&y - moved.embedding()) / (0.8 * rate);
    for (i, j) in [(0, 0), (5, 1), (11, 0)] {
        let h = 1e-5;
        let (mut up, mut down) = (y.clone(), y.clone());
        up[[i, j]] += h;
        down[[i, j]] -= h;
        let want = (at(&up) - at(&down)) / (2.0 * h);
        assert!((gradient[[i, j]] - want).abs() < 1e-6, "{} and {want}", gradient[[i, j]]);
    }
}

#[test]
fn digits_are_drawn_as_well_as_by_scikit_learn() {
    let all = oracle("tsne");
    let (x, y) = (table(&all["x"]), whole(&all["y"]));
    let want = all["kl"].as_f64().unwrap();
    let fit = TSne::new(2).perplexity(15.0).fit(&Device::cpu(), &x).unwrap();
    assert!(fit.divergence() <= 1.02 * want, "{} where scikit-learn has {want}", fit.divergence());
    // The nearest neighbour in the picture is mostly the same digit.
    let z = fit.embedding();
    let same = (0..120).filter(|&i| {
        let d = |j: usize| (&z.row(i) - &z.row(j)).mapv(|v| v * v).sum();
        let near = (0..120).filter(|j| *j != i).min_by(|a, b| d(*a).total_cmp(&d(*b))).unwrap();
        y[near] == y[i]
    });
    assert!(same.count() > 100);
}

#[test]
fn the_same_picture_again_wherever_it_starts() {
    let x = table(&oracle("tsne")["x"]).slice(ndarray::s![..40, ..]).to_owned();
    let model = TSne::new(2).perplexity(8.0).max_iterations(300).exaggerated_iterations(60);
    let first = model.fit(&Device::cpu(), &x).unwrap();
    assert_eq!(model.fit(&Device::cpu(), &x).unwrap().embedding(), first.embedding());
    for start in [TSneStart::Spectral, TSneStart::Random] {
        let seeded = |seed| model.clone().start(start.clone()).seed(seed).fit(&Device::cpu(), &x).unwrap();
        assert_eq!(seeded(3).embedding(), seeded(3).embedding());
        assert!(seeded(3).divergence() < 1.0, "{start:?}: {}", seeded(3).divergence());
    }
    assert_eq!(first.transform(&x).unwrap(), first.embedding());
    let trace = &first.report().trace;
    assert!(trace[trace.len() - 1] < trace[0]);
}

#[test]
fn bad_perplexities_and_duplicates() {
    let x = random(10, 2, 3);
    for bad in [10.0, 9.5, 1.0, 0.0, -3.0, f64::NAN] {
        let fitted = TSne::new(2).perplexity(bad).fit(&Device::cpu(), &x);
        assert!(matches!(fitted, Err(Error::Parameter { .. })), "{bad}");
    }
    assert!(TSne::new(0).perplexity(3.0).fit(&Device::cpu(), &x).is_err());
    let wrong = TSneStart::Given(array![[1.0, 2.0]]);
    assert!(TSne::new(2).perplexity(3.0).start(wrong).fit(&Device::cpu(), &x).is_err());
    let twice = Array2::from_shape_fn((20, 2), |(i, j)| x[[i / 2 % 5, j]]);
    let fit = TSne::new(2).perplexity(3.0).max_iterations(50).fit(&Device::cpu(), &twice).unwrap();
    assert!(fit.embedding().iter().all(|v| v.is_finite()) && fit.divergence().is_finite());
}

/// On a device: as good a picture, the same again to the last bit, and KL is that of its definition.
#[test]
fn every_device_draws_a_good_picture_and_the_same_again() {
    let all = oracle("tsne");
    let x = table(&all["x"]);
    let model = TSne::new(2).perplexity(15.0).max_iterations(500);
    let want = model.fit(&Device::cpu(), &x).unwrap().divergence();
    for device in adapters() {
        let fit = model.fit(device, &x).unwrap();
        assert!(fit.divergence() < 1.03 * want, "{} and {want} on {device}", fit.divergence());
        assert!((fit.divergence() - divergence(&x, fit.embedding(), 15.0)).abs() < 1e-4);
        assert_eq!(model.fit(device, &x).unwrap().embedding(), fit.embedding(), "{device}");
        let solid = TSne::new(3).perplexity(10.0).max_iterations(60).fit(device, &x).unwrap();
        assert_eq!(solid.embedding().ncols(), 3);
        let four = TSne::new(4).perplexity(10.0).max_iterations(10);
        let there = four.fit(device, &x).unwrap();
        assert_eq!(there.embedding(), four.fit(&Device::cpu(), &x).unwrap().embedding());
    }
}

/// A few steps: before chaos, devices agree.
#[test]
fn first_steps_are_those_of_the_cpu() {
    let x = random(1100, 5, 8);
    let model = TSne::new(2).perplexity(10.0).start(TSneStart::Given(random(1100, 2, 9))).max_iterations(4);
    let want = model.fit(&Device::cpu(), &x).unwrap();
    let size = want.embedding().iter().fold(0f64, |m, v| m.max(v.abs()));
    for device in adapters() {
        let got = model.fit(device, &x).unwrap();
        let off = (got.embedding() - want.embedding()).iter().fold(0f64, |m, v| m.max(v.abs()));
        assert!(off < 1e-4 * size, "{off:e} of {size} on {device}");
        assert!((got.divergence() / want.divergence() - 1.0).abs() < 1e-4);
    }
}

#[test]
fn a_picture_that_diverges_is_an_error_on_every_device() {
    let x = random(30, 2, 3);
    for device in adapters().cloned().chain([Device::cpu()]) {
        let fitted = TSne::new(2).perplexity(5.0).learning_rate(1e30).fit(&device, &x);
        assert!(matches!(fitted, Err(Error::Parameter { .. })), "{fitted:?} on {device}");
    }
}

/// Points that are all the same have no principal component: noise is what a picture of them starts from.
#[test]
fn points_that_are_all_the_same() {
    let x = Array2::from_elem((17, 3), 2.5);
    let fit = TSne::new(2).perplexity(3.0).max_iterations(20).fit(&Device::cpu(), &x).unwrap();
    assert!(fit.embedding().iter().all(|v| v.is_finite()));
    assert_eq!(fit.embedding().dim(), (17, 2));
}

/// Early exaggeration multiplies the pull alone: one step from rest is `-0.8 r · 4 Σ_j (a p_ij - q_ij) q̃_ij (y_i - y_j)`, one
/// is none, and after the early steps the descent begins anew.
#[test]
fn early_exaggeration_pulls() {
    let (x, y) = (random(12, 3, 1), random(12, 2, 2));
    let (n, rate, perplexity) = (12, 1e-3, 4.0);
    let step = |a: f64, early: usize| {
        let model =
            TSne::new(2).perplexity(perplexity).start(TSneStart::Given(y.clone())).learning_rate(rate);
        let model = model.early_exaggeration(a).exaggerated_iterations(early).max_iterations(1);
        model.fit(&Device::cpu(), &x).unwrap().embedding().clone()
    };
    let slope = |a: f64| (&y - &step(a, 5)) / (0.8 * rate);
    let p = affinities(&x, perplexity);
    let d2 = |i: usize, j: usize| (&y.row(i) - &y.row(j)).mapv(|v| v * v).sum();
    let t = Array2::from_shape_fn((n, n), |(i, j)| if i == j { 0.0 } else { 1.0 / (1.0 + d2(i, j)) });
    let q = &t / t.sum();
    for a in [1.0, 4.0, 12.0] {
        let got = slope(a);
        for i in 0..n {
            for k in 0..2 {
                let one = |j: usize| 4.0 * (a * p[[i, j]] - q[[i, j]]) * t[[i, j]] * (y[[i, k]] - y[[j, k]]);
                let want: f64 = (0..n).map(one).sum();
                assert!((got[[i, k]] - want).abs() < 1e-8, "{a}: {} and {want}", got[[i, k]]);
            }
        }
    }
    assert_eq!(step(1.0, 5), step(12.0, 0));
    // The switch: five early steps and one of KL itself are the same as the five, and one from rest at their end.
    let model = TSne::new(2).perplexity(perplexity).learning_rate(5.0).early_exaggeration(12.0);
    let early = model.clone().start(TSneStart::Given(y.clone())).exaggerated_iterations(5);
    let five = early.clone().max_iterations(5).fit(&Device::cpu(), &x).unwrap().embedding().clone();
    let six = early.max_iterations(6).fit(&Device::cpu(), &x).unwrap();
    let last = model.start(TSneStart::Given(five)).exaggerated_iterations(0).max_iterations(1);
    assert_eq!(six.embedding(), last.fit(&Device::cpu(), &x).unwrap().embedding());
    assert!(TSne::new(2).perplexity(4.0).early_exaggeration(0.0).fit(&Device::cpu(), &x).is_err());
}

/// Above a thousand points the affinities are of the nearest 3 perplexities alone: KL within one percent of the definition.
#[test]
fn affinities_of_neighbours_are_nearly_those_of_all() {
    let (x, y) = (random(1200, 4, 18), random(1200, 2, 19) * 5.0);
    let still = TSne::new(2).perplexity(12.0).start(TSneStart::Given(y.clone())).max_iterations(0);
    let fit = still.fit(&Device::cpu(), &x).unwrap();
    let want = divergence(&x, &y, 12.0);
    assert!((fit.divergence() / want - 1.0).abs() < 0.01, "{} and {want}", fit.divergence());
    assert!(fit.divergence() != want);
    for device in alone() {
        let ([launches, ..], there) = cost(&device, || still.fit(&device, &x).unwrap());
        assert!(launches > 0, "{device}");
        assert!((there.divergence() / fit.divergence() - 1.0).abs() < 1e-4, "{device}");
    }
}

/// New points: the mean of the picture by a Gaussian of the same perplexity over all points.
#[test]
fn new_points_are_drawn_between_their_neighbours() {
    let x = random(40, 3, 21);
    let fit = TSne::new(2).perplexity(6.0).max_iterations(60).fit(&Device::cpu(), &x).unwrap();
    let new = random(1, 3, 22);
    let at = fit.transform(&new).unwrap();
    let d2 = x.rows().into_iter().map(|r| (&r - &new.row(0)).mapv(|v| v * v).sum()).collect::<Vec<f64>>();
    let (mut low, mut high) = (0f64, 1e6f64);
    let weights = |beta: f64| {
        let w: Vec<f64> = d2.iter().map(|d| (-beta * d).exp()).collect();
        let sum: f64 = w.iter().sum();
        ndarray::Array1::from_iter(w.into_iter().map(|w| w / sum))
    };
    for _ in 0..200 {
        let beta = 0.5 * (low + high);
        let entropy: f64 = weights(beta).iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum();
        if entropy > 6f64.ln() { low = beta } else { high = beta }
    }
    let want = weights(0.5 * (low + high)).dot(fit.embedding());
    at.row(0).iter().zip(&want).for_each(|(a, w)| assert!((a - w).abs() < 1e-6, "{at} {want}"));
}
