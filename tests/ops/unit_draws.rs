use mercer::Device;
use mercer::ops::{Draw, UnitDraw, bernoulli, random as numbers, unit_draws, unit_draws_means};
use ndarray::{Axis, s};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

/// The means are logistic functions, and the decisions those of `bernoulli` with these means and the same words.
#[test]
fn decisions_are_those_of_bernoulli() {
    let mut shapes: Vec<(usize, usize)> = edges(8).into_iter().map(|m| (5, m)).collect();
    shapes.extend([(1, 1), (67, 3), (700, 64), (3, 300)]);
    for (n, m) in shapes {
        let a = random(n, m, 1) * 4.0;
        let p = a.mapv(|a| 1.0 / (1.0 + (-a).exp()));
        let want = bernoulli(&on(&Device::cpu(), &p), 9, 5).unwrap().to_array().unwrap();
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let what = format!("{n} x {m} on {device}");
            let a = on(&device, &a);
            let (drawn, means) = unit_draws_means(&a, UnitDraw::Bernoulli, 9, 5).unwrap();
            let got = drawn.to_array().unwrap();
            assert_eq!(got.slice(s![.., ..m]), want, "{what}");
            assert!(got.column(m).iter().all(|v| *v == 1.0), "{what}");
            assert_eq!(unit_draws(&a, UnitDraw::Bernoulli, 9, 5).unwrap().to_array().unwrap(), got, "{what}");
            let mut all = p.clone();
            all.push_column(ndarray::Array1::ones(n).view()).unwrap();
            assert_close(&means, &all, 1e-6, &what);
        }
    }
}

/// Normal numbers about their means: those of the verb `random`, which many of them follow.
#[test]
fn numbers_are_those_of_random() {
    for (n, m) in [(1, 1), (7, 5), (400, 64)] {
        let a = random(n, m, 2);
        let noise = numbers(&Device::cpu(), (n, m), Draw::Normal, 3, 8).unwrap().to_array().unwrap();
        let mut want = &a + &noise;
        want.push_column(ndarray::Array1::ones(n).view()).unwrap();
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let got = unit_draws(&on(&device, &a), UnitDraw::Normal, 3, 8).unwrap();
            assert_close(&got, &want, 2e-6, &format!("{n} x {m} on {device}"));
        }
    }
}

/// Streams and seeds draw apart; rows and columns too. Units that are sure are sure.
#[test]
fn words_are_not_used_twice() {
    let a = ndarray::Array2::<f64>::zeros((64, 64));
    let draw = |seed, stream| {
        let drawn = unit_draws(&on(&Device::cpu(), &a), UnitDraw::Bernoulli, seed, stream).unwrap();
        drawn.to_array().unwrap().slice(s![.., ..64]).to_owned()
    };
    let one = draw(1, 1);
    for other in [draw(1, 2), draw(2, 1)] {
        let same = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!((1900..2200).contains(&same), "{same} of 4096");
    }
    let shares = one.mean_axis(Axis(0)).unwrap();
    assert!(shares.iter().all(|p| (0.2..0.8).contains(p)));
    let sure = ndarray::array![[-1e4, 1e4, -90.0, 90.0]];
    for device in gpus() {
        let got = unit_draws(&on(device, &sure), UnitDraw::Bernoulli, 1, 1).unwrap().to_array().unwrap();
        assert_eq!(got, ndarray::array![[0.0, 1.0, 0.0, 1.0, 1.0]], "{device}");
    }
}
