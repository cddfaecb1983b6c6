use mercer::ops::{Moments, Second, moments};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, s};

use crate::support::{cramped, edges, gpus, on, random};

/// The sums, written out.
fn definition(x: &Array2<f64>, r: &Array2<f64>, centres: &Array2<f64>, second: Second) -> Moments {
    let ((n, d), k) = (x.dim(), r.ncols());
    let full = second == Second::Full;
    let mut sums = Moments {
        mass: Array1::zeros(k),
        first: Array2::zeros((k, d)),
        second: Array2::zeros((if full { k * d } else { k }, d)),
    };
    for i in 0..n {
        for k in 0..k {
            let (z, w) = (&x.row(i) - &centres.row(k), r[[i, k]]);
            sums.mass[k] += w;
            let mut first = sums.first.row_mut(k);
            first += &(w * &z);
            if full {
                let outer = z.view().insert_axis(Axis(1)).dot(&z.view().insert_axis(Axis(0)));
                let mut own = sums.second.slice_mut(s![k * d..(k + 1) * d, ..]);
                own += &(w * outer);
            } else {
                let mut own = sums.second.row_mut(k);
                own += &(w * &z * &z);
            }
        }
    }
    sums
}

/// `scale` is that of the entries of x about the centres.
fn check(
    device: &Device,
    x: &Array2<f64>,
    r: &Array2<f64>,
    centres: &Array2<f64>,
    tolerance: f64,
    scale: f64,
) {
    for second in [Second::Full, Second::Diagonal] {
        let got = moments(&on(device, x), &on(device, r), &on(device, centres), second).unwrap();
        let want = definition(x, r, centres, second);
        let off = |a: &[f64], b: &[f64], unit: f64| {
            a.iter().zip(b).map(|(a, b)| (a - b).abs() / unit).fold(0f64, |w, v| if v <= w { w } else { v })
        };
        let flat = |a: &Array2<f64>| a.iter().copied().collect::<Vec<_>>();
        let n = x.nrows() as f64;
        let worst = [
            off(&got.mass.to_vec(), &want.mass.to_vec(), n),
            off(&flat(&got.first), &flat(&want.first), n * scale),
            off(&flat(&got.second), &flat(&want.second), n * scale * scale),
        ];
        assert!(worst.iter().all(|&w| w <= tolerance), "{worst:?} at {:?}, {second:?} on {device}", x.dim());
    }
}

#[test]
fn the_sums_at_the_edges_of_a_workgroup() {
    for n in edges(64) {
        for (k, d) in [(1, 1), (3, 4), (5, 7), (2, 70)] {
            let (x, r, centres) = (random(n, d, 1), random(n, k, 2).mapv(f64::abs), random(k, d, 3));
            check(&Device::cpu(), &x, &r, &centres, 1e-14, 1.0);
            for device in gpus() {
                check(device, &x, &r, &centres, 1e-6, 1.0);
            }
        }
    }
}

#[test]
fn more_than_a_binding_holds() {
    let (x, r, centres) = (random(4200, 30, 1), random(4200, 40, 2).mapv(f64::abs), random(40, 30, 3));
    check(&Device::cpu(), &x, &r, &centres, 1e-14, 1.0);
    let few = s![.., ..3];
    let (r, centres) = (r.slice(few).to_owned(), centres.slice(s![..3, ..]).to_owned());
    for device in cramped() {
        check(device, &x, &r, &centres, 1e-6, 1.0);
    }
}

/// Tight clusters far apart: about a common centre their variances would be rounding errors.
#[test]
fn variances_far_below_the_distances() {
    let n = 300;
    let centres = Array2::from_shape_fn((3, 4), |(k, j)| 1e5 * (k as f64 - 1.0) * (1.0 + j as f64));
    let x = Array2::from_shape_fn((n, 4), |(i, j)| centres[[i % 3, j]]) + 1e-3 * random(n, 4, 5);
    let r = Array2::from_shape_fn((n, 3), |(i, k)| f64::from(u8::from(i % 3 == k)));
    check(&Device::cpu(), &x, &r, &centres, 1e-12, 1e-3);
}

/// A column that never changes, and one that is the sum of two others: no direction may lose its zero variance.
#[test]
fn degenerate_directions() {
    let mut x = random(500, 4, 6) + 1000.0;
    x.column_mut(1).fill(1000.0);
    let sum = &x.column(0) + &x.column(2);
    x.column_mut(3).assign(&sum);
    let r = random(500, 2, 7).mapv(f64::abs);
    let centres = Array2::from_shape_fn((2, 4), |(k, j)| if j == 3 { 2000.0 } else { 1000.0 + k as f64 });
    check(&Device::cpu(), &x, &r, &centres, 1e-13, 1.0);
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (x, r) = (on(&cpu, &random(4, 3, 1)), on(&cpu, &random(4, 2, 1)));
    for (r, centres) in [(&r, &x), (&on(&cpu, &random(3, 2, 1)), &on(&cpu, &random(2, 3, 1)))] {
        let e = moments(&x, r, centres, Second::Full);
        assert!(matches!(e, Err(Error::Shape { op: "moments", .. })), "{e:?}");
    }
}
