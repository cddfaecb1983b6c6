//! The generator against the vectors of its authors (Random123, `kat_vectors`), and what is drawn from it.

use mercer::random::{Philox, Threshold, philox};

#[test]
fn published_vectors() {
    let cases: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
        (
            [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
            [0xa4093822, 0x299f31d0],
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
        ),
    ];
    for (counter, key, want) in cases {
        assert_eq!(philox(counter, key), want);
    }
}

#[test]
fn a_stream_can_be_entered_anywhere() {
    let mut whole = Philox::new(0x1234_5678_9abc, 5);
    let words: Vec<u32> = (0..24).map(|_| whole.word()).collect();
    let mut later = Philox::new(0x1234_5678_9abc, 5).at(3);
    let tail: Vec<u32> = (0..12).map(|_| later.word()).collect();
    assert_eq!(words[12..], tail[..]);
    assert_eq!(words[..4], philox([0, 0, 5, 0], [0x5678_9abc, 0x1234]));
    assert_ne!(words[0], Philox::new(0x1234_5678_9abc, 6).word());
}

#[test]
fn moments_of_what_is_drawn() {
    let mut rng = Philox::new(3, 0);
    let n = 40_000;
    let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
    assert!((mean(&mut || rng.uniform()) - 0.5).abs() < 0.01);
    assert!((mean(&mut || rng.normal().powi(2)) - 1.0).abs() < 0.04);
    assert!((mean(&mut || f64::from(u8::from(rng.bernoulli(0.3)))) - 0.3).abs() < 0.01);
    assert!((mean(&mut || rng.categorical(&[1.0, 0.0, 3.0]) as f64) - 1.5).abs() < 0.02);
    // E[θ₀] of Dir(0.2, 0.6) is 1/4, its variance 3/16 / 1.8.
    let drawn: Vec<f64> = (0..n).map(|_| rng.dirichlet(&[0.2, 0.6])[0]).collect();
    let m = drawn.iter().sum::<f64>() / f64::from(n);
    let v = drawn.iter().map(|t| (t - m).powi(2)).sum::<f64>() / f64::from(n);
    assert!((m - 0.25).abs() < 0.01 && (v - 0.1875 / 1.8).abs() < 0.003, "{m} {v}");
    let mut order = rng.permutation(50);
    assert_ne!(order, (0..50).collect::<Vec<_>>());
    order.sort_unstable();
    assert_eq!(order, (0..50).collect::<Vec<_>>());
}

#[test]
fn thresholds_are_integers() {
    assert!(Threshold::new(1.0).unwrap().says_yes(u32::MAX));
    assert!(!Threshold::new(0.0).unwrap().says_yes(0));
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(Threshold::new(bad).is_err(), "{bad}");
    }
}
