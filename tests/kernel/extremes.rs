//! Distances beyond f64, powers beyond patience, kernels beyond any stack: a value or an error, at once.

use mercer::prelude::*;
use ndarray::array;

#[test]
fn nothing_is_left_of_a_kernel_far_away() {
    let kernels = [
        Kernel::matern12(1.0),
        Kernel::matern32(1.0),
        Kernel::matern52(1.0),
        Kernel::matern(0.7, 1.0),
        Kernel::rbf(1.0),
    ];
    for k in kernels {
        for far in [1e4, 1e50, 1e160, 1e300] {
            assert_eq!(k.value(&[0.0], &[far]).unwrap(), 0.0, "{k} at {far}");
            let x = Matrix::from_array(&Device::cpu(), array![[0.0], [far]].view()).unwrap();
            let tile = mercer::ops::gram(&k, &x, None).unwrap().to_array().unwrap();
            assert_eq!(tile, array![[1.0, 0.0], [0.0, 1.0]], "{k} at {far}");
        }
    }
}

#[test]
fn a_power_that_no_one_waits_for_is_refused() {
    for power in [u32::MAX, 1 << 31] {
        let k = Kernel::rbf(1.0).pow(power);
        assert!(matches!(k.value(&[0.0], &[1.0]), Err(Error::Parameter { .. })), "{power}");
        assert!(matches!(
            RandomFourier::new(k, 10).fit(&mercer::Device::cpu(), ndarray::Array2::<f64>::zeros((3, 2))),
            Err(Error::Parameter { .. })
        ));
    }
    let many = Kernel::rbf(1.0).pow(1000).pow(1000);
    assert!(matches!(
        RandomFourier::new(many, 10).fit(&mercer::Device::cpu(), ndarray::Array2::<f64>::zeros((3, 2))),
        Err(Error::Parameter { .. })
    ));
    assert!(
        RandomFourier::new(Kernel::rbf(1.0).pow(5), 10)
            .fit(&mercer::Device::cpu(), ndarray::Array2::<f64>::zeros((3, 2)))
            .is_ok()
    );
}

#[test]
fn a_kernel_three_thousand_levels_deep_is_refused() {
    let deep = (0..3000).fold(Kernel::rbf(1.0), |k, _| (0.5 * k).exp());
    assert!(matches!(deep.value(&[0.0], &[1.0]), Err(Error::Shape { op: "kernel", .. })));
    let x = Matrix::from_array(&Device::cpu(), array![[0.0], [1.0]].view()).unwrap();
    assert!(matches!(mercer::ops::gram(&deep, &x, None), Err(Error::Shape { .. })));
    let fine = (0..100).fold(Kernel::rbf(1.0), |k, _| (0.1 * k).exp());
    assert!(fine.value(&[0.0], &[1.0]).unwrap().is_finite());
}

#[test]
fn numbers_and_borrowed_kernels_add_and_multiply() {
    let (a, b) = (Kernel::rbf(1.0), Kernel::linear());
    let at = |k: &Kernel| k.value(&[0.5], &[2.0]).unwrap();
    assert_eq!(at(&(&a + &b)), at(&a) + at(&b));
    assert_eq!(at(&(&a * &b)), at(&a) * at(&b));
    assert_eq!(at(&(2.0 + &a)), 2.0 + at(&a));
    assert_eq!(at(&(&a + 2.0)), at(&a) + 2.0);
    assert_eq!(at(&(2.0 * &a)), 2.0 * at(&a));
    assert_eq!(2.0 + a.clone(), Kernel::constant(2.0) + a.clone());
    assert_eq!(&a * b.clone() + a.clone() * &b, a.clone() * b.clone() + a * b);
}
