//! Factors of a device: those of the CPU, and little that crosses over.

use mercer::prelude::*;

use crate::support::{alone, gpus};

/// 60 users and 45 items with six ratings or more of each user, one user and one item without any.
fn table() -> Ratings {
    let mut entries = Vec::new();
    for user in 0..59 {
        for e in 0..6 + user % 9 {
            let item = (user * 11 + e * 7) % 44;
            let value = 1.0 + ((user * 3 + item * 5 + e) % 5) as f64;
            entries.push(Rating { user, item, value, weight: 1.0 + (e % 2) as f64 });
        }
    }
    entries.sort_by_key(|r| (r.user, r.item));
    entries.dedup_by_key(|r| (r.user, r.item));
    Ratings::of(60, 45, entries).unwrap()
}

fn off(a: &ndarray::Array2<f64>, b: &ndarray::Array2<f64>) -> f64 {
    let scale = b.iter().fold(0f64, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0f64, |m, (a, b)| m.max((a - b).abs())) / scale
}

#[test]
fn factors_are_those_of_the_cpu() {
    let ratings = table();
    for model in [
        Als::new(4).penalty(0.5),
        Als::new(33).penalty(2.0),
        Als::new(5).penalty(0.5).biases(true),
        Als::new(8).penalty(1.0).feedback(Feedback::Implicit { alpha: 2.0 }),
    ] {
        let model = model.max_iterations(8).tolerance(0.0);
        let want = model.fit_ratings(&ratings).unwrap();
        for device in gpus() {
            let got = model.fit_ratings_on(device, &ratings).unwrap();
            let found = off(got.user_factors(), want.user_factors());
            assert!(found < 1e-4, "users on {device}: {found:e}");
            assert!(off(got.item_factors(), want.item_factors()) < 1e-4, "items on {device}");
            assert_ne!(got.user_factors(), want.user_factors(), "f32 on {device}");
            for (a, b) in [(got.user_biases(), want.user_biases()), (got.item_biases(), want.item_biases())] {
                assert!((a - b).iter().all(|d| d.abs() < 1e-4), "biases on {device}");
            }
            let (a, b) = (got.report().objective(), want.report().objective());
            assert!((a - b).abs() < 1e-5 * b, "{a} {b}");
            let again = model.fit_ratings_on(device, &ratings).unwrap();
            assert_eq!(got.item_factors(), again.item_factors(), "the same bits on {device}");
        }
    }
}

/// Implicit feedback at the size of `MovieLens` 100k: 943 users and 1682 items, some of them popular, α = 40, λ = 10.
#[test]
fn factors_of_a_large_table_are_those_of_the_cpu() {
    let mut entries = Vec::new();
    for user in 0..943 {
        for e in 0..20 + user % 17 {
            // Half of a user's items are among the first 84.
            let item = if e % 2 == 0 { (user * 7 + e * 5) % 84 } else { (user * 131 + e * 59) % 1682 };
            entries.push(Rating { user, item, value: 1.0 + ((user + 3 * item) % 5) as f64, weight: 1.0 });
        }
    }
    entries.sort_by_key(|r| (r.user, r.item));
    entries.dedup_by_key(|r| (r.user, r.item));
    let ratings = Ratings::of(943, 1682, entries).unwrap();
    let model = Als::new(33).penalty(10.0).feedback(Feedback::Implicit { alpha: 40.0 });
    let model = model.max_iterations(1).tolerance(0.0);
    let want = model.fit_ratings(&ratings).unwrap();
    for device in gpus() {
        let got = model.fit_ratings_on(device, &ratings).unwrap();
        assert!(off(got.user_factors(), want.user_factors()) < 1e-4, "users on {device}");
        assert!(off(got.item_factors(), want.item_factors()) < 1e-4, "items on {device}");
        assert_ne!(got.user_factors(), want.user_factors(), "f32 on {device}");
    }
}

/// Without a penalty some systems are singular: the CPU says it. Weights of 400 penalties are more than f32 carries.
#[test]
fn what_f32_cannot_carry_is_done_by_the_cpu() {
    let ratings = table();
    let model = Als::new(70).penalty(1.0).max_iterations(2);
    let want = model.fit_ratings(&ratings).unwrap();
    let singular = Als::new(12).penalty(0.0).max_iterations(2);
    for device in gpus() {
        let got = model.fit_ratings_on(device, &ratings).unwrap();
        assert_eq!(got.item_factors(), want.item_factors(), "a rank without a shader");
        let steep = Als::new(33).penalty(1.0).feedback(Feedback::Implicit { alpha: 40.0 }).max_iterations(2);
        let [here, there] = [&Device::cpu(), device].map(|d| steep.fit_ratings_on(d, &ratings).unwrap());
        assert_eq!(here.item_factors(), there.item_factors(), "weights beyond f32");
        let said = |fit: Result<FittedFactors, Error>| {
            fit.map(|f| f.item_factors().clone()).map_err(|e| e.to_string())
        };
        assert_eq!(said(singular.fit_ratings_on(device, &ratings)), said(singular.fit_ratings(&ratings)));
    }
}

/// Ratings go up once; an iteration is two launches, and brings down the factors and two words.
#[test]
fn an_iteration_moves_factors_down() {
    let ratings = table();
    let (k, n, m) = (8, 60, 45);
    let fit = |device: &Device, iterations: usize| {
        let model = Als::new(k).penalty(0.5).max_iterations(iterations).tolerance(0.0);
        model.fit_ratings_on(device, &ratings).unwrap();
        let c = device.counters();
        [c.dispatches, c.bytes_up, c.bytes_down]
    };
    for device in alone() {
        let (zero, one, three) = (fit(&device, 3), fit(&device, 3), fit(&device, 4));
        let [dispatches, up, down] = [0, 1, 2].map(|i| (three[i] - one[i]) - (one[i] - zero[i]));
        assert_eq!(dispatches, 2, "on {device}");
        assert_eq!(up, 2 * 4, "two words of status on {device}");
        assert_eq!(down, 4 * (k * (n + m)) as u64 + 2 * 4, "on {device}");
    }
}
