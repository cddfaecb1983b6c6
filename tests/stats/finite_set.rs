//! Tests that look in a few places: ME, SCF and FSIC.

use approx::assert_relative_eq;
use mercer::stats::{FiniteSetIndependence, FiniteSetTest, Null, Placement, p_value, permutation};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, array};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::level::keeps_level;
use crate::loops::adapters;
use crate::loops::normal;
use crate::support::random;

/// `uᵀ (C + δI)⁻¹ u` with `δ = 1e-5 tr(C)/J`, by elimination.
fn hotelling(u: &Array1<f64>, c: &Array2<f64>) -> f64 {
    let j = u.len();
    let mut a = c.clone();
    let delta = 1e-5 * c.diag().sum() / j as f64;
    a.diag_mut().mapv_inplace(|v| v + delta);
    let mut b = u.clone();
    for p in 0..j {
        for i in p + 1..j {
            let f = a[[i, p]] / a[[p, p]];
            for q in p..j {
                a[[i, q]] -= f * a[[p, q]];
            }
            b[i] -= f * b[p];
        }
    }
    for p in (0..j).rev() {
        b[p] = (b[p] - (p + 1..j).map(|q| a[[p, q]] * b[q]).sum::<f64>()) / a[[p, p]];
    }
    u.dot(&b)
}

/// The covariance of the rows of `f` over their number.
fn covariance_of_mean(f: &Array2<f64>) -> Array2<f64> {
    let n = f.nrows() as f64;
    let centred = f - &f.mean_axis(Axis(0)).unwrap();
    centred.t().dot(&centred) / (n * (n - 1.0))
}

fn gaussian(x: &Array2<f64>, v: &Array2<f64>, width: f64) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), v.nrows()), |(i, j)| {
        let r2: f64 = x.row(i).iter().zip(v.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
        (-0.5 * r2 / (width * width)).exp()
    })
}

fn given(locations: &Array2<f64>, widths: &[f64]) -> Placement {
    Placement::Given { locations: locations.clone(), widths: widths.to_vec() }
}

#[test]
fn mean_embedding_is_hotelling_at_the_places() {
    let (x, y, v) = (random(50, 3, 1), random(40, 3, 2) + 0.2, random(4, 3, 3));
    let test = FiniteSetTest::mean_embedding().placement(given(&v, &[0.8]));
    let found = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    let (fx, fy) = (gaussian(&x, &v, 0.8), gaussian(&y, &v, 0.8));
    let u = fx.mean_axis(Axis(0)).unwrap() - fy.mean_axis(Axis(0)).unwrap();
    let want = hotelling(&u, &(covariance_of_mean(&fx) + covariance_of_mean(&fy)));
    assert_relative_eq!(found.outcome.statistic, want, max_relative = 1e-10);
    let law = ChiSquared::new(4.0).unwrap();
    assert_relative_eq!(found.outcome.p_value, 1.0 - law.cdf(want), epsilon = 1e-12);
    assert_relative_eq!(found.outcome.threshold, 9.487_729_036_781, epsilon = 1e-8);
    assert_eq!(found.locations, v);
}

#[test]
fn smoothed_characteristic_functions_are_hotelling_at_the_frequencies() {
    let (x, y, v) = (random(50, 2, 1), random(60, 2, 2) * 1.3, random(3, 2, 3) * 2.0);
    let width = 1.1;
    let test = FiniteSetTest::smooth_characteristic().placement(given(&v, &[width]));
    let found = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    let centre = (x.sum_axis(Axis(0)) + y.sum_axis(Axis(0))) / 110.0;
    let features = |x: &Array2<f64>| {
        Array2::from_shape_fn((x.nrows(), 6), |(i, j)| {
            let z = &x.row(i) - &centre;
            let phase = z.dot(&v.row(j % 3));
            let window = (-0.5 * z.dot(&z) / (width * width)).exp();
            window * if j < 3 { phase.sin() } else { phase.cos() }
        })
    };
    let (fx, fy) = (features(&x), features(&y));
    let u = fx.mean_axis(Axis(0)).unwrap() - fy.mean_axis(Axis(0)).unwrap();
    let want = hotelling(&u, &(covariance_of_mean(&fx) + covariance_of_mean(&fy)));
    assert_relative_eq!(found.outcome.statistic, want, max_relative = 1e-10);
    assert_relative_eq!(found.outcome.threshold, 12.591_587_243_743, epsilon = 1e-8); // six degrees of freedom
}

#[test]
fn independence_is_hotelling_of_covariances() {
    let (x, y) = (random(60, 2, 1), random(60, 1, 2));
    let places = random(3, 3, 3);
    let test = FiniteSetIndependence::new().placement(given(&places, &[0.9, 0.6])).null(Null::ChiSquared);
    let found = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    let (v, w) = (places.select(Axis(1), &[0, 1]), places.select(Axis(1), &[2]));
    let centred = |f: Array2<f64>| {
        let mean = f.mean_axis(Axis(0)).unwrap();
        f - mean
    };
    let products = centred(gaussian(&x, &v, 0.9)) * centred(gaussian(&y, &w, 0.6));
    let u = products.sum_axis(Axis(0)) / 59.0;
    let gap = &products - &products.mean_axis(Axis(0)).unwrap();
    let want = hotelling(&u, &(gap.t().dot(&gap) / 3600.0));
    assert_relative_eq!(found.outcome.statistic, want, max_relative = 1e-10);
    assert_relative_eq!(found.outcome.threshold, 7.814_727_903_251, epsilon = 1e-8);
}

/// The search raises the statistic on its own part, never sees the other, and finds where the difference is.
#[test]
fn the_search_finds_the_difference() {
    // Both standard normal but for the second feature of y, a mixture of two narrow normals with the same moments.
    let (n, x) = (600, normal(600, 2, 0.0, 1));
    let mut y = normal(n, 2, 0.0, 2);
    let sign = random(n, 1, 3);
    y.column_mut(1).iter_mut().zip(&sign).for_each(|(v, s)| *v = 0.3 * *v + 0.91f64.sqrt() * s.signum());
    let test = FiniteSetTest::mean_embedding().locations(2).seed(4);
    let found = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(found.outcome.p_value < 1e-4, "{}", found.outcome);
    let search = found.search.as_ref().unwrap();
    assert!(search.value <= search.trace[0] && search.iterations > 0);
    // Not far out along the first feature, where there is nothing to see, and where the second one tells them apart.
    assert!(found.locations.column(1).iter().any(|v| v.abs() < 1.6), "{}", found.locations);
    let waves = FiniteSetTest::smooth_characteristic().locations(2).seed(4);
    assert!(waves.run(&Device::cpu(), x.view(), y.view()).unwrap().outcome.p_value < 1e-4);
    // The same data in the same halves: what the test sees does not move the places.
    let again = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert_eq!(again, found);
}

#[test]
fn dependence_without_correlation_is_found() {
    let x = normal(500, 1, 0.0, 1);
    let y = x.mapv(f64::cos) + normal(500, 1, 0.0, 2) * 0.3;
    let test = FiniteSetIndependence::new().locations(3).null(Null::ChiSquared);
    let found = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(found.outcome.p_value < 1e-6, "{}", found.outcome);
    let random = test.placement(Placement::Random);
    assert!(random.run(&Device::cpu(), x.view(), y.view()).unwrap().search.is_none());
}

/// Every way to find places, and its name.
fn placements(places: &Array2<f64>, widths: &[f64]) -> [(&'static str, Placement); 3] {
    let optimised = Placement::Optimised { share: 0.5, max_iterations: 15 };
    [("optimised", optimised), ("random", Placement::Random), ("given", given(places, widths))]
}

#[test]
fn the_levels_of_the_two_sample_tests_are_kept() {
    for (name, test) in [
        ("mean embedding", FiniteSetTest::mean_embedding()),
        ("smoothed characteristic function", FiniteSetTest::smooth_characteristic()),
    ] {
        for (how, placement) in placements(&array![[0.0, 0.5], [1.0, -0.5]], &[1.0]) {
            for (null, n) in [(Null::ChiSquared, 400), (Null::Permutations(59), 60)] {
                keeps_level(&format!("{name}, {how}, {null:?}"), |seed| {
                    let placement = placement.clone();
                    let own = test.clone().locations(2).placement(placement).null(null).seed(seed);
                    let (x, y) = (normal(n, 2, 0.0, 2 * seed), normal(n, 2, 0.0, 2 * seed + 1));
                    Ok(own.run(&Device::cpu(), x.view(), y.view())?.outcome.p_value)
                });
            }
        }
    }
}

/// Permutations are exact where the law is not: with few observations, and at places that were searched for.
#[test]
fn the_level_of_the_independence_test_is_kept() {
    for (how, placement) in placements(&array![[0.0, 0.5, 0.0], [1.0, -0.5, 0.3]], &[1.0, 1.0]) {
        let large = if how == "optimised" { Null::Permutations(99) } else { Null::ChiSquared };
        for (null, n) in [(large, 500), (Null::Permutations(59), 50)] {
            keeps_level(&format!("FSIC, {how}, {null:?}"), |seed| {
                let placement = placement.clone();
                let test =
                    FiniteSetIndependence::new().locations(2).placement(placement).null(null).seed(seed);
                let (x, y) = (normal(n, 1, 0.0, 2 * seed), normal(n, 2, 0.0, 2 * seed + 1));
                Ok(test.run(&Device::cpu(), x.view(), y.view())?.outcome.p_value)
            });
        }
    }
}

/// A permutation is the test of permuted data, and the p-value counts them.
#[test]
fn permutations_are_their_definition() {
    let (cpu, null) = (Device::cpu(), Null::Permutations(40));
    let order = |n: usize, b: usize| permutation(n, n, 6, (1 << 20) + b).unwrap();
    let (x, y) = (random(25, 1, 1), random(25, 2, 2));
    let placement = given(&random(2, 3, 3), &[0.9, 0.6]);
    let test = FiniteSetIndependence::new().placement(placement).null(null).seed(6);
    let run = |y: &Array2<f64>| test.run(&cpu, x.view(), y.view()).unwrap().outcome;
    let values: Vec<f64> = (0..40).map(|b| run(&y.select(Axis(0), &order(25, b))).statistic).collect();
    let found = run(&y);
    assert_eq!(found.p_value, p_value(found.statistic, &values).unwrap());
    assert_eq!((found.run.resamples, found.rejects()), (40, found.statistic > found.threshold));

    let both = random(27, 2, 4);
    let placement = given(&random(2, 2, 6), &[0.9]);
    let test = FiniteSetTest::mean_embedding().placement(placement).null(null).seed(6);
    let run = |p: &[usize]| {
        let (x, y) = (both.select(Axis(0), &p[..12]), both.select(Axis(0), &p[12..]));
        test.run(&cpu, x.view(), y.view()).unwrap().outcome
    };
    let values: Vec<f64> = (0..40).map(|b| run(&order(27, b)).statistic).collect();
    let found = run(&(0..27).collect::<Vec<_>>());
    assert_eq!(found.p_value, p_value(found.statistic, &values).unwrap());
}

#[test]
fn every_adapter_agrees() {
    let (x, y) = (random(120, 3, 1), random(110, 3, 2) + 0.1);
    let z = x.select(Axis(1), &[0, 1]).mapv(|v| v * v) + random(120, 2, 4) * 0.4;
    for device in adapters() {
        for test in [FiniteSetTest::mean_embedding(), FiniteSetTest::smooth_characteristic()] {
            let test = test.locations(2);
            let run = |d: &Device| test.run(d, x.view(), y.view()).unwrap();
            let (got, want) = (run(device), run(&Device::cpu()));
            assert_eq!(got.locations, want.locations, "{device}");
            assert_relative_eq!(got.outcome.statistic, want.outcome.statistic, max_relative = 1e-5);
        }
        let test = FiniteSetIndependence::new().locations(2);
        let run = |d: &Device| test.run(d, x.view(), z.view()).unwrap();
        let (got, want) = (run(device), run(&Device::cpu()));
        assert_eq!(got.locations, want.locations, "{device}");
        assert_relative_eq!(got.outcome.statistic, want.outcome.statistic, max_relative = 1e-5);
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let good = random(30, 2, 1);
    for test in [FiniteSetTest::mean_embedding(), FiniteSetTest::smooth_characteristic()] {
        let run = |x: Array2<f64>| test.run(&cpu, x.view(), good.view());
        assert!(matches!(run(Array2::zeros((0, 2))), Err(Error::Shape { .. })));
        assert!(matches!(run(array![[0.0, 1.0]]), Err(Error::Shape { .. })));
        assert!(matches!(run(random(30, 3, 2)), Err(Error::Shape { .. })));
        assert!(matches!(run(array![[0.0, 1.0], [f64::NAN, 0.0]]), Err(Error::NotFinite { .. })));
        let equal = Array2::<f64>::ones((30, 2));
        assert!(matches!(test.run(&cpu, equal.view(), equal.view()), Err(Error::Parameter { .. })));
        let with = |test: FiniteSetTest| test.run(&cpu, good.view(), good.view());
        assert!(matches!(with(test.clone().locations(0)), Err(Error::Parameter { .. })));
        assert!(matches!(with(test.clone().locations(40)), Err(Error::Shape { .. })));
        assert!(matches!(with(test.clone().alpha(0.0)), Err(Error::Parameter { .. })));
        let none = with(test.clone().null(Null::Permutations(0)));
        assert!(matches!(none, Err(Error::Parameter { .. })));
        let other = with(test.clone().null(Null::Gamma));
        assert!(matches!(other, Err(Error::Unsupported { .. })));
        let bad = [given(&random(2, 3, 1), &[1.0]), given(&random(2, 2, 1), &[1.0, 1.0])];
        for placement in bad {
            assert!(matches!(with(test.clone().placement(placement)), Err(Error::Shape { .. })));
        }
        let bad = [given(&random(2, 2, 1), &[0.0]), Placement::Optimised { share: 1.0, max_iterations: 9 }];
        for placement in bad {
            assert!(matches!(with(test.clone().placement(placement)), Err(Error::Parameter { .. })));
        }
        // One sample against itself: no difference, no complaint.
        let same = with(test.clone().locations(2).placement(Placement::Random)).unwrap();
        assert!(same.outcome.p_value > 0.999_999);
    }
    let test = FiniteSetIndependence::new();
    let run = |x: Array2<f64>| test.run(&cpu, x.view(), good.view());
    assert!(matches!(run(Array2::zeros((0, 1))), Err(Error::Shape { .. })));
    assert!(matches!(run(random(29, 1, 2)), Err(Error::Shape { .. })));
    assert!(matches!(run(Array2::ones((30, 1))), Err(Error::Parameter { .. })));
    assert!(matches!(run(Array2::from_elem((30, 1), f64::INFINITY)), Err(Error::NotFinite { .. })));
}
