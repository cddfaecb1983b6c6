//! Functions drawn from the posterior that can be asked anywhere.

use mercer::linalg::Jitter;
use mercer::models::gp::{FittedGp, GpRegressor, Mean, Path, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array, s};

use crate::support::adapters;
use crate::{close, data};

fn fit(model: &GpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> FittedGp {
    model.fit(&Device::cpu(), x.view(), y.view()).unwrap()
}

/// Over draws of everything the moments are those of the posterior, however few the frequencies.
#[test]
fn paths_have_the_moments_of_the_posterior() {
    let (mut x, y) = data(9, 1, 500);
    // Points that meet.
    for i in 1..4 {
        x[[i, 0]] = x[[0, 0]];
    }
    let new = array![[-2.0], [0.1], [0.3], [5.0]];
    let each: Vec<f64> = (0..9).map(|i| 0.02 + 0.1 * f64::from(i % 3)).collect();
    let cases = [
        GpRegressor::new(1.5 * Kernel::matern52(0.8)).noise(0.1).mean(Mean::Linear),
        GpRegressor::new(Kernel::rbf(0.7) + 0.5 * Kernel::matern12(2.0)).noise(each),
        // What is added to the diagonal is noise as well.
        GpRegressor::new(Kernel::rbf(0.7)).noise(0.0).jitter(Jitter::Ladder {
            first: 0.3,
            factor: 2.0,
            last: 0.3,
        }),
    ];
    for (i, model) in cases.iter().enumerate() {
        let gp = fit(model, &x, &y);
        assert_eq!(gp.jitter() > 0.1, i == 2, "{}", gp.jitter());
        let joint = gp.predict_joint(new.view(), Predictive::Latent).unwrap();
        let draws = 10_000;
        let mut all = Array2::<f64>::zeros((draws, 4));
        for (seed, mut row) in all.rows_mut().into_iter().enumerate() {
            row.assign(&gp.path(20, seed as u64).unwrap().at(new.view()).unwrap().column(0));
        }
        let mean = all.mean_axis(Axis(0)).unwrap();
        let centred = &all - &mean;
        let name = gp.kernel().to_string();
        close(mean, joint.mean, 0.03, &format!("{name}: mean"));
        close(
            centred.t().dot(&centred) / draws as f64,
            joint.covariance,
            0.05,
            &format!("{name}: covariance"),
        );
    }
}

/// With many frequencies a path is normal: its fourth moment is three times the square of its second.
#[test]
fn many_frequencies_make_a_normal_process() {
    let gp = fit(&GpRegressor::new(Kernel::matern52(0.5)).noise(0.01), &array![[0.0]], &array![[1.0]]);
    let at = array![[3.0]];
    let kurtosis = |frequencies: usize| {
        let values: Vec<f64> = (0..4000)
            .map(|seed| gp.path(frequencies, seed).unwrap().at(at.view()).unwrap()[[0, 0]])
            .collect();
        let moment = |p: i32| values.iter().map(|v| v.powi(p)).sum::<f64>() / values.len() as f64;
        moment(4) / moment(2).powi(2)
    };
    let many = kurtosis(200);
    assert!((many - 3.0).abs() < 0.4, "{many}");
}

#[test]
fn slopes_are_those_of_the_values() {
    let (x, y) = data(15, 3, 510);
    let y = ndarray::concatenate![Axis(1), y, y.mapv(|v| v * v)];
    for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
        let kernel = 1.4 * Kernel::matern52([0.7, 1.1, 2.0]) * Kernel::rbf(3.0) + 0.3 * Kernel::matern32(1.0);
        let gp = fit(&GpRegressor::new(kernel).noise(0.01).mean(mean), &x, &y);
        let path = gp.path(300, 4).unwrap();
        for point in [[0.2, 0.9, 0.4], [-1.7, 0.1, 2.5]] {
            let slope = path.slope(&point).unwrap();
            assert_eq!(slope.dim(), (2, 3));
            for f in 0..3 {
                let at = |h: f64| {
                    let mut p = Array2::from_shape_fn((1, 3), |(_, f)| point[f]);
                    p[[0, f]] += h;
                    path.at(p.view()).unwrap().row(0).to_owned()
                };
                let want = ((at(1e-4) - at(-1e-4)) * 8.0 - at(2e-4) + at(-2e-4)) / 12e-4;
                close(slope.column(f).to_owned(), want, 1e-7, &format!("{mean:?}"));
            }
        }
    }
}

/// Without noise there is one value at the data, and one function wherever it is asked from.
#[test]
fn a_path_is_one_function() {
    let (x, y) = data(8, 1, 520);
    let gp = fit(&GpRegressor::new(Kernel::matern52(0.6)).noise(0.0), &x, &y);
    let path = gp.path(500, 1).unwrap();
    close(path.at(x.view()).unwrap(), y.iter().copied(), 1e-9, "at the data");
    let all = Array2::from_shape_fn((700, 1), |(i, _)| i as f64 * 0.01 - 3.0);
    let whole = path.at(all.view()).unwrap();
    for i in [0, 13, 699] {
        let alone = path.at(all.slice(s![i..=i, ..])).unwrap()[[0, 0]];
        assert!((alone - whole[[i, 0]]).abs() < 1e-12, "{alone} {}", whole[[i, 0]]);
    }
    assert_eq!(whole, gp.path(500, 1).unwrap().at(all.view()).unwrap(), "a seed is a promise");
    assert_ne!(whole, gp.path(500, 2).unwrap().at(all.view()).unwrap());
}

#[test]
fn every_adapter_draws_the_same_function() {
    let (x, y) = data(40, 2, 530);
    let new = data(10, 2, 531).0;
    let model = GpRegressor::new(1.3 * Kernel::matern52([0.9, 1.4])).noise(1e-3);
    let want = fit(&model, &x, &y);
    let at = |p: Path| p.at(new.view()).unwrap();
    for device in adapters() {
        let got = model.fit(device, x.view(), y.view()).unwrap();
        close(at(got.path(400, 9).unwrap()), at(want.path(400, 9).unwrap()), 1e-6, &device.to_string());
    }
}

#[test]
fn what_has_no_paths_says_so() {
    let (x, y) = data(10, 2, 540);
    let gp = fit(&GpRegressor::new(Kernel::rbf(1.0)).noise(0.1), &x, &y);
    assert!(matches!(gp.path(0, 0), Err(Error::Parameter { .. })));
    assert!(matches!(gp.path(usize::MAX, 0), Err(Error::OverBudget { .. })));
    let path = gp.path(10, 0).unwrap();
    assert!(matches!(path.at(Array2::<f64>::zeros((0, 2)).view()), Err(Error::Shape { .. })));
    assert!(matches!(path.at(Array2::<f64>::zeros((1, 3)).view()), Err(Error::Shape { .. })));
    assert!(matches!(path.slope(&[0.0]), Err(Error::Shape { .. })));
    assert!(matches!(path.slope(&[0.0, f64::NAN]), Err(Error::NotFinite { .. })));
    let line = fit(&GpRegressor::new(Kernel::linear() + Kernel::rbf(1.0)).noise(0.1), &x, &y);
    assert!(matches!(line.path(10, 0), Err(Error::Unsupported { .. })));
    let large = fit(&GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).memory_budget(1 << 9), &x, &y);
    assert!(matches!(large.path(10, 0), Err(Error::OverBudget { .. })));
}
