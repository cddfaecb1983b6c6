//! One vocabulary: forms of data, distributions, reports, and where a fit runs.

use mercer::device::DeviceOptions;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::gpus;
use crate::{close, data};

fn model() -> GpRegressor {
    GpRegressor::new(1.3 * Kernel::rbf([1.1, 1.6])).noise(0.05).mean(Mean::Constant)
}

#[test]
fn what_is_one_dimensional_stays_so() {
    let (x, y) = data(30, 2, 1);
    let flat = y.column(0).to_owned();
    let sparse = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(8));
    let (one, two) =
        (model().fit(&Device::cpu(), &x, &flat).unwrap(), model().fit(&Device::cpu(), &x, &y).unwrap());
    let new = &x.slice(ndarray::s![..5, ..]) + 0.1;
    let (p, q): (Array1<f64>, Array2<f64>) = (one.predict(&new).unwrap(), two.predict(&new).unwrap());
    assert_eq!(p, q.column(0));
    let (p, q) = (one.predict_distribution(&new).unwrap(), two.predict_distribution(&new).unwrap());
    assert_eq!((p.mean.view(), &p.variance), (q.mean.column(0), &q.variance));
    let (p, q) = (one.leave_one_out().unwrap(), two.leave_one_out().unwrap());
    assert_eq!((p.mean.view(), p.log_density.view()), (q.mean.column(0), q.log_density.column(0)));
    assert_eq!(
        one.path(50, 3).unwrap().at(&new).unwrap(),
        two.path(50, 3).unwrap().at(&new).unwrap().column(0)
    );
    assert_eq!(one.score(&x, &flat).unwrap(), two.score(&x, &y).unwrap());
    let s = sparse.fit(&Device::cpu(), &x, &flat).unwrap();
    let t = sparse.fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(s.predict(&new).unwrap(), t.predict(&new).unwrap().column(0));
    // In f32, by value and by reference.
    let (x, flat) = (x.mapv(|v| v as f32), flat.mapv(|v| v as f32));
    let narrow = model().fit(&Device::cpu(), x.view(), flat).unwrap();
    close(narrow.predict(&new).unwrap(), one.predict(&new).unwrap(), 1e-5, "f32");
}

/// The noise is in a new observation, not in f; of two normal numbers one lies within 0.6745 deviations.
#[test]
fn distributions_are_those_of_observations() {
    let (x, y) = data(30, 2, 2);
    let fitted = model().fit(&Device::cpu(), &x, &y.column(0)).unwrap();
    let (f, new) = (fitted.predict_latent(&x).unwrap(), fitted.predict_distribution(&x).unwrap());
    assert_eq!(f.mean, new.mean);
    close(new.variance.iter().copied(), f.variance.mapv(|v| v + 0.05), 1e-15, "noise");
    let (low, high) = new.interval(0.5).unwrap();
    close(&high - &new.mean, new.std() * 0.674_489_750_196_081_7, 1e-12, "upper quartile");
    close(&new.mean - &low, new.std() * 0.674_489_750_196_081_7, 1e-12, "lower quartile");
    for bad in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(matches!(new.interval(bad), Err(Error::Parameter { .. })), "{bad}");
    }
    // Noise that is known of each point says nothing of a new one.
    let each = model().noise(vec![0.05; 30]).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(matches!(each.predict_distribution(&x), Err(Error::Parameter { .. })));
    assert!(each.predict_latent(&x).is_ok());
}

#[test]
fn covariances_with_one_point_are_those_of_a_joint_prediction() {
    let (x, y) = data(25, 2, 3);
    let at = array![[0.3, -1.0], [1.4, 0.2], [-2.0, 2.0]];
    for budget in [1 << 30, 1] {
        let gp = GpRegressor::new(Kernel::matern52([1.1, 1.6])).noise(0.1);
        let free = gp.clone().memory_budget(budget).matrix_free(MatrixFreeParams::new().tolerance(1e-12));
        let fitted = free.fit(&Device::cpu(), &x, &y).unwrap();
        let joint = gp
            .fit(&Device::cpu(), &x, &y)
            .unwrap()
            .predict_joint(&at, Predictive::Latent)
            .unwrap()
            .covariance;
        let with = fitted.covariance_with(at.row(1)).unwrap();
        close(with.at(&at).unwrap(), joint.row(1).to_owned(), 1e-9, "covariances");
        close([with.variance()], [joint[[1, 1]]], 1e-9, "variance");
        let gradient = with.gradient(&at).unwrap();
        for f in 0..2 {
            let moved = |h: f64| {
                let mut at = at.clone();
                at.column_mut(f).mapv_inplace(|v| v + h);
                with.at(&at).unwrap()
            };
            close(gradient.column(f).to_owned(), (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-7, "gradient");
        }
        assert!(with.at(array![[1.0]]).is_err());
        assert!(fitted.covariance_with(array![1.0].view()).is_err());
    }
}

/// A GPU gains nothing from 61 points: with the usual threshold they stay on the CPU, to the last bit, and say so.
#[test]
fn small_problems_stay_on_the_cpu() {
    let (x, y) = data(61, 2, 4);
    let index = Device::adapters().into_iter().find(|a| a.usable).unwrap().index;
    let gpu = DeviceOptions::new().index(index).open().unwrap();
    let before = gpu.counters();
    let fitted = model().fit(&gpu, &x, &y).unwrap();
    let p = fitted.predict_latent(&x).unwrap();
    assert!(!fitted.device().is_gpu() && fitted.plan().device_bytes == 0);
    assert_eq!(model().plan(&gpu, 61, 2, 1), *fitted.plan());
    assert_eq!(gpu.counters(), before);
    assert_eq!(p, model().fit(&Device::cpu(), &x, &y).unwrap().predict_latent(&x).unwrap());
    let any = &gpus()[0];
    assert!(model().fit(any, &x, &y).unwrap().device().is_gpu());
    assert!(model().plan(&gpu, 3000, 2, 1).device_bytes > 0);
    let labels: Vec<bool> = y.iter().map(|y| *y > 0.0).collect();
    let classifier = GpClassifier::new(Kernel::rbf(1.0));
    assert!(!classifier.fit(&gpu, &x, &labels).unwrap().device().is_gpu());
    assert!(classifier.fit(any, &x, &labels).unwrap().device().is_gpu());
    let sparse = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(8)).optimise(Minimiser::default());
    assert!(!sparse.fit(&gpu, &x, &y).unwrap().device().is_gpu());
    assert_eq!(gpu.counters(), before);
}

/// The evidence and its gradient are sums: what comes back is a few vectors, not a matrix.
#[test]
fn a_gradient_reads_no_matrix_back() {
    let (x, y) = data(150, 2, 5);
    for gpu in &crate::support::alone() {
        let gp = model();
        gp.device_evidence(gpu, &x, &y).unwrap();
        let before = gpu.counters();
        gp.device_evidence(gpu, &x, &y).unwrap();
        let after = gpu.counters();
        let (up, down) = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
        println!("{gpu}: {} dispatches, {up} bytes up, {down} down", after.dispatches - before.dispatches);
        assert!((1..150 * 150 * 4).contains(&down), "{down} bytes down");
    }
}

#[test]
fn a_clone_is_the_same_and_grows_alone() {
    let (x, y) = data(30, 2, 6);
    let fitted = model().fit(&Device::cpu(), &x, &y).unwrap();
    let mut grown = fitted.clone();
    grown.append(array![[9.0, 9.0]], array![[1.0]]).unwrap();
    assert_eq!((fitted.x().nrows(), grown.x().nrows()), (30, 31));
    assert_ne!(fitted.log_evidence(), grown.log_evidence());
}

/// Squares of y beyond f64: there is no evidence, and the fit says so instead of leaving a model that cannot be saved.
#[test]
fn targets_whose_squares_overflow_are_refused() {
    let (x, y) = data(10, 2, 7);
    for unit in [1e160, -1e200] {
        let e = model().fit(&Device::cpu(), &x, &y * unit);
        assert!(matches!(&e, Err(Error::Shape { what, .. }) if what.contains("scale the targets")), "{e:?}");
    }
    let fitted = model().fit(&Device::cpu(), &x, (&y * 1e150).index_axis(Axis(1), 0)).unwrap();
    assert!(fitted.log_evidence().is_finite());
}
