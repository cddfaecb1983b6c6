use mercer::kernel::Custom;
use mercer::ops::{Trans, Weights, gemm, gram, gram_half, gram_sum, gram_vec, to_half};
use mercer::{Device, Error, Kernel, Matrix};
use ndarray::{Array2, s};

use crate::support::zoo::zoo;
use crate::support::{adapters, assert_close, cramped, edges, gpus, on, random};

/// Every pair by the kernel's definition.
fn definition(kernel: &Kernel, x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        kernel.value(x.row(i).as_slice().unwrap(), y.row(j).as_slice().unwrap()).unwrap()
    })
}

#[test]
fn every_kernel_on_every_device_is_its_definition() {
    let (x, y) = (random(67, 3, 1), random(70, 3, 2));
    for kernel in zoo() {
        let want = definition(&kernel, &x, &y);
        let cpu = Device::cpu();
        assert_close(
            &gram(&kernel, &on(&cpu, &x), Some(&on(&cpu, &y))).unwrap(),
            &want,
            1e-13,
            &kernel.to_string(),
        );
        for device in adapters() {
            let got = gram(&kernel, &on(device, &x), Some(&on(device, &y))).unwrap();
            assert_close(&got, &want, 3e-6, &format!("{kernel} on {device}"));
        }
    }
}

#[test]
fn tile_edges_in_rows_columns_and_features() {
    for n in edges(64) {
        for (m, d) in [(1, 1), (63, 17), (65, 4), (131, 33)] {
            let (x, y) = (random(n, d, 1), random(m, d, 2));
            for kernel in [Kernel::matern32(1.7), Kernel::linear()] {
                let want = definition(&kernel, &x, &y);
                for device in gpus().iter().cloned().chain([Device::cpu()]) {
                    let got = gram(&kernel, &on(&device, &x), Some(&on(&device, &y))).unwrap();
                    assert_close(&got, &want, 3e-6, &format!("{kernel} {n} x {m} x {d} on {device}"));
                }
            }
        }
    }
}

#[test]
fn the_gram_matrix_of_one_data_set_is_exactly_symmetric_with_noise_on_its_diagonal() {
    let kernel = 1.3 * Kernel::rbf([0.5, 1.0, 2.0]) + Kernel::white(0.25);
    for n in edges(64) {
        let x = random(n, 3, 3);
        let want = definition(&kernel, &x, &x) + 0.25 * Array2::<f64>::eye(n);
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let k = gram(&kernel, &on(&device, &x), None).unwrap();
            assert_close(&k, &want, 2e-6, &format!("n = {n} on {device}"));
            let back = k.to_array().unwrap();
            assert_eq!(back, back.t(), "n = {n} on {device}");
            // Padding must be zero: a product over the padded columns sees it.
            let squared = gemm(1.0, &k, Trans::Yes, &k, Trans::No).unwrap();
            assert_close(&squared, &want.dot(&want), 1e-5, &format!("squared, n = {n} on {device}"));
        }
    }
}

#[test]
fn near_duplicates_far_from_the_origin_keep_their_digits() {
    let x = Array2::from_shape_fn((2, 8), |(i, _)| 1000.0 + i as f64 * 0.25);
    for device in gpus() {
        let k = gram(&Kernel::rbf(1.0), &on(device, &x), None).unwrap().to_array().unwrap();
        assert!((k[[0, 1]] - (-0.25f64).exp()).abs() < 1e-6, "{k} on {device}");
        assert_eq!(k[[0, 0]], 1.0, "{device}");
    }
}

#[test]
fn a_matrix_larger_than_a_binding_is_filled_in_windows() {
    let x = random(300, 3, 4);
    let want = definition(&Kernel::matern52(0.8), &x, &x);
    for device in cramped() {
        let got = gram(&Kernel::matern52(0.8), &on(device, &x), None).unwrap();
        assert_close(&got, &want, 2e-6, &format!("{device}"));
    }
}

#[test]
fn half_storage_of_points_and_of_the_matrix() {
    let x = random(70, 5, 5);
    let kernel = Kernel::rbf(1.1);
    let rounded = to_half(&on(&Device::cpu(), &x)).unwrap().to_array().unwrap();
    let (exact, of_rounded) = (definition(&kernel, &x, &x), definition(&kernel, &rounded, &rounded));
    for device in gpus() {
        let half = to_half(&on(device, &x)).unwrap();
        // Reading halves costs their rounding and nothing else.
        assert_close(&gram(&kernel, &half, None).unwrap(), &of_rounded, 2e-6, &format!("{device}"));
        let stored = gram_half(&kernel, &on(device, &x), None).unwrap();
        assert_close(&stored, &exact, 5e-4, &format!("{device}"));
        assert_eq!(stored.bytes() * 2, gram(&kernel, &on(device, &x), None).unwrap().bytes());
    }
}

#[test]
fn new_parameter_values_compile_nothing() {
    for adapter in adapters() {
        // A device of its own: other tests compile on the shared one.
        let device = &Device::nth(adapter.adapter().unwrap().index).unwrap();
        let x = on(device, &random(9, 3, 6));
        let of = |l: f64, s: f64| s * Kernel::rbf([l, 2.0 * l, 0.5]) + Kernel::white(0.1 * s);
        gram(&of(0.5, 1.0), &x, None).unwrap();
        let before = device.counters().pipelines;
        for l in [0.1, 0.7, 1.9] {
            gram(&of(l, 3.0 * l), &x, None).unwrap();
        }
        assert_eq!(device.counters().pipelines, before, "{device}");
        gram(&Kernel::matern12(0.31), &x, None).unwrap();
    }
}

#[test]
fn precomputed_tables_are_looked_up_and_guarded() {
    let table = Array2::from_shape_fn((4, 4), |(i, j)| (1 + i * j) as f64);
    let kernel = Kernel::precomputed(table.clone());
    let x = ndarray::array![[2.0], [0.0], [3.0]];
    let want = Array2::from_shape_fn((3, 3), |(i, j)| table[[x[[i, 0]] as usize, x[[j, 0]] as usize]]);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        assert_close(&gram(&kernel, &on(&device, &x), None).unwrap(), &want, 1e-7, &format!("{device}"));
        assert!(gram(&kernel, &on(&device, &(&x + 3.0)), None).is_err(), "beyond the table on {device}");
    }
}

#[test]
fn misfits_and_bad_parameters_are_refused() {
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let (x, y) = (on(&device, &random(3, 2, 1)), on(&device, &random(3, 4, 1)));
        assert!(matches!(gram(&Kernel::rbf(1.0), &x, Some(&y)), Err(Error::Shape { op: "gram", .. })));
        assert!(matches!(gram(&Kernel::rbf([1.0, 2.0, 3.0]), &x, None), Err(Error::Shape { .. })));
        assert!(matches!(gram(&Kernel::rbf(-1.0), &x, None), Err(Error::Parameter { .. })));
    }
    let x = on(&gpus()[0], &random(3, 2, 1));
    let e = gram(&Kernel::matern(0.8, 1.0), &x, None);
    assert!(matches!(e, Err(Error::Unsupported { .. })), "{e:?}");
}

/// A user's term never sees padding, nor columns that were left out: there `(a - b)² / (a + b)` has no value.
#[test]
fn a_custom_term_sees_points_only() {
    let value = |x: &[f64], y: &[f64], _: &[f64]| {
        (-x.iter().zip(y).map(|(a, b)| (a - b) * (a - b) / (a + b)).sum::<f64>()).exp()
    };
    let custom = Custom::new("chi squared", value).wgsl("(a - b) * (a - b) / (a + b)", "exp(-s)");
    let whole = Kernel::custom(custom);
    for (d, left_out) in [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (3, 1), (5, 2)] {
        let kernel = whole.clone().on((left_out..d).collect::<Vec<_>>());
        let [mut x, mut y] = [(67, 1), (65, 2)].map(|(n, seed)| random(n, d, seed).mapv(|v| v.abs() + 0.1));
        // Zeros where the kernel does not look.
        for a in [&mut x, &mut y] {
            a.slice_mut(s![.., ..left_out]).fill(0.0);
        }
        let want = definition(&kernel, &x, &y);
        let (ones, ones_x) = (Array2::ones((65, 1)), Array2::ones((67, 1)));
        for device in gpus() {
            let (x, y) = (on(device, &x), on(device, &y));
            let what = format!("{d} features, {left_out} left out, on {device}");
            assert_close(&gram(&kernel, &x, Some(&y)).unwrap(), &want, 3e-6, &what);
            let (v, u) = (on(device, &ones), on(device, &ones_x));
            assert_close(&gram_vec(&kernel, &x, Some(&y), &v).unwrap(), &want.dot(&ones), 3e-6, &what);
            let sum = gram_sum(&kernel, &x, Some(&y), Weights::LowRank { u: &u, v: &v }).unwrap();
            assert!((sum - want.sum()).abs() < 1e-5 * want.sum(), "{what}: {sum}, not {}", want.sum());
        }
    }
}

#[test]
fn what_overflows_is_an_error_that_says_where() {
    let cpu = Device::cpu();
    let x = ndarray::array![[1.0, 2.0], [30.0, 0.5], [3.0, 1.0]];
    let m = Matrix::from_array(&cpu, x.view()).unwrap();
    let kernel = Kernel::exponential_dot(1.0);
    for other in [None, Some(&m)] {
        match gram(&kernel, &m, other) {
            Err(Error::Overflow { row: 1, col: 1, value, .. }) => assert_eq!(value, f64::INFINITY),
            got => panic!("{got:?}"),
        }
    }
    assert!(matches!(kernel.value(&[30.0], &[30.0]), Err(Error::Overflow { .. })));
    // Its neighbours are as they were.
    let fits = Matrix::from_array(&cpu, x.select(ndarray::Axis(0), &[0, 2]).view()).unwrap();
    assert_eq!(gram(&kernel, &fits, None).unwrap().to_array().unwrap()[[0, 1]], 5f64.exp());
}

/// f32 rounds 1e8, 1e8 + 1 and 1e8 + 2 to one number: refused, and right once the mean is taken away.
#[test]
fn differences_that_f32_loses_are_refused() {
    let (far, near) = ([1e8, 1e8 + 1.0, 1e8 + 2.0], [-1.0, 0.0, 1.0]);
    let want = gram(&Kernel::rbf(1.0), &Matrix::column(&Device::cpu(), &far).unwrap(), None).unwrap();
    let want = want.to_array().unwrap();
    assert!((want[[0, 2]] - (-2f64).exp()).abs() < 1e-15);
    for device in adapters() {
        let x = Matrix::column(device, &far).unwrap();
        let refused = gram(&Kernel::rbf(1.0), &x, None).unwrap_err().to_string();
        assert!(refused.contains("column 0"), "{refused}");
        assert!(mercer::ops::nearest(&x, &x).is_err() && mercer::ops::nearest_k(&x, &x, 1).is_err());
        // What is no difference keeps its digits.
        assert!(gram(&Kernel::linear(), &x, None).is_ok());
        let got = gram(&Kernel::rbf(1.0), &Matrix::column(device, &near).unwrap(), None).unwrap();
        let off = (&got.to_array().unwrap() - &want).mapv(f64::abs);
        assert!(off.iter().all(|v| *v < 1e-6), "{off}");
        // A constant is no difference either, however large.
        let same = Matrix::column(device, &[1e8 + 1.0; 3]).unwrap();
        assert!(gram(&Kernel::rbf(1.0), &same, None).is_ok());
    }
}
