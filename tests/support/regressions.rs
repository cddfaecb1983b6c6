//! What every regression of a squared loss is tried with.

use mercer::{Error, Result};
use ndarray::{Array2, ArrayView2, array};

use super::random;

/// Inputs and a smooth target with some noise, two columns of it.
pub fn problem(n: usize, d: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let x = random(n, d, seed) * 2.0;
    let noise = random(n, 2, seed + 1000);
    let y = Array2::from_shape_fn((n, 2), |(i, t)| {
        let s: f64 = x.row(i).iter().enumerate().map(|(j, v)| ((t + j + 1) as f64 * v).sin()).sum();
        s + 0.1 * noise[[i, t]] + 0.5
    });
    (x, y)
}

/// The largest difference, relative to the largest entry of `want`.
#[track_caller]
pub fn close(got: ArrayView2<f64>, want: ArrayView2<f64>, tolerance: f64, what: &str) {
    assert_eq!(got.dim(), want.dim(), "{what}: shape");
    let scale = want.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let worst =
        (&got - &want).iter().fold(0f64, |m, v| if v.is_nan() { f64::NAN } else { m.max(v.abs()) }) / scale;
    // Written so that a NaN fails.
    assert!(worst <= tolerance, "{what}: off by {worst:e}");
}

/// The textbook solution of a small system.
pub fn solved(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let params = mercer::linalg::SpdParams::default();
    mercer::linalg::solve_spd(&mercer::Device::cpu(), a.view(), b.view(), &params).unwrap().x
}

/// Every regression as a function from data and new inputs to predictions.
pub type Fit = Box<dyn Fn(ArrayView2<f64>, ArrayView2<f64>, ArrayView2<f64>) -> Result<Array2<f64>>>;

/// Refused with the right error: holes, no rows, other counts.
pub fn bad_data(everyone: &[(&str, Fit)]) {
    let (x, y) = problem(12, 3, 101);
    let (mut holed, mut endless) = (x.clone(), y.clone());
    holed[[4, 1]] = f64::NAN;
    endless[[7, 0]] = f64::INFINITY;
    let new = random(2, 3, 102);
    for (name, fit) in everyone {
        let e = fit(holed.view(), y.view(), new.view()).unwrap_err();
        assert!(matches!(e, Error::NotFinite { row: 4, col: 1, .. }), "{name}: {e}");
        let e = fit(x.view(), endless.view(), new.view()).unwrap_err();
        assert!(matches!(e, Error::NotFinite { what: "y", row: 7, .. }), "{name}: {e}");
        let none = Array2::zeros((0, 3));
        assert!(matches!(
            fit(none.view(), Array2::zeros((0, 2)).view(), new.view()),
            Err(Error::Shape { .. })
        ));
        let e = fit(x.view(), problem(11, 3, 1).1.view(), new.view()).unwrap_err();
        assert!(matches!(e, Error::Shape { .. }), "{name}: {e}");
        let e = fit(x.view(), y.view(), random(2, 4, 1).view()).unwrap_err();
        assert!(matches!(&e, Error::Shape { what, .. } if what.contains("3 features")), "{name}: {e}");
        assert!(matches!(fit(x.view(), y.view(), holed.view()), Err(Error::NotFinite { .. })), "{name}");
    }
}

/// Taken: one row, constants, more features than rows.
pub fn unusual_data(everyone: &[(&str, Fit)]) {
    for (name, fit) in everyone {
        // One observation.
        let one = fit(array![[1.0, 2.0]].view(), array![[3.0]].view(), array![[1.0, 2.0]].view()).unwrap();
        assert!(one[[0, 0]].is_finite(), "{name}");
        // Constant targets, constant features, all rows the same.
        let flat = Array2::from_elem((8, 2), 1.5);
        let at = fit(flat.view(), Array2::from_elem((8, 1), 2.0).view(), flat.view()).unwrap();
        assert!(at.iter().all(|v| v.is_finite() && (*v - 2.0).abs() < 1.0), "{name}: {at}");
        // Many more features than observations.
        let x = random(50, 10_000, 103) * 0.01;
        let y = random(50, 1, 104);
        assert!(fit(x.view(), y.view(), x.view()).unwrap().iter().all(|v| v.is_finite()), "{name}");
    }
}
