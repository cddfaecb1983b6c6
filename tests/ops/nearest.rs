use mercer::ops::{nearest, to_half};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{cramped, edges, gpus, on, random};

/// All squared distances, and the first least one.
fn definition(x: &Array2<f64>, y: &Array2<f64>) -> Vec<(usize, f64)> {
    let distance =
        |i: usize, j: usize| x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let first_least =
        |i| (0..y.nrows()).map(|j| (j, distance(i, j))).reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap();
    (0..x.nrows()).map(first_least).collect()
}

fn check(device: &Device, x: &Array2<f64>, y: &Array2<f64>, tolerance: f64) {
    let got = nearest(&on(device, x), &on(device, y)).unwrap();
    for (i, (j, want)) in definition(x, y).into_iter().enumerate() {
        // In f32 two centres may be equally near to rounding: the distance decides, not the name.
        let named = x.row(i).iter().zip(y.row(got.index[i])).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        assert!(
            (named - want).abs() <= tolerance * (1.0 + want),
            "row {i}: {} instead of {j} on {device}",
            got.index[i]
        );
        assert!((got.squared_distance[i] - want).abs() <= tolerance * (1.0 + want), "row {i} on {device}");
    }
}

#[test]
fn the_nearest_row_at_tile_edges() {
    for n in edges(64) {
        for (m, d) in [(1, 1), (63, 3), (65, 17), (200, 5)] {
            let (x, y) = (random(n, d, 1), random(m, d, 2));
            check(&Device::cpu(), &x, &y, 1e-12);
            for device in gpus() {
                check(device, &x, &y, 1e-6);
            }
        }
    }
}

/// On the CPU the answer is that of the definition, whatever the search in f32 made of it.
#[test]
fn the_definition_to_the_last_index() {
    let cpu = Device::cpu();
    let exactly = |x: &Array2<f64>, y: &Array2<f64>, what: &str| {
        let got = nearest(&on(&cpu, x), &on(&cpu, y)).unwrap();
        for (i, (j, want)) in definition(x, y).into_iter().enumerate() {
            assert_eq!(got.index[i], j, "row {i}, {} x {}, {what}", y.nrows(), y.ncols());
            let close = (got.squared_distance[i] - want).abs() <= 1e-14 * want;
            assert!(close || want == f64::INFINITY, "row {i}, {} x {}, {what}", y.nrows(), y.ncols());
        }
    };
    for m in [1, 3, 5, 6, 7, 63, 64, 65] {
        for d in [1, 31, 32, 33] {
            exactly(&random(300, d, 7), &random(m, d, 8), "tiles");
        }
    }
    // Sizes are powers of two, and rows on centres or half way between two are sums that f64 has exactly.
    let lattice = |m: Array2<f64>| m.mapv(|v| (16.0 * v).round() / 16.0);
    let (x, y) = (random(100, 9, 9), lattice(random(40, 9, 10)));
    let middles = Array2::from_shape_fn((79, 9), |(j, p)| 0.5 * (y[[j / 2, p]] + y[[j.div_ceil(2), p]]));
    // Pairs that f32 cannot tell apart; either may be the nearer one.
    let pairs = Array2::from_shape_fn((80, 9), |(j, p)| y[[j / 2, p]] + 1e-10 * x[[j, p]]);
    for power in [-830, -500, -332, -100, 0, 100, 332, 498, 664] {
        let size = 2f64.powi(power);
        for far in [1e-12, 1.0, 1e6, 1e50] {
            exactly(&(&x * size * far), &(&y * size), &format!("{far} times 2^{power}"));
        }
        exactly(&(&x * size), &(&pairs * size), &format!("pairs times 2^{power}"));
        exactly(&(&middles * size), &(&y * size), &format!("middles times 2^{power}"));
    }
}

#[test]
fn equals_go_to_the_lowest_index() {
    let y = Array2::from_shape_fn((130, 2), |(j, _)| (j % 3) as f64);
    let x = Array2::from_shape_fn((70, 2), |(i, _)| (i % 3) as f64);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let got = nearest(&on(&device, &x), &on(&device, &y)).unwrap();
        assert!(got.index.iter().enumerate().all(|(i, &j)| j == i % 3), "{:?} on {device}", got.index);
        assert!(got.squared_distance.iter().all(|&d| d == 0.0), "{device}");
    }
}

/// |x|^2 + |y|^2 - 2 x.y would lose everything here.
#[test]
fn far_from_the_origin() {
    let x = random(80, 4, 3) * 1e-3 + 1e6;
    let y = random(70, 4, 4) * 1e-3 + 1e6;
    let got = nearest(&on(&Device::cpu(), &x), &on(&Device::cpu(), &y)).unwrap();
    for (i, (j, d)) in definition(&x, &y).into_iter().enumerate() {
        assert_eq!((got.index[i], got.squared_distance[i]), (j, d));
    }
}

#[test]
fn more_rows_than_a_binding_holds_and_half_storage() {
    let (x, y) = (random(9000, 6, 5), random(5000, 6, 6));
    for device in cramped().iter().take(1) {
        check(device, &x.slice(ndarray::s![..600, ..]).to_owned(), &y, 1e-6);
        check(device, &x, &y.slice(ndarray::s![..100, ..]).to_owned(), 1e-6);
    }
    let (x, y) =
        (x.slice(ndarray::s![..70, ..]).mapv(f64::round), y.slice(ndarray::s![..70, ..]).mapv(f64::round));
    for device in gpus() {
        let (hx, hy) = (to_half(&on(device, &x)).unwrap(), to_half(&on(device, &y)).unwrap());
        assert_eq!(
            nearest(&hx, &hy).unwrap(),
            nearest(&on(device, &x), &on(device, &y)).unwrap(),
            "{device}"
        );
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let e = nearest(&on(&cpu, &random(3, 2, 1)), &on(&cpu, &random(3, 3, 1)));
    assert!(matches!(e, Err(Error::Shape { op: "nearest", .. })), "{e:?}");
}
