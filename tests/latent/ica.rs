use mercer::models::latent::{Algorithm, Contrast, Density, FittedIca, Ica};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, ArrayView1};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{close, covariance, normal, rises};

/// Zero if `p` is a permutation with scales, at most one.
pub fn amari(p: &Array2<f64>) -> f64 {
    let k = p.nrows() as f64;
    let excess = |v: ArrayView1<f64>| {
        let largest = v.iter().fold(0f64, |m, v| m.max(v.abs()));
        v.iter().map(|v| v.abs()).sum::<f64>() / largest - 1.0
    };
    let all: f64 = p.rows().into_iter().chain(p.columns()).map(excess).sum();
    all / (2.0 * k * (k - 1.0))
}

/// Laplace and exponential sources.
fn peaked(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((n, k), |(_, j)| {
        let size = -(1.0 - rng.random::<f64>()).ln();
        if j % 2 == 0 && rng.random::<bool>() { -size } else { size }
    })
}

/// Uniform and two-valued sources.
fn flat(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_fn((n, k), |(_, j)| {
        let u = rng.random::<f64>() - 0.5;
        if j % 2 == 0 { u } else { u.signum() + 0.1 * u }
    })
}

fn fit(ica: Ica, x: &Array2<f64>) -> FittedIca {
    ica.fit(&Device::cpu(), x.view()).unwrap()
}

#[test]
fn sources_are_recovered() {
    let mixing = normal(4, 4, 70);
    let fast = |f: fn(Contrast) -> Algorithm| {
        [Contrast::LogCosh, Contrast::Exp, Contrast::Cube].map(|c| (f(c), true, true))
    };
    let mut cases = fast(Algorithm::FastParallel).to_vec();
    cases.extend(fast(Algorithm::FastDeflation));
    cases.push((Algorithm::InfoMax(Density::SuperGaussian), true, false));
    cases.push((Algorithm::InfoMax(Density::SubGaussian), false, true));
    cases.push((Algorithm::InfoMax(Density::Extended), true, true));
    for (algorithm, peaks, flats) in cases {
        for (sources, can) in [(peaked(6000, 4, 71), peaks), (flat(6000, 4, 72), flats)] {
            if !can {
                continue;
            }
            let x = sources.dot(&mixing.t()) + 5.0;
            let ica = fit(Ica::new(4).algorithm(algorithm).max_iterations(500), &x);
            let index = amari(&ica.unmixing().dot(&mixing));
            assert!(ica.report().converged(), "{algorithm:?}: {:?}", ica.report().trace);
            assert!(index < 0.06, "{algorithm:?}: Amari index {index}");
        }
    }
}

#[test]
fn both_kinds_at_once_need_the_extended_density() {
    let mut sources = peaked(6000, 4, 73);
    let light = flat(6000, 4, 74);
    sources.column_mut(1).assign(&light.column(0));
    sources.column_mut(3).assign(&light.column(1));
    let mixing = normal(4, 4, 75);
    let x = sources.dot(&mixing.t());
    let index = |density| {
        let ica = fit(Ica::new(4).algorithm(Algorithm::InfoMax(density)).max_iterations(500), &x);
        amari(&ica.unmixing().dot(&mixing))
    };
    let (extended, one_kind) = (index(Density::Extended), index(Density::SuperGaussian));
    assert!(extended < 0.05 && one_kind > 2.0 * extended, "{extended} beside {one_kind}");
}

/// Rotations of Gaussian sources are all alike: nothing can be recovered.
#[test]
fn gaussian_sources_are_not() {
    let found: Vec<f64> = (0..6)
        .map(|i| {
            let mixing = normal(3, 3, 80 + i);
            let x = normal(4000, 3, 90 + i).dot(&mixing.t());
            let ica = fit(Ica::new(3).seed(i), &x);
            amari(&ica.unmixing().dot(&mixing))
        })
        .collect();
    assert!(found.iter().sum::<f64>() / 6.0 > 0.2, "{found:?}");
}

#[test]
fn sources_are_white_ordered_and_lead_back() {
    let x = peaked(1000, 3, 76).dot(&normal(3, 5, 77)) + 2.0 + normal(1000, 5, 78) * 1e-3;
    for algorithm in [Algorithm::FastParallel(Contrast::LogCosh), Algorithm::InfoMax(Density::SuperGaussian)]
    {
        let ica = fit(Ica::new(3).algorithm(algorithm), &x);
        let s = ica.transform(x.view()).unwrap();
        let c = covariance(&s);
        assert!(c.diag().iter().all(|v| (v - 1.0).abs() < 1e-10), "variance one: {c}");
        close(&ica.unmixing().dot(ica.mixing()), &Array2::eye(3), 1e-10, "inverse");
        close(&ica.inverse_transform(s.view()).unwrap(), &x, 1e-2, "all but the noise");
        let power: Array1<f64> = ica.mixing().map_axis(ndarray::Axis(0), |c| c.dot(&c));
        assert!(power.windows(2).into_iter().all(|w| w[0] >= w[1]), "{power}");
        if matches!(algorithm, Algorithm::FastParallel(_)) {
            close(&c, &Array2::eye(3), 1e-9, "uncorrelated");
        }
    }
}

#[test]
fn infomax_climbs_and_ends_where_the_gradient_is_zero() {
    let x = peaked(800, 3, 79).dot(&normal(3, 3, 80).t());
    let ica = fit(Ica::new(3).algorithm(Algorithm::InfoMax(Density::SuperGaussian)).tolerance(1e-10), &x);
    rises(&ica.report().trace, "InfoMax");
    // E[tanh(y) y^T] is diagonal there, with y scaled so that the diagonal is one: test the off-diagonal ratios.
    let s = ica.transform(x.view()).unwrap();
    let scales: Vec<f64> = (0..3)
        .map(|j| {
            // The scale c at which E[tanh(c s) c s] = 1.
            let at = |c: f64| s.column(j).mapv(|v| (c * v).tanh() * c * v).mean().unwrap();
            let (mut low, mut high) = (0.1, 10.0);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if at(middle) < 1.0 { low = middle } else { high = middle }
            }
            low
        })
        .collect();
    let y = &s * &Array1::from(scales);
    let slope = y.mapv(f64::tanh).t().dot(&y) / 800.0;
    close(&slope, &Array2::eye(3), 1e-7, "the natural gradient is zero");
}

#[test]
fn the_seed_decides_and_progress_can_stop_it() {
    let x = peaked(500, 3, 81).dot(&normal(3, 3, 82).t());
    let a = fit(Ica::new(3).seed(4), &x);
    assert_eq!(a.unmixing(), fit(Ica::new(3).seed(4), &x).unmixing());
    for algorithm in [
        Algorithm::FastParallel(Contrast::Exp),
        Algorithm::FastDeflation(Contrast::LogCosh),
        Algorithm::InfoMax(Density::Extended),
    ] {
        let stop = mercer::Progress::new(|step| {
            if step.made >= 2 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        });
        let e =
            Ica::new(3).algorithm(algorithm).tolerance(1e-15).progress(stop).fit(&Device::cpu(), x.view());
        assert!(matches!(e, Err(Error::Cancelled { op: "Ica::fit", iterations: 2 })), "{e:?}");
    }
    let short = fit(Ica::new(3).max_iterations(1).tolerance(1e-15), &x);
    assert!(!short.report().converged() && short.report().iterations == 1);
}
