//! Numbers that the notes print, or that follow by hand.

use mercer::prelude::*;
use ndarray::array;

use crate::{all_near, alphas, cpu, eight, near};

fn tight(kernel: Kernel, c: f64) -> SvmClassifier {
    SvmClassifier::new(kernel, c).tolerance(1e-10)
}

#[test]
fn soft_margin_with_offset() {
    let (x, y) = eight();
    let cases = [
        (
            0.1,
            [0.0, 0.0611111111, 0.1, 0.0, 0.0611111111, 0.1, 0.1, 0.1],
            [1.0 / 3.0, 1.0 / 3.0],
            -1.0 / 3.0,
            0.4111111111,
        ),
        (
            1.0,
            [0.0, 0.0, 0.55172414, 0.0, 0.0, 0.55172414, 1.0, 1.0],
            [0.3793103448, 1.051724138],
            -0.6637931034,
            2.478448276,
        ),
    ];
    for (c, alpha, w, b, objective) in cases {
        let fitted = tight(Kernel::linear(), c).fit(&cpu(), &x, &y).unwrap();
        all_near(&alphas(&fitted, 8), &alpha, 1e-7, "alpha");
        all_near(fitted.coefficients().unwrap().row(0), &w, 1e-8, "w");
        near(fitted.intercept()[0], b, 1e-8, "b");
        let proof = &fitted.certificates()[0];
        near(proof.primal, objective, 1e-8, "primal");
        near(proof.dual, objective, 1e-8, "dual");
        assert!(proof.violation <= 1e-10 && !proof.stalled);
        let sum: f64 = fitted.dual_coefficients().column(0).sum();
        near(sum, 0.0, 1e-12, "sum of a y");
    }
}

#[test]
fn hard_margin() {
    let (x, y) = eight();
    let want = [0.0, 0.0, 0.0, 0.0, 3.2, 0.0, 8.0, 4.8];
    let hard = SvmClassifier::hard_margin(Kernel::linear()).tolerance(1e-10).fit(&cpu(), &x, &y).unwrap();
    let soft = tight(Kernel::linear(), 10.0).fit(&cpu(), &x, &y).unwrap();
    // Four points lie on the margin, and any coefficients that make w and satisfy the constraint will do: those printed do.
    let sign: Vec<f64> = y.iter().map(|y| f64::from(*y)).collect();
    let printed = |j: usize| (0..8).map(|i| want[i] * sign[i] * x[[i, j]]).sum::<f64>();
    all_near(&[printed(0), printed(1)], &[0.0, 4.0], 1e-12, "w of the coefficients printed");
    for fitted in [&hard, &soft] {
        let alpha = alphas(fitted, 8);
        near(alpha.iter().sum(), want.iter().sum(), 1e-6, "the sum of alpha is the squared norm");
        assert!(alpha.iter().all(|a| *a < 10.0));
        let w = fitted.coefficients().unwrap();
        all_near(w.row(0), &[0.0, 4.0], 1e-7, "w");
        near(fitted.intercept()[0], -1.0, 1e-7, "b");
        near(2.0 / w.row(0).dot(&w.row(0)).sqrt(), 0.5, 1e-8, "width of the margin");
        near(fitted.certificates()[0].primal, 8.0, 1e-6, "half the squared norm");
        near(fitted.certificates()[0].dual, 8.0, 1e-6, "the dual");
    }
    // By hand: two points, and XOR with the kernel (1 + x'y)².
    let two =
        SvmClassifier::hard_margin(Kernel::linear()).fit(&cpu(), array![[0.0], [1.0]], [-1, 1]).unwrap();
    near(two.coefficients().unwrap()[[0, 0]], 2.0, 1e-9, "w of two points");
    near(two.intercept()[0], -1.0, 1e-9, "b of two points");
    all_near(&alphas(&two, 2), &[2.0, 2.0], 1e-9, "alpha of two points");
    let corners = array![[1.0, 1.0], [-1.0, -1.0]];
    let two = SvmClassifier::hard_margin(Kernel::linear()).fit(&cpu(), &corners, [1, -1]).unwrap();
    all_near(two.coefficients().unwrap().row(0), &[0.5, 0.5], 1e-9, "w of two corners");
    all_near(&alphas(&two, 2), &[0.25, 0.25], 1e-9, "alpha of two corners");
    let xor = array![[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let fitted = SvmClassifier::hard_margin(Kernel::polynomial(2, 1.0))
        .tolerance(1e-10)
        .fit(&cpu(), &xor, [1, 1, -1, -1])
        .unwrap();
    all_near(&alphas(&fitted, 4), &[0.125; 4], 1e-9, "alpha of XOR");
    near(fitted.certificates()[0].dual, 0.25, 1e-9, "the dual of XOR");
    all_near(fitted.decision(&xor).unwrap().column(0), &[1.0, 1.0, -1.0, -1.0], 1e-9, "t y of XOR");
    let none = SvmClassifier::hard_margin(Kernel::linear()).fit(&cpu(), &xor, [1, 1, -1, -1]);
    assert!(matches!(none, Err(Error::Parameter { .. })), "{none:?}");
}

#[test]
fn no_free_support_vector_leaves_an_interval() {
    let fitted = tight(Kernel::linear(), 1.0).fit(&cpu(), array![[0.0], [1.0]], [-1, 1]).unwrap();
    all_near(&alphas(&fitted, 2), &[1.0, 1.0], 1e-12, "alpha");
    near(fitted.certificates()[0].primal, 1.5, 1e-12, "primal");
    near(fitted.certificates()[0].dual, 1.5, 1e-12, "dual");
    near(fitted.intercept()[0], -0.5, 1e-12, "the middle of [-1, 0]");
    // The penalised sum of Simeone's notes, c‖w‖² with c = 1/(2C): w = min(1, 1/c), b = 0, and c = 2 leaves b free.
    for (c, w, objective) in [(0.2, 1.0, 0.2), (2.0, 0.5, 1.5)] {
        let fitted =
            tight(Kernel::linear(), 1.0 / (2.0 * c)).fit(&cpu(), array![[-1.0], [1.0]], [-1, 1]).unwrap();
        near(fitted.coefficients().unwrap()[[0, 0]], w, 1e-9, "w");
        near(fitted.intercept()[0], 0.0, 1e-9, "w_0");
        near(fitted.certificates()[0].primal * 2.0 * c, objective, 1e-9, "sum of hinges plus penalty");
    }
}

#[test]
fn nu_without_offset() {
    let (x, y) = eight();
    let cases = [
        (
            0.25,
            [0.0, 0.0, 0.0, 0.0, 0.42307692, 0.0, 0.57692308, 1.0],
            [0.007211538462, 0.03605769231],
            0.01442307692,
            -0.0006760817308,
            8.666666667,
        ),
        (
            0.75,
            [0.0, 0.26829268, 0.73170732, 1.0, 1.0, 1.0, 1.0, 1.0],
            [0.4954268293, 0.3963414634],
            1.68445122,
            -0.2012671494,
            0.0742081448,
        ),
    ];
    for (nu, alpha, w, rho, objective, c) in cases {
        let model = SvmClassifier::nu(Kernel::linear(), nu).offset(false).tolerance(1e-11);
        let fitted = model.fit(&cpu(), &x, &y).unwrap();
        let margin = fitted.margin()[0];
        near(margin, rho, 1e-8, "rho");
        let unscaled: Vec<f64> = alphas(&fitted, 8).iter().map(|a| 8.0 * margin * a).collect();
        // Without a unique solution the coefficients need not be those printed; what they make is.
        let printed = |j: usize| (0..8).map(|i| alpha[i] * f64::from(y[i]) * x[[i, j]] / 8.0).sum::<f64>();
        all_near(&[printed(0), printed(1)], &w, 1e-8, "w of the coefficients printed");
        near(unscaled.iter().sum(), 8.0 * nu, 1e-7, "sum of n alpha");
        assert!(unscaled.iter().all(|a| (0.0..=1.0 + 1e-7).contains(a)));
        let own: Vec<f64> = fitted.coefficients().unwrap().row(0).iter().map(|v| margin * v).collect();
        all_near(&own, &w, 1e-9, "w");
        near(fitted.certificates()[0].primal, objective, 1e-9, "primal");
        near(fitted.certificates()[0].dual, objective, 1e-9, "dual");
        // The same function as the machine of C = 1/(n rho).
        near(1.0 / (8.0 * margin), c, 1e-5, "C");
        let soft = tight(Kernel::linear(), 1.0 / (8.0 * margin)).offset(false).fit(&cpu(), &x, &y).unwrap();
        let soft = soft.coefficients().unwrap();
        all_near(soft.row(0), fitted.coefficients().unwrap().row(0).to_vec().as_slice(), 1e-6, "w/rho");
        // At most a share nu beyond the margin, at least a share nu with a coefficient.
        let proof = &fitted.certificates()[0];
        assert!(proof.bounded as f64 <= nu * 8.0 + 1e-9 && proof.support as f64 >= nu * 8.0 - 1e-9);
    }
    let edge =
        SvmClassifier::nu(Kernel::linear(), 0.5).offset(false).tolerance(1e-11).fit(&cpu(), &x, &y).unwrap();
    let margin = edge.margin()[0];
    assert!((0.125..=0.1875).contains(&margin), "{margin}");
    near(edge.certificates()[0].dual, -0.009765625, 1e-10, "the edge case");
}

#[test]
fn kernel_machine_without_offset() {
    let (x, y) = eight();
    let want = [0.56278661, 0.78370484, 0.92913041, 0.63772676, 0.99651901, 0.29833264, 1.0, 1.0];
    let fitted = tight(Kernel::rbf(1.0), 1.0).offset(false).fit(&cpu(), &x, &y).unwrap();
    all_near(&alphas(&fitted, 8), &want, 1e-7, "alpha");
    near(fitted.certificates()[0].dual, 3.735626402, 1e-8, "objective");
    near(fitted.certificates()[0].gap(), 0.0, 1e-8, "gap");
    // A constant in the kernel is a penalised offset.
    let want = [0.52509632, 0.72596111, 0.86624425, 0.69311952, 1.0, 0.35209229, 1.0, 1.0];
    let plus = Kernel::rbf(1.0) + Kernel::constant(1.0);
    let fitted = tight(plus, 1.0).offset(false).fit(&cpu(), &x, &y).unwrap();
    all_near(&alphas(&fitted, 8), &want, 1e-7, "alpha of k + 1");
    near(fitted.dual_coefficients().sum(), 0.07208986826, 1e-7, "its offset");
    near(fitted.certificates()[0].dual, 3.723341726, 1e-8, "its objective");
}

#[test]
fn vc_bound() {
    near(vc_dimension_bound(2.0, 3.0).unwrap(), 37.0, 0.0, "R²A² + 1");
    assert_eq!(vc_dimension_bound(20.0, 0.3).unwrap(), vc_dimension_bound(2.0, 3.0).unwrap());
    let bound = |h: f64, n: usize| VcBound::new(h).constants(2.0, 4.0).risk(0.1, n, 0.05).unwrap();
    near(bound(5.0, 100), 0.1 + (0.02 * (5.0 + 80f64.ln())).sqrt(), 1e-15, "the formula");
    assert!(bound(5.0, 100) > bound(5.0, 200) && bound(6.0, 100) > bound(5.0, 100));
    assert!(VcBound::new(1.0).risk(0.1, 0, 0.05).is_err() && VcBound::new(1.0).risk(0.1, 10, 1.0).is_err());
}

#[test]
fn enclosing_ball() {
    let x = array![[0.0, 0.0], [4.0, 0.0], [2.0, 1.0], [1.0, -1.0]];
    let ball = EnclosingBall::new(Kernel::linear()).fit(&cpu(), &x).unwrap();
    near(ball.radius(), 2.0, 1e-9, "R");
    all_near(&ball.centre().unwrap(), &[2.0, 0.0], 1e-6, "the centre");
    let distance = ball.distance(&x).unwrap();
    assert!(distance.iter().all(|d| *d <= 2.0 + 1e-8));
    assert!(distance.iter().filter(|d| (**d - 2.0).abs() < 1e-6).count() >= 2);
    // Moved and turned, the radius stays.
    let (c, s) = (0.6, 0.8);
    let turned = x.dot(&array![[c, s], [-s, c]]) + array![5.0, -3.0];
    let other = EnclosingBall::new(Kernel::linear()).fit(&cpu(), &turned).unwrap();
    near(other.radius(), 2.0, 1e-7, "R of the moved points");
    // Three corners of an equilateral triangle in the feature space of a kernel of unit length.
    let far = array![[0.0], [100.0], [200.0]];
    let kernel = EnclosingBall::new(Kernel::rbf(1.0)).fit(&cpu(), &far).unwrap();
    near(kernel.radius(), (2.0f64 / 3.0).sqrt(), 1e-9, "R in the feature space");
    assert_eq!(kernel.predict(&far).unwrap(), [true; 3]);
}
