use mercer::linalg::{
    Jitter, KernelOperator, LowRank, Operator, Stored, eigh, landmarks, nystrom, pivoted_cholesky,
};
use mercer::ops::gram;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, array};

use crate::support::{on, random, spd};
use crate::{everywhere, norm};

fn product(low: &LowRank) -> Array2<f64> {
    low.factor.dot(&low.factor.t())
}

fn distinct(pivots: &[usize]) -> bool {
    let mut sorted = pivots.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|w| w[0] != w[1])
}

#[test]
fn at_full_rank_pivoted_cholesky_is_exact() {
    let a = spd(70, 71);
    for device in everywhere() {
        let low = pivoted_cholesky(&Stored::new(&on(&device, &a)).unwrap(), 200, 0.0).unwrap();
        let bound = if device.is_gpu() { 1e-5 } else { 1e-13 };
        assert_eq!(low.factor.dim(), (70, 70), "{device}");
        assert!(norm(&(product(&low) - &a)) < bound * norm(&a), "{device}");
        assert!(distinct(&low.pivots));
        assert!(low.residual < bound);
    }
}

#[test]
fn the_remainder_falls_and_stays_semi_definite() {
    let x = random(90, 2, 72);
    let kernel = Kernel::rbf(0.5);
    let k = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    for device in everywhere() {
        let op = KernelOperator::new(&kernel, &on(&device, &x), 0.0).unwrap();
        let low = pivoted_cholesky(&op, 25, 0.0).unwrap();
        assert!(low.rank() == 25 && low.trace.len() == 25 && distinct(&low.pivots), "{device}");
        assert!(low.trace.windows(2).all(|w| w[1] <= w[0]), "{device}: {:?}", low.trace);
        let rest = &k - &product(&low);
        let noise = if device.is_gpu() { 1e-4 } else { 1e-12 };
        assert!(eigh(rest.view()).unwrap().values[89] > -noise, "{device}");
        assert!((rest.diag().sum() / k.diag().sum() - low.residual).abs() < noise, "{device}");
        // What has been taken is exact there.
        for &p in &low.pivots {
            assert!(rest.row(p).iter().all(|v| v.abs() < noise), "{device}");
        }
        // The tolerance ends it sooner, after the same pivots.
        let short = pivoted_cholesky(&op, 90, low.trace[9]).unwrap();
        assert_eq!(short.pivots, low.pivots[..10], "{device}");
    }
}

/// The definition, a column at a time: pivots that are chosen together are those, and so is the factor.
#[test]
fn every_pivot_is_the_largest_that_is_left() {
    let x = random(300, 3, 76);
    let kernel = Kernel::rbf(0.7);
    let mut rest = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    let op = KernelOperator::new(&kernel, &on(&Device::cpu(), &x), 0.0).unwrap();
    let low = pivoted_cholesky(&op, 80, 0.0).unwrap();
    for (k, column) in low.factor.columns().into_iter().enumerate() {
        let pivot = (0..300).max_by(|&i, &j| rest[[i, i]].total_cmp(&rest[[j, j]])).unwrap();
        assert_eq!(low.pivots[k], pivot, "column {k}");
        let want = &rest.column(pivot) / rest[[pivot, pivot]].sqrt();
        assert!(column.iter().zip(&want).all(|(f, w)| (f - w).abs() < 1e-10), "column {k}");
        let want = want.insert_axis(ndarray::Axis(1));
        rest -= &want.dot(&want.t());
    }
}

#[test]
fn a_low_rank_matrix_is_found_to_be_one() {
    let half = random(60, 6, 73);
    let a = half.dot(&half.t());
    for device in everywhere() {
        let low = pivoted_cholesky(&Stored::new(&on(&device, &a)).unwrap(), 60, 0.0).unwrap();
        assert_eq!(low.rank(), 6, "{device}: {:?}", low.trace);
    }
    let zero = Stored::new(&on(&Device::cpu(), &Array2::zeros((4, 4)))).unwrap();
    let low = pivoted_cholesky(&zero, 3, 0.0).unwrap();
    assert!(low.pivots.is_empty() && low.residual == 0.0 && low.factor.iter().all(|v| *v == 0.0));
}

#[test]
fn nystrom_with_every_point_is_exact_and_with_some_it_errs_to_one_side() {
    let x = random(80, 3, 74);
    let kernel = Kernel::matern32(0.8);
    let k = gram(&kernel, &on(&Device::cpu(), &x), None).unwrap().to_array().unwrap();
    for device in everywhere() {
        let op = KernelOperator::new(&kernel, &on(&device, &x), 0.0).unwrap();
        let noise = if device.is_gpu() { 1e-4 } else { 1e-11 };
        let all = nystrom(&op, &(0..80).collect::<Vec<_>>(), Jitter::Never).unwrap();
        assert!(norm(&(product(&all) - &k)) < noise * norm(&k) && all.jitter == 0.0, "{device}");
        let mut last = 1.0;
        for m in [5, 20, 40] {
            let chosen = landmarks(80, m, 3).unwrap();
            let some = nystrom(&op, &chosen, Jitter::ladder()).unwrap();
            assert!(some.factor.dim() == (80, m) && some.pivots == chosen);
            assert!(some.residual < last, "more landmarks, less error");
            last = some.residual;
            let rest = eigh((&k - &product(&some)).view()).unwrap();
            assert!(rest.values[79] > -noise, "semi-definite on {device}: {}", rest.values[79]);
        }
    }
}

#[test]
fn coinciding_landmarks_need_jitter() {
    let x = array![[0.0], [1.0], [1.0], [3.0]];
    let op = KernelOperator::new(&Kernel::rbf(1.0), &on(&Device::cpu(), &x), 0.0).unwrap();
    let e = nystrom(&op, &[1, 2], Jitter::Never);
    assert!(matches!(e, Err(Error::NotPositiveDefinite { op: "nystrom", pivot: 1, .. })), "{e:?}");
    let low = nystrom(&op, &[1, 2], Jitter::ladder()).unwrap();
    assert!((0.9e-10..1.1e-8).contains(&low.jitter), "{}", low.jitter);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let op = Stored::new(&on(&Device::cpu(), &spd(5, 75))).unwrap();
    for bad in [vec![], vec![5], vec![1, 2, 1]] {
        assert!(matches!(nystrom(&op, &bad, Jitter::Never), Err(Error::Shape { .. })), "{bad:?}");
        assert!(bad.len() == 3 || op.columns(&bad).is_err());
    }
    for (n, m) in [(5, 0), (5, 6), (0, 0), (1 << 40, 2)] {
        assert!(matches!(landmarks(n, m, 0), Err(Error::Parameter { .. })));
    }
    assert_eq!(landmarks(100, 10, 5), landmarks(100, 10, 5));
    assert!(matches!(pivoted_cholesky(&op, 0, 0.0), Err(Error::Parameter { .. })));
    for bad in [-0.1, 1.0, f64::NAN] {
        assert!(matches!(pivoted_cholesky(&op, 2, bad), Err(Error::Parameter { .. })));
    }
    let indefinite = on(&Device::cpu(), &array![[1.0, 2.0], [2.0, 1.0]]);
    let e = pivoted_cholesky(&Stored::new(&indefinite).unwrap(), 2, 0.0);
    assert!(matches!(e, Err(Error::NotPositiveDefinite { op: "pivoted_cholesky", .. })), "{e:?}");
}
