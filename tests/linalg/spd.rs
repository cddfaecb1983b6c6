use mercer::linalg::{Fallback, Jitter, SpdFactor, SpdParams, solve_spd};
use mercer::{Device, Error, Matrix};
use ndarray::{Array1, Array2};

use crate::support::{adapters, cramped, random, spd};
use crate::{conditioned, everywhere, relative, textbook, with_spectrum};

const N: usize = 130;

#[test]
fn the_solution_is_the_f64_one_up_to_a_condition_of_1e5() {
    for exponent in 1..=5 {
        let condition = 10f64.powi(exponent);
        let a = conditioned(N, condition, 7);
        let b = random(N, 3, 8);
        let want = textbook(&a, &b);
        for device in everywhere() {
            let s = solve_spd(&device, a.view(), b.view(), &SpdParams::default()).unwrap();
            let (error, c) = (relative(&s.x, &want), s.certificate);
            println!("condition 1e{exponent}: error {error:.1e}, {c:?}, {device}");
            assert!(error < 1e-10, "condition {condition:e} on {device}: error {error:e}");
            assert_eq!((c.jitter, c.fallback), (0.0, None), "condition {condition:e} on {device}");
            // The 1-norm condition is between the 2-norm's and n times that, and the estimate a little below it.
            assert!((condition / 3.0..condition * N as f64).contains(&c.condition), "{c:?}");
            assert!(c.backward_error < 1e-15, "{c:?}");
        }
    }
}

#[test]
fn up_to_1e12_it_converges_or_says_that_it_fell_back() {
    for exponent in 6..=12 {
        let condition = 10f64.powi(exponent);
        let a = conditioned(N, condition, 9);
        let b = random(N, 2, 10);
        let norm = a.rows().into_iter().map(|r| r.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
        for device in everywhere() {
            let s = solve_spd(&device, a.view(), b.view(), &SpdParams::default()).unwrap();
            println!("condition 1e{exponent}: {:?}, {device}", s.certificate);
            // The certificate is checked, not believed.
            let rest = &b - &a.dot(&s.x);
            let max = |v: ndarray::ArrayView1<f64>| v.iter().fold(0f64, |m, x| m.max(x.abs()));
            for c in 0..2 {
                let error = max(rest.column(c)) / (norm * max(s.x.column(c)) + max(b.column(c)));
                assert!(error < 1e-14, "condition {condition:e} on {device}: {error:e}");
            }
            assert!(s.certificate.backward_error < 1e-14 && s.certificate.jitter == 0.0);
            assert!(s.certificate.condition > condition / 10.0, "{:?}", s.certificate);
            if device.is_gpu() && exponent >= 9 {
                assert!(s.certificate.fallback.is_some(), "f32 cannot do 1e{exponent} on {device}");
            }
            let strict = SpdParams::new().fallback(false);
            match solve_spd(&device, a.view(), b.view(), &strict) {
                Ok(s) => assert!(s.certificate.backward_error <= 1e-14),
                Err(Error::NoConvergence { op: "solve_spd", residual, .. }) => {
                    assert!(device.is_gpu() && residual > 1e-14);
                }
                Err(Error::NotPositiveDefinite { op: "solve_spd", .. }) => assert!(device.is_gpu()),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn an_indefinite_matrix_is_refused_with_its_pivot() {
    for (n, bad) in [(1, 0), (5, 3), (100, 77)] {
        let mut a = spd(n, 6);
        // The pivot is what elimination leaves of the diagonal: half less than nothing.
        let lead = a.slice(ndarray::s![..bad, ..bad]).to_owned();
        let column = a.slice(ndarray::s![..bad, bad..=bad]).to_owned();
        a[[bad, bad]] = if bad == 0 { 0.0 } else { (&column * &textbook(&lead, &column)).sum() } - 0.5;
        for device in everywhere() {
            match SpdFactor::new(&device, a.view(), &SpdParams::default()) {
                Err(Error::NotPositiveDefinite { op: "solve_spd", pivot, value }) => {
                    assert_eq!(pivot, bad, "{device}");
                    assert!((value + 0.5).abs() < 1e-10, "the f64 pivot, {value} on {device}");
                }
                other => panic!("{other:?} on {device}"),
            }
        }
    }
    // Indefinite by less than f32 can see.
    let mut values = Array1::from_elem(80, 1.0);
    values[79] = -1e-9;
    let a = with_spectrum(&values, 3);
    for device in everywhere() {
        let e = solve_spd(&device, a.view(), random(80, 1, 4).view(), &SpdParams::default());
        assert!(matches!(e, Err(Error::NotPositiveDefinite { .. })), "{e:?} on {device}");
    }
}

#[test]
fn jitter_is_added_only_when_allowed_and_is_reported() {
    // Rank 20 of 60.
    let half = random(60, 20, 11);
    let a = half.dot(&half.t());
    let mean = a.diag().mean().unwrap();
    let b = random(60, 2, 12);
    for device in everywhere() {
        let never = solve_spd(&device, a.view(), b.view(), &SpdParams::default());
        assert!(matches!(never, Err(Error::NotPositiveDefinite { .. })), "{never:?} on {device}");
        let params = SpdParams::new().jitter(Jitter::ladder());
        let s = solve_spd(&device, a.view(), b.view(), &params).unwrap();
        let jitter = s.certificate.jitter;
        assert!(jitter >= 0.99e-10 * mean && jitter <= 1.01e-9 * mean, "{:?} on {device}", s.certificate);
        let shifted = &a + &(Array2::<f64>::eye(60) * jitter);
        let rest = &b - &shifted.dot(&s.x);
        assert!(rest.iter().all(|v| v.abs() < 1e-13 * crate::norm(&s.x) * crate::norm(&a)), "{device}");
        // Without the CPU to fall back on a GPU climbs on, to what f32 can factor.
        let strict = params.fallback(false);
        match solve_spd(&device, a.view(), b.view(), &strict) {
            Ok(s) => assert!(s.certificate.jitter >= jitter && s.certificate.fallback.is_none()),
            Err(e) => assert!(matches!(e, Error::NoConvergence { .. }) && device.is_gpu(), "{e}"),
        }
        // A matrix that needs none gets none.
        let s = solve_spd(&device, spd(60, 1).view(), b.view(), &params).unwrap();
        assert!(s.certificate.jitter == 0.0, "{device}");
    }
}

#[test]
fn bad_scaling_is_no_ill_condition() {
    // diag(s) A diag(s) with s over twenty orders of magnitude, entries beyond the range of f32.
    let n = 70;
    let s = Array1::from_shape_fn(n, |i| 10f64.powf(-20.0 + 40.0 * (i as f64) / (n - 1) as f64));
    let a = spd(n, 13) * s.view().insert_axis(ndarray::Axis(1)) * &s;
    let b = random(n, 2, 14);
    let want = textbook(&a, &b);
    for device in everywhere() {
        let f = SpdFactor::new(&device, a.view(), &SpdParams::new().tolerance(1e-10));
        let f = f.unwrap_or_else(|e| panic!("{e} on {device}"));
        assert_eq!(f.scale().is_some(), device.is_gpu());
        assert_eq!(f.factor().device(), if f.fallback().is_some() { Device::cpu() } else { device.clone() });
        let x = f.solve(b.view()).unwrap().x;
        // Entry by entry, since they differ by forty orders.
        for (got, want) in x.iter().zip(&want) {
            assert!((got - want).abs() <= 1e-6 * want.abs(), "{got:e} for {want:e} on {device}");
        }
    }
}

#[test]
fn right_hand_sides_of_any_size_are_solved_each_at_its_own_scale() {
    let a = conditioned(40, 1e3, 15);
    let mut b = random(40, 4, 16);
    b.column_mut(0).fill(0.0);
    b.column_mut(1).mapv_inplace(|v| v * 1e200);
    b.column_mut(2).mapv_inplace(|v| v * 1e-200);
    let want = textbook(&a, &b);
    for device in everywhere() {
        let s = solve_spd(&device, a.view(), b.view(), &SpdParams::default()).unwrap();
        assert!(s.x.column(0).iter().all(|v| *v == 0.0), "of nothing comes nothing, {device}");
        for c in 1..4 {
            let column = |x: &Array2<f64>| {
                let largest = want.column(c).iter().fold(0f64, |m, v| m.max(v.abs()));
                x.slice(ndarray::s![.., c..=c]).mapv(|v| v / largest)
            };
            assert!(relative(&column(&s.x), &column(&want)) < 1e-12, "column {c} on {device}");
        }
    }
}

#[test]
fn determinant_inverse_and_whitening_belong_to_the_same_matrix() {
    let n = 90;
    for condition in [1e1, 1e3, 1e5, 1e6] {
        let a = conditioned(n, condition, 17) * 3.0;
        let want = n as f64 * 3f64.ln() - 0.5 * n as f64 * condition.ln();
        for device in everywhere() {
            let f = SpdFactor::new(&device, a.view(), &SpdParams::default()).unwrap();
            let (got, on_gpu) = (f.log_det().unwrap(), f.factor().device().is_gpu());
            println!("log det, condition {condition:e}: off by {:.1e} on {device}", got - want);
            let bound = if on_gpu { 1e-5 + 6e-8 * condition } else { 1e-9 };
            assert!((got - want).abs() < bound, "{got} and not {want} on {device}");
            let inverse = f.inverse().unwrap().x;
            assert!(relative(&a.dot(&inverse), &Array2::eye(n)) < 1e-9, "{device}");
            let b = random(n, 2, 18);
            let white = f.whiten(Matrix::from_array(&device, b.view()).unwrap()).unwrap().to_array().unwrap();
            let (got, want) = ((&white * &white).sum(), (&b * &inverse.dot(&b)).sum());
            let bound = if on_gpu { 2e-7 * condition } else { 1e-9 };
            assert!((got - want).abs() < bound * want, "{got} and not {want} on {device}");
        }
    }
}

#[test]
fn a_matrix_larger_than_a_binding_is_solved() {
    let a = conditioned(300, 1e4, 19);
    let b = random(300, 1, 20);
    let want = textbook(&a, &b);
    for device in cramped() {
        let s = solve_spd(device, a.view(), b.view(), &SpdParams::default()).unwrap();
        assert!(relative(&s.x, &want) < 1e-10 && s.certificate.fallback.is_none(), "{device}");
    }
}

#[test]
fn one_equation() {
    for device in everywhere() {
        let (a, b) = (ndarray::array![[4.0]], ndarray::array![[2.0, 6.0]]);
        let s = solve_spd(&device, a.view(), b.view(), &SpdParams::default()).unwrap();
        assert_eq!(s.x, ndarray::array![[0.5, 1.5]], "{device}");
        assert!((s.certificate.condition - 1.0).abs() < 1e-12, "{device}");
    }
}

#[test]
fn a_fallback_within_a_solve_is_kept_and_told() {
    // A tolerance that no f32 factor reaches in no steps.
    let params = SpdParams::new().max_steps(0).tolerance(1e-13);
    let a = conditioned(50, 1e3, 21);
    let b = random(50, 1, 22);
    for device in adapters() {
        let f = SpdFactor::new(device, a.view(), &params).unwrap();
        assert_eq!(f.fallback(), None);
        for _ in 0..2 {
            let s = f.solve(b.view()).unwrap();
            assert_eq!(s.certificate.fallback, Some(Fallback::Refinement));
        }
        assert_eq!((f.fallback(), f.factor().device()), (Some(Fallback::Refinement), Device::cpu()));
        let strict = params.fallback(false);
        let e = solve_spd(device, a.view(), b.view(), &strict);
        assert!(matches!(e, Err(Error::NoConvergence { op: "solve_spd", iterations: 0, .. })), "{e:?}");
    }
}
