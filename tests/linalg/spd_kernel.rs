use mercer::linalg::{Fallback, Jitter, KernelOperator, Noise, Operator, SpdFactor, SpdParams};
use mercer::ops::gram;
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Axis};

use crate::support::{on, random};
use crate::{everywhere, norm, relative, textbook};

fn noisy_gram(kernel: &Kernel, x: &Array2<f64>, noise: &Array1<f64>) -> Array2<f64> {
    gram(kernel, &on(&Device::cpu(), x), None).unwrap().to_array().unwrap() + Array2::from_diag(noise)
}

#[test]
fn a_kernel_and_its_stored_matrix_have_one_solution() {
    let n = 120;
    let x = random(n, 3, 31);
    let b = random(n, 2, 32);
    let each = Array1::from_shape_fn(n, |i| 1e-3 * (1.0 + i as f64));
    let cases: [(Kernel, Noise, Array1<f64>); 4] = [
        (Kernel::rbf(0.5), 1e-2.into(), Array1::from_elem(n, 1e-2)),
        (Kernel::rbf([0.5, 0.7, 0.9]) + Kernel::white(0.05), 0.0.into(), Array1::zeros(n)),
        (Kernel::matern32(0.7), each.to_vec().into(), each.clone()),
        // A diagonal from 1 to 1e8, which f32 sees only after equilibration.
        (
            Kernel::rbf(0.5).warp("steep", |x| 1e4f64.powf(0.5 * (x[0] + 1.0))),
            each.to_vec().into(),
            each.clone(),
        ),
    ];
    for (kernel, noise, variances) in cases {
        let a = noisy_gram(&kernel, &x, &variances);
        let want = textbook(&a, &b);
        for device in everywhere() {
            let f = SpdFactor::of_kernel(&device, &kernel, x.view(), noise.clone(), &SpdParams::default());
            let f = f.unwrap_or_else(|e| panic!("{kernel} on {device}: {e}"));
            let s = f.solve(b.view()).unwrap();
            let error = relative(&s.x, &want);
            println!("{kernel}: error {error:.1e}, {:?}, {device}", s.certificate);
            assert!(error < 1e-9, "{kernel} on {device}: {error:e}, {:?}", s.certificate);
            assert!(s.certificate.backward_error < 1e-14);
        }
    }
}

/// Far from the origin f32 cannot tell inputs apart: a stationary kernel does not mind, any other is left to f64.
#[test]
fn inputs_far_from_the_origin() {
    let x = random(80, 2, 35) + 5e4;
    let each: Noise = (0..80).map(|i| 0.01 * f64::from(1 + i % 7)).collect::<Vec<_>>().into();
    let plain = Kernel::matern52(0.6);
    let cases = [
        (plain.clone(), 0.02.into(), None),
        (plain.clone(), each, None),
        (plain.warp("one", |_| 1.0), Noise::Same(0.02), Some(Fallback::Inputs)),
    ];
    for (kernel, noise, fallback) in cases {
        let of = |device: &Device, condition: bool| {
            let params = SpdParams::new().condition(condition);
            SpdFactor::of_kernel(device, &kernel, x.view(), noise.clone(), &params).unwrap()
        };
        let want = of(&Device::cpu(), true).log_det().unwrap();
        for device in everywhere().filter(Device::is_gpu) {
            // Also if nobody asks for the condition, as a search does not.
            for condition in [true, false] {
                let f = of(&device, condition);
                let off = (f.log_det().unwrap() - want).abs();
                assert!(off < 2e-3, "{kernel} on {device}: off by {off:e}");
                assert_eq!(f.fallback(), fallback, "{kernel} on {device}");
            }
        }
    }
}

#[test]
fn duplicates_without_noise_need_jitter() {
    let mut x = random(60, 2, 33);
    for i in 0..10 {
        let row = x.row(i).to_owned();
        x.row_mut(50 + i).assign(&row);
    }
    let b = random(60, 1, 34);
    for device in everywhere() {
        let solve = |jitter| {
            let params = SpdParams::new().jitter(jitter);
            SpdFactor::of_kernel(&device, &Kernel::matern32(0.3), x.view(), 0.0, &params)?.solve(b.view())
        };
        let never = solve(Jitter::Never);
        assert!(matches!(never, Err(Error::NotPositiveDefinite { .. })), "{never:?} on {device}");
        let s = solve(Jitter::ladder()).unwrap();
        let jitter = s.certificate.jitter;
        println!("duplicates: {:?} on {device}", s.certificate);
        assert!((0.9e-10..1.1e-9).contains(&jitter), "{:?} on {device}", s.certificate);
        let a = noisy_gram(&Kernel::matern32(0.3), &x, &Array1::from_elem(60, jitter));
        assert!(norm(&(&b - &a.dot(&s.x))) < 1e-13 * norm(&a) * norm(&s.x), "{device}");
    }
}

#[test]
fn an_operator_is_its_matrix() {
    let n = 75;
    let x = random(n, 3, 35);
    let kernel = 1.5 * Kernel::matern52(0.8) + Kernel::linear() + Kernel::white(0.2);
    let noise = Array1::from_shape_fn(n, |i| 0.01 * i as f64);
    let want = noisy_gram(&kernel, &x, &noise);
    // Columns of very different size: f32 alone would lose the small one and overflow on the large one.
    let v = random(n, 3, 36) * &ndarray::array![1.0, 1e-60, 1e60];
    for device in everywhere() {
        let op = KernelOperator::new(&kernel, &on(&device, &x), noise.to_vec()).unwrap();
        let bound = if device.is_gpu() { 3e-6 } else { 1e-13 };
        let (got, product) = (op.apply(v.view()).unwrap(), want.dot(&v));
        for c in 0..3 {
            let column = |a: &Array2<f64>| {
                let unit = product.column(c).iter().fold(0f64, |m, v| m.max(v.abs()));
                a.column(c).mapv(|v| v / unit).insert_axis(Axis(1))
            };
            assert!(relative(&column(&got), &column(&product)) < bound, "column {c} on {device}");
        }
        let which = [3, 70, 0];
        let columns = op.columns(&which).unwrap();
        assert!(relative(&columns, &want.select(Axis(1), &which)) < bound, "{device}");
        let diagonal = op.diagonal().unwrap().insert_axis(Axis(1));
        assert!(relative(&diagonal, &want.diag().to_owned().insert_axis(Axis(1))) < bound, "{device}");
        let bare = op.without_noise().diagonal().unwrap() + &noise - want.diag();
        assert!(bare.iter().all(|v| v.abs() < 1e-4));
    }
}
