use mercer::ops::{Whitening, gaussian_log_density, to_half};
use mercer::{Device, Error};
use ndarray::{Array2, s};

use crate::support::{assert_close, cramped, edges, gpus, on, random};

struct Case {
    x: Array2<f64>,
    means: Array2<f64>,
    full: Array2<f64>,
    diagonal: Array2<f64>,
    offset: Array2<f64>,
}

fn case(n: usize, k: usize, d: usize) -> Case {
    Case {
        x: random(n, d, 1),
        means: random(k, d, 2),
        full: random(k * d, d, 3),
        diagonal: random(k, d, 4),
        offset: random(1, k, 5),
    }
}

/// The formula, entry by entry.
fn definition(c: &Case, full: bool) -> Array2<f64> {
    let d = c.x.ncols();
    Array2::from_shape_fn((c.x.nrows(), c.means.nrows()), |(i, k)| {
        let z = &c.x.row(i) - &c.means.row(k);
        let y = if full { c.full.slice(s![k * d..(k + 1) * d, ..]).dot(&z) } else { &z * &c.diagonal.row(k) };
        c.offset[[0, k]] - 0.5 * y.dot(&y)
    })
}

fn check(device: &Device, c: &Case, tolerance: f64) {
    let [x, means, w, s, offset] = [&c.x, &c.means, &c.full, &c.diagonal, &c.offset].map(|a| on(device, a));
    let shape = format!("{:?}, {:?} on {device}", c.x.dim(), c.means.dim());
    let got = gaussian_log_density(&x, &means, Whitening::Full(&w), &offset).unwrap();
    assert_close(&got, &definition(c, true), tolerance, &format!("full, {shape}"));
    let got = gaussian_log_density(&x, &means, Whitening::Diagonal(&s), &offset).unwrap();
    assert_close(&got, &definition(c, false), tolerance, &format!("diagonal, {shape}"));
}

#[test]
fn the_formula_at_the_edges_of_a_workgroup() {
    for n in edges(64) {
        for (k, d) in [(1, 1), (3, 4), (5, 7), (4, 33)] {
            let c = case(n, k, d);
            check(&Device::cpu(), &c, 1e-13);
            for device in gpus() {
                check(device, &c, 1e-5);
            }
        }
    }
}

/// More features than the expansion takes on the CPU, and more rows of W than one dispatch takes on a GPU.
#[test]
fn many_features() {
    let c = case(9, 2, 300);
    check(&Device::cpu(), &c, 1e-13);
    for device in gpus() {
        check(device, &c, 1e-5);
    }
}

#[test]
fn more_than_a_binding_holds() {
    let c = case(3000, 40, 30);
    check(&Device::cpu(), &c, 1e-13);
    for device in cramped() {
        check(device, &c, 1e-5);
    }
}

/// Where `z^T Q z - 2 b^T z + c` would lose everything, differences are taken first.
#[test]
fn far_from_the_origin_and_in_tight_units() {
    let mut c = case(200, 3, 5);
    c.full *= 1e6;
    c.diagonal *= 1e6;
    check(&Device::cpu(), &c, 1e-13);
    for a in [&mut c.x, &mut c.means] {
        *a += 1e4; // exact in neither operand, but the differences are what they are
    }
    check(&Device::cpu(), &c, 1e-13);
}

#[test]
fn half_storage_is_read() {
    let c = Case { x: random(70, 6, 1).mapv(|v| (8.0 * v).round()), ..case(70, 3, 6) };
    for device in gpus() {
        let [x, means, w, offset] = [&c.x, &c.means, &c.full, &c.offset].map(|a| on(device, a));
        let x = to_half(&x).unwrap();
        let got = gaussian_log_density(&x, &means, Whitening::Full(&w), &offset).unwrap();
        assert_close(&got, &definition(&c, true), 1e-5, &device.to_string());
    }
}

#[test]
fn misfits_are_refused() {
    let (cpu, c) = (Device::cpu(), case(4, 2, 3));
    let [x, means, w, s, offset] = [&c.x, &c.means, &c.full, &c.diagonal, &c.offset].map(|a| on(&cpu, a));
    let narrow = on(&cpu, &random(4, 2, 1));
    for e in [
        gaussian_log_density(&narrow, &means, Whitening::Full(&w), &offset),
        gaussian_log_density(&x, &means, Whitening::Full(&s), &offset),
        gaussian_log_density(&x, &means, Whitening::Diagonal(&w), &offset),
        gaussian_log_density(&x, &means, Whitening::Full(&w), &means),
    ] {
        assert!(matches!(e, Err(Error::Shape { op: "gaussian_log_density", .. })), "{e:?}");
    }
}
