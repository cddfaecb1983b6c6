use mercer::ops::{Relabellings, Trans, bilinear_forms, gemm, gemm_add, relabelled_forms, syrk, to_half};
use mercer::{Device, Error};
use ndarray::Array2;

use crate::support::{assert_close, cramped, edges, gpus, on, random, spd};

const BOTH: [Trans; 2] = [Trans::No, Trans::Yes];

/// The triple loop.
fn definition(alpha: f64, a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
        alpha * (0..a.ncols()).map(|p| a[[i, p]] * b[[p, j]]).sum::<f64>()
    })
}

fn stored(a: &Array2<f64>, t: Trans) -> Array2<f64> {
    if t == Trans::No { a.clone() } else { a.t().to_owned() }
}

#[test]
fn every_transpose_agrees_with_the_triple_loop() {
    let devices: Vec<Device> = gpus().iter().cloned().chain([Device::cpu()]).collect();
    for (m, n, k) in
        [(1, 1, 1), (63, 65, 17), (64, 64, 64), (65, 63, 15), (131, 5, 70), (3, 131, 16), (37, 41, 129)]
    {
        let (a, b) = (random(m, k, 1), random(k, n, 2));
        let want = definition(0.7, &a, &b);
        for device in &devices {
            for ta in BOTH {
                for tb in BOTH {
                    let (sa, sb) = (on(device, &stored(&a, ta)), on(device, &stored(&b, tb)));
                    let got = gemm(0.7, &sa, ta, &sb, tb).unwrap();
                    let tolerance = if device.is_gpu() { 2e-6 } else { 1e-14 };
                    assert_close(&got, &want, tolerance, &format!("{m}x{n}x{k} {ta:?} {tb:?} on {device}"));
                }
            }
        }
    }
}

/// Products with so many tiles that they are large ones, at the edges of those.
#[test]
fn large_tiles_agree_with_the_cpu() {
    let (m, n, k) = (1537, 1663, 19);
    let (a, b, c) = (random(m, k, 1), random(k, n, 2), random(m, n, 3));
    let (want, added) = (a.dot(&b) * 0.7, a.dot(&b) * 0.7 - &c);
    for device in gpus().iter().skip(1).step_by(2) {
        for (ta, tb) in BOTH.into_iter().flat_map(|ta| BOTH.map(|tb| (ta, tb))) {
            let (a, b) = (on(device, &stored(&a, ta)), on(device, &stored(&b, tb)));
            let got = gemm(0.7, &a, ta, &b, tb).unwrap();
            assert_close(&got, &want, 2e-6, &format!("{ta:?} {tb:?} on {device}"));
            // Along and across are each staged once from halves, which do not wait in registers.
            if ta != tb {
                let halves = gemm(0.7, &to_half(&a).unwrap(), ta, &to_half(&b).unwrap(), tb).unwrap();
                assert_close(&halves, &want, 1e-3, &format!("halves, {ta:?} {tb:?} on {device}"));
            }
        }
        let (a, b, c) = (on(device, &a), on(device, &b), on(device, &c));
        let got = gemm_add(0.7, &a, Trans::No, &b, Trans::No, -1.0, &c).unwrap();
        assert_close(&got, &added, 2e-6, &format!("added to, on {device}"));
        // Half of the tiles are mirrored: there must be twice as many.
        for n in [2305, 2429] {
            let a = random(n, 7, 4);
            let got = syrk(1.0, &on(device, &a), Trans::No).unwrap();
            assert_close(&got, &a.dot(&a.t()), 2e-6, &format!("syrk, n = {n} on {device}"));
        }
    }
}

/// Where panels, blocks and terms of the packed product end: 4, 12, 96, 256 and 2040.
#[test]
fn the_cpu_at_the_edges_of_its_panels() {
    let cpu = Device::cpu();
    for (m, n, k) in [(24, 24, 24), (95, 25, 257), (97, 2041, 24), (100, 35, 513), (193, 2064, 31)] {
        let (a, b, c) = (random(m, k, 1), random(k, n, 2), on(&cpu, &random(m, n, 3)));
        let want = definition(0.7, &a, &b) - &random(m, n, 3);
        for (ta, tb) in BOTH.into_iter().flat_map(|ta| BOTH.map(|tb| (ta, tb))) {
            let (a, b) = (on(&cpu, &stored(&a, ta)), on(&cpu, &stored(&b, tb)));
            let got = gemm_add(0.7, &a, ta, &b, tb, -1.0, &c).unwrap();
            assert_close(&got, &want, 1e-13, &format!("{m}x{n}x{k} {ta:?} {tb:?}"));
        }
    }
}

#[test]
fn beta_adds_to_what_was_there() {
    let devices: Vec<Device> = gpus().iter().cloned().chain([Device::cpu()]).collect();
    let (a, b, c) = (random(70, 33, 1), random(33, 66, 2), random(70, 66, 3));
    let want = definition(-1.5, &a, &b) + 0.25 * &c;
    for device in devices {
        let (a, b, c) = (on(&device, &a), on(&device, &b), on(&device, &c));
        let got = gemm_add(-1.5, &a, Trans::No, &b, Trans::No, 0.25, &c).unwrap();
        assert_close(&got, &want, 2e-6, &format!("{device}"));
        assert_close(&c, &random(70, 66, 3), 1e-7, "the operand is untouched");
    }
}

#[test]
fn syrk_is_the_product_and_exactly_symmetric() {
    let devices: Vec<Device> = gpus().iter().cloned().chain([Device::cpu()]).collect();
    for n in edges(64) {
        let a = random(n, 19, 5);
        let want = definition(1.0, &a, &a.t().to_owned());
        for device in &devices {
            for t in BOTH {
                let got = syrk(1.0, &on(device, &stored(&a, t)), t).unwrap();
                assert_close(&got, &want, 2e-6, &format!("n = {n} {t:?} on {device}"));
                let back = got.to_array().unwrap();
                assert_eq!(back, back.t(), "n = {n} on {device}");
                // Padding must be zero: a product over the padded columns sees it.
                let again = gemm(1.0, &got, Trans::Yes, &got, Trans::No).unwrap();
                assert_close(
                    &again,
                    &definition(1.0, &want, &want),
                    1e-5,
                    &format!("squared, n = {n} on {device}"),
                );
            }
        }
    }
}

/// The CPU shares long sums among threads where the result is small.
#[test]
fn syrk_of_long_sums() {
    let cpu = Device::cpu();
    for (n, k) in [(1, 5000), (33, 4100), (97, 523), (200, 1031), (513, 600)] {
        let a = random(n, k, 6);
        let want = definition(0.5, &a, &a.t().to_owned());
        for t in BOTH {
            let got = syrk(0.5, &on(&cpu, &stored(&a, t)), t).unwrap();
            assert_close(&got, &want, 1e-13, &format!("{n} x {k} {t:?}"));
            let back = got.to_array().unwrap();
            assert_eq!(back, back.t(), "{n} x {k}");
        }
    }
}

#[test]
fn operands_larger_than_a_binding_are_split() {
    let (a, b) = (random(203, 190, 1), random(190, 170, 2));
    let want = definition(1.0, &a, &b);
    for device in cramped() {
        for ta in BOTH {
            for tb in BOTH {
                let (sa, sb) = (on(device, &stored(&a, ta)), on(device, &stored(&b, tb)));
                let got = gemm(1.0, &sa, ta, &sb, tb).unwrap();
                assert_close(&got, &want, 3e-6, &format!("{ta:?} {tb:?} on {device}"));
            }
        }
        let s = syrk(1.0, &on(device, &a), Trans::No).unwrap();
        assert_close(&s, &definition(1.0, &a, &a.t().to_owned()), 3e-6, "syrk");
    }
}

/// llvmpipe ends every loop after 65,535 iterations without a word; a sum of ones shows it.
#[test]
fn a_very_long_sum_is_complete() {
    let k = 200_003;
    for device in gpus() {
        let a = on(device, &Array2::ones((1, k)));
        let got = gemm(1.0, &a, Trans::No, &a, Trans::Yes).unwrap().to_array().unwrap()[[0, 0]];
        assert!((got - k as f64).abs() <= 1e-5 * k as f64, "{got} on {device}");
    }
}

#[test]
fn half_storage_is_accumulated_in_single() {
    let (a, b) = (random(65, 40, 1), random(40, 67, 2));
    let want = definition(1.0, &a, &b);
    for device in gpus() {
        let (sa, sb) = (on(device, &a), on(device, &b));
        let (ha, hb) = (to_half(&sa).unwrap(), to_half(&sb).unwrap());
        for (x, y) in [(&ha, &sb), (&sa, &hb), (&ha, &hb)] {
            let got = gemm(1.0, x, Trans::No, y, Trans::No).unwrap();
            assert_close(&got, &want, 1e-3, &format!("{device}"));
        }
        // The only error is the rounding of the operands: with rounded operands the product is as good as f32's.
        let rounded = |m: &Array2<f64>| to_half(&on(&Device::cpu(), m)).unwrap().to_array().unwrap();
        let got = gemm(1.0, &ha, Trans::No, &hb, Trans::No);
        assert_close(&got.unwrap(), &definition(1.0, &rounded(&a), &rounded(&b)), 2e-6, &format!("{device}"));
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    for device in gpus() {
        let a = on(device, &random(130, 99, 4));
        let once = gemm(1.0, &a, Trans::No, &a, Trans::Yes).unwrap().to_array().unwrap();
        let twice = gemm(1.0, &a, Trans::No, &a, Trans::Yes).unwrap().to_array().unwrap();
        assert_eq!(once, twice, "{device}");
    }
}

#[test]
fn misfits_are_refused() {
    let cpu = Device::cpu();
    let (a, b) = (on(&cpu, &random(2, 3, 1)), on(&cpu, &random(4, 2, 2)));
    assert!(matches!(gemm(1.0, &a, Trans::No, &b, Trans::No), Err(Error::Shape { op: "gemm", .. })));
    let c = on(&cpu, &random(3, 3, 3));
    let e = gemm_add(1.0, &a, Trans::Yes, &b, Trans::Yes, 1.0, &c);
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    let far = on(&gpus()[0], &random(3, 3, 3));
    assert!(matches!(
        gemm(1.0, &a, Trans::No, &far, Trans::No),
        Err(Error::DeviceMismatch { op: "gemm", .. })
    ));
}

/// The diagonal of `U^T A V`, few columns and many.
#[test]
fn a_form_for_each_column() {
    for (n, m, r) in [(1, 1, 1), (5, 7, 3), (65, 63, 64), (40, 70, 127), (33, 65, 200), (130, 20, 129)] {
        let (u, a, v) = (random(n, r, 1), random(n, m, 2), random(m, r, 3));
        let av = definition(1.0, &a, &v);
        let want = Array2::from_shape_fn((1, r), |(_, b)| (0..n).map(|i| u[[i, b]] * av[[i, b]]).sum());
        for device in gpus().iter().chain(cramped()).cloned().chain([Device::cpu()]) {
            let got = bilinear_forms(&on(&device, &u), &on(&device, &a), &on(&device, &v)).unwrap();
            let tolerance = if device.is_gpu() { 3e-6 } else { 1e-13 };
            assert_close(&got, &want, tolerance, &format!("{n} x {m}, {r} columns on {device}"));
        }
    }
    let (a, u) = (on(&Device::cpu(), &random(3, 3, 1)), on(&Device::cpu(), &random(3, 2, 1)));
    assert!(matches!(bilinear_forms(&u, &a, &a), Err(Error::Shape { op: "bilinear_forms", .. })));
}

/// The same for columns of two values: few and many of them, one matrix and several, symmetric and not.
#[test]
fn a_form_for_each_relabelling() {
    let values = [-2.0, 3.0];
    for (n, m, r, count) in [(1, 1, 1, 1), (5, 7, 23, 2), (33, 65, 24, 1), (65, 130, 90, 9)] {
        let labels = |rows: usize, salt: usize| -> Vec<Vec<u8>> {
            let label = |i: usize| u8::from((i * i + salt) % 7 + i % 3 > 4);
            (0..r).map(|b| (0..rows).map(|i| label(b * rows + i + salt)).collect()).collect()
        };
        let (left, right) = (labels(n, 0), labels(m, 5));
        let dense = |labels: &[Vec<u8>], rows: usize| {
            Array2::from_shape_fn((rows, r), |(i, b)| values[usize::from(labels[b][i])])
        };
        let (u, v) = (dense(&left, n), dense(&right, m));
        let a: Vec<Array2<f64>> = (0..count).map(|k| random(n, m, k as u64)).collect();
        let squares: Vec<Array2<f64>> = (0..count).map(|k| spd(n, k as u64)).collect();
        let form = |u: &Array2<f64>, a: &Array2<f64>, v: &Array2<f64>| {
            let av = definition(1.0, a, v);
            Array2::from_shape_fn((1, r), |(_, b)| (0..n).map(|i| u[[i, b]] * av[[i, b]]).sum())
        };
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let ready = |labels: &[Vec<u8>]| {
                let columns: Vec<&[u8]> = labels.iter().map(Vec::as_slice).collect();
                Relabellings::new(&device, values, &columns).unwrap()
            };
            let there = |all: &[Array2<f64>]| all.iter().map(|a| on(&device, a)).collect::<Vec<_>>();
            let tolerance = if device.is_gpu() { 3e-6 } else { 1e-12 };
            let what = format!("{n} x {m}, {r} relabellings on {device}");
            let got = relabelled_forms(&ready(&left), &there(&a), Some(&ready(&right))).unwrap();
            assert_eq!(got.len(), count);
            got.iter().zip(&a).for_each(|(got, a)| assert_close(got, &form(&u, a, &v), tolerance, &what));
            let got = relabelled_forms(&ready(&left), &there(&squares), None).unwrap();
            got.iter()
                .zip(&squares)
                .for_each(|(got, a)| assert_close(got, &form(&u, a, &u), tolerance, &what));
        }
    }
    let cpu = Device::cpu();
    assert!(matches!(Relabellings::new(&cpu, values, &[]), Err(Error::Shape { .. })));
    assert!(matches!(Relabellings::new(&cpu, values, &[&[0, 2]]), Err(Error::Shape { .. })));
    assert!(matches!(Relabellings::new(&cpu, values, &[&[0, 1], &[1]]), Err(Error::Shape { .. })));
    let two = Relabellings::new(&cpu, values, &[&[0, 1]]).unwrap();
    let wide = on(&cpu, &random(2, 3, 1));
    assert!(matches!(relabelled_forms(&two, &[wide], None), Err(Error::Shape { .. })));
    let far = on(&gpus()[0], &spd(2, 1));
    assert!(matches!(relabelled_forms(&two, &[far], None), Err(Error::DeviceMismatch { .. })));
}
