//! hyppo's statistics, where the definitions meet (`tests/oracle/stats_hyppo.py`).

use mercer::stats::{Hsic, Mmd};
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::loops::{centred, close, gram};
use crate::support::oracle::matrix;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracle/stats_hyppo.json")).unwrap()
}

fn distances(x: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        let gap = &x.row(i) - &x.row(j);
        gap.dot(&gap).sqrt()
    })
}

/// hyppo's Hsic is the root of centred kernel alignment if biased, and the ratio of U-statistics if not; its Dcorr the
/// same for minus the distance.
#[test]
fn hsic_and_dcorr_are_alignments() {
    let oracle = oracle();
    let (x, y) = (matrix(&oracle["x"]), matrix(&oracle["y"]));
    let width = (0.5 / oracle["gamma"].as_f64().unwrap()).sqrt();
    let cpu = Device::cpu();
    let gaussian = Hsic::new(Kernel::rbf(width), Kernel::rbf(width));
    let want = |kind: &str, what: &str| oracle[kind][what].as_f64().unwrap();
    close(gaussian.cka(&cpu, x.view(), y.view()).unwrap(), want("biased", "hsic").powi(2), 1e-10, "Hsic");
    let unbiased = gaussian.cka_unbiased(&cpu, x.view(), y.view()).unwrap();
    close(unbiased, want("unbiased", "hsic"), 1e-10, "Hsic, unbiased");

    let index = Array2::from_shape_fn((x.nrows(), 1), |(i, _)| i as f64);
    let negative = |a: &Array2<f64>| Kernel::precomputed(-distances(a));
    let distance = Hsic::new(negative(&x), negative(&y));
    close(
        distance.cka(&cpu, index.view(), index.view()).unwrap(),
        want("biased", "dcorr").powi(2),
        1e-10,
        "Dcorr",
    );
    let unbiased = distance.cka_unbiased(&cpu, index.view(), index.view()).unwrap();
    close(unbiased, want("unbiased", "dcorr"), 1e-10, "Dcorr, unbiased");
}

/// hyppo's biased MMD is `2 m² n² / N⁴` times the root of the alignment of the pooled sample with its labels, and that
/// alignment is `MMD² (m n / N) / ‖H K H‖_F`.
#[test]
fn mmd_is_ours_in_another_normalisation() {
    let oracle = oracle();
    let (u, v) = (matrix(&oracle["u"]), matrix(&oracle["v"]));
    let kernel = Kernel::rbf((0.5 / oracle["gamma"].as_f64().unwrap()).sqrt());
    let (m, n) = (u.nrows() as f64, v.nrows() as f64);
    let pooled = ndarray::concatenate(ndarray::Axis(0), &[u.view(), v.view()]).unwrap();
    let norm = centred(&gram(&kernel, pooled.view(), pooled.view())).mapv(|k| k * k).sum().sqrt();
    let ours = Mmd::new(kernel).biased(&Device::cpu(), u.view(), v.view()).unwrap();
    let all = m + n;
    let theirs = (ours * (m * n / all) / norm).sqrt() * 2.0 * m * m * n * n / all.powi(4);
    close(theirs, oracle["biased"]["mmd"].as_f64().unwrap(), 1e-10, "MMD");
}
