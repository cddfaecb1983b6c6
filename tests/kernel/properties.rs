//! What a kernel says about itself, and how it prints.

use mercer::Kernel;
use mercer::kernel::Custom;
use ndarray::{Array2, array};

use crate::{eigenvalues, gram};

#[test]
fn stationary_kernels_do_not_move_with_the_points() {
    let cases = [
        (Kernel::rbf(0.7) + Kernel::white(0.1), true),
        (2.0 * Kernel::matern12([1.0, 2.0]) * Kernel::periodic(1.0, 2.0), true),
        (Kernel::rbf(1.0).project(array![[1.0, 2.0]]).on([1, 0]).exp(), true),
        (Kernel::rbf(1.0) + Kernel::linear(), false),
        (Kernel::rbf(1.0).map("square", 1, |x| vec![x[0] * x[0]]), false),
        (Kernel::rbf(1.0).warp("first", |x| x[0]), false),
        (Kernel::arcsine(1.0, 1.0), false),
        (Kernel::cosine(), false),
    ];
    let (x, y) = ([0.3, -1.0], [1.2, 0.4]);
    let (sx, sy) = (x.map(|v| v + 0.7), y.map(|v| v + 0.7));
    for (k, stationary) in cases {
        assert_eq!(k.is_stationary(), stationary, "{k}");
        let moved = (k.value(&x, &y).unwrap() - k.value(&sx, &sy).unwrap()).abs() > 1e-12;
        assert_eq!(moved, !stationary, "{k}");
    }
}

#[test]
fn the_sigmoid_is_not_positive_definite() {
    let k = Kernel::sigmoid(1.0, -1.0);
    assert!(!k.is_positive_definite());
    assert!(!(k.clone() + Kernel::rbf(1.0)).is_positive_definite());
    let e = eigenvalues(&gram(&k, array![[0.1], [1.0], [2.0]].view()));
    assert!(e[0] < -0.1, "the flag is right: {e:?}");
    assert!(Kernel::rbf(1.0).is_positive_definite());
    let mine = Custom::new("mine", |_, _, _| -1.0).indefinite();
    assert!(!Kernel::custom(mine).is_positive_definite());
}

#[test]
fn characteristic_and_bounded() {
    for k in [
        Kernel::rbf(1.0),
        Kernel::laplacian(1.0),
        Kernel::matern32(1.0),
        Kernel::rational_quadratic(1.0, 1.0),
        Kernel::linear() + Kernel::rbf(1.0),
        2.0 * Kernel::rbf(1.0) * Kernel::periodic(1.0, 1.0),
        Kernel::rbf(1.0).polynomial_of(&[0.0, 0.0, 1.0]),
    ] {
        assert!(k.is_characteristic(), "{k}");
    }
    for k in [
        Kernel::linear(),
        Kernel::polynomial(3, 1.0),
        Kernel::constant(1.0),
        Kernel::rbf(1.0).on([0]),
        Kernel::rbf(1.0) * Kernel::linear(),
        Kernel::rbf(1.0) * Kernel::white(1.0),
        Kernel::rbf(1.0).polynomial_of(&[1.0]),
        Kernel::sigmoid(1.0, 0.0) + Kernel::rbf(1.0),
    ] {
        assert!(!k.is_characteristic(), "{k}");
    }
    assert!((Kernel::rbf(1.0) * Kernel::cosine()).is_bounded());
    assert!(!(Kernel::rbf(1.0) + Kernel::linear()).is_bounded());
}

#[test]
fn the_linear_kernel_cannot_see_beyond_the_mean() {
    // Two samples with equal means and different spread: MMD² = mean k(x,x') + mean k(y,y') - 2 mean k(x,y).
    let (x, y) = ([-1.0, 1.0], [-3.0, 3.0]);
    let mean = |k: &Kernel, a: &[f64], b: &[f64]| -> f64 {
        a.iter().flat_map(|p| b.iter().map(move |q| k.value(&[*p], &[*q]).unwrap())).sum::<f64>() / 4.0
    };
    let mmd = |k: &Kernel| mean(k, &x, &x) + mean(k, &y, &y) - 2.0 * mean(k, &x, &y);
    assert!(mmd(&Kernel::linear()).abs() < 1e-15);
    assert!(mmd(&Kernel::rbf(1.0)) > 0.1);
}

#[test]
fn structure_demands_columns() {
    assert_eq!(Kernel::rbf(1.0).dim(), None);
    assert_eq!((Kernel::linear() + Kernel::rbf([1.0, 2.0])).dim(), Some(2));
    assert_eq!(Kernel::quadratic_form(Array2::eye(4)).dim(), Some(4));
    assert_eq!(Kernel::rbf([1.0, 2.0]).on([4, 5]).dim(), None);
}

#[test]
fn print() {
    let cases = [
        (2.5 * Kernel::rbf(0.7) + Kernel::white(0.01), "2.5·rbf(ℓ=0.7) + white(variance=0.01)"),
        ((Kernel::linear() + Kernel::constant(1.0)).pow(2), "(linear + constant(value=1))^2"),
        (
            Kernel::rbf([1.0, 0.5]) * (Kernel::linear() + Kernel::cosine()),
            "rbf(ℓ=[1, 0.5])·(linear + cosine)",
        ),
        (3.0 * (Kernel::linear() + Kernel::cosine()), "3·(linear + cosine)"),
        (Kernel::polynomial(3, 1.0).exp(), "exp(polynomial(degree=3, offset=1))"),
        (Kernel::matern(0.8, 2.0).on([0, 2]), "matern(ν=0.8, ℓ=2)[0,2]"),
        (Kernel::linear().polynomial_of(&[1.0, 2.0, 3.0]), "1 + 2·linear + 3·linear^2"),
        (Kernel::linear().warp("f", |x| x[0]), "f(x)·linear·f(x')"),
        (Kernel::rbf(1.0).map("polar", 2, <[f64]>::to_vec), "rbf(ℓ=1)∘polar"),
        (Kernel::arcsine(4.0, 1.0), "arcsine(weight_variance=4, bias_variance=1)"),
    ];
    for (k, want) in cases {
        assert_eq!(k.to_string(), want);
    }
}
