use mercer::ops::{RatedRows, RidgeSystem, ridge_rows};
use mercer::{Device, Error};
use ndarray::{Array1, Array2};

use crate::support::{assert_close, gpus, on, random, spd};

type Entries = Vec<(usize, f64, f64)>;

/// Rows of many lengths, one of them empty and one of weights that are zero.
fn rows(count: usize, columns: usize) -> (Vec<usize>, Entries) {
    let (mut offsets, mut entries) = (vec![0], Vec::new());
    for r in 0..count {
        let length = if r == 1 { 0 } else { (r * 7) % 40 + 1 };
        for e in 0..length {
            let weight = if r == 2 { 0.0 } else { 0.5 + ((r + e) % 3) as f64 };
            entries.push(((r * 5 + e * 3) % columns, weight, ((r * e) % 7) as f64 - 3.0));
        }
        offsets.push(entries.len());
    }
    (offsets, entries)
}

/// Gauss and Jordan, without pivots: systems are positive definite.
fn solved(mut a: Array2<f64>, mut b: Array1<f64>) -> Array1<f64> {
    for j in 0..b.len() {
        let pivot = a[[j, j]];
        a.row_mut(j).mapv_inplace(|v| v / pivot);
        b[j] /= pivot;
        for i in (0..b.len()).filter(|i| *i != j) {
            let factor = a[[i, j]];
            let row = a.row(j).to_owned() * factor;
            a.row_mut(i).zip_mut_with(&row, |v, r| *v -= r);
            b[i] -= factor * b[j];
        }
    }
    b
}

#[test]
fn every_row_is_its_own_ridge_regression() {
    for k in [1, 2, 3, 7, 8, 31, 32, 33, 63, 64] {
        let (n, m) = (50, 23);
        let ((offsets, entries), phi, s) = (rows(n, m), random(m, k, 1), spd(k, 2));
        for (biased, shared) in [(false, false), (true, false), (false, true)] {
            let mut want = Array2::zeros((n, k));
            for r in 0..n {
                let own = &entries[offsets[r]..offsets[r + 1]];
                if own.iter().all(|e| e.1 == 0.0) {
                    continue;
                }
                let mut a = Array2::eye(k) * 0.7 + if shared { s.clone() } else { Array2::zeros((k, k)) };
                let mut b = Array1::zeros(k);
                for &(c, w, y) in own {
                    let (mut f, mut y) = (phi.row(c).to_owned(), y);
                    if biased {
                        y -= f[k - 1];
                        f[k - 1] = 1.0;
                    }
                    b += &(&f * (w * y));
                    a += &Array2::from_shape_fn((k, k), |(i, j)| w * f[i] * f[j]);
                }
                want.row_mut(r).assign(&solved(a, b));
            }
            for device in gpus().iter().cloned().chain([Device::cpu()]) {
                let rated = RatedRows::new(&device, offsets.clone(), m, entries.clone()).unwrap();
                let (other, s) = (on(&device, &phi), on(&device, &s));
                let system =
                    RidgeSystem { other: &other, penalty: 0.7, shared: shared.then_some(&s), biased };
                let got = ridge_rows(&rated, &system).unwrap();
                assert_close(&got, &want, 2e-5, &format!("k = {k}, {biased} {shared} on {device}"));
            }
        }
    }
}

/// A system that is singular is told, with its row; rows that do not fit are refused.
#[test]
fn singular_systems_and_bad_rows_are_errors() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let entries = vec![(0, 1.0, 1.0), (1, 1.0, 1.0), (0, 1.0, 2.0)];
        let new =
            |offsets: Vec<usize>, entries: &Entries| RatedRows::new(&device, offsets, 2, entries.clone());
        let rated = new(vec![0, 2, 3], &entries).unwrap();
        let other = on(&device, &ndarray::array![[1.0, 0.0], [0.0, 1.0]]);
        let system = RidgeSystem { other: &other, penalty: 0.0, shared: None, biased: false };
        assert!(matches!(ridge_rows(&rated, &system), Err(Error::NotPositiveDefinite { .. })), "on {device}");
        let ridge = RidgeSystem { penalty: 1.0, ..system };
        let want = ndarray::array![[0.5, 0.5], [1.0, 0.0]];
        assert_close(&ridge_rows(&rated, &ridge).unwrap(), &want, 1e-6, "two systems");
        assert!(new(vec![0, 2], &entries).is_err() && new(vec![1, 3], &entries).is_err());
        assert!(
            new(vec![0, 3], &vec![(2, 1.0, 1.0); 3]).is_err()
                && new(vec![0, 1], &vec![(0, -1.0, 1.0)]).is_err()
        );
        let short = on(&device, &random(3, 2, 1));
        assert!(matches!(
            ridge_rows(&rated, &RidgeSystem { other: &short, ..system }),
            Err(Error::Shape { .. })
        ));
    }
}
