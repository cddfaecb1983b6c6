//! What models send that need no iterations, counted to the byte: the formulas of `docs/cluster.md`.

use mercer::prelude::*;
use ndarray::{Array1, s};

use super::traffic::{N, data, exchange, gather, sent, total};

/// The shapes of all ranks.
fn shapes(size: usize, name: &str) -> (usize, usize) {
    gather(size, name, |_| 16)
}

/// The end of a meeting.
fn end(size: usize) -> (usize, usize) {
    exchange(size, "the end", 0)
}

#[test]
fn moments_are_sent_once() {
    let (x, d) = (data(3), 3);
    for size in [2, 3, 5] {
        let name = "StreamedMoments::of";
        let wanted = total(&[shapes(size, name), exchange(size, name, 8 * d * d + 8 * d + 32), end(size)]);
        let found = sent(size, |ranks, own| {
            Pca::new(1).fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(found, wanted);
        let found = sent(size, |ranks, own| {
            FactorAnalysis::new(1).fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(found, wanted);
        let found = sent(size, |ranks, own| {
            Ppca::new(1).fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(found, wanted);
        let name = "Standardise::fit";
        let of = |payload| exchange(size, name, payload);
        let sums = [of(16 * d + 16), of(8), of(8 * d + 8), of(8 * d + 8)];
        let found = sent(size, |ranks, own| {
            Standardise::new().fit_across(ranks, &Device::cpu(), x.slice(s![own, ..])).unwrap();
        });
        assert_eq!(found, total(&[shapes(size, name), total(&sums), end(size)]));
    }
}

#[test]
fn regressions_send_a_mean_and_a_triangle() {
    let (x, d, t) = (data(3), 3, 1);
    let y = Array1::from_shape_fn(N, |i| (i as f64).cos());
    let w = Array1::from_shape_fn(N, |i| 1.0 + (i % 2) as f64);
    for size in [2, 3, 5] {
        let of = |name, payload| exchange(size, name, payload);
        let both = |name| total(&[of(name, 8 * (d + t) + 16), of(name, 8 * (d + t) * (d + t) + 16)]);
        let found = sent(size, |ranks, own| {
            let (x, y) = (x.slice(s![own.clone(), ..]), y.slice(s![own]));
            Ridge::new(1.0).fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "Ridge::fit";
        assert_eq!(found, total(&[shapes(size, name), both(name), end(size)]));
        let found = sent(size, |ranks, own| {
            let (x, y) = (x.slice(s![own.clone(), ..]), y.slice(s![own]));
            LeastSquares::new().fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "LeastSquares::fit";
        assert_eq!(found, total(&[shapes(size, name), both(name), end(size)]));
        // Weights cost their sum, twice: once they are checked.
        let found = sent(size, |ranks, own| {
            let (x, y, w) = (x.slice(s![own.clone(), ..]), y.slice(s![own.clone()]), w.slice(s![own]));
            Ridge::new(1.0).fit_weighted_across(ranks, &Device::cpu(), x, y, w).unwrap();
        });
        let name = "Ridge::fit";
        let weighed = total(&[of("weights", 8), of(name, 8)]);
        assert_eq!(found, total(&[weighed, shapes(size, name), both(name), end(size)]));
    }
}

#[test]
fn classifiers_send_labels_and_moments_of_classes() {
    let (x, d, k) = (data(3), 3, 2);
    let y: Vec<bool> = (0..N).map(|i| (i * 31 % 17) > 7).collect();
    for size in [2, 3, 5] {
        let labels = |name| gather(size, name, |_| 8 + 2);
        let begin = |name| total(&[shapes(size, name), labels(name)]);
        let found = sent(size, |ranks, own| {
            let (x, y) = (x.slice(s![own.clone(), ..]), &y[own]);
            LinearDiscriminant::new().fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let moments = exchange(size, "a discriminant", k * (8 * d * d + 8 * d + 32) + 8);
        assert_eq!(found, total(&[begin("LinearDiscriminant::fit"), moments, end(size)]));
        let found = sent(size, |ranks, own| {
            let (x, y) = (x.slice(s![own.clone(), ..]), &y[own]);
            QuadraticDiscriminant::new().fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        assert_eq!(found, total(&[begin("QuadraticDiscriminant::fit"), moments, end(size)]));
        let counts = x.mapv(|v| (v + 2.0).floor().max(0.0));
        let found = sent(size, |ranks, own| {
            let (x, y) = (counts.slice(s![own.clone(), ..]), &y[own]);
            MultinomialNaiveBayes::new(1.0).fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "MultinomialNaiveBayes::fit";
        let of = |payload| exchange(size, name, payload);
        assert_eq!(found, total(&[begin(name), of(8 * k * d + 8), of(8 * k + 8), end(size)]));
        let found = sent(size, |ranks, own| {
            let (x, y) = (counts.slice(s![own.clone(), ..]), &y[own]);
            CategoricalNaiveBayes::new().fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "CategoricalNaiveBayes::fit";
        let of = |payload| exchange(size, name, payload);
        let c: usize =
            counts.columns().into_iter().map(|c| c.fold(0f64, |m, v| m.max(*v)) as usize + 1).sum();
        let sums = [of(16 * d + 16), of(8 * k * c + 8), of(8 * k + 8)];
        assert_eq!(found, total(&[begin(name), total(&sums), end(size)]));
        let bits = x.mapv(|v| f64::from(u8::from(v > 1.0)));
        let found = sent(size, |ranks, own| {
            let (x, y) = (bits.slice(s![own.clone(), ..]), &y[own]);
            BernoulliNaiveBayes::new().beta(1.0, 1.0).fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "BernoulliNaiveBayes::fit";
        let of = |payload| exchange(size, name, payload);
        assert_eq!(found, total(&[begin(name), of(8 * k * d + 8), of(8 * k + 8), end(size)]));
        let found = sent(size, |ranks, own| {
            let (x, y) = (x.slice(s![own.clone(), ..]), &y[own]);
            GaussianNaiveBayes::new().fit_across(ranks, &Device::cpu(), x, y).unwrap();
        });
        let name = "GaussianNaiveBayes::fit";
        let of = |payload| exchange(size, name, payload);
        let sums = [of((k + 1) * (8 * d + 16) + 8), of(8 * (k + 1) * d + 8)];
        assert_eq!(found, total(&[begin(name), total(&sums), end(size)]));
    }
}

#[test]
fn sums_over_pairs_send_points_and_four_numbers() {
    let (x, d) = (data(2), 2);
    for size in [2, 3, 5] {
        let rows = |r: usize| (r + 1) * N / size - r * N / size;
        let found = sent(size, |ranks, own| {
            let part = x.slice(s![own, ..]);
            Mmd::new(Kernel::rbf(1.0)).across(ranks, part, part.mapv(|v| v + 0.1)).unwrap();
        });
        let name = "Mmd::across";
        let points = gather(size, name, |r| 16 + 8 * d * rows(r));
        assert_eq!(found, total(&[points, points, exchange(size, name, 8 * 4 + 8), end(size)]));
        let found = sent(size, |ranks, own| {
            let part = x.slice(s![own, ..]);
            let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(2.0));
            hsic.across(ranks, part.slice(s![.., ..1]), part.slice(s![.., 1..])).unwrap();
        });
        let name = "Hsic::across";
        let points = gather(size, name, |r| 16 + 8 * d * rows(r));
        let sums = exchange(size, name, 8 * 4 + 8);
        assert_eq!(found, total(&[shapes(size, name), points, sums, end(size)]));
    }
}
