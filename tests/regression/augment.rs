//! B.11: augmentation adds rows, keeps targets, and is a penalty.

use mercer::Device;
use mercer::learn::augment;
use mercer::models::linear::{LeastSquares, Ridge};
use ndarray::{Array1, array};

use crate::near;
use crate::support::random;

#[test]
fn shifts_of_all_signs_are_ridge() {
    // ± h along every feature: Σ over copies of (x + δ)(x + δ)ᵀ = 2d XᵀX + 2nh² I, and the cross terms cancel.
    let (x, y) = (random(12, 2, 1), random(12, 1, 2).column(0).to_owned());
    let h = 0.4;
    let shift = |j: usize, by: f64| {
        move |row: ndarray::ArrayView1<f64>| -> Array1<f64> {
            let mut out = row.to_owned();
            out[j] += by;
            out
        }
    };
    let (a, b, c, d) = (shift(0, h), shift(0, -h), shift(1, h), shift(1, -h));
    let (more, targets) = augment(&x, &y, &[&a, &b, &c, &d]).unwrap();
    assert_eq!((more.nrows(), targets.len()), (60, 60));
    assert_eq!(targets.slice(ndarray::s![24..36]), y);
    let augmented = LeastSquares::new().intercept(false).fit(&Device::cpu(), &more, &targets).unwrap();
    // (5 XᵀX + 2nh² I) w = 5 Xᵀy.
    let ridge = Ridge::new(2.0 * 12.0 * h * h / 5.0).intercept(false).fit(&Device::cpu(), &x, &y).unwrap();
    near(augmented.coefficients(), ridge.coefficients(), 1e-12, "augmentation is a penalty");
    let labels = ["a"; 12];
    assert_eq!(augment(&x, labels, &[&a]).unwrap().1.len(), 24);
    assert!(augment(&x, &array![1.0_f64], &[&a]).is_err());
    assert!(augment(&x, &y, &[&|row| row.slice(ndarray::s![..1]).to_owned()]).is_err());
    assert!(augment(&x, &y, &[&|row| &row / 0.0]).is_err());
}
