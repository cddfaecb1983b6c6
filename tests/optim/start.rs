//! The start is where the caller put it, and nothing that is returned is above it.

use mercer::models::gp::GpRegressor;
use mercer::optim::Minimiser;
use mercer::{Device, Kernel, Result};
use ndarray::Array2;

use crate::{FREE, bowl};

/// The points at which a search evaluates `f`, and what it returns.
fn watch(
    start: &[f64],
    bounds: &[(f64, f64)],
    f: impl Fn(&[f64]) -> (f64, Vec<f64>),
) -> (Vec<Vec<f64>>, mercer::optim::Minimum) {
    let mut seen = Vec::new();
    let found = Minimiser::default().run(start, bounds, |p| {
        seen.push(p.to_vec());
        Ok(f(p))
    });
    (seen, found.unwrap())
}

#[test]
fn the_first_evaluation_is_at_the_start() {
    let wide = (0.0, 1e5);
    for (start, bounds) in [(0.3, wide), (1e-7, wide), (0.0, wide), (99_999.0, wide), (0.0, (-1e5, 1e5))] {
        let (seen, _) = watch(&[start], &[bounds], |p| bowl(&[1.0], &[2.0], p));
        assert_eq!(seen[0], [start], "in {bounds:?}");
    }
    for (start, bounds) in
        [(1e-3, (0.0, 1.0)), (-1.0, (-1.0, 1.0)), (3.001, (3.0, f64::INFINITY)), (7.0, FREE)]
    {
        let (seen, _) = watch(&[start], &[bounds], |p| bowl(&[1.0], &[2.0], p));
        assert_eq!(seen[0], [start], "in {bounds:?}");
    }
}

/// Two valleys, a wide one at 2000 and a narrow, deeper one at 0.4. A search that first moves a hundredth of the interval
/// inside, to 1000, never sees the second.
#[test]
fn a_valley_about_the_start_is_not_left() {
    let valleys = |p: &[f64]| {
        let (near, far) = (p[0] - 0.4, (p[0] - 2000.0) / 1000.0);
        let value = (near * near + 1e-4).ln() + far * far;
        (value, vec![2.0 * near / (near * near + 1e-4) + 2e-3 * far])
    };
    let (_, found) = watch(&[0.3], &[(0.0, 1e5)], valleys);
    assert!((found.point[0] - 0.4).abs() < 1e-3, "{found:?}");
}

/// Variables of one size in intervals of all sizes, from an end, from near one and from the middle.
#[test]
fn wide_intervals_cost_no_more_than_narrow_ones() {
    let weights = [1.0, 3.0, 0.5];
    for start in [[0.3, 0.3, 0.0], [0.0, 0.0, 0.5], [40.0, 3.0, -2.0]] {
        let run = |bounds: [(f64, f64); 3]| {
            let (_, found) = watch(&start, &bounds, |p| bowl(&weights, &[1.5, 0.7, -0.6], p));
            for (x, w) in found.point.iter().zip([1.5, 0.7, -0.6]) {
                assert!((x - w).abs() < 1e-5, "from {start:?} in {bounds:?}: {found:?}");
            }
            found.evaluations
        };
        let narrow = run([(0.0, 100.0), (0.0, 5.0), (-3.0, 3.0)]);
        let wide = run([(0.0, 1e5), (0.0, 1e5), (-1e5, 1e5)]);
        assert!(wide <= 2 * narrow + 10, "from {start:?}: {wide} evaluations, {narrow} in narrow intervals");
    }
}

/// At a bound that f falls away from, with the minimum much nearer to it than a hundredth of the interval.
#[test]
fn a_minimum_close_to_the_bound_is_found_from_it() {
    for centre in [1e-1, 1e-3, 1e-5] {
        let f = |p: &[f64]| {
            let z = p[0] / centre;
            ((z - 1.0).powi(2) / (1.0 + z), vec![((z - 1.0) * (z + 3.0) / (1.0 + z).powi(2)) / centre])
        };
        let (_, found) = watch(&[0.0], &[(0.0, 1.0)], f);
        assert!((found.point[0] / centre - 1.0).abs() < 1e-3, "{centre}: {found:?}");
    }
}

#[test]
fn a_start_at_a_bound_that_is_the_minimum_stays() {
    let (seen, found) = watch(&[0.0, 1.0], &[(0.0, 1e5), (0.0, 1.0)], |p| (p[0] - p[1], vec![1.0, -1.0]));
    assert_eq!((found.point, seen.len()), (vec![0.0, 1.0], 1));
}

/// The marginal likelihood of a process with a polynomial kernel does not fall, whatever the offset.
#[test]
fn learning_never_loses_likelihood() -> Result<()> {
    let x = Array2::from_shape_fn((30, 1), |(i, _)| -1.5 + 0.1 * i as f64);
    let y = x.mapv(|x| 0.5 + x + 0.8 * x * x + 0.05 * (37.0 * x).sin());
    let cpu = Device::cpu();
    let kernels = [
        Kernel::polynomial(2, 0.3),
        Kernel::polynomial(2, 0.0),
        Kernel::polynomial(3, 2.0).scaled(0.5),
        Kernel::linear().polynomial_of(&[0.2, 0.9, 0.4]),
    ];
    for kernel in kernels {
        let gp = GpRegressor::new(kernel).noise(0.01);
        let before = gp.log_evidence(&cpu, x.view(), y.view())?.value;
        for iterations in [1, 2, 5, 200] {
            let search = Minimiser::new().max_iterations(iterations);
            let fitted = gp.clone().optimise(search).fit(&cpu, x.view(), y.view())?;
            let after = fitted.log_evidence();
            assert!(after >= before, "{}: {after} after {iterations}, {before} before", fitted.kernel());
            if iterations == 200 {
                assert!(after > before + 1.0, "{}: {after}, {before} before", fitted.kernel());
            }
        }
    }
    Ok(())
}
