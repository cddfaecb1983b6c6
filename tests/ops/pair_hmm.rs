use mercer::kernel::structures::{ObjectKernel, PairHmm};
use mercer::ops::pair_hmm;
use mercer::{Device, Error};
use ndarray::{Array1, Array2, array};

use crate::support::{alone, cramped, gpus};

fn two() -> PairHmm {
    PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.2, 0.4, 0.1).unwrap()
}

/// Twenty letters, as proteins have; matches mostly of equals.
fn twenty() -> PairHmm {
    let p = Array2::from_shape_fn((20, 20), |(i, j)| if i == j { 0.6 / 20.0 } else { 0.4 / 380.0 });
    PairHmm::new("ACDEFGHIKLMNPQRSTVWY", p, Array1::from_elem(20, 0.05), 0.05, 0.3, 0.01).unwrap()
}

/// Words that are not random, of these letters.
fn word(letters: &str, n: usize, seed: usize) -> String {
    let letters: Vec<char> = letters.chars().collect();
    (0..n).map(|i| letters[(i * i * 7 + i * seed + seed * seed + i / 3) % letters.len()]).collect()
}

/// The definition: all ways from here on, in this state.
fn ways(x: &[usize], y: &[usize], state: u8) -> f64 {
    let (open, extend, end) = (0.2, 0.4, 0.1);
    let p = |a: usize, b: usize| if a == b { 0.4 } else { 0.1 };
    // On to a match or the end, by the probabilities that nothing more is inserted.
    let on = match state {
        0 => (1.0 - open) * (1.0 - open),
        1 => (1.0 - extend) * (1.0 - open),
        _ => 1.0 - extend,
    };
    let mut sum = if x.is_empty() && y.is_empty() { on * end } else { 0.0 };
    if let ([a, x @ ..], [b, y @ ..]) = (x, y) {
        sum += on * (1.0 - end) * p(*a, *b) * ways(x, y, 0);
    }
    if let [_, x @ ..] = x
        && state < 2
    {
        sum += if state == 0 { open } else { extend } * 0.5 * ways(x, y, 1);
    }
    if let [_, y @ ..] = y {
        let into = [(1.0 - open) * open, (1.0 - extend) * open, extend][state as usize];
        sum += into * 0.5 * ways(x, y, 2);
    }
    sum
}

#[test]
fn logs_are_sums_over_alignments() {
    let words = ["", "a", "b", "ab", "bab", "abba", "aabab"];
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let logs = pair_hmm(&device, &two(), &words, None).unwrap();
        for (i, a) in words.iter().enumerate() {
            for (j, b) in words.iter().enumerate() {
                let code = |w: &str| w.chars().map(|c| usize::from(c == 'b')).collect::<Vec<_>>();
                let want = ways(&code(a), &code(b), 0);
                let off = logs[[i, j]].exp() / want - 1.0;
                assert!(off.abs() < 2e-6, "{a} and {b} on {device}: {} and {want}", logs[[i, j]].exp());
            }
        }
    }
}

/// At the edges of widths and of the lanes, and beyond the longest that a device takes.
#[test]
fn every_device_agrees_with_the_cpu() {
    let lengths = [0, 1, 2, 31, 62, 63, 64, 65, 126, 127, 128, 129, 318, 319, 320, 330, 700];
    let words: Vec<String> =
        lengths.iter().enumerate().map(|(i, &n)| word("ACDEFGHIKLMNPQRSTVWY", n, i + 2)).collect();
    let hmm = twenty();
    let want = pair_hmm(&Device::cpu(), &hmm, &words, None).unwrap();
    for (i, a) in words.iter().enumerate() {
        assert_eq!(want[[i, 3]], hmm.log_value(&words[i.max(3)], &words[i.min(3)]).unwrap());
        assert_eq!(want.row(i), want.column(i), "{a}");
    }
    for device in gpus().iter().chain(cramped()) {
        let got = pair_hmm(device, &hmm, &words, None).unwrap();
        let cross = pair_hmm(device, &hmm, &words[2..5], Some(&words[..])).unwrap();
        for ((i, j), w) in want.indexed_iter() {
            let off = (got[[i, j]] - w).abs();
            assert!(
                off < 1e-4,
                "{} and {} letters on {device}: {} and {w}",
                lengths[i],
                lengths[j],
                got[[i, j]]
            );
            assert!(!(2..5).contains(&i) || (cross[[i - 2, j]] - w).abs() < 1e-4);
        }
    }
}

/// Probabilities of 1e-900 have a logarithm like others, and the normalised kernel is 1 of what is equal.
#[test]
fn nothing_underflows() {
    let hmm = twenty();
    let words = [word("ACD", 300, 1), word("KLM", 300, 2), word("ACD", 300, 1), "A".repeat(1500)];
    let want = pair_hmm(&Device::cpu(), &hmm, &words, None).unwrap();
    assert!(want[[0, 1]] < -1500.0 && want[[0, 1]].is_finite());
    for device in gpus() {
        let logs = pair_hmm(device, &hmm, &words, None).unwrap();
        assert!((&logs - &want).iter().all(|off| off.abs() < 2e-4), "{} on {device}", &logs - &want);
        let cosine = |i: usize, j: usize| (logs[[i, j]] - 0.5 * (logs[[i, i]] + logs[[j, j]])).exp();
        assert!((cosine(0, 2) - 1.0).abs() < 1e-3);
        assert!((cosine(0, 1) - hmm.cosine(&words[0], &words[1]).unwrap()).abs() < 1e-3);
    }
}

/// What a model cannot make, and probabilities that f32 is not trusted with.
#[test]
fn impossible_pairs_and_small_probabilities() {
    let never = PairHmm::new("ab", array![[0.5, 0.0], [0.0, 0.5]], array![0.5, 0.5], 0.0, 0.4, 0.1).unwrap();
    let rare =
        PairHmm::new("ab", array![[1.0, 0.0], [0.0, 0.0]], array![1.0, 0.0], 1e-35, 0.5, 1e-20).unwrap();
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let logs = pair_hmm(&device, &never, &["ab", "aa", "ab", "a"], None).unwrap();
        assert!(
            logs[[0, 2]].is_finite()
                && logs[[0, 1]] == f64::NEG_INFINITY
                && logs[[0, 3]] == f64::NEG_INFINITY
        );
        let want = rare.log_value("aa", "a").unwrap();
        let got = pair_hmm(&device, &rare, &["aa"], Some(&["a", "b"])).unwrap();
        assert!((got[[0, 0]] - want).abs() < 1e-9 && got[[0, 1]] == f64::NEG_INFINITY);
    }
}

/// All pairs in one launch: letters and places go up, eight bytes a pair come down.
#[test]
fn many_pairs_in_one_launch() {
    let (hmm, n) = (twenty(), 40u64);
    let words: Vec<String> = (0..n).map(|i| word("ACDEFGHIKL", 20 + i as usize, i as usize)).collect();
    let letters: u64 = words.iter().map(|w| w.len() as u64).sum();
    for device in alone() {
        let work = || pair_hmm(&device, &hmm, &words, None).unwrap();
        work();
        let before = device.counters();
        work();
        let after = device.counters();
        let pairs = n * (n + 1) / 2;
        assert_eq!(after.dispatches - before.dispatches, 1);
        assert!(after.submissions - before.submissions <= 2);
        assert!(after.bytes_up - before.bytes_up <= 4 * (420 + letters + 1) + 16 * pairs + 64);
        assert_eq!(after.bytes_down - before.bytes_down, 8 * pairs);
        assert_eq!(after.read_backs - before.read_backs, 1);
    }
}

#[test]
fn bad_sequences_are_refused() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let none: [&str; 0] = [];
        assert!(matches!(pair_hmm(&device, &two(), &none, None), Err(Error::Shape { .. })));
        assert!(matches!(pair_hmm(&device, &two(), &["a"], Some(&none[..])), Err(Error::Shape { .. })));
        assert!(matches!(pair_hmm(&device, &two(), &["abc"], None), Err(Error::UnknownName { .. })));
    }
}
