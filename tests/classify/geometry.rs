//! Planes between classes, least squares for classes, explicit features.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::support::random;
use crate::{close, near, three};

/// C-10, A.8, M.1: distances, projections and margins of a plane.
#[test]
fn planes_and_their_distances() {
    let (w, w0) = (array![1.0, -2.0, 0.5], 0.7);
    let plane = Hyperplane::new(w.clone(), w0).unwrap();
    let scaled = Hyperplane::new(3.0 * &w, 3.0 * w0).unwrap();
    let flipped = Hyperplane::new(-&w, -w0).unwrap();
    for row in random(20, 3, 1).rows() {
        let (r, foot) = (plane.signed_distance(row).unwrap(), plane.projection(row).unwrap());
        near(plane.activation(foot.view()).unwrap(), 0.0, 1e-14);
        let step = &row - &foot;
        near(step.dot(&step).sqrt(), r.abs(), 1e-14);
        near(scaled.signed_distance(row).unwrap(), r, 1e-14);
        near(scaled.activation(row).unwrap(), 3.0 * plane.activation(row).unwrap(), 1e-14);
        near(flipped.activation(row).unwrap(), -plane.activation(row).unwrap(), 1e-14);
        let up = plane.activation(row).unwrap() > 0.0;
        assert!(
            plane.geometric_margin(row, up).unwrap() > 0.0
                && plane.functional_margin(row, !up).unwrap() < 0.0
        );
    }
    near(plane.distance_of_origin(), -w0 / w.dot(&w).sqrt(), 1e-15);
    near(plane.signed_distance(array![0.0, 0.0, 0.0].view()).unwrap(), -plane.distance_of_origin(), 1e-15);
    assert!(Hyperplane::new(array![0.0, 0.0], 1.0).is_err() && plane.activation(array![1.0].view()).is_err());
    assert!(plane.signed_distance(array![1.0, f64::NAN, 0.0].view()).is_err());
}

/// D-09: regions are convex, and the plane between two classes is where they score the same.
#[test]
fn regions_of_many_classes_are_convex() {
    let scores = LinearScores::new(random(2, 4, 2), random(1, 4, 3).row(0).to_owned()).unwrap();
    let x = random(60, 2, 4) * 3.0;
    let classes = scores.classify(&x).unwrap();
    for i in 0..60 {
        for j in 0..i {
            if classes[i] == classes[j] {
                let between = Array2::from_shape_fn((5, 2), |(s, c)| {
                    let t = (s as f64 + 1.0) / 6.0;
                    t * x[[i, c]] + (1.0 - t) * x[[j, c]]
                });
                assert!(scores.classify(&between).unwrap().iter().all(|k| *k == classes[i]));
            }
        }
    }
    let plane = scores.boundary(2, 0).unwrap();
    for row in x.rows() {
        let foot = plane.projection(row).unwrap().insert_axis(Axis(0));
        let s = scores.scores(&foot).unwrap();
        near(s[[0, 2]], s[[0, 0]], 1e-13);
    }
    assert!(scores.boundary(1, 1).is_err() && scores.boundary(0, 4).is_err());
}

/// C-11: the example of the notes, outputs that sum to one, and far points that pull the boundary.
#[test]
fn least_squares_for_classes() {
    let x = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [-2.0, 4.0]];
    let y = [1, 1, 2, 2, 3, 3];
    let fit = LeastSquaresClassifier::new(0.0).fit(&Device::cpu(), &x, y).unwrap();
    close(
        fit.outputs(array![[-5.0, 9.0]]).unwrap().view(),
        array![[-1.28977, 0.21402, 2.07576]].view(),
        1e-5,
    );
    let outputs = fit.outputs(random(30, 2, 5) * 9.0).unwrap();
    outputs.sum_axis(Axis(1)).iter().for_each(|s| near(*s, 1.0, 1e-12));
    assert!(outputs.iter().any(|v| !(0.0..=1.0).contains(v)));

    // Points far on the right side move the boundary of least squares, and hardly that of logistic regression.
    let near_points = array![[-2.0], [-1.0], [-0.2], [0.2], [1.0], [2.0]];
    let y = [0, 0, 1, 0, 1, 1];
    let far = ndarray::concatenate![Axis(0), near_points, array![[5.0], [6.0], [7.0]]];
    let y_far = [0, 0, 1, 0, 1, 1, 1, 1, 1];
    let boundary = |w: f64, b: f64| -b / w;
    let least = |x: &Array2<f64>, y: &[i32]| {
        let scores = LeastSquaresClassifier::new(0.0).fit(&Device::cpu(), x, y).unwrap().scores().clone();
        scores.boundary(1, 0).unwrap().distance_of_origin()
    };
    let logistic = |x: &Array2<f64>, y: &[i32]| {
        let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), x, y).unwrap();
        boundary(fit.coefficients()[[0, 0]], fit.intercept()[0])
    };
    let moved = (least(&far, &y_far) - least(&near_points, &y)).abs();
    let stayed = (logistic(&far, &y_far) - logistic(&near_points, &y)).abs();
    assert!(moved > 0.3 && stayed < 0.1, "{moved} and {stayed}");
}

/// LS-02: `φ = (x₁, x₂, x₁², √2 x₁x₂, x₂²)` has the inner product `xᵀy + (xᵀy)²`.
#[test]
fn explicit_quadratic_features() {
    let x = random(6, 2, 6);
    let monomials = Polynomial::new(2).bias(false).fit(&Device::cpu(), &x).unwrap().transform(&x).unwrap();
    let phi = monomials * &array![1.0, 1.0, 1.0, 2f64.sqrt(), 1.0];
    for i in 0..6 {
        for j in 0..6 {
            let s = x.row(i).dot(&x.row(j));
            near(phi.row(i).dot(&phi.row(j)), s + s * s, 1e-14);
        }
    }
}

/// M.4: random features, a linear output: the same seed the same features, more features never fit worse, as many as rows
/// interpolate.
#[test]
fn an_extreme_learning_machine() {
    let x = random(20, 2, 7);
    let y = x.rows().into_iter().map(|r| (3.0 * r[0]).sin() * r[1]).collect::<ndarray::Array1<f64>>();
    let loss = |count: usize| {
        let features =
            RandomLayer::new(count).seed(3).fit(&Device::cpu(), &x).unwrap().transform(&x).unwrap();
        let fit = Ridge::new(0.0).fit(&Device::cpu(), &features, &y).unwrap();
        mse(&y, &fit.predict(&features).unwrap()).unwrap()
    };
    let losses: Vec<f64> = [2, 5, 10, 15, 30].map(loss).to_vec();
    assert!(losses.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9)), "{losses:?}");
    assert!(losses[4] < 1e-15, "{losses:?}");
    let of = |seed| RandomLayer::new(4).seed(seed).fit(&Device::cpu(), &x).unwrap().transform(&x).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

/// N.4: two classes by the softmax of two columns, each penalised by λ, are one column w = w₁ - w₀ penalised by λ/2, since
/// `|w₀|² + |w₁|² = |w|²/2`.
#[test]
fn two_columns_are_one() {
    let (x, y) = three();
    let some: Vec<usize> = (0..y.len()).filter(|&i| y[i] != 2).collect();
    let (x, y): (_, Vec<i64>) = (x.select(Axis(0), &some), some.iter().map(|&i| y[i]).collect());
    let one = LogisticRegression::new(0.3).fit(&Device::cpu(), &x, &y).unwrap();
    let (w, b) = (one.coefficients().column(0).to_owned(), one.intercept()[0]);
    let columns = ndarray::stack![Axis(1), -0.5 * &w, 0.5 * &w];
    let scores = LinearScores::new(columns.clone(), array![-0.5 * b, 0.5 * b]).unwrap().scores(&x).unwrap();
    let softmax = Array2::from_shape_fn(scores.dim(), |(i, k)| {
        1.0 / scores.row(i).iter().map(|s| (s - scores[[i, k]]).exp()).sum::<f64>()
    });
    close(softmax.view(), one.predict_proba(&x).unwrap().view(), 1e-12);
    // They are the minimum of the two columns' own objective: its gradient is zero.
    let t = Array2::from_shape_fn(softmax.dim(), |(i, k)| f64::from(u8::from(y[i] as usize == k)));
    let gradient = x.t().dot(&(&softmax - &t)) + 0.6 * &columns;
    gradient.iter().for_each(|g| near(*g, 0.0, 1e-7));
}
