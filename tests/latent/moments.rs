use mercer::models::latent::{FactorAnalysis, Pca, Ppca, PpcaSolver, StreamedMoments};
use mercer::{Device, Error};
use ndarray::{Array2, array, s};

use crate::{close, close1, covariance, near_subspace};

#[test]
fn they_are_what_they_say() {
    let cpu = Device::cpu();
    let x = near_subspace(5000, 7, 2, 0.3, 1) * 3.0 + 100.0;
    let m = StreamedMoments::of(&cpu, x.view()).unwrap();
    assert_eq!((m.count(), m.columns()), (5000, 7));
    close1(m.mean(), &x.mean_axis(ndarray::Axis(0)).unwrap(), 1e-13, "mean");
    close(&m.covariance(0).unwrap(), &covariance(&x), 1e-12, "covariance");
    close(&(m.covariance(1).unwrap() * (4999.0 / 5000.0)), &covariance(&x), 1e-12, "unbiased");
    let c = m.covariance(0).unwrap();
    assert_eq!(c, c.t(), "exactly symmetric");
}

/// More rows than a block holds, and a mean a million standard deviations away: nothing cancels.
#[test]
fn nothing_cancels_far_from_the_origin() {
    let x = near_subspace(9000, 64, 3, 0.5, 2);
    let near = StreamedMoments::of(&Device::cpu(), x.view()).unwrap().covariance(0).unwrap();
    let far = StreamedMoments::of(&Device::cpu(), (&x + 1e6).view()).unwrap().covariance(0).unwrap();
    // Adding 1e6 has rounded the data itself at 1e-10.
    close(&far, &near, 1e-9, "far away");
}

#[test]
fn chunks_and_machines_add_up() {
    let cpu = Device::cpu();
    let x = near_subspace(400, 6, 2, 0.4, 3);
    let whole = StreamedMoments::of(&cpu, x.view()).unwrap();
    let mut stream = StreamedMoments::new(6).unwrap();
    for (from, to) in [(0, 1), (1, 130), (130, 131), (131, 400)] {
        stream.add(&cpu, x.slice(s![from..to, ..])).unwrap();
    }
    // An order of merging of its own, with an empty part.
    let mut machines = StreamedMoments::new(6).unwrap();
    let half = |a: usize, b: usize| StreamedMoments::of(&cpu, x.slice(s![a..b, ..])).unwrap();
    machines.merge(&half(250, 400)).unwrap();
    machines.merge(&StreamedMoments::new(6).unwrap()).unwrap();
    machines.merge(&half(0, 250)).unwrap();
    for (m, what) in [(&stream, "stream"), (&machines, "machines")] {
        assert_eq!(m.count(), 400);
        close1(m.mean(), whole.mean(), 1e-13, what);
        close(m.scatter(), whole.scatter(), 1e-13, what);
    }
    // What is fitted to parts is what is fitted to the whole.
    let parts = [half(0, 90), half(90, 400)];
    let pca = (Pca::new(3).fit_moments(&stream).unwrap(), Pca::new(3).fit(&cpu, x.view()).unwrap());
    close(pca.0.components(), pca.1.components(), 1e-12, "components");
    for solver in [PpcaSolver::ClosedForm, PpcaSolver::Em, PpcaSolver::Automatic] {
        let ppca = Ppca::new(2).solver(solver);
        let (a, b) = (ppca.fit_moments(&parts).unwrap(), ppca.fit(&cpu, x.view()).unwrap());
        close(&a.covariance(), &b.covariance(), 1e-9, &format!("{solver:?}"));
        assert!((a.log_likelihood() - b.log_likelihood()).abs() < 1e-9 * b.log_likelihood().abs());
    }
    let fa = FactorAnalysis::new(2);
    let (a, b) = (fa.fit_moments(&parts).unwrap(), fa.fit(&cpu, x.view()).unwrap());
    close(&a.covariance(), &b.covariance(), 1e-8, "factors");
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let cpu = Device::cpu();
    let mut m = StreamedMoments::of(&cpu, array![[1.0, 2.0], [3.0, 5.0]].view()).unwrap();
    let before = m.clone();
    let bad = m.add(&cpu, array![[1.0, f64::NAN]].view());
    assert!(matches!(bad, Err(Error::NotFinite { row: 0, col: 1, .. })), "{bad:?}");
    assert!(matches!(m.add(&cpu, array![[1.0]].view()), Err(Error::Shape { .. })));
    assert!(matches!(m.add(&cpu, Array2::<f64>::zeros((0, 2))), Err(Error::Shape { .. })));
    assert_eq!(m, before);
    assert!(matches!(StreamedMoments::new(0), Err(Error::Parameter { .. })));
    let one = StreamedMoments::of(&cpu, array![[1.0, 2.0]].view()).unwrap();
    assert!(matches!(one.covariance(1), Err(Error::Shape { .. })));
    let huge = StreamedMoments::of(&cpu, array![[1e308, 0.0], [-1e308, 1.0]].view());
    assert!(matches!(huge, Err(Error::Parameter { .. })), "{huge:?}");
}
