use mercer::ops::{Draw, bernoulli, bernoulli_by, categorical, permutation, random, random_words, to_half};
use mercer::random::{Philox, Threshold};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{alone, cramped, edges, gpus, on};

fn everywhere() -> impl Iterator<Item = Device> {
    gpus().iter().chain(cramped()).cloned().chain([Device::cpu()])
}

/// The vectors that the authors of Philox publish (Random123, `kat_vectors`): the counter is (block, stream), the key the
/// seed.
#[test]
fn published_vectors() {
    let whole = |low: u64, high: u64| low | (high << 32);
    let cases: [(u64, u64, u64, [u32; 4]); 3] = [
        (0, 0, 0, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        (u64::MAX, u64::MAX, u64::MAX, [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            whole(0x243f_6a88, 0x85a3_08d3),
            whole(0x1319_8a2e, 0x0370_7344),
            whole(0xa409_3822, 0x299f_31d0),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];
    for device in everywhere() {
        for (block, stream, seed, want) in cases {
            assert_eq!(random_words(&device, block, 4, seed, stream).unwrap(), want, "on {device}");
            // The block after it, which a carry leads to.
            let mut rng = Philox::new(seed, stream).at(block);
            let more: Vec<u32> = (0..7).map(|_| rng.word()).collect();
            assert_eq!(random_words(&device, block, 7, seed, stream).unwrap(), more, "on {device}");
        }
    }
}

#[test]
fn words_and_uniform_numbers_are_the_same_bits_everywhere() {
    let (seed, stream) = (0xdead_beef_0123_4567, 0x1_0000_0002);
    for n in edges(64).into_iter().chain([0, 3, 5000, 70_001]) {
        let mut rng = Philox::new(seed, stream);
        let want: Vec<u32> = (0..n).map(|_| rng.word()).collect();
        for device in everywhere() {
            assert_eq!(random_words(&device, 0, n, seed, stream).unwrap(), want, "{n} on {device}");
        }
    }
    for (n, m) in [(1, 1), (3, 5), (65, 4), (300, 130)] {
        let want = random(&Device::cpu(), (n, m), Draw::Uniform, seed, stream).unwrap().to_array().unwrap();
        assert!(want.iter().all(|u| (0.0..1.0).contains(u)));
        for device in everywhere() {
            let got = random(&device, (n, m), Draw::Uniform, seed, stream).unwrap().to_array().unwrap();
            assert_eq!(got, want, "{n} x {m} on {device}");
        }
    }
}

#[test]
fn normal_numbers_agree_to_the_rounding_of_f32_and_are_normal() {
    let draw = |d: &Device| random(d, (1000, 100), Draw::Normal, 5, 9).unwrap().to_array().unwrap();
    let want = draw(&Device::cpu());
    for device in everywhere() {
        let got = draw(&device);
        let off = got.iter().zip(&want).map(|(g, w)| (g - w).abs() / w.abs().max(1.0)).fold(0.0, f64::max);
        assert!(off < 5e-7, "{off:e} on {device}");
    }
    // Kolmogorov and Smirnov: D √n is below 1.63 in 99 of 100 cases.
    let mut sorted: Vec<f64> = want.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let cdf = |x: f64| 0.5 * statrs::function::erf::erfc(-x / 2f64.sqrt());
    let d =
        sorted.iter().enumerate().map(|(i, x)| (cdf(*x) - (i as f64 + 0.5) / n).abs()).fold(0.0, f64::max);
    assert!(d * n.sqrt() < 1.63, "{}", d * n.sqrt());
    let far = want.iter().fold(0f64, |m, v| m.max(v.abs()));
    assert!(far > 3.8 && far <= (2.0 * 24.0 * 2f64.ln()).sqrt());
}

#[test]
fn decisions_are_the_same_bits_everywhere() {
    // Probabilities that f32 holds, at the edges of what an integer of 32 bits tells apart.
    let tiny = 2f64.powi(-32);
    let edges = [
        0.0,
        tiny,
        0.5 * tiny,
        0.25 * tiny,
        1.5 * tiny,
        1.0 / 512.0,
        0.3f32.into(),
        0.5,
        1.0 - 2f64.powi(-24),
        1.0,
    ];
    let p = Array2::from_shape_fn((400, 11), |(i, j)| {
        f64::from(edges.get(j).map_or(i as f32 / 400.0, |e| *e as f32))
    });
    let thresholds: Vec<Threshold> = (0..11).map(|j| Threshold::new(f64::from(j) / 10.0).unwrap()).collect();
    let want = bernoulli(&on(&Device::cpu(), &p), 3, 4).unwrap().to_array().unwrap();
    let by = bernoulli_by(&Device::cpu(), (400, 11), &thresholds, 3, 4).unwrap().to_array().unwrap();
    assert!(want.column(0).sum() == 0.0 && want.column(9).sum() == 400.0);
    assert!((want.column(7).sum() / 400.0 - 0.5).abs() < 0.1);
    assert!((0..11).all(|j| (by.column(j).sum() / 400.0 - j as f64 / 10.0).abs() < 0.1));
    assert!(by.column(0).sum() == 0.0 && by.column(10).sum() == 400.0);
    for device in everywhere() {
        assert_eq!(bernoulli(&on(&device, &p), 3, 4).unwrap().to_array().unwrap(), want, "on {device}");
        let got = bernoulli_by(&device, (400, 11), &thresholds, 3, 4).unwrap().to_array().unwrap();
        assert_eq!(got, by, "on {device}");
        let one = bernoulli_by(&device, (5, 3), &thresholds[10..], 3, 4).unwrap().to_array().unwrap();
        assert_eq!(one.sum(), 15.0);
        let half = to_half(&on(&device, &Array2::from_elem((2, 2), 1.0))).unwrap();
        assert_eq!(bernoulli(&half, 1, 1).unwrap().to_array().unwrap().sum(), 4.0);
        assert!(matches!(bernoulli_by(&device, (2, 3), &thresholds[..2], 1, 1), Err(Error::Shape { .. })));
    }
}

#[test]
fn categories_and_orders_are_the_same_everywhere() {
    let weights = [0.0, 2.0, 1.0, 0.0, 5.0, 1e-30, 0.0];
    let want = categorical(&Device::cpu(), &weights, 8000, 3, 4).unwrap();
    for (k, w) in weights.iter().enumerate() {
        let share = want.iter().filter(|c| **c == k).count() as f64 / 8000.0;
        assert!((share - w / 8.0).abs() < 0.02, "{k}: {share}");
    }
    for device in everywhere() {
        assert_eq!(categorical(&device, &weights, 8000, 3, 4).unwrap(), want, "on {device}");
        assert_eq!(categorical(&device, &[0.0, 3.0], 5, 3, 4).unwrap(), [1; 5]);
        assert_eq!(categorical(&device, &[1.0], 0, 3, 4).unwrap(), Vec::<usize>::new());
        for bad in [&[-1.0, 2.0][..], &[f64::NAN], &[0.0, 0.0], &[]] {
            assert!(matches!(categorical(&device, bad, 1, 1, 1), Err(Error::Parameter { .. })));
        }
    }
    for n in [0, 1, 2, 3, 63, 64, 65, 1000] {
        let want = permutation(&Device::cpu(), n, 6, 7).unwrap();
        let mut sorted = want.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        for device in everywhere() {
            assert_eq!(permutation(&device, n, 6, 7).unwrap(), want, "{n} on {device}");
        }
    }
    // Every order of three is as probable as another.
    let mut seen = std::collections::HashMap::<Vec<usize>, f64>::new();
    for stream in 0..6000 {
        *seen.entry(permutation(&Device::cpu(), 3, 1, stream).unwrap()).or_default() += 1.0;
    }
    let chi: f64 = seen.values().map(|c| (c - 1000.0) * (c - 1000.0) / 1000.0).sum();
    assert!(seen.len() == 6 && chi < 20.5, "{chi}"); // of five degrees of freedom, 99.9 %
    for device in cramped() {
        assert!(matches!(permutation(device, 10_000, 1, 1), Err(Error::TooLarge { .. })));
    }
}

/// What is drawn stays where it is drawn: no bytes cross until it is read.
#[test]
fn nothing_crosses() {
    for device in alone() {
        let before = device.counters();
        let u = random(&device, (1000, 64), Draw::Uniform, 1, 1).unwrap();
        let z = bernoulli(&u, 1, 2).unwrap();
        let after = device.counters();
        assert_eq!((after.dispatches - before.dispatches, after.bytes_up, after.bytes_down), (2, 0, 0));
        assert_eq!(z.shape(), (1000, 64));
        let mean = z.to_array().unwrap().mean().unwrap();
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert_eq!(device.counters().submissions - before.submissions, 1);
    }
}
