//! Hyper-parameters: names, values, the optimiser's vector, bounds.

use std::collections::HashSet;

use mercer::kernel::Scale;
use mercer::{Error, Kernel};

use crate::close;

fn busy() -> Kernel {
    2.0 * Kernel::rbf([1.0, 2.0])
        + Kernel::rbf(0.5) * (0.3 * Kernel::linear()).exp()
        + (3.0 * (0.1 * Kernel::matern32(1.5)).exp()).polynomial_of(&[0.0, 1.0])
        + Kernel::polynomial(2, 0.0).on([1]) * Kernel::polynomial(2, 1.0).on([0])
        + Kernel::sigmoid(0.2, -0.4)
        + Kernel::white(0.01)
}

fn names(k: &Kernel) -> Vec<String> {
    k.params().into_iter().map(|p| p.name).collect()
}

#[test]
fn names_are_paths_and_unique() {
    let want = [
        "sum.0.scale",
        "sum.0.rbf.lengthscale[0]",
        "sum.0.rbf.lengthscale[1]",
        "sum.1.product.0.rbf.lengthscale",
        "sum.1.product.1.exp.scale",
        "sum.2.polynomial_of.coefficient[0]",
        "sum.2.polynomial_of.coefficient[1]",
        "sum.2.polynomial_of.scale",
        "sum.2.polynomial_of.exp.scale",
        "sum.2.polynomial_of.exp.matern32.lengthscale",
        "sum.3.product.0.on.polynomial.offset",
        "sum.3.product.1.on.polynomial.offset",
        "sum.4.sigmoid.scale",
        "sum.4.sigmoid.offset",
        "sum.5.white.variance",
    ];
    assert_eq!(names(&busy()), want);
    assert_eq!(names(&Kernel::rbf(1.0)), ["rbf.lengthscale"]);
    let unique: HashSet<String> = names(&busy()).into_iter().collect();
    assert_eq!(unique.len(), want.len());
}

#[test]
fn the_optimisers_vector_makes_a_round_trip() {
    let k = busy();
    let theta = k.theta();
    assert_eq!(theta.len(), k.params().len());
    let again = k.with_theta(&theta).unwrap();
    for (a, b) in k.params().iter().zip(again.params()) {
        close(a.value, b.value, 1e-15 * a.value.abs());
    }
    for (p, t) in k.params().iter().zip(&theta) {
        match p.scale {
            Scale::Log => close(*t, p.value.ln(), 0.0),
            Scale::Linear => close(*t, p.value, 0.0),
        }
    }
    let doubled: Vec<f64> = k.params().iter().map(|p| p.value * 2.0).collect();
    let k2 = k.with_values(&doubled).unwrap();
    assert_eq!(k2.params().iter().map(|p| p.value).collect::<Vec<_>>(), doubled);
}

#[test]
fn fixed_parameters_leave_the_vector() {
    let k = busy().fixed("sum.0.rbf.lengthscale[1]").unwrap();
    assert_eq!(k.theta().len(), k.params().len() - 1);
    let moved: Vec<f64> = k.theta().iter().map(|t| t + 0.5).collect();
    let k2 = k.with_theta(&moved).unwrap();
    for (a, b) in k.params().iter().zip(k2.params()) {
        assert_eq!(a.value.to_bits() == b.value.to_bits(), a.fixed, "{}", a.name);
        assert_eq!(a.fixed, b.fixed);
    }
    let freed = k.freed("sum.0.rbf.lengthscale[1]").unwrap();
    assert_eq!(freed, busy());
}

#[test]
fn bounds_and_values_by_name() {
    let k = busy().bounded("sum.5.white.variance", 1e-3, 2.0).unwrap();
    assert_eq!(k.params().last().unwrap().bounds, (1e-3, 2.0));
    let k = k.set("sum.5.white.variance", 0.5).unwrap();
    close(k.params().last().unwrap().value, 0.5, 0.0);
    close(k.variance(&[0.1, 0.2]).unwrap() - busy().variance(&[0.1, 0.2]).unwrap(), 0.49, 1e-14);
}

/// Bounds that nobody set contain the value; those that were set stay, wherever it is.
#[test]
fn bounds_that_nobody_set_contain_the_value() {
    let bounds = |k: &Kernel| k.params()[0].bounds;
    assert_eq!(bounds(&Kernel::rbf(1.0)), (1e-5, 1e5));
    for value in [f64::MIN_POSITIVE, 1e-9, 1e9, f64::MAX] {
        let k = Kernel::rbf(1.0).set("rbf.lengthscale", value).unwrap();
        k.check().unwrap();
        let (low, high) = bounds(&k);
        assert!(low > 0.0 && low <= 1e-5 && high >= 1e5 && low <= value && value <= high, "{low:e} {high:e}");
        assert_eq!(bounds(&k.bounded("rbf.lengthscale", 1e-5, 1e5).unwrap()), (1e-5, 1e5));
    }
}

#[test]
fn wrong_names_numbers_and_bounds_are_refused() {
    let k = Kernel::rbf(1.0) + Kernel::polynomial(2, 1.0);
    let Err(Error::UnknownName { known, .. }) = k.set("rbf", 1.0) else { panic!("accepted") };
    assert_eq!(known, "sum.0.rbf.lengthscale, sum.1.polynomial.offset");
    assert!(matches!(k.with_values(&[1.0]), Err(Error::Shape { .. })));
    assert!(matches!(k.with_values(&[-1.0, 1.0]), Err(Error::Parameter { value: -1.0, .. })));
    assert!(matches!(k.with_theta(&[f64::NAN, 1.0]), Err(Error::Parameter { .. })));
    assert!(matches!(k.with_theta(&[1e9, 1.0]), Err(Error::Parameter { .. })), "e^1e9 is not finite");
    assert!(matches!(k.set("sum.0.rbf.lengthscale", 0.0), Err(Error::Parameter { .. })));
    for (lo, hi) in [(2.0, 1.0), (0.0, 1.0), (1.0, f64::INFINITY), (f64::NAN, 1.0)] {
        assert!(
            matches!(k.bounded("sum.0.rbf.lengthscale", lo, hi), Err(Error::Parameter { .. })),
            "{lo} {hi}"
        );
    }
    assert!(k.bounded("sum.1.polynomial.offset", 0.0, 1.0).is_ok());
}
