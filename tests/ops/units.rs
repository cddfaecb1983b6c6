use mercer::ops::{Unit, units, units_back};
use mercer::{Device, Error};
use ndarray::{Array2, Axis, concatenate, s};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

fn value(unit: Unit, a: f64) -> f64 {
    match unit {
        Unit::Identity => a,
        Unit::Sigmoid => 1.0 / (1.0 + (-a).exp()),
        Unit::Tanh => a.tanh(),
        Unit::Relu => a.max(0.0),
        Unit::Softplus => (1.0 + a.exp()).ln(),
        Unit::Step => f64::from(u8::from(a > 0.0)),
    }
}

const ALL: [Unit; 6] = [Unit::Identity, Unit::Sigmoid, Unit::Tanh, Unit::Relu, Unit::Softplus, Unit::Step];

/// Values with a column of ones, and slopes that are those of finite differences.
#[test]
fn units_and_their_slopes() {
    let mut shapes: Vec<(usize, usize)> = edges(8).into_iter().map(|m| (5, m)).collect();
    shapes.extend([(1, 1), (67, 3), (2000, 4)]);
    for (n, m) in shapes {
        let (a, delta) = (random(n, m, 1) * 5.0, random(n, m + 1, 2));
        for unit in ALL {
            let z = concatenate![Axis(1), a.mapv(|a| value(unit, a)), Array2::ones((n, 1))];
            let h = 1e-6;
            let slope = a.mapv(|a| (value(unit, a + h) - value(unit, a - h)) / (2.0 * h));
            let back = &delta.slice(s![.., ..m]) * &slope;
            for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
                let what = format!("{unit:?} of {n} x {m} on {device}");
                let got = units(&on(&device, &a), unit).unwrap();
                assert_close(&got, &z, 2e-6, &what);
                assert_close(&units_back(&on(&device, &delta), &got, unit).unwrap(), &back, 5e-6, &what);
            }
        }
    }
}

/// Far out nothing overflows: units end at their limits.
#[test]
fn large_inputs_reach_the_limits() {
    let a = ndarray::array![[-200.0, -30.0, 30.0, 200.0]];
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        for unit in ALL {
            let want = a.mapv(|a| if unit == Unit::Softplus { f64::max(a, 0.0) } else { value(unit, a) });
            let got = units(&on(&device, &a), unit).unwrap().to_array().unwrap();
            for (g, w) in got.iter().zip(&want) {
                assert!((g - w).abs() <= 1e-6 * (1.0 + w.abs()), "{unit:?}: {g} {w} on {device}");
            }
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_errors() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let up = |n, m| on(&device, &random(n, m, 1));
        assert!(matches!(units_back(&up(2, 3), &up(2, 4), Unit::Tanh), Err(Error::Shape { .. })));
        assert!(matches!(units_back(&up(2, 1), &up(2, 1), Unit::Tanh), Err(Error::Shape { .. })));
    }
}
