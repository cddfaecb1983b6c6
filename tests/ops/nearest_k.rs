use mercer::ops::{nearest_k, to_half};
use mercer::{Device, Error};
use ndarray::{Array2, s};

use crate::support::{cramped, edges, gpus, on, random};

/// All squared distances of a row, sorted, the lower index of equals first.
fn definition(x: &Array2<f64>, y: &Array2<f64>, i: usize) -> Vec<(f64, usize)> {
    let distance = |j: usize| x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let mut all: Vec<(f64, usize)> = (0..y.nrows()).map(|j| (distance(j), j)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

fn check(device: &Device, x: &Array2<f64>, y: &Array2<f64>, k: usize, tolerance: f64) {
    let got = nearest_k(&on(device, x), &on(device, y), k).unwrap();
    assert_eq!(got.index.dim(), (x.nrows(), k));
    for i in 0..x.nrows() {
        let want = definition(x, y, i);
        let mut seen: Vec<usize> = got.index.row(i).to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), k, "row {i} names a neighbour twice on {device}");
        for (place, (distance, j)) in want.iter().take(k).enumerate() {
            let (found, at) = (got.squared_distance[[i, place]], got.index[[i, place]]);
            // In f32 two rows may be equally near to rounding: the distance decides, not the name.
            let named = x.row(i).iter().zip(y.row(at)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let close = |v: f64| (v - distance).abs() <= tolerance * (1.0 + distance);
            assert!(close(found) && close(named), "row {i}, place {place}: {at} instead of {j} on {device}");
            if !device.is_gpu() {
                assert_eq!(at, *j);
            }
        }
    }
}

#[test]
fn the_nearest_rows_at_tile_edges() {
    for n in edges(64) {
        for (m, d, k) in [(1, 1, 1), (15, 3, 4), (16, 17, 16), (17, 16, 3), (200, 5, 33)] {
            let (x, y) = (random(n, d, 1), random(m, d, 2));
            check(&Device::cpu(), &x, &y, k, 0.0);
            for device in gpus() {
                check(device, &x, &y, k, 1e-6);
            }
        }
    }
}

#[test]
fn equals_go_to_the_lower_index() {
    let y = Array2::from_shape_fn((130, 2), |(j, _)| (j % 3) as f64);
    let x = Array2::from_shape_fn((70, 2), |(i, _)| (i % 3) as f64);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let got = nearest_k(&on(&device, &x), &on(&device, &y), 50).unwrap();
        for i in 0..70 {
            let want: Vec<usize> = definition(&x, &y, i).into_iter().take(50).map(|(_, j)| j).collect();
            assert_eq!(got.index.row(i).to_vec(), want, "row {i} on {device}");
        }
    }
}

/// |x|^2 + |y|^2 - 2 x.y would lose everything here.
#[test]
fn far_from_the_origin() {
    let (x, y) = (random(80, 4, 3) * 1e-3 + 1e6, random(70, 4, 4) * 1e-3 + 1e6);
    check(&Device::cpu(), &x, &y, 5, 0.0);
}

#[test]
fn more_rows_than_a_binding_holds_and_half_storage() {
    let (x, y) = (random(4000, 6, 5), random(5000, 6, 6));
    for device in cramped().iter().take(1) {
        check(device, &x.slice(s![..100, ..]).to_owned(), &y, 7, 1e-6);
        check(device, &x, &y.slice(s![..60, ..]).to_owned(), 5, 1e-6);
    }
    let (x, y) = (x.slice(s![..70, ..]).mapv(f64::round), y.slice(s![..70, ..]).mapv(f64::round));
    for device in gpus() {
        let (hx, hy) = (to_half(&on(device, &x)).unwrap(), to_half(&on(device, &y)).unwrap());
        assert_eq!(
            nearest_k(&hx, &hy, 9).unwrap(),
            nearest_k(&on(device, &x), &on(device, &y), 9).unwrap(),
            "{device}"
        );
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (a, b) = (on(&cpu, &random(3, 2, 1)), on(&cpu, &random(3, 3, 1)));
    assert!(matches!(nearest_k(&a, &b, 1), Err(Error::Shape { op: "nearest_k", .. })));
    for k in [0, 4, usize::MAX] {
        assert!(matches!(nearest_k(&a, &a, k), Err(Error::Parameter { .. })));
    }
}
